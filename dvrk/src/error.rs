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
}
