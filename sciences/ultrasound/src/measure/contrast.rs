//! Contrast of an inclusion.
//!
//! $\mathrm{CNR} = |\mu_i - \mu_o| / \sqrt{\sigma_i^2 + \sigma_o^2}$ of levels in dB, and $\mathrm{gCNR} = 1 - \int \min(p_i, p_o)$, which
//! is invariant to grey maps (Rodriguez-Molares 2020, doi:10.1109/TUFFC.2019.2956855).

/// Contrast between two regions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contrast {
    /// Ratio of the mean powers inside and outside [dB].
    pub contrast: f64,
    /// Contrast-to-noise ratio of levels.
    pub cnr: f64,
    /// Generalised contrast-to-noise ratio.
    pub gcnr: f64,
}

/// Compares levels [dB] inside and outside; NaN if one of them is empty.
pub fn contrast(inside: &[f32], outside: &[f32]) -> Contrast {
    let moments = |levels: &[f32]| {
        let n = levels.len() as f64;
        let mean = levels.iter().map(|level| f64::from(*level)).sum::<f64>() / n;
        let variance = levels
            .iter()
            .map(|level| (f64::from(*level) - mean).powi(2))
            .sum::<f64>()
            / n;
        let power = levels
            .iter()
            .map(|level| 10f64.powf(0.1 * f64::from(*level)))
            .sum::<f64>()
            / n;
        [mean, variance, power]
    };
    let ([mean_i, variance_i, power_i], [mean_o, variance_o, power_o]) =
        (moments(inside), moments(outside));
    Contrast {
        contrast: 10.0 * (power_i / power_o).log10(),
        cnr: (mean_i - mean_o).abs() / (variance_i + variance_o).sqrt(),
        gcnr: 1.0 - overlap(inside, outside),
    }
}

/// Common area of two histograms.
fn overlap(first: &[f32], second: &[f32]) -> f64 {
    const N_BINS: usize = 100;
    let all = || first.iter().chain(second).copied();
    let (low, high) = (
        all().fold(f32::MAX, f32::min),
        all().fold(f32::MIN, f32::max),
    );
    let histogram = |levels: &[f32]| {
        let mut bins = [0.0; N_BINS];
        for level in levels {
            let bin = (level - low) / (high - low).max(1e-6) * N_BINS as f32;
            bins[(bin as usize).min(N_BINS - 1)] += 1.0 / levels.len() as f64;
        }
        bins
    };
    let (first, second) = (histogram(first), histogram(second));
    first
        .iter()
        .zip(&second)
        .map(|(a, b)| f64::min(*a, *b))
        .sum()
}
