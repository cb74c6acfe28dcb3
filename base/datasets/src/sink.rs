//! What the writer of a format implements.

use crate::{DatasetError, Demonstration};

/// Writes the demonstrations of a data set in one format.
pub(crate) trait Sink: std::fmt::Debug + Send {
    /// Adds a demonstration, whose shape was checked.
    fn push(&mut self, demonstration: &Demonstration) -> Result<(), DatasetError>;

    /// Completes the data set.
    fn finish(self: Box<Self>) -> Result<(), DatasetError>;
}
