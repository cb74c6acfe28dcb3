//! Whether a log moves so that force that goes with velocity can be told from force that goes with depth.
//!
//! A ramp at one speed cannot: its velocity is a function of the depth (constant, then zero where it ends), and c ṙ an offset
//! that the surface or the sensor's zero explains as well. Press and release at one speed without a stop cannot either:
//! friction and slow relaxation open the same loop.

use crate::Samples;

/// Depths are compared in so many layers.
const LAYERS: usize = 20;
/// Share of the velocity's mean square that must lie within layers.
const LEAST_WITHIN: f64 = 0.1;
/// Standard deviation of the speed over its mean: a sine has 0.48, a speed that is held 0.
const LEAST_VARIATION: f64 = 0.25;

/// Why the samples used cannot tell damping; `None` where they can.
pub(super) fn objection(samples: &Samples, used: &[usize]) -> Option<String> {
    let depth = |index: &usize| samples.indentation[*index];
    let (low, high) = used
        .iter()
        .fold((f64::MAX, f64::MIN), |(low, high), index| {
            (low.min(depth(index)), high.max(depth(index)))
        });
    let noise = samples.velocity_noise.powi(2);
    let (mut within, mut total) = (0.0, 0.0);
    let mut layers = [[0.0; 3]; LAYERS];
    for index in used {
        let share = (depth(index) - low) / (high - low).max(f64::MIN_POSITIVE);
        let velocity = samples.velocity[*index];
        let layer = &mut layers[((share * LAYERS as f64) as usize).min(LAYERS - 1)];
        *layer = [
            layer[0] + 1.0,
            layer[1] + velocity,
            layer[2] + velocity * velocity,
        ];
    }
    // Each layer counts alike, however long the probe stays there.
    for [n, sum, square] in layers.into_iter().filter(|layer| layer[0] > 1.0) {
        let mean = sum / n;
        within += (square / n - mean * mean - noise).max(0.0);
        total += (square / n - noise).max(0.0);
    }
    if within <= LEAST_WITHIN * total {
        return Some("the probe has one velocity at each depth, so what goes with velocity may as well go with depth".to_owned());
    }
    let n = used.len() as f64;
    let speed = used
        .iter()
        .map(|&index| samples.velocity[index].abs())
        .sum::<f64>()
        / n;
    let square = used
        .iter()
        .map(|&index| samples.velocity[index].powi(2))
        .sum::<f64>()
        / n;
    let variation = (square - speed * speed - noise).max(0.0).sqrt() / speed.max(f64::MIN_POSITIVE);
    (variation < LEAST_VARIATION).then(|| {
        format!(
            "the probe moved at one speed ({:.2} mm/s), and friction or relaxation would part press and release as well",
            1e3 * speed
        )
    })
}
