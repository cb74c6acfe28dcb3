//! Errors of anatomy.

use insonate_meshes::MeshFault;
use insonate_settings::SettingError;

/// An anatomy that cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AnatomyError {
    /// A setting or an input is not allowed.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A table of tissues is wrong.
    #[error("table of tissues: {0}")]
    Table(String),
    /// A segmentation cannot become a patient.
    #[error("a patient cannot be made: {0}")]
    Refused(String),
    /// A file of a patient cannot be read or written.
    #[error("{file}: {problem}")]
    File {
        /// The file.
        file: String,
        /// What is wrong.
        problem: String,
    },
    /// A probe cannot look at an organ from the skin.
    #[error("there is no window to {organ} for a scan: {reason}")]
    NoWindow {
        /// Name of the organ's class.
        organ: String,
        /// What is in the way.
        reason: String,
    },
    /// There is no closed surface of a class.
    #[error("the surface of {class}: {fault}")]
    Surface {
        /// Name of the class.
        class: String,
        /// What is wrong with it.
        fault: MeshFault,
    },
}
