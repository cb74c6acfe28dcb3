//! Full width at half maximum.

/// Full width at half maximum of the peak at `peak`, in steps of the values, with interpolated crossings; NaN if there is no crossing.
pub(super) fn full_width(values: &[f64], peak: usize) -> f64 {
    let half = 0.5 * values[peak];
    let crossing = |inner: f64, outer: f64| (inner - half) / (inner - outer);
    let right = (peak..values.len() - 1).find(|&i| values[i + 1] < half);
    let left = (1..=peak).rev().find(|&i| values[i - 1] < half);
    match (left, right) {
        (Some(left), Some(right)) => {
            (right - left) as f64
                + crossing(values[left], values[left - 1])
                + crossing(values[right], values[right + 1])
        }
        _ => f64::NAN,
    }
}
