//! Attenuation in a frame: the pulse and the width of the beam at each depth.
//!
//! Lines share them: their losses are averaged, weighted by what is left, as apertures of neighbouring lines overlap.

use super::grid::Grid;
use super::walk::ScanlinePath;
use crate::beam::{Faded, N_SLOPES, SLOPE_STEP};

/// Pulse and beam behind the attenuation of a frame.
#[derive(Clone, Debug)]
pub(crate) struct Fading {
    /// Slope of the loss over the frequency's relative change, for each row [Np].
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
}

impl Fading {
    pub(crate) fn new(grid: &Grid) -> Self {
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
        };
        fading.tabulate(grid);
        fading
    }

    /// Takes the losses of all lines.
    pub(crate) fn take(&mut self, grid: &Grid, tracks: &[ScanlinePath]) {
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
        self.tabulate(grid);
    }

    fn tabulate(&mut self, grid: &Grid) {
        let rows = grid.faded.iter().zip(&self.slopes);
        for (faded, (row, slope)) in self.faded.iter_mut().zip(rows) {
            *faded = Faded::at(row, *slope);
        }
        let n = grid.rows.distance();
        let samples = self.pulses.chunks_mut(n);
        let samples = samples.zip(self.widenings.chunks_mut(n));
        for (row, (pulses, widenings)) in samples.enumerate() {
            let clear = &self.clear_pulses[row * n..];
            let slopes = [self.slopes[row], self.slopes[row + 1]];
            let wider = [row, row + 1].map(|row| self.faded[row].widening);
            for (i, (pulse, widening)) in pulses.iter_mut().zip(widenings).enumerate() {
                let share = i as f32 / n as f32;
                let between = |[a, b]: [f32; 2]| a + share * (b - a);
                let level = (between(slopes) / SLOPE_STEP + 0.5) as usize;
                *pulse = clear[i] + level.min(N_SLOPES - 1) as u32;
                *widening = between(wider);
            }
        }
    }

    /// Number of lines whose equal echoes add up in a line: the area of the beam.
    pub(crate) fn together(&self, grid: &Grid, range: f32) -> f32 {
        let sample = ((range / grid.step) as usize).min(grid.n_samples - 1);
        self.widenings[sample] * grid.together(range)
    }
}
