//! A log along the normal, and parts of it.

/// A log along one axis, with the force that presses.
#[derive(Clone, Debug)]
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
    /// First and last time of stretches that each have a normal, a surface and drifts of their own [s]; empty: the log is one.
    pub(super) stretches: Vec<[f64; 2]>,
}

impl Track {
    /// The stretches' samples.
    pub(super) fn ranges(&self) -> Vec<std::ops::Range<usize>> {
        let at = |limit: f64| self.time.partition_point(|time| *time < limit);
        let next = |limit: f64| self.time.partition_point(|time| *time <= limit);
        self.stretches
            .iter()
            .map(|[from, to]| at(*from)..next(*to))
            .collect()
    }
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
