//! Errors of insertions.

use insonate_needle::NeedleError;
use insonate_tissue::TissueError;

/// Reason why an insertion cannot be described or continued.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InsertionError {
    /// A setting is not allowed.
    #[error(transparent)]
    Setting(#[from] insonate_settings::SettingError),
    /// The needle cannot move on.
    #[error(transparent)]
    Needle(#[from] NeedleError),
    /// The tissue cannot be described, or diverged.
    #[error(transparent)]
    Tissue(#[from] TissueError),
}
