//! Means with confidence intervals.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

/// Two-sided 95 % point of the normal distribution.
const NORMAL_95: f64 = 1.959_963_984_540_054;

/// A mean with its 95 % interval (Student t) and the range of the values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// Mean; NaN if there are no values.
    pub mean: f64,
    /// 95 % interval of the mean or of the difference; NaN for fewer than two values.
    pub ci95: [f64; 2],
    /// Minimum.
    pub min: f64,
    /// Maximum.
    pub max: f64,
    /// 95th percentile, with linear interpolation between values.
    pub p95: f64,
    /// Number of values.
    pub n: usize,
}

impl Estimate {
    /// Estimate over the values that are not NaN.
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

    /// Estimate over the values that are not NaN, for values that are never negative, such as errors, forces and speeds.
    ///
    /// The interval is computed for the logarithm of the mean by the delta method: mean · exp(± t s/(√n mean)). It lies above 0 if the
    /// mean
    /// does, and approaches the interval of [`Self::of`] if the standard error is small compared with the mean.
    pub fn of_magnitudes(values: impl Iterator<Item = f64>) -> Self {
        let plain = Self::of(values);
        let half = plain.ci95[1] - plain.mean;
        // Without spread there is no interval to transform; with a mean of 0 all values are 0.
        if !(plain.mean > 0.0 && half > 0.0) {
            return plain;
        }
        let factor = (half / plain.mean).exp();
        Self {
            ci95: [plain.mean / factor, plain.mean * factor],
            ..plain
        }
    }

    /// Difference of two proportions over pairs of outcomes, for pairs in which both are known.
    ///
    /// The interval is Newcombe's, based on Wilson's interval for each proportion (Newcombe 1998, Stat. Med. 17, 2635–2650,
    /// method 10). It
    /// always lies within −1 to 1.
    pub fn of_paired_shares(pairs: impl Iterator<Item = (f64, f64)>) -> Self {
        let known: Vec<(f64, f64)> = pairs
            .filter(|(this, that)| !this.is_nan() && !that.is_nan())
            .collect();
        let count = |this: bool, that: bool| {
            let alike = known
                .iter()
                .filter(|pair| (pair.0 > 0.5, pair.1 > 0.5) == (this, that));
            alike.count()
        };
        let plain = Self::of(known.iter().map(|(this, that)| this - that));
        let counts = [
            count(true, true),
            count(true, false),
            count(false, true),
            count(false, false),
        ];
        Self {
            ci95: newcombe_paired(counts),
            ..plain
        }
    }
}

/// 95 % interval of the difference of two proportions over the same cases (Newcombe 1998, Stat. Med. 17, 2635–2650, method 10).
///
/// `[both, first, second, neither]` are the numbers of cases with success of both, only the first, only the second, and neither.
/// NaN
/// without any case.
fn newcombe_paired([both, first, second, neither]: [usize; 4]) -> [f64; 2] {
    let n_cases = both + first + second + neither;
    let [low_1, high_1] = wilson(both + first, n_cases);
    let [low_2, high_2] = wilson(both + second, n_cases);
    let [a, b, c, d, cases] = [both, first, second, neither, n_cases].map(|count| count as f64);
    let (share_1, share_2) = ((a + b) / cases, (a + c) / cases);
    let product = (a + b) * (c + d) * (a + c) * (b + d);
    let covariance = a * d - b * c;
    let corrected = if covariance > 0.0 {
        (covariance - 0.5 * cases).max(0.0)
    } else {
        covariance
    };
    let correlation = if product > 0.0 {
        corrected / product.sqrt()
    } else {
        0.0
    };
    let half = |one: f64, other: f64| {
        let square = one * one - 2.0 * correlation * one * other + other * other;
        square.max(0.0).sqrt()
    };
    let difference = share_1 - share_2;
    [
        difference - half(share_1 - low_1, high_2 - share_2),
        difference + half(share_2 - low_2, high_1 - share_1),
    ]
}

/// The quantile of sorted values at a share in [0, 1]; NaN if there are no values.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let place = share * last as f64;
    let below = place as usize;
    let above = (below + 1).min(last);
    sorted[below] + place.fract() * (sorted[above] - sorted[below])
}

/// Mean of the values that are not NaN; NaN if there are none.
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
        // Equal to numpy.percentile.
        assert!((e.p95 - 4.8).abs() < 1e-12, "{}", e.p95);
        assert!((e.ci95[1] - 3.0 - 2.776 * 0.5_f64.sqrt()).abs() < 1e-3);
        // Newcombe 1998, table I: 81 of 263 has the Wilson interval 0.2553 to 0.3662; 0 of 20 reaches 0.1611.
        let [low, high] = wilson(81, 263);
        assert!((low - 0.2553).abs() < 1e-4 && (high - 0.3662).abs() < 1e-4);
        let [low, high] = wilson(0, 20);
        assert!(low == 0.0 && (high - 0.1611).abs() < 1e-4);
    }

    #[test]
    fn magnitudes_never_go_below_zero() {
        // Mean 1 with a standard error of 0.9682 and t(0.975, 3) = 3.182: the plain interval begins at −2.08.
        let values = [0.0, 0.0, 0.1, 3.9];
        assert!(Estimate::of(values.into_iter()).ci95[0] < -2.0);
        let e = Estimate::of_magnitudes(values.into_iter());
        let half = 3.182 * (11.22_f64 / 3.0 / 4.0).sqrt();
        assert!((e.ci95[0] - (-half).exp()).abs() < 1e-4, "{e:?}");
        assert!((e.ci95[1] / half.exp() - 1.0).abs() < 1e-3, "{e:?}");
        assert_eq!(Estimate::of_magnitudes([0.0; 5].into_iter()).ci95, [0.0; 2]);
        assert!(Estimate::of_magnitudes([2.0].into_iter()).ci95[0].is_nan());
    }

    #[test]
    fn intervals_of_magnitudes_hold_the_mean() {
        // Exponentially distributed values with mean 1.
        let mut rng = <rand_chacha::ChaCha8Rng as rand::SeedableRng>::seed_from_u64(1);
        let sets = 4000;
        let holds = (0..sets).filter(|_| {
            let draws = (0..40).map(|_| -(1.0 - rand::Rng::random::<f64>(&mut rng)).ln());
            let [low, high] = Estimate::of_magnitudes(draws.collect::<Vec<_>>().into_iter()).ci95;
            low <= 1.0 && 1.0 <= high
        });
        let share = holds.count() as f64 / f64::from(sets);
        assert!((0.93..=0.97).contains(&share), "{share}");
    }

    #[test]
    fn differences_of_shares_stay_between_minus_one_and_one() {
        // Data of Bentur et al. 2009 with Newcombe's interval (Fagerland, Lydersen and Laake 2014, Stat. Med. 33, 2850–2875): −0.507
        // to −0.026.
        let [low, high] = newcombe_paired([1, 1, 7, 12]);
        assert!((low + 0.507).abs() < 5e-4 && (high + 0.026).abs() < 5e-4);
        // With nine of ten better and one worse, the plain interval ends at 1.25.
        let pairs = [(1.0, 0.0); 9].into_iter().chain([(0.0, 1.0)]);
        let plain = Estimate::of(pairs.clone().map(|(this, that)| this - that));
        assert!(plain.ci95[1] > 1.2);
        let e = Estimate::of_paired_shares(pairs.chain([(f64::NAN, 1.0)]));
        assert!((e.mean - 0.8).abs() < 1e-12 && e.n == 10);
        assert!(
            e.ci95[0] < 0.8 && e.ci95[1] > 0.8 && e.ci95[1] <= 1.0,
            "{e:?}"
        );
        for n in 1..30 {
            for k in 0..=n {
                let [low, high] = newcombe_paired([0, k, n - k, 0]);
                assert!(-1.0 - 1e-12 <= low && low <= high && high <= 1.0 + 1e-12);
            }
        }
    }

    #[test]
    fn an_unknown_mean_is_nan() {
        let e = Estimate::of([f64::NAN].into_iter());
        assert!(e.mean.is_nan() && e.min.is_nan() && e.ci95[0].is_nan() && e.n == 0);
        assert!(Estimate::of([2.0].into_iter()).ci95[0].is_nan());
        assert!(known_mean([].into_iter()).is_nan());
        assert_eq!(known_mean([1.0, f64::NAN, 3.0].into_iter()), 2.0);
    }
}
