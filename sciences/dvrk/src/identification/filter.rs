//! Zero-phase low-pass filtering and differentiation.
//!
//! A sixth-order Butterworth filter (bilinear transform with pre-warped cut-off) runs forwards and backwards (Gustafsson 1996), so that the signal is not delayed. At the cut-off the amplitude falls to one half.

use std::f64::consts::PI;

/// Order of the filter in each direction.
const ORDER: usize = 6;

/// Filtering of the signals of a log before the fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Filtering {
    /// Cut-off frequency [Hz], at which the amplitude is halved.
    pub cutoff_hz: f64,
    /// Whether the columns of the regressor are filtered in the same way as the torques.
    ///
    /// If not, the columns of Coulomb friction keep sharp corners that the torques have lost, which biases the estimate.
    pub filter_regressor: bool,
}

impl Filtering {
    /// Cut-off at 5.4 Hz, five times the highest frequency of Wang's trajectories, as that work intends; torques and regressor are filtered.
    pub const fn standard() -> Self {
        Self {
            cutoff_hz: 5.4,
            filter_regressor: true,
        }
    }

    /// Filtering of the published program: it passes 5.4 Hz times π to a function that expects a fraction of half the rate, so the cut-off is 16.96 Hz; the regressor is not filtered.
    pub const fn as_published() -> Self {
        Self {
            cutoff_hz: 5.4 * PI,
            filter_regressor: false,
        }
    }
}

/// Butterworth low-pass of order six as three sections `[b0, b1, b2, a1, a2]`.
#[derive(Debug, Clone)]
pub(super) struct LowPass {
    sections: [[f64; 5]; ORDER / 2],
    /// Number of samples by which each end is extended for filtering.
    padding: usize,
}

impl LowPass {
    /// `cutoff` is in cycles per sample, above 0 and below 0.5; the two passes together halve the amplitude there.
    pub(super) fn new(cutoff: f64) -> Self {
        let k = (PI * cutoff).tan();
        let section = |index: usize| {
            let angle = PI * (2 * index + 1) as f64 / (2 * ORDER) as f64;
            let damping = 2.0 * angle.sin();
            let norm = 1.0 / (1.0 + damping * k + k * k);
            let b = k * k * norm;
            [
                b,
                2.0 * b,
                b,
                2.0 * (k * k - 1.0) * norm,
                (1.0 - damping * k + k * k) * norm,
            ]
        };
        Self {
            sections: std::array::from_fn(section),
            padding: (3.0 / cutoff).ceil() as usize,
        }
    }

    /// The low-pass filtered signal, without delay.
    pub(super) fn zero_phase(&self, signal: &[f64]) -> Vec<f64> {
        let (Some(first), Some(last)) = (signal.first(), signal.last()) else {
            return Vec::new();
        };
        // Each end is extended by point reflection, so that the filter does not start with a step.
        let padding = self.padding.min(signal.len() - 1);
        let before = (1..=padding).rev().map(|i| 2.0 * first - signal[i]);
        let after = (1..=padding).map(|i| 2.0 * last - signal[signal.len() - 1 - i]);
        let mut padded: Vec<f64> = before.chain(signal.iter().copied()).chain(after).collect();
        self.run(&mut padded);
        padded.reverse();
        self.run(&mut padded);
        padded.reverse();
        padded[padding..padding + signal.len()].to_vec()
    }

    /// One pass, started in the steady state of the first value.
    fn run(&self, signal: &mut [f64]) {
        for [b0, b1, b2, a1, a2] in self.sections {
            let first = signal.first().copied().unwrap_or_default();
            let (mut s1, mut s2) = ((1.0 - b0) * first, (b2 - a2) * first);
            for value in signal.iter_mut() {
                let x = *value;
                let y = b0 * x + s1;
                s1 = b1 * x - a1 * y + s2;
                s2 = b2 * x - a2 * y;
                *value = y;
            }
        }
    }
}

/// Time derivative by fourth-order central differences; second and first order at the two samples of each end.
pub(super) fn derivative(signal: &[f64], rate_hz: f64) -> Vec<f64> {
    let n = signal.len();
    let at = |i: usize| signal[i];
    (0..n)
        .map(|i| {
            let per_sample = if i >= 2 && i + 2 < n {
                (8.0 * (at(i + 1) - at(i - 1)) - (at(i + 2) - at(i - 2))) / 12.0
            } else if i >= 1 && i + 1 < n {
                (at(i + 1) - at(i - 1)) / 2.0
            } else if n < 2 {
                0.0
            } else if i == 0 {
                at(1) - at(0)
            } else {
                at(n - 1) - at(n - 2)
            };
            per_sample * rate_hz
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(frequency: f64, n: usize) -> Vec<f64> {
        (0..n)
            .map(|i| (2.0 * PI * frequency * i as f64).sin())
            .collect()
    }

    #[test]
    fn slow_waves_pass_fast_ones_do_not_and_the_cutoff_is_halved() {
        let low_pass = LowPass::new(0.05);
        for (frequency, amplitude, tolerance) in
            [(0.01, 1.0, 1e-6), (0.05, 0.5, 1e-6), (0.2, 0.0, 1e-6)]
        {
            let signal = wave(frequency, 2000);
            let filtered = low_pass.zero_phase(&signal);
            for i in 500..1500 {
                assert!((filtered[i] - amplitude * signal[i]).abs() < tolerance);
            }
        }
        assert!(low_pass.zero_phase(&[]).is_empty());
        assert!((low_pass.zero_phase(&[3.0])[0] - 3.0).abs() < 1e-12);
    }

    #[test]
    fn the_derivative_of_a_quartic_is_exact_inside() {
        let signal: Vec<f64> = (0..20).map(|i| (0.1 * f64::from(i)).powi(4)).collect();
        let rate = derivative(&signal, 10.0);
        for (i, value) in rate.iter().enumerate().skip(2).take(16) {
            assert!((value - 4.0 * (0.1 * i as f64).powi(3)).abs() < 1e-11);
        }
    }
}
