//! Interface of a tissue law; one solver fits all laws.
//!
//! ```text
//! f = Σ βⱼ φⱼ(r, ṙ; θ)          β: linear coefficients, θ: nonlinear ones
//! ```

use crate::{ContactPoint, ElasticTerm, Fit, Samples};

/// All samples as input of a law; shapes `[n]`.
pub(crate) struct Inputs<'a> {
    /// Time [s].
    pub(crate) time: &'a [f64],
    /// Indentation from the assumed surface [m].
    pub(crate) indentation: &'a [f64],
    /// Velocity of the indentation [m/s].
    pub(crate) velocity: &'a [f64],
    /// Indices of the fitted samples.
    pub(crate) used: &'a [usize],
}

impl Inputs<'_> {
    /// A column: a function of indentation and velocity, evaluated at the used samples.
    pub(crate) fn column(&self, of: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        self.used
            .iter()
            .map(|&i| of(self.indentation[i], self.velocity[i]))
            .collect()
    }
}

/// Share of the largest indentation that is left out near an estimated surface: a smaller indentation is within its
/// error.
const GUARD: f64 = 0.02;

/// r to a power, 0 outside the tissue.
pub(super) fn power(r: f64, exponent: f64) -> f64 {
    if r <= 0.0 {
        0.0
    } else if exponent == 1.5 {
        r * r.sqrt()
    } else if exponent == 0.5 {
        r.sqrt()
    } else {
        r.powf(exponent)
    }
}

/// Description of a reported parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    /// Key in results, such as `stiffness`.
    pub(crate) name: &'static str,
    /// Title for reports, with the symbol last: `stiffness k`.
    pub(crate) title: &'static str,
    /// Unit.
    pub(crate) unit: &'static str,
    /// Whether it must be positive.
    pub(crate) positive: bool,
    /// What to record so that the data determine it.
    pub(crate) advice: &'static str,
}

/// A nonlinear parameter θ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nonlinear {
    /// Start of the search.
    pub(crate) start: f64,
    /// Smallest and largest value.
    pub(crate) range: [f64; 2],
}

/// A tissue law.
pub(crate) trait Law {
    /// φ of the used samples, one column each.
    fn columns(&self, inputs: &Inputs, nonlinear: &[f64]) -> Vec<Vec<f64>>;

    /// The column that contains the velocity, and the factor of the velocity in it.
    fn velocity_gain(&self, _inputs: &Inputs, _nonlinear: &[f64]) -> Option<(usize, Vec<f64>)> {
        None
    }

    /// The nonlinear parameters θ.
    fn nonlinear(&self) -> Vec<Nonlinear> {
        Vec::new()
    }

    /// Start points to compare before the search.
    fn starts(&self) -> Vec<Vec<f64>> {
        vec![self.nonlinear().iter().map(|range| range.start).collect()]
    }

    /// For each reported parameter, why its value is not valid; an empty list if all are.
    fn objections(&self, _values: &[f64], _standard_errors: &[f64]) -> Vec<Option<String>> {
        Vec::new()
    }

    /// The reported parameters.
    fn specs(&self) -> Vec<Spec>;

    /// Values of the reported parameters; `linear` are the coefficients of [`Self::columns`].
    fn report(&self, linear: &[f64], _nonlinear: &[f64]) -> Vec<f64> {
        linear.to_vec()
    }

    /// Whether f = β₁ (r − s) + …, with no other term that depends on the surface s: then s follows from a constant
    /// force.
    fn linear_in_surface(&self) -> bool {
        false
    }

    /// A first solution of the linear coefficients by a solver specific to the law.
    fn ordinary_least_squares(&self, _columns: &[Vec<f64>], _target: &[f64]) -> Option<Vec<f64>> {
        None
    }

    /// For a law whose rows are divided by the indentation: the law without the division.
    fn direct_form(&self) -> Option<&'static dyn Law> {
        None
    }

    /// Number of initial samples for which the law holds.
    fn holds_for(&self, samples: &Samples) -> usize {
        samples.len()
    }

    /// Minimum indentation of a fitted sample [m], for samples with this `largest` indentation [m].
    fn least_indentation(&self, largest: f64, contact: &ContactPoint) -> f64 {
        if contact.known {
            0.0
        } else {
            (GUARD * largest).max(3.0 * contact.standard_error)
        }
    }

    /// The elastic part of the force, if it is a power of the indentation.
    fn elastic_term(&self, _nonlinear: &[f64]) -> Option<ElasticTerm> {
        None
    }

    /// Notes on a fit for the user.
    fn notes(&self, _fit: &Fit, _samples: &Samples) -> Option<String> {
        None
    }
}

/// Stiffness k.
pub(super) const STIFFNESS: Spec = Spec {
    name: "stiffness",
    title: "stiffness k",
    unit: "N/m",
    positive: true,
    advice: "press deeper, over a larger range of indentation",
};

/// Damping c.
pub(super) const DAMPING: Spec = Spec {
    name: "damping",
    title: "damping c",
    unit: "N·s/m",
    positive: true,
    advice: "press and release at different speeds",
};

/// Force offset f₀.
pub(crate) const FORCE_OFFSET: Spec = Spec {
    name: "force_offset",
    title: "force offset f₀",
    unit: "N",
    positive: false,
    advice: "record free air before contact, or a larger range of indentation",
};

/// Moving mass m.
pub(crate) const MASS: Spec = Spec {
    name: "mass",
    title: "moving mass m",
    unit: "kg",
    positive: true,
    advice: "record faster motion, at more than one frequency, or weigh what moves in front of the sensor",
};
