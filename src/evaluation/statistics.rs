//! Means with intervals.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

/// Two-sided 95 % point of the normal distribution.
const NORMAL_95: f64 = 1.959_963_984_540_054;

/// A mean with its 95 % interval (Student t) and the range of the values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// Mean; NaN without values.
    pub mean: f64,
    /// 95 % interval of the mean; NaN with fewer than two values.
    pub ci95: [f64; 2],
    /// Minimum.
    pub min: f64,
    /// Maximum.
    pub max: f64,
    /// 95th percentile, between values linearly.
    pub p95: f64,
    /// Number of values.
    pub n: usize,
}

impl Estimate {
    /// Over the values that are not NaN.
    pub fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut known: Vec<f64> = values.filter(|value| !value.is_nan()).collect();
        let n = known.len();
        let mean = known.iter().sum::<f64>() / n as f64;
        let squares: f64 = known.iter().map(|value| (value - mean).powi(2)).sum();
        let half = match n {
            0 | 1 => f64::NAN,
            n => {
                let freedom = (n - 1) as f64;
                student_95(freedom) * (squares / freedom / n as f64).sqrt()
            }
        };
        known.sort_by(f64::total_cmp);
        let nan = |value: f64| if n == 0 { f64::NAN } else { value };
        Self {
            mean: nan(mean),
            ci95: [mean - half, mean + half],
            min: nan(known.iter().copied().fold(f64::INFINITY, f64::min)),
            max: nan(known.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
            p95: percentile(&known, 0.95),
            n,
        }
    }
}

/// The value below which a share of sorted values lies; NaN without any.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let place = share * last as f64;
    let below = place as usize;
    let above = (below + 1).min(last);
    sorted[below] + place.fract() * (sorted[above] - sorted[below])
}

/// Mean of the values that are not NaN; NaN without any.
pub fn known_mean(values: impl Iterator<Item = f64>) -> f64 {
    let known = values.filter(|value| !value.is_nan());
    let (sum, n) = known.fold((0.0, 0.0), |(sum, n), value| (sum + value, n + 1.0));
    sum / n
}

/// 95 % interval of a proportion (Wilson 1927, doi:10.1080/01621459.1927.10502953).
pub fn wilson(n_successes: usize, n: usize) -> [f64; 2] {
    if n == 0 {
        return [f64::NAN; 2];
    }
    let (n, z2) = (n as f64, NORMAL_95 * NORMAL_95);
    let share = n_successes as f64 / n;
    let middle = share + z2 / (2.0 * n);
    let half = NORMAL_95 * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    [
        ((middle - half) / scale).max(0.0),
        ((middle + half) / scale).min(1.0),
    ]
}

fn student_95(freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(NORMAL_95, |t| t.inverse_cdf(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_tables() {
        // t(0.975, 4) = 2.776; standard error of 1, 2, 3, 4, 5: sqrt(2.5 / 5).
        let e = Estimate::of([1.0, 2.0, f64::NAN, 3.0, 4.0, 5.0].into_iter());
        assert_eq!((e.mean, e.min, e.max, e.n), (3.0, 1.0, 5.0, 5));
        // As numpy.percentile has it.
        assert!((e.p95 - 4.8).abs() < 1e-12, "{}", e.p95);
        assert!((e.ci95[1] - 3.0 - 2.776 * 0.5_f64.sqrt()).abs() < 1e-3);
        // Newcombe 1998, table I: 81 of 263 has the Wilson interval 0.2553 to 0.3662; 0 of 20 reaches 0.1611.
        let [low, high] = wilson(81, 263);
        assert!((low - 0.2553).abs() < 1e-4 && (high - 0.3662).abs() < 1e-4);
        let [low, high] = wilson(0, 20);
        assert!(low == 0.0 && (high - 0.1611).abs() < 1e-4);
    }

    #[test]
    fn nothing_known_is_nan() {
        let e = Estimate::of([f64::NAN].into_iter());
        assert!(e.mean.is_nan() && e.min.is_nan() && e.ci95[0].is_nan() && e.n == 0);
        assert!(Estimate::of([2.0].into_iter()).ci95[0].is_nan());
        assert!(known_mean([].into_iter()).is_nan());
        assert_eq!(known_mean([1.0, f64::NAN, 3.0].into_iter()), 2.0);
    }
}
