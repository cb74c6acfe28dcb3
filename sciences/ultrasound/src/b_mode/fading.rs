//! Attenuation in a frame: the pulse and the width of the beam at each depth.
//!
//! Lines share them: their losses are averaged, weighted by what is left, as apertures of neighbouring lines overlap.

use super::echo_shader::turn;
use super::echoes::Carrier;
use super::grid::Grid;
use super::legs::ROWS;
use super::walk::ScanlinePath;
use crate::beam::{Faded, N_SLOPES, SLOPE_STEP};
use crate::simd::wide;

/// Pulse and beam behind the attenuation of a frame.
#[derive(Clone, Debug)]
pub(crate) struct Fading {
    /// Slope of the loss over the frequency's relative change, for every [`ROWS`]th sample [Np].
    slopes: Vec<f32>,
    /// What is left there, over all lines.
    weights: Vec<f32>,
    /// Pulse and beam there.
    faded: Vec<Faded>,
    /// Number of the pulse without loss, for each sample.
    clear_pulses: Vec<u32>,
    /// Number of the pulse, for each sample.
    pub(crate) pulses: Vec<u32>,
    /// Ratio of the beam's width to its width without loss, for each sample.
    pub(crate) widenings: Vec<f32>,
    /// e^(−iφ) for each place and the margins around them, where φ is the phase that the pulse's frequency gains on the carrier.
    pub(crate) turns: Vec<[f32; 2]>,
}

impl Fading {
    pub(crate) fn new(grid: &Grid, carrier: Carrier) -> Self {
        let clear = |row: &[Faded; N_SLOPES]| Faded::at(row, 0.0);
        let mut fading = Self {
            slopes: vec![0.0; grid.faded.len()],
            weights: vec![0.0; grid.faded.len()],
            faded: grid.faded.iter().map(clear).collect(),
            clear_pulses: (0..grid.n_samples)
                .map(|sample| grid.pulse(sample, 0) as u32)
                .collect(),
            pulses: vec![0; grid.n_samples],
            widenings: vec![1.0; grid.n_samples],
            turns: vec![[1.0, 0.0]; grid.n_samples * grid.n_places + 2 * grid.margin],
        };
        fading.tabulate(grid, carrier);
        fading
    }

    /// Takes the losses of all lines.
    pub(crate) fn take(&mut self, grid: &Grid, carrier: Carrier, tracks: &[ScanlinePath]) {
        let Self {
            slopes, weights, ..
        } = self;
        slopes.fill(0.0);
        weights.fill(0.0);
        for track in tracks {
            let rows = slopes.iter_mut().zip(&mut *weights);
            for ((sum, weight), [amplitude, moment]) in rows.zip(&track.losses) {
                *weight += amplitude;
                *sum += moment;
            }
        }
        let mut before = 0.0;
        for (slope, weight) in slopes.iter_mut().zip(weights) {
            // In the dark the last loss remains.
            *slope = if *weight > 1e-12 {
                *slope / *weight
            } else {
                before
            };
            before = *slope;
        }
        self.tabulate(grid, carrier);
    }

    fn tabulate(&mut self, grid: &Grid, carrier: Carrier) {
        let rows = grid.faded.iter().zip(&self.slopes);
        for (faded, (row, slope)) in self.faded.iter_mut().zip(rows) {
            *faded = Faded::at(row, *slope);
        }
        let samples = self.pulses.chunks_mut(ROWS);
        let samples = samples.zip(self.widenings.chunks_mut(ROWS));
        for (row, (pulses, widenings)) in samples.enumerate() {
            let clear = &self.clear_pulses[row * ROWS..];
            let slopes = [self.slopes[row], self.slopes[row + 1]];
            let wider = [row, row + 1].map(|row| self.faded[row].widening);
            for (i, (pulse, widening)) in pulses.iter_mut().zip(widenings).enumerate() {
                let share = i as f32 / ROWS as f32;
                let between = |[a, b]: [f32; 2]| a + share * (b - a);
                let level = (between(slopes) / SLOPE_STEP + 0.5) as usize;
                *pulse = clear[i] + level.min(N_SLOPES - 1) as u32;
                *widening = between(wider);
            }
        }
        self.find_turns(grid, carrier);
    }

    fn find_turns(&mut self, grid: &Grid, carrier: Carrier) {
        // Two-way periods per place and hertz.
        let time = f64::from(2.0 / (carrier.places * grid.speed_of_sound));
        let per_row = (ROWS * grid.n_places) as f32;
        let last = (self.faded.len() - 2) as f32;
        let Self { turns, faded, .. } = self;
        wide(
            #[inline(always)]
            || {
                let mut turned = 0f64;
                for (place, next) in turns.iter_mut().enumerate() {
                    next[0] = (turned - turned.floor()) as f32;
                    let row = ((place as f32 - grid.margin as f32) / per_row).clamp(0.0, last);
                    let before = row as usize;
                    let [a, b] = [before, before + 1].map(|row| faded[row].shift);
                    turned += time * f64::from(a + (row - before as f32) * (b - a));
                }
                for pair in turns {
                    let [cos, sin] = turn(pair[0]);
                    *pair = [cos, -sin];
                }
            },
        );
    }

    /// Number of lines whose equal echoes add up in a line: the area of the beam.
    pub(crate) fn together(&self, grid: &Grid, range: f32) -> f32 {
        let sample = ((range / grid.step) as usize).min(grid.n_samples - 1);
        self.widenings[sample] * grid.together(range)
    }
}
