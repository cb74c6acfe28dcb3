//! Statistics of fully developed speckle.
//!
//! The amplitude of the envelope is Rayleigh distributed: the ratio of mean and standard deviation is $\sqrt{\pi/(4-\pi)} = 1.913$, and the
//! logarithm has a standard deviation of 5.57 dB (Wagner 1983, doi:10.1109/T-SU.1983.31404).

use crate::b_mode::Frame;

/// Statistics of a region's envelope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpeckleStatistics {
    /// Ratio of mean and standard deviation of the amplitude.
    pub snr: f64,
    /// Standard deviation of the level [dB].
    pub log_sd: f64,
    /// Level of the mean power [dB].
    pub level: f64,
}

/// Statistics of a region of levels [dB].
pub fn speckle_statistics(levels: &[f32]) -> SpeckleStatistics {
    let moments = |values: &mut dyn Iterator<Item = f64>| {
        let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for value in values {
            n += 1.0;
            sum += value;
            squares += value * value;
        }
        let mean: f64 = sum / n;
        (
            mean,
            (squares / n - mean * mean).max(0.0).sqrt(),
            squares / n,
        )
    };
    let level = levels.iter().copied().map(f64::from);
    let amplitude = level.clone().map(|level| 10f64.powf(0.05 * level));
    let (mean, deviation, power) = moments(&mut { amplitude });
    let (_, log_sd, _) = moments(&mut { level });
    SpeckleStatistics {
        snr: mean / deviation,
        log_sd,
        level: 10.0 * power.log10(),
    }
}

/// Full width at half maximum of the autocovariance of the amplitude, in lines (`along` false) or samples (true), within ranges of
/// lines and samples.
pub fn autocovariance_width(
    frame: &Frame,
    lines: [usize; 2],
    samples: [usize; 2],
    along: bool,
) -> f64 {
    let rows = (lines[0]..lines[1]).map(|line| {
        let levels = &frame.line(line)[samples[0]..samples[1]];
        levels
            .iter()
            .map(|level| 10f64.powf(0.05 * f64::from(*level)))
            .collect()
    });
    let mut rows: Vec<Vec<f64>> = rows.collect();
    let n = (rows.len() * (samples[1] - samples[0])) as f64;
    let mean = rows.iter().flatten().sum::<f64>() / n;
    rows.iter_mut().flatten().for_each(|value| *value -= mean);
    let covariance = |lag: usize| {
        let (mut sum, mut n) = (0.0, 0.0);
        for (line, row) in rows.iter().enumerate() {
            let pairs: &mut dyn Iterator<Item = (&f64, &f64)> = if along {
                &mut row.iter().zip(&row[lag.min(row.len())..])
            } else if line + lag < rows.len() {
                &mut row.iter().zip(&rows[line + lag])
            } else {
                break;
            };
            for (a, b) in pairs {
                sum += a * b;
                n += 1.0;
            }
        }
        sum / f64::max(n, 1.0)
    };
    let longest = if along {
        samples[1] - samples[0]
    } else {
        rows.len()
    };
    let zero = covariance(0);
    let mut before = 1.0;
    for lag in 1..longest {
        let now = covariance(lag) / zero;
        if now < 0.5 {
            return 2.0 * ((lag - 1) as f64 + (before - 0.5) / (before - now));
        }
        before = now;
    }
    f64::NAN
}
