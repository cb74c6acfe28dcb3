//! The receiver: noise, time gain compensation, envelope, logarithm.

#![expect(
    clippy::inline_always,
    reason = "functions called within `wide` must be inlined into the function with the CPU's features"
)]

use std::f32::consts::PI;

use super::Settings;
use super::grid::Grid;
use super::lattice;
use super::pulse_filter::PulseFilter;
use crate::beam::two_way_slope;
use crate::simd::wide;

/// Samples of noise; each depth starts at another one of them.
const N_NOISE: usize = 1 << 14;
/// Level of silence [dB].
pub(crate) const SILENCE: f32 = -200.0;

/// Gain and noise.
#[derive(Clone, Debug)]
pub(crate) struct Receiver {
    /// Gain of each sample.
    pub(crate) gain: Vec<f32>,
    /// Noise, re and im; extended by the number of lines, so that a depth may start anywhere.
    pub(crate) noise: Vec<f32>,
    seed: u64,
}

impl Receiver {
    /// Compensates for the assumed attenuation of speckle and adds the gain over depth, for a pulse with a mean frequency [Hz].
    pub(crate) fn new(
        grid: &Grid,
        settings: &Settings,
        frequency: f64,
        pulse: &PulseFilter,
    ) -> Self {
        let gain = |sample: usize| {
            let range = f64::from(grid.step) * sample as f64;
            let slope = two_way_slope(settings.compensation, range, frequency) as f32;
            let faded = grid.faded(range as f32, slope);
            let lengthening = pulse.lengthening(grid, sample, slope);
            let compensation = slope.exp() / (faded.gain * (faded.widening * lengthening).sqrt());
            compensation * 10f64.powf(0.05 * settings.tgc.at(range, settings.depth)) as f32
        };
        // The real and the imaginary part have half of the power each.
        let level = 10f64.powf(0.05 * settings.noise) as f32 / 2f32.sqrt();
        let pair = |index: usize| {
            let uniform = |n: i32| {
                let bits = lattice::random(settings.noise_seed, [index as i32, n, 0]);
                (bits as f32 + 0.5) / 4_294_967_296.0
            };
            // Box and Muller 1958.
            let radius = level * (-2.0 * uniform(0).min(0.999_999_9).ln()).sqrt();
            let (sin, cos) = (2.0 * PI * uniform(1)).sin_cos();
            [radius * cos, radius * sin]
        };
        let pairs: Vec<[f32; 2]> = (0..N_NOISE).map(pair).collect();
        let n = N_NOISE + grid.n_lines;
        Self {
            gain: (0..grid.n_samples).map(gain).collect(),
            noise: (0..n).flat_map(|index| pairs[index % N_NOISE]).collect(),
            seed: settings.noise_seed,
        }
    }

    /// Start of the noise for a sample of a frame.
    pub(crate) fn start(&self, frame: u64, sample: usize) -> usize {
        let bits = lattice::random(self.seed ^ frame, [sample as i32, frame as i32, 1]);
        bits as usize % N_NOISE
    }

    /// Envelope of a sample of all lines, from re and im, with noise and gain [dB relative to the speckle of liver].
    pub(crate) fn detect(&self, frame: u64, sample: usize, iq: &[f32], envelope: &mut [f32]) {
        let start = 2 * self.start(frame, sample);
        let noise = &self.noise[start..start + iq.len()];
        let gain = self.gain[sample] * self.gain[sample];
        wide(
            #[inline(always)]
            || {
                let lines = iq.chunks_exact(2).zip(noise.chunks_exact(2));
                for (envelope, (pair, noise)) in envelope.iter_mut().zip(lines) {
                    let [re, im] = [pair[0] + noise[0], pair[1] + noise[1]];
                    *envelope = decibels((re * re + im * im) * gain);
                }
            },
        );
    }
}

/// 10 log₁₀ of a power, with an error of 1e-4 dB; at least [`SILENCE`].
#[inline(always)]
fn decibels(power: f32) -> f32 {
    // ln m = 2 artanh((m − 1) / (m + 1)) for the mantissa within [0.75, 1.5).
    let power = power.max(1e-20);
    let bits = power.to_bits() as i32;
    let exponent = (bits - 0x3f40_0000) >> 23;
    let mantissa = f32::from_bits((bits - (exponent << 23)) as u32);
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let z = s * s;
    let p = 2.0 / 9.0 * z + 2.0 / 7.0;
    let p = (p * z + 2.0 / 5.0) * z + 2.0 / 3.0;
    let ln = (p * z + 2.0) * s + exponent as f32 * std::f32::consts::LN_2;
    (10.0 * std::f32::consts::LOG10_E * ln).max(SILENCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_become_decibels() {
        for exponent in -180..180 {
            let power = 10f32.powf(0.1 * exponent as f32);
            let wanted = 10.0 * power.log10();
            assert!(
                (decibels(power) - wanted).abs() < 1e-3,
                "{power}: {}",
                decibels(power)
            );
        }
        assert_eq!(decibels(0.0), SILENCE);
    }
}
