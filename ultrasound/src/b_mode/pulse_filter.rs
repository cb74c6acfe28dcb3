//! The pulse passes over the echoes of a line.

use super::echoes::{Carrier, Echoes};
use super::grid::Grid;
use crate::beam::Pulse;
use crate::wide::wide;

/// Below this share of its peak the pulse is left out.
const FAINTEST: f64 = 3e-3;

/// The pulse at places around its peak.
#[derive(Clone, Debug)]
pub(crate) struct PulseFilter {
    taps: Vec<f32>,
}

impl PulseFilter {
    /// The envelope's real part: about the mean frequency the rest is small.
    pub(crate) fn new(grid: &Grid, carrier: &Carrier, pulse: &Pulse, speed_of_sound: f64) -> Self {
        let most = Echoes::max_reach(grid);
        let tap = |place: usize| {
            let time = 2.0 * place as f64 / f64::from(carrier.places) / speed_of_sound;
            pulse.envelope(time)
        };
        let reach = (0..=most)
            .rev()
            .find(|&place| tap(place).norm() > FAINTEST)
            .unwrap_or(0);
        let one_side = (1..=reach).map(|place| tap(place).re as f32);
        let mut taps: Vec<f32> = one_side.clone().rev().collect();
        taps.push(1.0);
        taps.extend(one_side);
        Self { taps }
    }

    /// ∫ |p|² dr [m].
    pub(crate) fn energy(&self, carrier: &Carrier) -> f32 {
        self.taps.iter().map(|tap| tap * tap).sum::<f32>() / carrier.places
    }

    /// Samples of a line of a group: re, im.
    pub(crate) fn apply(&self, echoes: &Echoes, line: usize, iq: &mut [f32]) {
        let reach = (self.taps.len() / 2) as isize;
        wide(
            #[inline(always)]
            || {
                iq.fill(0.0);
                for (tap, place) in self.taps.iter().zip(-reach..) {
                    accumulate(*tap, echoes.shifted(line, place), iq);
                }
            },
        );
    }
}

#[inline(always)]
fn accumulate(factor: f32, from: &[f32], to: &mut [f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += factor * from;
    }
}
