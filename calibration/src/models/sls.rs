//! Standard linear solid (Zener 1948): a spring in parallel with a spring and damper in series, so that force relaxes in a hold.
//!
//! ```text
//! f = k∞ r + k₁ q,   q̇ = ṙ − q/τ
//! ```
//!
//! A log that starts inside the tissue has an unknown initial q, which is fitted and not reported. In the limit τ → 0
//! the law is Kelvin–Voigt with c = k₁ τ, which is reported as `damping`.

use super::{
    history::History,
    kind::ModelKind,
    law::{DAMPING, Inputs, Law, Nonlinear, STIFFNESS, Spec},
};
use crate::{CalibrationError, FitOptions, Samples};

/// Registry entry.
pub(super) const KIND: ModelKind = ModelKind {
    name: "sls",
    summary: "standard linear solid: spring in parallel with spring and damper in series, relaxes",
    equation: "f = k∞ r + k₁ q, q̇ = ṙ − q/τ",
    is_candidate: true,
    gives_softness: false,
    has_memory: true,
    options: &[],
    law,
};

/// What to record so that a branch is determined.
pub(super) const BRANCH_ADVICE: &str = "record a fast press and a hold of several relaxation times";

/// Branch stiffness k₁.
pub(super) const BRANCH_STIFFNESS: Spec = Spec {
    name: "branch_stiffness",
    title: "branch stiffness k₁",
    unit: "N/m",
    positive: true,
    advice: BRANCH_ADVICE,
};

/// Relaxation time τ.
pub(super) const RELAXATION_TIME: Spec = Spec {
    name: "relaxation_time",
    title: "relaxation time τ",
    unit: "s",
    positive: true,
    advice: BRANCH_ADVICE,
};

fn law(samples: &Samples, _options: &FitOptions) -> Result<Box<dyn Law>, CalibrationError> {
    let history = History::of(samples, KIND.name)?;
    Ok(Box::new(StandardLinearSolid { history }))
}

/// The law.
struct StandardLinearSolid {
    history: History,
}

impl Law for StandardLinearSolid {
    fn columns(&self, inputs: &Inputs, nonlinear: &[f64]) -> Vec<Vec<f64>> {
        let (branch, start) = self.history.branch(inputs, 1.0, nonlinear[0].exp());
        let mut columns = vec![inputs.column(|r, _| r), branch];
        if self.history.starts_inside {
            columns.push(start);
        }
        columns
    }

    /// ln τ.
    fn nonlinear(&self) -> Vec<Nonlinear> {
        vec![self.history.log_time()]
    }

    fn starts(&self) -> Vec<Vec<f64>> {
        self.history.log_time_starts()
    }

    fn specs(&self) -> Vec<Spec> {
        vec![STIFFNESS, BRANCH_STIFFNESS, RELAXATION_TIME, DAMPING]
    }

    fn report(&self, linear: &[f64], nonlinear: &[f64]) -> Vec<f64> {
        let time = nonlinear[0].exp();
        vec![linear[0], linear[1], time, linear[1] * time]
    }

    fn objections(&self, values: &[f64], _standard_errors: &[f64]) -> Vec<Option<String>> {
        let time = values[2];
        if let Some(why) = self.history.too_short(time) {
            // Only the product k₁ τ is determined: a plain damper.
            vec![None, Some(why.clone()), Some(why), None]
        } else {
            vec![self.history.too_long(time); 4]
        }
    }
}
