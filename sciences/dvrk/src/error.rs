//! Errors, with the information that the user needs to fix them.

/// Errors of this crate.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DvrkError {
    /// A pose that the arm cannot take.
    #[error("{frame} cannot be reached: {reason}")]
    Unreachable {
        /// The frame to be placed.
        frame: &'static str,
        /// Reason, with the value and the allowed range.
        reason: String,
    },
    /// A number outside its range.
    #[error(transparent)]
    Range(#[from] insonate_settings::SettingError),
    /// A file cannot be read.
    #[error("cannot read {file}: {reason}")]
    Read {
        /// Path of the file.
        file: String,
        /// Cause.
        reason: String,
    },
    /// The contents of a log cannot be used.
    #[error("{file}: {problem}")]
    Log {
        /// Name of the log.
        file: String,
        /// The problem, its place, and the allowed range.
        problem: String,
    },
    /// No feasible bodies were found within the bounds.
    #[error("the feasible fit did not converge: {0}")]
    NoConvergence(String),
}
