//! Robust noise statistics: median, scale, and standard error of a mean of correlated samples.

/// Ratio of a Gaussian's standard deviation to its median absolute deviation.
const MAD: f64 = 1.482_602_218_505_602;

/// Median; 0 for an empty list.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// Standard deviation from the median of |x|, for values about 0 (Hampel 1974); the root mean square if that is 0.
pub(super) fn scale(values: &[f64]) -> f64 {
    let robust = MAD * median(values.iter().map(|value| value.abs()).collect());
    if robust > 0.0 {
        return robust;
    }
    let sum: f64 = values.iter().map(|value| value * value).sum();
    (sum / values.len().max(1) as f64).sqrt()
}

/// Standard deviation of white noise on a slow signal: second differences have six times its variance.
pub(crate) fn white_noise(values: &[f64]) -> f64 {
    let stride = (values.len() / 50_000).max(1);
    let differences: Vec<f64> = values
        .windows(3)
        .step_by(stride)
        .map(|three| three[0] - 2.0 * three[1] + three[2])
        .collect();
    scale(&differences) / 6.0_f64.sqrt()
}

/// Mean of the samples within 4 robust standard deviations of the median, its standard error, and their standard deviation.
///
/// The standard error includes autocorrelation with Bartlett weights (Newey and West 1987), over 4 (n/100)^{2/9}
/// lags.
pub(super) fn mean_with_error(values: &[f64]) -> (f64, f64, f64) {
    let middle = median(values.to_vec());
    let deviations: Vec<f64> = values.iter().map(|value| value - middle).collect();
    let limit = 4.0 * scale(&deviations);
    let kept: Vec<f64> = deviations
        .into_iter()
        .filter(|deviation| deviation.abs() <= limit)
        .collect();
    let n = kept.len() as f64;
    let mean = kept.iter().sum::<f64>() / n;
    let covariance = |lag: usize| {
        let pairs = kept.iter().zip(kept.iter().skip(lag));
        pairs.map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>() / n
    };
    let variance = covariance(0);
    let lags = (4.0 * (n / 100.0).powf(2.0 / 9.0)) as usize;
    let correlated: f64 = (1..=lags)
        .map(|lag| 2.0 * (1.0 - lag as f64 / (lags + 1) as f64) * covariance(lag))
        .sum();
    // Mean-corrected autocovariances are each too small by the variance of the mean: n minus the kernel's span
    // corrects that.
    let span = (lags + 1) as f64;
    let long_run = (variance + correlated).max(0.2 * variance) / (1.0 - (span / n).min(0.5));
    (middle + mean, (long_run / n).sqrt(), variance.sqrt())
}

/// Centred running mean over `2 half + 1` samples, fewer at the ends.
pub(super) fn running_mean(values: &[f64], half: usize) -> Vec<f64> {
    let n = values.len();
    let mut sum: f64 = values.iter().take(half).sum();
    let mut means = Vec::with_capacity(n);
    for index in 0..n {
        if index + half < n {
            sum += values[index + half];
        }
        if index > half {
            sum -= values[index - half - 1];
        }
        let count = (index + half).min(n - 1) - index.saturating_sub(half) + 1;
        means.push(sum / count as f64);
    }
    means
}
