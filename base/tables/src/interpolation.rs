//! Interpolation between samples.

/// Four samples contain a gap if one of their steps is longer than another by this factor.
const GAP: f64 = 3.0;

/// Value of a series at the time `wanted`; `right` is the index of the first time that is not before it (at least 1).
///
/// Cubic interpolation through four samples, because linear interpolation flattens peaks by f̈ Δt²/8. Next to a gap
/// or an end, interpolation is linear.
pub fn at(time: &[f64], values: &[f64], right: usize, wanted: f64) -> f64 {
    let four = right.saturating_sub(2)..(right + 2).min(time.len());
    let steps = time[four.clone()].windows(2).map(|pair| pair[1] - pair[0]);
    let (least, most) = steps.fold((f64::MAX, 0.0_f64), |(least, most), step| {
        (least.min(step), most.max(step))
    });
    let around = if four.len() == 4 && most <= GAP * least {
        four
    } else {
        right - 1..right + 1
    };
    lagrange(&time[around.clone()], &values[around], wanted)
}

/// The interpolating polynomial through all samples.
fn lagrange(time: &[f64], values: &[f64], at: f64) -> f64 {
    let weight = |i: usize| -> f64 {
        let others = (0..time.len()).filter(|j| *j != i);
        others
            .map(|j| (at - time[j]) / (time[i] - time[j]))
            .product()
    };
    (0..time.len()).map(|i| weight(i) * values[i]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_is_exact_and_no_cubic_spans_a_gap() {
        let cubic = |t: f64| 1.0 + t - 2.0 * t * t + 0.5 * t.powi(3);
        let time = [0.0, 1.0, 1.8, 3.0, 4.0, 44.0, 45.0];
        let values = time.map(cubic);
        assert!((at(&time, &values, 3, 2.2) - cubic(2.2)).abs() < 1e-12);
        let straight = 0.5 * (values[4] + values[5]);
        assert!((at(&time, &values, 5, 24.0) - straight).abs() < 1e-9);
        // Both ends are covered too.
        assert!((at(&time, &values, 1, 0.5) - 0.5 * (values[0] + values[1])).abs() < 1e-12);
    }
}
