//! The pulse filter along a group of lines.

#![expect(
    clippy::inline_always,
    reason = "functions called within `wide` must be inlined into the function with the CPU's features"
)]

use super::echoes::{Carrier, Echoes, ROW};
use super::fading::Fading;
use super::grid::Grid;
use crate::beam::{N_SLOPES, SLOPE_STEP};
use crate::pack::{LANES, Lanes};
use crate::simd::wide;

/// Share of the peak below which the pulse is cut off.
const FAINTEST: f64 = 3e-3;
/// Faint places in sequence that end the pulse.
const N_FAINT: usize = 4;
/// Slopes of the loss up to some −50 dB.
const N_HEARD: usize = 13;

/// Pulses at places around their peaks.
#[derive(Clone, Debug)]
pub(crate) struct PulseFilter {
    /// Each pulse of the table of losses.
    pub(crate) pulses: Vec<PulseTaps>,
    /// Places per sample.
    pub(crate) stride: usize,
}

/// A pulse from its peak on: the even real and the odd imaginary part of its envelope about the carrier, which turns where the pulse has
/// another frequency.
#[derive(Clone, Debug)]
pub(crate) struct PulseTaps {
    pub(crate) taps: Vec<[f32; 2]>,
}

impl PulseTaps {
    fn new(envelope: impl Fn(usize) -> [f64; 2], longest: usize) -> Self {
        let mut taps = vec![[1.0, 0.0]];
        let mut faint = 0;
        for place in 1..=longest {
            let [re, im] = envelope(place);
            taps.push([re as f32, im as f32]);
            faint = if re.hypot(im) > FAINTEST {
                0
            } else {
                faint + 1
            };
            // The envelope may pass through zero between lobes.
            if faint > N_FAINT {
                break;
            }
        }
        taps.truncate(taps.len() - faint);
        Self { taps }
    }

    /// Places on either side of the peak.
    fn reach(&self) -> usize {
        self.taps.len() - 1
    }

    /// Sum of squares over all places.
    fn energy(&self) -> f32 {
        let squares = self.taps[1..].iter().map(|[re, im]| re * re + im * im);
        1.0 + 2.0 * squares.sum::<f32>()
    }

    /// Filters the rows of places around a sample, a vector of their numbers at a time, so that sums stay in registers.
    #[inline(always)]
    fn apply(&self, rows: &[f32], pulsed: &mut [f32]) {
        let reach = self.reach();
        for (part, pulsed) in pulsed.chunks_exact_mut(LANES).enumerate() {
            let lanes = |place: usize| -> Lanes {
                let from = rows[place * ROW + part * LANES..].first_chunk();
                from.copied().unwrap_or([0.0; LANES])
            };
            let (mut even, mut odd) = (lanes(reach), [0.0; LANES]);
            for (place, &[re, im]) in self.taps.iter().enumerate().skip(1) {
                let (before, behind) = (lanes(reach - place), lanes(reach + place));
                for i in 0..LANES {
                    even[i] += re * (before[i] + behind[i]);
                    odd[i] += im * (before[i] - behind[i]);
                }
            }
            // i times the odd part.
            for (i, number) in pulsed.iter_mut().enumerate() {
                let other = odd[i ^ 1];
                *number = even[i] + if i % 2 == 0 { -other } else { other };
            }
        }
    }
}

impl PulseFilter {
    pub(crate) fn new(grid: &Grid, carrier: Carrier, speed_of_sound: f64) -> Self {
        let time = 2.0 / f64::from(carrier.places) / speed_of_sound;
        let pulse = |number| PulseTaps::new(grid.loss.envelope(number, time), grid.margin);
        Self {
            pulses: (0..grid.loss.n_pulses()).map(pulse).collect(),
            stride: grid.n_places,
        }
    }

    /// ∫ |p|² dr of a pulse [m].
    pub(crate) fn energy(&self, carrier: Carrier, pulse: usize) -> f32 {
        self.pulses[pulse].energy() / carrier.places
    }

    /// Ratio of the energies of the pulse at a sample with a loss, whose slope is given [Np], and without one.
    pub(crate) fn lengthening(&self, grid: &Grid, sample: usize, slope: f32) -> f32 {
        let place = (slope / SLOPE_STEP).clamp(0.0, (N_SLOPES - 1) as f32);
        let before = (place as usize).min(N_SLOPES - 2);
        let energy = |slope: usize| self.pulses[grid.pulse(sample, slope)].energy();
        let [clear, low, high] = [0, before, before + 1].map(energy);
        (low + (place - before as f32) * (high - low)) / clear
    }

    /// Half of the longest pulse's length down to a loss that leaves something to hear, plus one place [m].
    pub(crate) fn reach(&self, carrier: Carrier) -> f32 {
        let heard = self.pulses.chunks(N_SLOPES).flat_map(|row| &row[..N_HEARD]);
        let longest = heard.map(PulseTaps::reach).max().unwrap_or(0);
        (longest + 1) as f32 / carrier.places
    }

    /// Filters and samples the lines of a group, shape `[n_samples, ROW]`.
    pub(crate) fn apply(&self, fading: &Fading, echoes: &Echoes, pulsed: &mut [f32]) {
        wide(
            #[inline(always)]
            || {
                for (sample, pulsed) in pulsed.chunks_exact_mut(ROW).enumerate() {
                    let pulse = &self.pulses[fading.pulses[sample] as usize];
                    let place = sample * self.stride;
                    let reach = pulse.reach();
                    let rows = echoes.around(place, reach, 2 * reach + 1);
                    pulse.apply(rows, pulsed);
                }
            },
        );
    }
}
