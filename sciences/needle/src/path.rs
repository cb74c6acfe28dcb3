//! The path: material points along the channel that the tip has cut.

use nalgebra::Vector3;

/// A material point of the channel.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PathPoint<P> {
    pub(crate) point: P,
    /// Index of its layer.
    pub(crate) layer: usize,
    /// Force of the needle on the tissue, in world [N].
    pub(crate) force: Vector3<f64>,
    /// Coordinate along the needle at which the tissue sticks, from the hub [m].
    pub(crate) grip: f64,
    /// Current coordinate along the needle [m].
    pub(crate) along: f64,
    /// Whether the shaft is in the channel here.
    pub(crate) is_covered: bool,
}

/// The end of the channel, which the tip pushes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Front<P> {
    pub(crate) point: P,
    /// Index of its layer.
    pub(crate) layer: usize,
    /// Force of the tip on the tissue, in world [N].
    pub(crate) force: Vector3<f64>,
    /// Axial force of the tip in the last solution [N]. Unlike `force`, it lasts in a body that does not keep forces.
    pub(crate) axial_force: f64,
    /// Place along the needle at which it is held sideways, from the hub [m].
    pub(crate) along: f64,
    /// Whether the surface of the layer is broken here.
    pub(crate) is_open: bool,
    /// Axial force that the tissue holds [N].
    pub(crate) limit: f64,
}

/// Lengths of shaft between the covered points, and from the last one to the tip [m], shape `[n_points]`. They sum to the inserted length.
pub(crate) fn intervals(along: &[f64], tip: f64) -> Vec<f64> {
    let ends = along.iter().skip(1).chain([&tip]);
    let pairs = along.iter().zip(ends);
    pairs.map(|(start, end)| (end - start).max(0.0)).collect()
}

/// Values at the covered points whose sum is the integral of a density over the shaft. `of_intervals` are the integrals over the intervals
/// of [`intervals`]; each goes to both of its ends in equal parts, and the last one to its start.
pub(crate) fn shares(of_intervals: &[f64]) -> Vec<f64> {
    let last = of_intervals.len().saturating_sub(1);
    let half = |i: usize| 0.5 * of_intervals[i];
    let after = |i: usize| if i == last { of_intervals[i] } else { half(i) };
    let before = |i: usize| if i == 0 { 0.0 } else { half(i - 1) };
    (0..of_intervals.len())
        .map(|i| before(i) + after(i))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{intervals, shares};

    #[test]
    fn shares_sum_to_the_inserted_length() {
        let lengths = intervals(&[0.1, 0.102, 0.105], 0.106);
        let shares = shares(&lengths);
        let expected = [0.001, 0.0025, 0.0025];
        for (share, expected) in shares.iter().zip(expected) {
            assert!((share - expected).abs() < 1e-12, "{shares:?}");
        }
    }
}
