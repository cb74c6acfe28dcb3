//! A complex line between its samples: eight neighbours, weighted by a sinc under a Hann window.

use std::sync::LazyLock;

use nalgebra::Complex;

/// Neighbours of a place.
const TAPS: usize = 8;
/// Places between two samples for which weights are known.
const PLACES: usize = 256;

static WEIGHTS: LazyLock<Vec<[f64; TAPS]>> = LazyLock::new(|| {
    let of_place = |place: usize| {
        let share = place as f64 / PLACES as f64;
        let weights: [f64; TAPS] = std::array::from_fn(|tap| {
            let x = tap as f64 - (TAPS / 2 - 1) as f64 - share;
            let angle = std::f64::consts::PI * x;
            let sinc = if x == 0.0 { 1.0 } else { angle.sin() / angle };
            sinc * (0.5 * angle / (TAPS / 2) as f64).cos().powi(2)
        });
        let sum: f64 = weights.iter().sum();
        weights.map(|weight| weight / sum)
    };
    (0..=PLACES).map(of_place).collect()
});

/// A line at a place [samples]; `None` where neighbours are missing.
pub(super) fn at(line: &[[f32; 2]], place: f64) -> Option<Complex<f64>> {
    let below = place.floor();
    let first = usize::try_from(below as isize - (TAPS / 2 - 1) as isize).ok()?;
    let some = line.get(first..first + TAPS)?;
    let weights = &WEIGHTS[((place - below) * PLACES as f64).round() as usize];
    let (mut re, mut im) = (0.0, 0.0);
    for ([a, b], weight) in some.iter().zip(weights) {
        re += weight * f64::from(*a);
        im += weight * f64::from(*b);
    }
    Some(Complex::new(re, im))
}
