//! The beam along the array: each line also receives echoes of its neighbours.
//!
//! Splitting an echo between its two lines widens the beam by a variance of 1/6 line²; the taps are narrower by this variance.
//! Their sum is the area of a Gaussian of height 1, so that the echo of a point keeps its strength.
//! [`super::tail`] adds what lies beyond the main lobe.

#![expect(
    clippy::inline_always,
    reason = "functions called within `wide` must be inlined into the function with the CPU's features"
)]

use std::f32::consts::PI;

use super::grid::Grid;
use super::tail::Tail;
use crate::pack::{LANES, Lanes};
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
    /// Tails, for each sample.
    tails: Vec<Tail>,
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
            tails: Vec::new(),
            #[cfg(feature = "gpu")]
            shapes: vec![[0.0; 4]; grid.n_samples],
        };
        filter.widen(grid, &vec![1.0; grid.n_samples]);
        filter
    }

    /// Makes the taps of a beam that is wider than without loss by a ratio, for each sample.
    pub(crate) fn widen(&mut self, grid: &Grid, ratios: &[f32]) {
        let widths = |sample: usize| {
            let sigma = grid.sigma_across[sample] * ratios[sample];
            (sigma, (sigma * sigma - SHARED).max(LEAST))
        };
        self.reaches.clear();
        self.reaches.extend((0..grid.n_samples).map(|sample| {
            let (_, narrowed) = widths(sample);
            ((2.8 * narrowed.sqrt()).ceil() as usize).min(grid.n_lines - 1)
        }));
        let tail = |(sample, ratio): (usize, &f32)| {
            Tail::new(grid.pedestals[sample], *ratio, grid.spacing_at(sample))
        };
        self.tails.clear();
        self.tails.extend(ratios.iter().enumerate().map(tail));
        let most = self.reaches.iter().copied().max().unwrap_or(0);
        self.taps.resize_with(most + 1, Vec::new);
        for taps in &mut self.taps {
            taps.clear();
            taps.resize(grid.n_samples, 0.0);
        }
        for first in (0..grid.n_samples).step_by(LANES) {
            let n = LANES.min(grid.n_samples - first);
            let (mut nearest, mut areas) = ([0.0; LANES], [0.0; LANES]);
            for lane in 0..n {
                let (sigma, narrowed) = widths(first + lane);
                nearest[lane] = (-0.5 / narrowed).exp();
                areas[lane] = (2.0 * PI).sqrt() * sigma;
            }
            self.put_taps([first, n], nearest, areas);
        }
    }

    /// Writes the taps of `n` samples from `first` on, given the ratio of the tap of the next line to that of the line itself, and their sum.
    fn put_taps(&mut self, [first, n]: [usize; 2], nearest: Lanes, areas: Lanes) {
        let mut reaches = [0.0; LANES];
        for (reach, own) in reaches.iter_mut().zip(&self.reaches[first..first + n]) {
            *reach = *own as f32;
        }
        let most = reaches.iter().copied().fold(0.0, f32::max) as usize;
        let taps = &mut self.taps[..=most];
        let mut scales = [0.0; LANES];
        wide(
            #[inline(always)]
            || {
                // e^(−n²/2σ²), from one distance to the next.
                let (mut weights, mut ratios, mut sums) = ([1.0; LANES], nearest, [0.0; LANES]);
                for (lines, taps) in taps.iter_mut().enumerate() {
                    taps[first..first + n].copy_from_slice(&weights[..n]);
                    for lane in 0..LANES {
                        sums[lane] += weights[lane];
                        // Numbers that nobody hears would become slow.
                        let is_within = lines as f32 + 1.0 <= reaches[lane];
                        let ratio = if is_within { ratios[lane] } else { 0.0 };
                        weights[lane] *= ratio;
                        ratios[lane] = ratio * (nearest[lane] * nearest[lane]);
                    }
                }
                for lane in 0..LANES {
                    scales[lane] = areas[lane] / (2.0 * sums[lane] - 1.0);
                }
                for taps in taps {
                    for (tap, scale) in taps[first..first + n].iter_mut().zip(&scales) {
                        *tap *= scale;
                    }
                }
            },
        );
        #[cfg(feature = "gpu")]
        for lane in 0..n {
            self.shapes[first + lane] = [scales[lane], nearest[lane], reaches[lane], 0.0];
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
            let whole: f32 = (0..self.taps.len()).map(term).sum();
            whole + self.tails[sample].energy()
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
                self.tails[sample].add(&row[middle..][..seen.len()], seen);
            },
        );
    }

    /// The tails as the GPU takes them: lines to the beginning, amplitude, what is left from line to line, 0.
    #[cfg(feature = "gpu")]
    pub(crate) fn gpu_tails(&self) -> impl Iterator<Item = [f32; 4]> {
        let tails = self.tails.iter();
        tails.map(|tail| [tail.start as f32, tail.height, tail.left, 0.0])
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
