//! A log along the normal, and parts of it.

/// A log along one axis, with the force that presses.
#[derive(Debug)]
pub(super) struct Track {
    pub(super) time: Vec<f64>,
    /// Coordinate growing into the tissue [m]; the indentation itself where that is given.
    pub(super) depth: Vec<f64>,
    /// Its logged rate [m/s].
    pub(super) velocity: Option<Vec<f64>>,
    /// Force, pressing positive, bias not yet removed [N].
    pub(super) force: Vec<f64>,
    /// Depth of the undeformed surface [m], where known.
    pub(super) surface: Option<f64>,
    /// Whether `depth` is an indentation that the log gives.
    pub(super) given: bool,
}

/// Samples from `start` up to, not with, `end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SampleRange {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl SampleRange {
    pub(super) fn len(self) -> usize {
        self.end - self.start
    }
}
