//! The beam along the array: each sample of a line also sees its neighbours.
//!
//! Echoes between two lines were shared out to both, which widens the beam by a variance of 1/6 line²; the taps are as much narrower.
//! Their sum is the area of a Gaussian of height 1, so that a point's echo keeps its strength.

#![expect(
    clippy::inline_always,
    reason = "what is called within `wide` must be part of the function that has the processor's features"
)]

use std::f32::consts::PI;

use super::grid::Grid;
use crate::wide::wide;

/// Samples whose taps reach equally far.
const BLOCK: usize = 64;

/// The beam over lines for each sample.
#[derive(Clone, Debug)]
pub(crate) struct BeamFilter {
    n_samples: usize,
    /// Lines to either side, for each block of samples.
    reach: Vec<usize>,
    /// Of each distance in lines, for each sample twice: re, im.
    taps: Vec<Vec<f32>>,
}

impl BeamFilter {
    pub(crate) fn new(grid: &Grid) -> Self {
        let narrowed = |sigma: f32| (sigma * sigma - 1.0 / 6.0).max(0.04).sqrt();
        let reach_of = |sigma: f32| ((2.8 * narrowed(sigma)).ceil() as usize).min(grid.n_lines - 1);
        let reach: Vec<usize> = grid
            .sigma_across
            .chunks(BLOCK)
            .map(|sigmas| reach_of(sigmas.iter().copied().fold(0.0, f32::max)))
            .collect();
        let most = reach.iter().copied().max().unwrap_or(0);
        let mut taps = vec![Vec::with_capacity(2 * grid.n_samples); most + 1];
        for (sample, &sigma) in grid.sigma_across.iter().enumerate() {
            let scale = -0.5 / narrowed(sigma).powi(2);
            let weight = |lines: usize| (scale * (lines * lines) as f32).exp();
            let reach = reach[sample / BLOCK];
            let sum = 1.0 + 2.0 * (1..=reach).map(weight).sum::<f32>();
            let area = (2.0 * PI).sqrt() * sigma / sum;
            for (lines, taps) in taps.iter_mut().enumerate() {
                let tap = if lines <= reach {
                    area * weight(lines)
                } else {
                    0.0
                };
                taps.extend([tap, tap]);
            }
        }
        Self {
            n_samples: grid.n_samples,
            reach,
            taps,
        }
    }

    /// For each sample, the energy of the response over lines to an echo anywhere: of a tent, which shared it out, and the taps.
    pub(crate) fn energy(&self) -> Vec<f32> {
        let tap =
            |lines: usize, sample: usize| self.taps.get(lines).map_or(0.0, |taps| taps[2 * sample]);
        let energy = |sample: usize| {
            // Tents overlap by 2/3 with themselves and by 1/6 with either neighbour.
            let term = |lines: usize| {
                let beside = tap(lines + 1, sample) + tap(lines.abs_diff(1), sample);
                let both = if lines == 0 { 1.0 } else { 2.0 };
                both * tap(lines, sample) * (2.0 / 3.0 * tap(lines, sample) + beside / 6.0)
            };
            (0..self.taps.len()).map(term).sum()
        };
        (0..self.n_samples).map(energy).collect()
    }

    /// A line as the array sees it, of all lines' samples: re, im.
    pub(crate) fn apply(&self, lines: &[Vec<f32>], line: usize, seen: &mut [f32]) {
        wide(
            #[inline(always)]
            || {
                for (block, &reach) in self.reach.iter().enumerate() {
                    let start = 2 * block * BLOCK;
                    let end = (start + 2 * BLOCK).min(2 * self.n_samples);
                    let least = line.saturating_sub(reach);
                    let most = (line + reach).min(lines.len() - 1);
                    let mut sums = [0.0; 2 * BLOCK];
                    for (other, from) in (least..).zip(&lines[least..=most]) {
                        let taps = &self.taps[other.abs_diff(line)][start..end];
                        accumulate(taps, &from[start..end], &mut sums);
                    }
                    seen[start..end].copy_from_slice(&sums[..end - start]);
                }
            },
        );
    }
}

#[inline(always)]
fn accumulate(taps: &[f32], from: &[f32], sums: &mut [f32; 2 * BLOCK]) {
    let whole = <&[f32; 2 * BLOCK]>::try_from(taps);
    if let (Ok(taps), Ok(from)) = (whole, <&[f32; 2 * BLOCK]>::try_from(from)) {
        for i in 0..2 * BLOCK {
            sums[i] += taps[i] * from[i];
        }
    } else {
        for ((sum, from), tap) in sums.iter_mut().zip(from).zip(taps) {
            *sum += tap * from;
        }
    }
}
