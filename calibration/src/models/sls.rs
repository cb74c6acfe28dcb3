//! Standard linear solid (Zener 1948): a spring beside a spring and damper in series, so that force relaxes in a hold.
//!
//! ```text
//! f = k∞ r + k₁ q,   q̇ = ṙ − q/τ
//! q(t + h) = q(t) e^{−h/τ} + Δr τ/h (1 − e^{−h/τ})          exact where r is linear between samples
//! ```
//!
//! The branch is relaxed before contact. A log that starts inside the tissue has an unknown q at its start, which is fitted and not reported.
//! At the limit τ → 0 it is Kelvin–Voigt with c = k₁ τ, which is reported as `damping`.

use super::{
    kind::ModelKind,
    law::{DAMPING, Inputs, Law, Nonlinear, STIFFNESS, Spec},
};
use crate::{CalibrationError, FitOptions, Samples};

/// Registry entry.
pub(super) const KIND: ModelKind = ModelKind {
    name: "sls",
    summary: "standard linear solid: spring beside spring and damper in series, relaxes",
    equation: "f = k∞ r + k₁ q, q̇ = ṙ − q/τ",
    is_candidate: true,
    gives_softness: false,
    has_memory: true,
    options: &[],
    law,
};

/// Share of the largest indentation from which the first sample counts as inside the tissue.
const INSIDE: f64 = 0.05;
/// Samples further apart than so many intervals have air between them, where the branch relaxes.
const GAP: f64 = 5.0;
/// Relative difference of steps that rounding explains.
const ALIKE: f64 = 1e-9;
/// Points of the first search in ln τ.
const POINTS: usize = 25;

fn law(samples: &Samples, _options: &FitOptions) -> Result<Box<dyn Law>, CalibrationError> {
    let duration = match (samples.time.first(), samples.time.last()) {
        (Some(first), Some(last)) if last > first => last - first,
        _ => {
            return Err(CalibrationError::Fit {
                log: samples.log.clone(),
                model: KIND.name,
                problem: "time does not pass; relaxation needs times".into(),
            });
        }
    };
    let interval = samples.sampling_interval.clamp(duration * 1e-9, duration);
    let largest = samples.indentation.iter().copied().fold(0.0, f64::max);
    if let Some([from, to]) = gap_inside(samples, INSIDE * largest) {
        return Err(CalibrationError::Fit {
            log: samples.log.clone(),
            model: KIND.name,
            problem: format!(
                "samples from {from:.3} to {to:.3} s are missing while the probe presses (clipped, or not recorded), and relaxation needs the whole motion: use --model kelvin-voigt, or a --window without them"
            ),
        });
    }
    Ok(Box::new(StandardLinearSolid {
        interval,
        duration,
        starts_inside: samples
            .indentation
            .first()
            .is_some_and(|&first| first > INSIDE * largest),
    }))
}

/// Times [s] around the first gap with the probe deeper than `inside` [m] at both ends, so that there is no air in it.
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

/// The law.
struct StandardLinearSolid {
    /// Time between samples, and between the first and the last [s].
    interval: f64,
    duration: f64,
    starts_inside: bool,
}

impl StandardLinearSolid {
    /// Branch q of every sample used, and what is left of its start.
    fn branch(&self, inputs: &Inputs, time: f64) -> (Vec<f64>, Vec<f64>) {
        let mut branch = Vec::with_capacity(inputs.used.len());
        let mut start = Vec::with_capacity(inputs.used.len());
        let mut next = inputs.used.iter().peekable();
        let mut before = inputs.indentation.first().map_or(0.0, |r| r.max(0.0));
        let mut q = if self.starts_inside { 0.0 } else { before };
        let mut left = 1.0;
        let (mut last_step, mut decay, mut drop) = (f64::NAN, 1.0, 0.0);
        for (i, r) in inputs.indentation.iter().enumerate() {
            let r = r.max(0.0);
            if i > 0 {
                let step = inputs.time[i] - inputs.time[i - 1];
                // Most steps are alike, and exponentials are slow.
                let alike = (step - last_step).abs() <= ALIKE * step;
                if !alike {
                    decay = (-step / time).exp();
                    drop = -time / step * (-step / time).exp_m1();
                    last_step = step;
                }
                q = if step > GAP * self.interval {
                    (q - before) * decay + r
                } else if step > 0.0 {
                    q * decay + (r - before) * drop
                } else {
                    q + r - before
                };
                left *= decay;
            }
            before = r;
            if next.next_if(|used| **used == i).is_some() {
                branch.push(q);
                start.push(left);
            }
        }
        (branch, start)
    }
}

impl Law for StandardLinearSolid {
    fn columns(&self, inputs: &Inputs, nonlinear: &[f64]) -> Vec<Vec<f64>> {
        let (branch, start) = self.branch(inputs, nonlinear[0].exp());
        let mut columns = vec![inputs.column(|r, _| r), branch];
        if self.starts_inside {
            columns.push(start);
        }
        columns
    }

    /// ln τ.
    fn nonlinear(&self) -> Vec<Nonlinear> {
        let range = [(0.1 * self.interval).ln(), (10.0 * self.duration).ln()];
        vec![Nonlinear {
            start: 0.5 * (self.interval.ln() + self.duration.ln()),
            range,
        }]
    }

    fn starts(&self) -> Vec<Vec<f64>> {
        let (low, high) = (self.interval.ln(), self.duration.ln());
        (0..POINTS)
            .map(|point| vec![low + (high - low) * point as f64 / (POINTS - 1) as f64])
            .collect()
    }

    fn specs(&self) -> Vec<Spec> {
        let advice = "record a fast press and a hold of several relaxation times";
        vec![
            STIFFNESS,
            Spec {
                name: "branch_stiffness",
                title: "branch stiffness k₁",
                unit: "N/m",
                positive: true,
                advice,
            },
            Spec {
                name: "relaxation_time",
                title: "relaxation time τ",
                unit: "s",
                positive: true,
                advice,
            },
            DAMPING,
        ]
    }

    fn report(&self, linear: &[f64], nonlinear: &[f64]) -> Vec<f64> {
        let time = nonlinear[0].exp();
        vec![linear[0], linear[1], time, linear[1] * time]
    }

    fn objections(&self, values: &[f64], _standard_errors: &[f64]) -> Vec<Option<String>> {
        let time = values[2];
        if time < self.interval {
            // Only the product k₁ τ acts: a plain damper.
            let why = format!(
                "the relaxation time is below the sampling interval of {:.4} s, so the branch acts as a damper",
                self.interval
            );
            vec![None, Some(why.clone()), Some(why), None]
        } else if time > self.duration {
            let why = format!(
                "the relaxation time is longer than the log's {:.2} s, so the branch acts as a spring",
                self.duration
            );
            vec![
                Some(why.clone()),
                Some(why.clone()),
                Some(why.clone()),
                Some(why),
            ]
        } else {
            vec![None; 4]
        }
    }
}
