//! Attenuation, from the decay of the spectrum of speckle with depth.

use insonate_settings::check_range;
use nalgebra::Complex;

use super::frame_of;
use crate::b_mode::Iq;
use crate::material::SOFT_TISSUE;
use crate::phantom::Block;
use crate::transducer::Transducer;
use crate::{BMode, Material, Settings, UltrasoundError};

/// Windows of the depth.
const N_WINDOWS: usize = 16;

/// Decay of speckle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttenuationSlope {
    /// One-way attenuation [dB/(cm MHz)].
    pub slope: f64,
    /// Reference frequency [Hz].
    pub frequency: f64,
}

/// Images a block with an attenuation [dB/(cm MHz)] from several places, and fits lines to the logarithm of the spectrum over depth and to
/// their slopes over frequency: the spectral difference method (Kuc 1984, doi:10.1109/TASSP.1984.1164290). The spectrum of a block without
/// loss is the reference at each depth.
///
/// # Errors
/// [`UltrasoundError::Setting`]: settings are invalid, or the attenuation is outside of 0 to 3.
pub fn attenuation_slope(
    transducer: &Transducer,
    settings: &Settings,
    attenuation: f64,
) -> Result<AttenuationSlope, UltrasoundError> {
    const N_PLACES: u64 = 6;
    check_range("alpha", attenuation, [0.0, 3.0], "dB/(cm MHz)")?;
    let [low, high] = transducer.band;
    let frequencies = [0.3, 0.4, 0.5, 0.6, 0.7].map(|share| low + share * (high - low));
    let mut powers = [vec![], vec![]];
    let mut frequency = 0.0;
    for (powers, attenuation) in powers.iter_mut().zip([attenuation, 0.0]) {
        let block = Block::uniform(Material {
            attenuation: attenuation as f32,
            ..SOFT_TISSUE
        });
        for place in 0..N_PLACES {
            let settings = Settings {
                noise: f64::NEG_INFINITY,
                compensation: 0.0,
                speckle_seed: settings.speckle_seed.wrapping_add(place),
                // Several samples per period.
                n_samples: settings.n_samples.max(2048),
                ..settings.clone()
            };
            let mut b_mode = BMode::new(transducer, &settings)?;
            frame_of(&mut b_mode, &block)?;
            frequency = b_mode.frequency();
            add_powers(&b_mode.iq(), &frequencies, powers);
        }
    }
    let [lossy, clear] = powers;
    let length = settings.depth / N_WINDOWS as f64;
    // Excludes the ring-down of the probe in the first centimetre, and depths without signal.
    let slope_at = |n: usize| {
        let levels = lossy
            .iter()
            .zip(&clear)
            .enumerate()
            .filter_map(|(window, (lossy, clear))| {
                let depth = (window as f64 + 0.5) * length;
                let level = 10.0 * (lossy[n] / clear[n]).log10();
                (depth > 0.015 && level > -110.0).then_some([depth, level])
            });
        fitted_slope(&levels.collect::<Vec<_>>())
    };
    let slopes = frequencies.iter().enumerate();
    let slopes: Vec<[f64; 2]> = slopes.map(|(n, f)| [1e-6 * f, slope_at(n)]).collect();
    Ok(AttenuationSlope {
        slope: -fitted_slope(&slopes) / 2.0 / 100.0,
        frequency,
    })
}

/// Adds the power of each frequency [Hz] in windows of the depth, over all lines.
fn add_powers(iq: &Iq, frequencies: &[f64; 5], powers: &mut Vec<[f64; 5]>) {
    powers.resize(N_WINDOWS, [0.0; 5]);
    let n = iq.n_samples / N_WINDOWS;
    for line in iq.values.chunks_exact(2 * iq.n_samples) {
        for (window, powers) in line.chunks_exact(2 * n).zip(&mut *powers) {
            for (power, frequency) in powers.iter_mut().zip(frequencies) {
                let turn =
                    std::f64::consts::TAU * (frequency - iq.center_frequency) / iq.sample_rate;
                let sum: Complex<f64> = window
                    .chunks_exact(2)
                    .enumerate()
                    .map(|(i, pair)| {
                        let fade = (std::f64::consts::PI * (i as f64 + 0.5) / n as f64)
                            .sin()
                            .powi(2);
                        let value = Complex::new(f64::from(pair[0]), f64::from(pair[1]));
                        fade * value * Complex::cis(-turn * i as f64)
                    })
                    .sum();
                *power += sum.norm_sqr();
            }
        }
    }
}

/// Least-squares slope of a line.
fn fitted_slope(points: &[[f64; 2]]) -> f64 {
    let n = points.len() as f64;
    let [x, y] = [0, 1].map(|axis| points.iter().map(|point| point[axis]).sum::<f64>() / n);
    let over: f64 = points
        .iter()
        .map(|point| (point[0] - x) * (point[1] - y))
        .sum();
    over / points
        .iter()
        .map(|point| (point[0] - x).powi(2))
        .sum::<f64>()
}
