//! A log along the normal, and ranges of it.

use nalgebra::Vector3;

use super::directions::along;
use crate::SampleChange;

/// A log along one axis, with the force that presses.
#[derive(Clone, Debug)]
pub(super) struct Track {
    pub(super) time: Vec<f64>,
    /// Coordinate growing into the tissue [m]; the indentation itself if it is given.
    pub(super) depth: Vec<f64>,
    /// Logged rate of the depth [m/s].
    pub(super) velocity: Option<Vec<f64>>,
    /// Force, pressing positive, including the bias [N].
    pub(super) force: Vec<f64>,
    /// Depth of the undeformed surface [m], if known.
    pub(super) surface: Option<f64>,
    /// Whether `depth` is an indentation from the log.
    pub(super) given: bool,
    /// First and last time of segments with separate normals, surfaces and drifts [s]; empty: a single segment.
    pub(super) stretches: Vec<[f64; 2]>,
    /// Changes of the force per standard error of the causes.
    pub(super) changes: Vec<SampleChange>,
    /// Relative changes of depth and bias-free force per standard error of the causes.
    pub(super) scales: Vec<Scale>,
    /// Unit vector into the tissue in the position's frame; `None` for a position along one axis.
    pub(super) inward: Option<Vector3<f64>>,
}

/// Relative change of depth and force per standard error of a cause.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    /// Relative change of the depth.
    pub(super) depth: f64,
    /// Relative change of the force in each segment; one number for a single segment.
    pub(super) force: Vec<f64>,
}

impl Track {
    /// Adds the force changes by vectors in the position's frame, each of shape `[n, 3]`, and by a share of the
    /// force.
    pub(super) fn add_uncertainty(&mut self, changes: &[Vec<[f64; 3]>], share: f64) {
        if let Some(inward) = &self.inward {
            self.changes
                .extend(changes.iter().map(|change| SampleChange {
                    stretch: 0.0,
                    force: along(change, inward),
                }));
        }
        if share != 0.0 {
            self.scales.push(Scale {
                depth: 0.0,
                force: vec![share; self.stretches.len().max(1)],
            });
        }
    }

    /// Counts depth from a surface [m] and force from a bias [N].
    pub(super) fn count_from(&mut self, surface: f64, bias: f64) {
        if surface != 0.0 {
            for depth in &mut self.depth {
                *depth -= surface;
            }
        }
        if bias != 0.0 {
            for force in &mut self.force {
                *force -= bias;
            }
        }
    }

    /// Sample ranges of the segments.
    pub(super) fn ranges(&self) -> Vec<std::ops::Range<usize>> {
        let at = |limit: f64| self.time.partition_point(|time| *time < limit);
        let next = |limit: f64| self.time.partition_point(|time| *time <= limit);
        self.stretches
            .iter()
            .map(|[from, to]| at(*from)..next(*to))
            .collect()
    }
}

impl SampleChange {
    /// The change without its mean in free air, which the bias absorbs.
    pub(super) fn about(mut self, air: Option<SampleRange>) -> Self {
        if let Some(air) = air.filter(|air| air.len() > 0) {
            let mean = self.force[air.start..air.end].iter().sum::<f64>() / air.len() as f64;
            self.force.iter_mut().for_each(|force| *force -= mean);
        }
        self
    }
}

/// Samples from `start` to `end`, exclusive.
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
