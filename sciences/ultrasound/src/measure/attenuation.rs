//! Attenuation, from the decay of speckle with depth.

use insonate_settings::check_range;

use super::frame_of;
use crate::material::SOFT_TISSUE;
use crate::phantom::Block;
use crate::transducer::Transducer;
use crate::{BMode, Material, Settings, UltrasoundError};

/// Decay of speckle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttenuationSlope {
    /// One-way attenuation [dB/(cm MHz)].
    pub slope: f64,
    /// Reference frequency [Hz].
    pub frequency: f64,
}

/// Images a block with an attenuation [dB/(cm MHz)] from several places, and fits a line to the level over depth.
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
    let block = Block::uniform(Material {
        attenuation: attenuation as f32,
        ..SOFT_TISSUE
    });
    let mut power = vec![0.0; settings.n_samples];
    let (mut n, mut frequency) = (0.0, 0.0);
    for place in 0..N_PLACES {
        let settings = Settings {
            noise: f64::NEG_INFINITY,
            compensation: 0.0,
            speckle_seed: settings.speckle_seed.wrapping_add(place),
            ..settings.clone()
        };
        let mut b_mode = BMode::new(transducer, &settings)?;
        let frame = frame_of(&mut b_mode, &block)?;
        frequency = b_mode.frequency();
        for line in 0..frame.n_lines {
            n += 1.0;
            for (sum, level) in power.iter_mut().zip(frame.line(line)) {
                *sum += 10f64.powf(0.1 * f64::from(*level));
            }
        }
    }
    let step = settings.depth / settings.n_samples as f64;
    // Excludes the ring-down of the probe in the first centimetre, and depths without signal.
    let points = power
        .iter()
        .enumerate()
        .map(|(sample, sum)| [sample as f64 * step, 10.0 * (sum / n).log10()]);
    let points: Vec<[f64; 2]> = points
        .filter(|[depth, level]| *depth > 0.012 && *level > -150.0)
        .collect();
    let slope = fitted_slope(&points);
    Ok(AttenuationSlope {
        slope: -slope / 2.0 / 100.0 / (1e-6 * frequency),
        frequency,
    })
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
