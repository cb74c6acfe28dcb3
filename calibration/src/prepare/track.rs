//! A log along the normal, and parts of it.

use nalgebra::Vector3;

use super::axis::along;
use crate::SampleChange;

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
    /// What one standard error of something changes the force by.
    pub(super) changes: Vec<SampleChange>,
    /// The same as shares of depth and bias-free force.
    pub(super) scales: Vec<Scale>,
    /// Unit vector into the tissue in the position's frame; `None` for a position along one axis.
    pub(super) inward: Option<Vector3<f64>>,
}

/// What one standard error of something changes depth and force by, as shares.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    /// Of the depth.
    pub(super) depth: f64,
    /// Of the force in each stretch; one number where the log is one.
    pub(super) force: Vec<f64>,
}

impl Track {
    /// Adds what vectors of the position's frame, shape `[n, 3]` each, and a share of the force change.
    pub(super) fn add_doubts(&mut self, changes: &[Vec<[f64; 3]>], share: f64) {
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

impl SampleChange {
    /// The change without its mean in free air, which the bias takes.
    pub(super) fn about(mut self, air: Option<SampleRange>) -> Self {
        if let Some(air) = air.filter(|air| air.len() > 0) {
            let mean = self.force[air.start..air.end].iter().sum::<f64>() / air.len() as f64;
            self.force.iter_mut().for_each(|force| *force -= mean);
        }
        self
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
