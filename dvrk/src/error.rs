//! What can be wrong, with what the user needs to mend it.

/// Errors of this crate.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DvrkError {
    /// A pose that the arm cannot take.
    #[error("{frame} cannot be reached: {reason}")]
    Unreachable {
        /// What was to be placed.
        frame: &'static str,
        /// Why not, with the value and what is allowed.
        reason: String,
    },
    /// A number outside its range.
    #[error("{name} is {value}, allowed: {allowed}")]
    Range {
        /// Whose number.
        name: String,
        /// The number.
        value: f64,
        /// What it may be.
        allowed: String,
    },
    /// A file cannot be read.
    #[error("cannot read {file}: {reason}")]
    Read {
        /// The file.
        file: String,
        /// Why.
        reason: String,
    },
    /// The contents of a log cannot be used.
    #[error("{file}: {problem}")]
    Log {
        /// The log's name.
        file: String,
        /// What is wrong, where, and what is allowed.
        problem: String,
    },
    /// No bodies that can exist were found within the bounds.
    #[error("the feasible fit did not converge: {0}")]
    NoConvergence(String),
}
