//! How a training starts.

/// How a training starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartMode {
    /// Start; a folder that contains an earlier training is refused.
    New,
    /// Start, and remove the files of an earlier training.
    Overwrite,
    /// Resume from the checkpoint.
    Resume,
}
