//! Checks whether the motion of a log separates force that depends on velocity from force that depends on depth.
//!
//! A ramp at one speed does not: its velocity is a function of the depth (constant, then zero at its end), and c ṙ is
//! an offset that the surface or the sensor's zero explains as well. Press and release at one speed without a stop do
//! not either: friction and slow relaxation produce the same loop.

use crate::Samples;

/// Number of layers in which depths are compared.
const LAYERS: usize = 20;
/// Minimum share of the velocity's mean square within layers.
const LEAST_WITHIN: f64 = 0.1;
/// Minimum standard deviation of the speed over its mean: a sine has 0.48, a constant speed 0.
const LEAST_VARIATION: f64 = 0.25;

/// Why the used samples do not determine damping; `None` if they do.
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
    // Each layer has the same weight, regardless of how long the probe stays there.
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
