//! The pulse passes over the echoes of a line.

#![expect(
    clippy::inline_always,
    reason = "what is called within `wide` must be part of the function that has the processor's features"
)]

use super::echoes::{Carrier, Echoes};
use super::grid::Grid;
use crate::beam::Pulse;
use crate::wide::wide;

/// Below this share of its peak the pulse is left out.
const FAINTEST: f64 = 3e-3;
/// Numbers that are summed at once.
const BLOCK: usize = 128;

/// The pulse at places around its peak.
#[derive(Clone, Debug)]
pub(crate) struct PulseFilter {
    taps: Vec<f32>,
}

impl PulseFilter {
    /// The envelope's real part: about the mean frequency the rest is small.
    pub(crate) fn new(grid: &Grid, carrier: Carrier, pulse: &Pulse, speed_of_sound: f64) -> Self {
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
    pub(crate) fn energy(&self, carrier: Carrier) -> f32 {
        self.taps.iter().map(|tap| tap * tap).sum::<f32>() / carrier.places
    }

    /// Samples of a line of a group: re, im.
    pub(crate) fn apply(&self, echoes: &Echoes, line: usize, iq: &mut [f32]) {
        let reach = (self.taps.len() / 2) as isize;
        wide(
            #[inline(always)]
            || {
                // Sums of a block stay in registers over all taps.
                for (block, iq) in iq.chunks_mut(BLOCK).enumerate() {
                    let mut sums = [0.0; BLOCK];
                    for (tap, place) in self.taps.iter().zip(-reach..) {
                        let from = &echoes.shifted(line, place)[block * BLOCK..];
                        accumulate(*tap, &from[..iq.len()], &mut sums);
                    }
                    iq.copy_from_slice(&sums[..iq.len()]);
                }
            },
        );
    }
}

#[inline(always)]
fn accumulate(factor: f32, from: &[f32], sums: &mut [f32; BLOCK]) {
    if let Ok(from) = <&[f32; BLOCK]>::try_from(from) {
        for i in 0..BLOCK {
            sums[i] += factor * from[i];
        }
    } else {
        for (sum, from) in sums.iter_mut().zip(from) {
            *sum += factor * from;
        }
    }
}
