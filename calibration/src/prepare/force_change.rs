//! Contact by the change of the force: samples whose force differs from the first ones, which are in free air.

use super::noise::{median, running_mean};

/// Half window of the running mean for the detection of contact.
const HALF: usize = 4;
/// Share of the largest change of force above which a sample is certainly in contact.
const SURE: f64 = 0.2;

/// Samples whose force differs from the first samples.
pub(super) struct Change {
    pub(super) n_start: usize,
    /// Indices of samples certainly in contact.
    pub(super) contact: Vec<usize>,
    /// Whether the force increases in contact.
    pub(super) positive: bool,
}

impl Change {
    pub(super) fn of(force: &[f64]) -> Self {
        let n_start = n_start(force.len());
        let still = median(force[..n_start].to_vec());
        let smooth = running_mean(force, HALF);
        let largest = smooth
            .iter()
            .fold(0.0, |most: f64, value| most.max((value - still).abs()));
        let contact: Vec<usize> = (0..force.len())
            .filter(|&index| (smooth[index] - still).abs() > SURE * largest)
            .collect();
        let total: f64 = contact.iter().map(|&index| smooth[index] - still).sum();
        Self {
            n_start,
            contact,
            positive: total >= 0.0,
        }
    }

    /// Median of the first samples.
    pub(super) fn start(&self, values: &[f64]) -> f64 {
        median(values[..self.n_start].to_vec())
    }

    /// Mean of the samples in contact.
    pub(super) fn mean(&self, values: &[f64]) -> f64 {
        let sum: f64 = self.contact.iter().map(|&index| values[index]).sum();
        sum / self.contact.len().max(1) as f64
    }
}

/// Number of first samples that must be in free air.
pub(super) fn n_start(n: usize) -> usize {
    (n / 200).clamp(5, 200).min(n)
}
