//! Interpolation of series with different times at the times of one of them.

use crate::interpolation;

/// Gaps longer than this multiple of the typical interval are not interpolated.
pub(super) const GAP: f64 = 3.0;

/// Typical time between samples [s]: the median step of increasing times; 0 for fewer than two.
pub(super) fn interval(time: &[f64]) -> f64 {
    let mut steps: Vec<f64> = time.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len() / 2).copied().unwrap_or(0.0)
}

/// Interpolates a series at other times, both increasing; NaN where samples are missing. `interval` is the typical
/// time between samples [s].
pub(super) fn sampled(time: &[f64], values: &[f64], interval: f64, at: &[f64]) -> Vec<f64> {
    if time.is_empty() {
        return vec![f64::NAN; at.len()];
    }
    let mut right = 0;
    at.iter()
        .map(|wanted| {
            while right + 1 < time.len() && time[right] < *wanted {
                right += 1;
            }
            if time[right] == *wanted {
                return values[right];
            }
            let gap = time[right] - time[right.saturating_sub(1)];
            if right == 0 || time[right] < *wanted || gap > GAP * interval {
                return f64::NAN;
            }
            interpolation::at(time, values, right, *wanted)
        })
        .collect()
}

/// Keeps the selected rows.
pub(super) fn retain(series: &mut [Vec<f64>], keep: &[bool]) {
    for values in series {
        let mut kept = keep.iter();
        values.retain(|_| kept.next().is_some_and(|keep| *keep));
    }
}
