//! A tip pressed into a viscoelastic half space whose modulus relaxes exponentially (Lee and Radok 1960, J. Appl. Mech. 27, 438–444).
//!
//! ```text
//! f(t) = ∫ κ(t − s) d(rⁿ)/ds ds,   κ(t) = κ∞ + κ₁ e^{−t/τ}
//!      = κ∞ rⁿ + κ₁ q,             q̇ = d(rⁿ)/dt − q/τ
//! ```
//!
//! n = 3/2 for a sphere, with κ = 4/3 E/(1 − ν²) √R (Hertz 1882); n = 1 for a flat punch, with k = 2 a E/(1 − ν²) (Sneddon 1965).
//! For a sphere the integral holds while the contact does not shrink, so the withdrawal is left out (Ting 1966 treats
//! it); for a flat punch it holds for any motion in contact.

use super::{
    half_space::Tip,
    hertz::KAPPA,
    history::{History, first_loading},
    kind::ModelKind,
    law::{Inputs, Law, Nonlinear, STIFFNESS, Spec, power},
    sls::{BRANCH_ADVICE, BRANCH_STIFFNESS, RELAXATION_TIME},
};
use crate::{CalibrationError, FitOptions, Samples};

/// Registry entry of the sphere.
pub(super) const SPHERE: ModelKind = ModelKind {
    name: "hertz-prony",
    summary: "sphere on a half space that relaxes exponentially, for a ramp and a hold",
    equation: "f = κ∞ r^{3/2} + κ₁ q, q̇ = d(r^{3/2})/dt − q/τ",
    // Model selection needs the same samples for every law.
    is_candidate: false,
    gives_softness: false,
    has_memory: true,
    options: &["--tip sphere"],
    law: |samples, options| law(SPHERE.name, samples, options),
};

/// Registry entry of the flat punch.
pub(super) const FLAT_PUNCH: ModelKind = ModelKind {
    name: "flat-punch-prony",
    summary: "flat cylinder on a half space that relaxes exponentially",
    equation: "f = k∞ r + k₁ q, q̇ = ṙ − q/τ",
    // `sls` is the same law.
    is_candidate: false,
    gives_softness: false,
    has_memory: true,
    options: &["--tip flat"],
    law: |samples, options| law(FLAT_PUNCH.name, samples, options),
};

/// Coefficient κ₁ of the branch.
const BRANCH_KAPPA: Spec = Spec {
    name: "branch_kappa",
    title: "branch κ₁",
    unit: "N/m^1.5",
    positive: true,
    advice: BRANCH_ADVICE,
};

/// Young's modulus after the relaxation.
const RELAXED_MODULUS: Spec = Spec {
    name: "relaxed_modulus",
    title: "relaxed Young's modulus E∞",
    unit: "Pa",
    positive: true,
    advice: BRANCH_ADVICE,
};

/// Young's modulus before the relaxation.
const INSTANTANEOUS_MODULUS: Spec = Spec {
    name: "instantaneous_modulus",
    title: "instantaneous Young's modulus E₀",
    unit: "Pa",
    positive: true,
    advice: BRANCH_ADVICE,
};

fn law(
    model: &'static str,
    samples: &Samples,
    options: &FitOptions,
) -> Result<Box<dyn Law>, CalibrationError> {
    let history = History::of(samples, model)?;
    let (tip, coefficients) = if model == SPHERE.name {
        (Tip::sphere(options)?, [KAPPA, BRANCH_KAPPA])
    } else {
        (Tip::flat_punch(options)?, [STIFFNESS, BRANCH_STIFFNESS])
    };
    Ok(Box::new(Prony {
        history,
        tip,
        coefficients,
    }))
}

/// The law.
struct Prony {
    history: History,
    tip: Tip,
    /// κ∞ and κ₁.
    coefficients: [Spec; 2],
}

impl Law for Prony {
    fn columns(&self, inputs: &Inputs, nonlinear: &[f64]) -> Vec<Vec<f64>> {
        let exponent = self.tip.exponent;
        let (branch, start) = self.history.branch(inputs, exponent, nonlinear[0].exp());
        let mut columns = vec![inputs.column(|r, _| power(r, exponent)), branch];
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
        let mut specs = self.coefficients.to_vec();
        specs.push(RELAXATION_TIME);
        if self.tip.modulus_over_coefficient.is_some() {
            specs.extend([RELAXED_MODULUS, INSTANTANEOUS_MODULUS]);
        }
        specs
    }

    fn report(&self, linear: &[f64], nonlinear: &[f64]) -> Vec<f64> {
        let mut values = vec![linear[0], linear[1], nonlinear[0].exp()];
        if let Some(ratio) = self.tip.modulus_over_coefficient {
            values.extend([ratio * linear[0], ratio * (linear[0] + linear[1])]);
        }
        values
    }

    fn objections(&self, values: &[f64], _standard_errors: &[f64]) -> Vec<Option<String>> {
        let short = self.history.too_short(values[2]);
        let long = self.history.too_long(values[2]);
        // A branch that relaxes immediately does not affect the relaxed part; one that never relaxes is a part of it.
        let relaxed = long.clone();
        let relaxing = short.or(long);
        let mut objections = vec![relaxed.clone(), relaxing.clone(), relaxing.clone()];
        if self.tip.modulus_over_coefficient.is_some() {
            objections.extend([relaxed, relaxing]);
        }
        objections
    }

    fn holds_for(&self, samples: &Samples) -> usize {
        if self.tip.exponent == 1.0 {
            samples.len()
        } else {
            first_loading(samples)
        }
    }
}
