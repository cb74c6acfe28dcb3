//! A law with additional dry friction, which separates a loop that does not grow with speed from damping.
//!
//! ```text
//! f = Σ βⱼ φⱼ(r, ṙ; θ) + F s(ṙ),   s = ṙ/√(ṙ² + w²)
//! ```
//!
//! s is Coulomb's sign of the velocity, smoothed over w; below w the sign is uncertain.

use super::{
    kind::ModelKind,
    law::{Inputs, Law, Nonlinear, Spec},
    solver,
};
use crate::{CalibrationError, ElasticTerm, Fit, FitOptions, Samples};

/// w in standard deviations of the velocity's noise, and at least this share of the largest speed. At two standard
/// deviations a sign is wrong once in forty; the share only prevents a division by zero for a velocity without noise.
const NOISE: f64 = 2.0;
const SHARE: f64 = 1e-3;

/// Friction F.
pub(crate) const FRICTION: Spec = Spec {
    name: "dry_friction",
    title: "dry friction F",
    unit: "N",
    positive: false,
    advice: "press at several frequencies or amplitudes",
};

impl ModelKind {
    /// Fits the law with dry friction as an additional parameter, `dry_friction`. Laws with divided rows use their
    /// direct form.
    ///
    /// # Errors
    /// The errors of [`ModelKind::fit`].
    pub(crate) fn fit_with_friction(
        &self,
        samples: &Samples,
        options: &FitOptions,
    ) -> Result<Fit, CalibrationError> {
        let own = (self.law)(samples, options)?;
        let options = solver::options_for(self.name, &*own, samples, options)?;
        let law = WithFriction {
            law: own.direct_form().unwrap_or(&*own),
            width: width(samples),
        };
        Ok(solver::solve(self.name, &law, samples, &options)?.fit())
    }
}

/// Speed below which the sign of the velocity is uncertain [m/s].
fn width(samples: &Samples) -> f64 {
    let fastest = samples
        .velocity
        .iter()
        .fold(0.0_f64, |fastest, value| fastest.max(value.abs()));
    (NOISE * samples.velocity_noise)
        .max(SHARE * fastest)
        .max(f64::MIN_POSITIVE)
}

/// Share of the velocity's power explained by its smoothed sign, over the samples `used`: 1 at one speed, 0.81 for a
/// sine of one amplitude.
pub(crate) fn likeness(samples: &Samples, used: &[usize]) -> f64 {
    let width = width(samples);
    let (mut vv, mut vs, mut ss) = (0.0, 0.0, 0.0);
    for &index in used {
        let velocity = samples.velocity[index];
        let sign = velocity / velocity.hypot(width);
        vv += velocity * velocity;
        vs += velocity * sign;
        ss += sign * sign;
    }
    vs * vs / (vv * ss).max(f64::MIN_POSITIVE)
}

/// The law with a friction column after its own columns.
struct WithFriction<'a> {
    law: &'a dyn Law,
    /// w [m/s].
    width: f64,
}

impl Law for WithFriction<'_> {
    fn columns(&self, inputs: &Inputs, nonlinear: &[f64]) -> Vec<Vec<f64>> {
        let mut columns = self.law.columns(inputs, nonlinear);
        columns.push(inputs.column(|_, v| v / v.hypot(self.width)));
        columns
    }

    fn velocity_gain(&self, inputs: &Inputs, nonlinear: &[f64]) -> Option<(usize, Vec<f64>)> {
        self.law.velocity_gain(inputs, nonlinear)
    }

    fn nonlinear(&self) -> Vec<Nonlinear> {
        self.law.nonlinear()
    }

    fn starts(&self) -> Vec<Vec<f64>> {
        self.law.starts()
    }

    fn objections(&self, values: &[f64], standard_errors: &[f64]) -> Vec<Option<String>> {
        let own = values.len().min(self.law.specs().len());
        self.law.objections(&values[..own], &standard_errors[..own])
    }

    fn specs(&self) -> Vec<Spec> {
        let mut specs = self.law.specs();
        specs.push(FRICTION);
        specs
    }

    fn report(&self, linear: &[f64], nonlinear: &[f64]) -> Vec<f64> {
        let (friction, own) = linear.split_last().unwrap_or((&0.0, &[]));
        let mut values = self.law.report(own, nonlinear);
        values.push(*friction);
        values
    }

    fn linear_in_surface(&self) -> bool {
        self.law.linear_in_surface()
    }

    fn elastic_term(&self, nonlinear: &[f64]) -> Option<ElasticTerm> {
        self.law.elastic_term(nonlinear)
    }
}
