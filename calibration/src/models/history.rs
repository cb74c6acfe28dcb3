//! History of a press, for laws with relaxation: the internal variable q of one exponential branch.
//!
//! ```text
//! q̇ = ṗ − q/τ,   p = rⁿ
//! q(t + h) = q(t) e^{−h/τ} + Δp τ/h (1 − e^{−h/τ})          exact where p is linear between samples
//! ```
//!
//! Tissue is relaxed before contact. A log that starts inside the tissue has an unknown q at its start.

use super::law::{Inputs, Nonlinear, power};
use crate::{CalibrationError, Samples};

/// Share of the largest indentation above which the first sample is inside the tissue.
const INSIDE: f64 = 0.05;
/// Length of a gap in sampling intervals. A gap counts as air, where the tissue relaxes.
pub(super) const GAP: f64 = 5.0;
/// Relative difference of two steps that is explained by rounding.
const ALIKE: f64 = 1e-9;
/// Number of grid points of the first search in ln τ.
const POINTS: usize = 25;
/// Share of the largest indentation by which the probe must retreat to count as withdrawn.
const WITHDRAWN: f64 = 0.01;

/// Properties of the samples that limit the relaxation time.
pub(super) struct History {
    /// Time between samples [s].
    pub(super) interval: f64,
    /// Time from the first to the last sample [s].
    pub(super) duration: f64,
    /// Whether the first sample is inside the tissue.
    pub(super) starts_inside: bool,
}

impl History {
    /// History of samples for a fit of `model`.
    ///
    /// # Errors
    /// [`CalibrationError::Fit`] if time does not advance, or samples are missing while the probe presses.
    pub(super) fn of(samples: &Samples, model: &'static str) -> Result<Self, CalibrationError> {
        let failed = |problem: String| CalibrationError::Fit {
            log: samples.log.clone(),
            model,
            problem,
        };
        let duration = match (samples.time.first(), samples.time.last()) {
            (Some(first), Some(last)) if last > first => last - first,
            _ => {
                return Err(failed(
                    "time does not pass; relaxation needs times".to_owned(),
                ));
            }
        };
        let largest = samples.indentation.iter().copied().fold(0.0, f64::max);
        if let Some([from, to]) = gap_inside(samples, INSIDE * largest) {
            return Err(failed(format!(
                "samples from {from:.3} to {to:.3} s are missing while the probe presses (clipped, or not recorded), and relaxation needs the whole motion: use --model kelvin-voigt, or a --window without them"
            )));
        }
        Ok(Self {
            interval: samples.sampling_interval.clamp(duration * 1e-9, duration),
            duration,
            starts_inside: samples
                .indentation
                .first()
                .is_some_and(|&first| first > INSIDE * largest),
        })
    }

    /// Whether a step [s] is a gap in the recording.
    pub(super) fn is_gap(&self, step: f64) -> bool {
        step > GAP * self.interval
    }

    /// Branch q of p = rⁿ for a relaxation time [s] at every used sample, and the remaining share of its initial
    /// value there.
    pub(super) fn branch(
        &self,
        inputs: &Inputs,
        exponent: f64,
        relaxation_time: f64,
    ) -> (Vec<f64>, Vec<f64>) {
        let mut branch = Vec::with_capacity(inputs.used.len());
        let mut start = Vec::with_capacity(inputs.used.len());
        let mut next = inputs.used.iter().peekable();
        let depth = |r: f64| power(r, exponent);
        let mut before = inputs.indentation.first().copied().map_or(0.0, depth);
        let mut q = if self.starts_inside { 0.0 } else { before };
        let mut left = 1.0;
        let (mut last_step, mut decay, mut drop) = (f64::NAN, 1.0, 0.0);
        for (i, r) in inputs.indentation.iter().enumerate() {
            let p = depth(*r);
            if i > 0 {
                let step = inputs.time[i] - inputs.time[i - 1];
                // Most steps are equal, and exponentials are slow.
                if !is_alike(step, last_step) {
                    decay = (-step / relaxation_time).exp();
                    drop = -relaxation_time / step * (-step / relaxation_time).exp_m1();
                    last_step = step;
                }
                q = if self.is_gap(step) {
                    (q - before) * decay + p
                } else if step > 0.0 {
                    q * decay + (p - before) * drop
                } else {
                    q + p - before
                };
                left *= decay;
            }
            before = p;
            if next.next_if(|used| **used == i).is_some() {
                branch.push(q);
                start.push(left);
            }
        }
        (branch, start)
    }

    /// ln τ as a nonlinear parameter.
    pub(super) fn log_time(&self) -> Nonlinear {
        Nonlinear {
            start: 0.5 * (self.interval.ln() + self.duration.ln()),
            range: [(0.1 * self.interval).ln(), (10.0 * self.duration).ln()],
        }
    }

    /// Start points of the search for ln τ.
    pub(super) fn log_time_starts(&self) -> Vec<Vec<f64>> {
        let (low, high) = (self.interval.ln(), self.duration.ln());
        (0..POINTS)
            .map(|point| vec![low + (high - low) * point as f64 / (POINTS - 1) as f64])
            .collect()
    }

    /// Why a relaxation time [s] is too short for the samples.
    pub(super) fn too_short(&self, relaxation_time: f64) -> Option<String> {
        (relaxation_time < self.interval).then(|| {
            format!(
                "the relaxation time is below the sampling interval of {:.4} s, so the branch acts as a damper",
                self.interval
            )
        })
    }

    /// Why a relaxation time [s] is too long for the samples.
    pub(super) fn too_long(&self, relaxation_time: f64) -> Option<String> {
        (relaxation_time > self.duration).then(|| {
            format!(
                "the relaxation time is longer than the log's {:.2} s, so the branch acts as a spring",
                self.duration
            )
        })
    }
}

/// Whether two time steps differ only by rounding.
pub(super) fn is_alike(step: f64, other: f64) -> bool {
    (step - other).abs() <= ALIKE * step
}

/// Number of samples from the first press until the probe is withdrawn: until then the contact grows or stays
/// constant.
pub(super) fn first_loading(samples: &Samples) -> usize {
    let largest = samples.indentation.iter().copied().fold(0.0, f64::max);
    let mut deepest = 0.0_f64;
    let is_withdrawn = |&r: &f64| {
        deepest = deepest.max(r);
        r < deepest - WITHDRAWN * largest
    };
    let end = samples.indentation.iter().position(is_withdrawn);
    end.unwrap_or(samples.len())
}

/// Times [s] around the first gap with the probe deeper than `inside` [m] at both ends, so that the gap contains no
/// air.
fn gap_inside(samples: &Samples, inside: f64) -> Option<[f64; 2]> {
    let deep = |i: usize| samples.indentation[i] > inside;
    let gap = |i: &usize| {
        let step = samples.time[*i] - samples.time[i - 1];
        step > GAP * samples.sampling_interval && deep(i - 1) && deep(*i)
    };
    (1..samples.len())
        .find(gap)
        .map(|i| [samples.time[i - 1], samples.time[i]])
}
