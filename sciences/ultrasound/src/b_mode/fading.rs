//! Attenuation in a frame: the pulse and the width of the beam at each depth.
//!
//! Lines share them: their losses are averaged, weighted by what is left, as apertures of neighbouring lines overlap.

use super::echoes::Carrier;
use super::grid::Grid;
use super::legs::ROWS;
use super::walk::ScanlinePath;
use crate::beam::{Faded, N_SLOPES, SLOPE_STEP};

/// Pulse and beam behind the attenuation of a frame.
#[derive(Clone, Debug)]
pub(crate) struct Fading {
    /// Slope of the loss over the frequency's relative change, for every [`ROWS`]th sample [Np].
    slopes: Vec<f32>,
    /// Number of the pulse, for each sample.
    pub(crate) pulses: Vec<u32>,
    /// Ratio of the beam's width to its width without loss, for each sample.
    pub(crate) widenings: Vec<f32>,
    /// e^(−iφ) for each place and the margins around them, where φ is the phase that the pulse's frequency gains on the carrier.
    pub(crate) turns: Vec<[f32; 2]>,
}

impl Fading {
    pub(crate) fn new(grid: &Grid, carrier: Carrier) -> Self {
        let mut fading = Self {
            slopes: vec![0.0; grid.faded.len()],
            pulses: vec![0; grid.n_samples],
            widenings: vec![1.0; grid.n_samples],
            turns: vec![[1.0, 0.0]; grid.n_samples * grid.n_places + 2 * grid.margin],
        };
        fading.tabulate(grid, carrier);
        fading
    }

    /// Takes the losses of all lines.
    pub(crate) fn take(&mut self, grid: &Grid, carrier: Carrier, tracks: &[ScanlinePath]) {
        let mut before = 0.0;
        for (row, slope) in self.slopes.iter_mut().enumerate() {
            let (mut weight, mut sum) = (0.0, 0.0);
            for track in tracks {
                if let Some([amplitude, moment]) = track.losses.get(row) {
                    weight += amplitude;
                    sum += moment;
                }
            }
            // In the dark the last loss remains.
            *slope = if weight > 1e-12 { sum / weight } else { before };
            before = *slope;
        }
        self.tabulate(grid, carrier);
    }

    fn tabulate(&mut self, grid: &Grid, carrier: Carrier) {
        let faded: Vec<Faded> = grid
            .faded
            .iter()
            .zip(&self.slopes)
            .map(|(row, slope)| Faded::at(row, *slope))
            .collect();
        let between = |of: fn(&Faded) -> f32, place: f32| {
            let place = (place / ROWS as f32).clamp(0.0, (faded.len() - 2) as f32);
            let row = place as usize;
            let (before, after) = (of(&faded[row]), of(&faded[row + 1]));
            before + (place - row as f32) * (after - before)
        };
        for sample in 0..grid.n_samples {
            let row = sample / ROWS;
            let share = (sample % ROWS) as f32 / ROWS as f32;
            let slope = self.slopes[row] + share * (self.slopes[row + 1] - self.slopes[row]);
            let level = (slope / SLOPE_STEP + 0.5) as usize;
            self.pulses[sample] = grid.pulse(sample, level.min(N_SLOPES - 1)) as u32;
            self.widenings[sample] = between(|faded| faded.widening, sample as f32);
        }
        // Two-way periods per place and hertz.
        let time = f64::from(2.0 / (carrier.places * grid.speed_of_sound));
        let mut turns = 0f64;
        for (place, turn) in self.turns.iter_mut().enumerate() {
            let sample = (place as f32 - grid.margin as f32) / grid.n_places as f32;
            let angle = (-std::f64::consts::TAU * turns.fract()) as f32;
            *turn = [angle.cos(), angle.sin()];
            turns += time * f64::from(between(|faded| faded.shift, sample));
        }
    }

    /// Number of lines whose equal echoes add up in a line: the area of the beam.
    pub(crate) fn together(&self, grid: &Grid, range: f32) -> f32 {
        let sample = ((range / grid.step) as usize).min(grid.n_samples - 1);
        self.widenings[sample] * grid.together(range)
    }
}
