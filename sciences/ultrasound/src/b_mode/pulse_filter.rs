//! The pulse filter along a group of lines.

use super::echoes::{Carrier, Echoes, ROW};
use super::grid::Grid;
use crate::beam::Pulse;
use crate::simd::wide;

/// Share of the peak below which the pulse is cut off.
const FAINTEST: f64 = 3e-3;

/// The pulse at places around its peak.
#[derive(Clone, Debug)]
pub(crate) struct PulseFilter {
    pub(crate) taps: Vec<f32>,
    /// Places per sample.
    pub(crate) stride: usize,
}

impl PulseFilter {
    /// The real part of the envelope: relative to the mean frequency, the imaginary part is small.
    pub(crate) fn new(grid: &Grid, carrier: Carrier, pulse: &Pulse, speed_of_sound: f64) -> Self {
        let tap = |place: usize| {
            let time = 2.0 * place as f64 / f64::from(carrier.places) / speed_of_sound;
            pulse.envelope(time)
        };
        let reach = (0..=grid.margin)
            .rev()
            .find(|&place| tap(place).norm() > FAINTEST)
            .unwrap_or(0);
        let one_side = (1..=reach).map(|place| tap(place).re as f32);
        let mut taps: Vec<f32> = one_side.clone().rev().collect();
        taps.push(1.0);
        taps.extend(one_side);
        Self {
            taps,
            stride: grid.n_places,
        }
    }

    /// ∫ |p|² dr [m].
    pub(crate) fn energy(&self, carrier: Carrier) -> f32 {
        self.taps.iter().map(|tap| tap * tap).sum::<f32>() / carrier.places
    }

    /// Half of the pulse's length, plus one place [m].
    pub(crate) fn reach(&self, carrier: Carrier) -> f32 {
        (self.taps.len() / 2 + 1) as f32 / carrier.places
    }

    /// Filters and samples the lines of a group, shape `[n_samples, ROW]`.
    pub(crate) fn apply(&self, echoes: &Echoes, pulsed: &mut [f32]) {
        let (reach, n) = (self.taps.len() / 2, self.taps.len());
        wide(
            #[inline(always)]
            || {
                for (sample, pulsed) in pulsed.chunks_exact_mut(ROW).enumerate() {
                    let rows = echoes.around(sample * self.stride, reach, n);
                    let mut sums = [0.0; ROW];
                    for (tap, row) in self.taps.iter().zip(rows.chunks_exact(ROW)) {
                        for i in 0..ROW {
                            sums[i] += tap * row[i];
                        }
                    }
                    pulsed.copy_from_slice(&sums);
                }
            },
        );
    }
}
