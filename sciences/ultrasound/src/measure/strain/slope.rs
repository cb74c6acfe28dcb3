//! Straight lines fitted to the displacement by least squares; their slope is the strain (Kallel and Ophir 1997, Ultrasonic Imaging 19(3)).

/// A fitted line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fit {
    /// Value at the middle.
    pub(super) value: f64,
    /// Slope per step.
    pub(super) slope: f64,
}

/// Windows to either side of the middle one that a fit over a length [m] has, at least one; windows are `step` [m] apart.
pub(super) fn half_length(length: f64, step: f64) -> usize {
    ((0.5 * length / step).round() as usize).max(1)
}

/// The fit around each value, over `half` values to either side, fewer at the ends.
pub(super) fn fits(values: &[f64], half: usize) -> impl Iterator<Item = Fit> {
    (0..values.len()).map(move |middle| {
        let first = middle.saturating_sub(half);
        let some = &values[first..(middle + half + 1).min(values.len())];
        let n = some.len() as f64;
        let mean = some.iter().sum::<f64>() / n;
        let centre = 0.5 * (n - 1.0);
        let (mut product, mut square) = (0.0, 0.0);
        for (place, value) in some.iter().enumerate() {
            let x = place as f64 - centre;
            product += x * (value - mean);
            square += x * x;
        }
        let slope = if square > 0.0 { product / square } else { 0.0 };
        Fit {
            value: mean + slope * ((middle - first) as f64 - centre),
            slope,
        }
    })
}
