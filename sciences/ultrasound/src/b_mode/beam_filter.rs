//! The beam along the array: each line also receives echoes of its neighbours.
//!
//! Splitting an echo between its two lines widens the beam by a variance of 1/6 line²; the taps are narrower by this variance.
//! Their sum is the area of a Gaussian of height 1, so that the echo of a point keeps its strength.

#![expect(
    clippy::inline_always,
    reason = "functions called within `wide` must be inlined into the function with the CPU's features"
)]

use std::f32::consts::PI;

use super::grid::Grid;
use crate::simd::wide;

/// Numbers that are summed at once.
const BLOCK: usize = 64;

/// Variance that the splitting adds, and least variance of the taps [line²].
const SHARED: f32 = 1.0 / 6.0;
const LEAST: f32 = 0.04;
/// Standard deviation of the narrowest beam [lines]: √(SHARED + LEAST).
pub(crate) const NARROWEST: f32 = 0.4546;

/// The beam over lines for each sample.
#[derive(Clone, Debug)]
pub(crate) struct BeamFilter {
    n_samples: usize,
    /// Lines on either side, for each sample.
    reaches: Vec<usize>,
    /// Tap for each distance in lines, for each sample.
    taps: Vec<Vec<f32>>,
    /// For each sample: tap of the line itself, ratio of the tap of the next line to it, lines on either side, 0.
    #[cfg(feature = "gpu")]
    pub(crate) shapes: Vec<[f32; 4]>,
}

impl BeamFilter {
    pub(crate) fn new(grid: &Grid) -> Self {
        let mut filter = Self {
            n_samples: grid.n_samples,
            reaches: Vec::new(),
            taps: Vec::new(),
            #[cfg(feature = "gpu")]
            shapes: vec![[0.0; 4]; grid.n_samples],
        };
        filter.widen(grid, &vec![1.0; grid.n_samples]);
        filter
    }

    /// Makes the taps of a beam that is wider than without loss by a ratio, for each sample.
    pub(crate) fn widen(&mut self, grid: &Grid, ratios: &[f32]) {
        let narrowed = |sigma: f32| (sigma * sigma - SHARED).max(LEAST).sqrt();
        let reach_of = |sigma: f32| ((2.8 * narrowed(sigma)).ceil() as usize).min(grid.n_lines - 1);
        let sigmas = grid.sigma_across.iter().zip(ratios);
        let sigmas = sigmas.map(|(sigma, ratio)| sigma * ratio);
        self.reaches.clear();
        self.reaches.extend(sigmas.clone().map(reach_of));
        let most = self.reaches.iter().copied().max().unwrap_or(0);
        self.taps.resize_with(most + 1, Vec::new);
        for taps in &mut self.taps {
            taps.clear();
            taps.resize(grid.n_samples, 0.0);
        }
        for (sample, sigma) in sigmas.enumerate() {
            // e^(−n²/2σ²), from one distance to the next.
            let nearest = (-0.5 / narrowed(sigma).powi(2)).exp();
            let (mut weight, mut ratio, mut sum) = (1.0, nearest, 0.0);
            let reach = self.reaches[sample];
            for taps in &mut self.taps[..=reach] {
                taps[sample] = weight;
                sum += weight;
                weight *= ratio;
                ratio *= nearest * nearest;
            }
            let scale = (2.0 * PI).sqrt() * sigma / (2.0 * sum - 1.0);
            for taps in &mut self.taps[..=reach] {
                taps[sample] *= scale;
            }
            #[cfg(feature = "gpu")]
            {
                self.shapes[sample] = [scale, nearest, reach as f32, 0.0];
            }
        }
    }

    /// For each sample, the energy over lines of the response to an echo at any position: the tent of the splitting, filtered by the taps.
    pub(crate) fn energy(&self) -> Vec<f32> {
        let tap =
            |lines: usize, sample: usize| self.taps.get(lines).map_or(0.0, |taps| taps[sample]);
        let energy = |sample: usize| {
            // A tent overlaps with itself by 2/3 and with either neighbour by 1/6.
            let term = |lines: usize| {
                let adjacent = tap(lines + 1, sample) + tap(lines.abs_diff(1), sample);
                let both = if lines == 0 { 1.0 } else { 2.0 };
                both * tap(lines, sample) * (2.0 / 3.0 * tap(lines, sample) + adjacent / 6.0)
            };
            (0..self.taps.len()).map(term).sum()
        };
        (0..self.n_samples).map(energy).collect()
    }

    /// Upper limit of the lines on either side that a line receives.
    pub(crate) fn reach(&self) -> usize {
        self.taps.len() - 1
    }

    /// Filters one sample of all lines: re, im; `row` has [`Self::reach`] more lines on either side.
    pub(crate) fn apply(&self, sample: usize, row: &[f32], seen: &mut [f32]) {
        let reach = self.reaches[sample];
        let middle = 2 * self.reach();
        wide(
            #[inline(always)]
            || {
                for (block, seen) in seen.chunks_mut(BLOCK).enumerate() {
                    let at = middle + block * BLOCK;
                    let mut sums = [0.0; BLOCK];
                    for (lines, taps) in self.taps.iter().enumerate().take(reach + 1) {
                        let [left, right] = [at - 2 * lines, at + 2 * lines];
                        // The sum below adds the line itself twice.
                        let tap = if lines == 0 { 0.5 } else { 1.0 } * taps[sample];
                        accumulate(tap, &row[left..], &row[right..], seen.len(), &mut sums);
                    }
                    seen.copy_from_slice(&sums[..seen.len()]);
                }
            },
        );
    }
}

#[inline(always)]
fn accumulate(tap: f32, left: &[f32], right: &[f32], n: usize, sums: &mut [f32; BLOCK]) {
    let whole = (left.first_chunk::<BLOCK>(), right.first_chunk::<BLOCK>());
    if let (Some(left), Some(right)) = whole {
        for i in 0..BLOCK {
            sums[i] += tap * (left[i] + right[i]);
        }
    } else {
        for (sum, (left, right)) in sums.iter_mut().zip(left.iter().zip(right)).take(n) {
            *sum += tap * (left + right);
        }
    }
}
