//! What a law of tissue has to say about itself, so that one solver fits them all.
//!
//! ```text
//! f = Σ βⱼ φⱼ(r, ṙ; θ)          β: linear coefficients, θ: nonlinear ones
//! ```

use crate::{ContactPoint, ElasticTerm, Fit, Samples};

/// Samples as a law sees them, all of them; shapes `[n]`.
pub(crate) struct Inputs<'a> {
    /// Time [s].
    pub(crate) time: &'a [f64],
    /// Indentation from the surface that is assumed [m].
    pub(crate) indentation: &'a [f64],
    /// Its velocity [m/s].
    pub(crate) velocity: &'a [f64],
    /// Those that are fitted.
    pub(crate) used: &'a [usize],
}

impl Inputs<'_> {
    /// A column: a function of indentation and velocity of the samples used.
    pub(crate) fn column(&self, of: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        self.used
            .iter()
            .map(|&i| of(self.indentation[i], self.velocity[i]))
            .collect()
    }
}

/// Share of the largest indentation that is left out next to a surface that was estimated: less is within its error.
const GUARD: f64 = 0.02;

/// r to a power, 0 outside tissue.
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

/// A parameter as it is reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    /// Key in results, such as `stiffness`.
    pub(crate) name: &'static str,
    /// What a person calls it, its symbol last: `stiffness k`.
    pub(crate) title: &'static str,
    /// Unit.
    pub(crate) unit: &'static str,
    /// Whether it has to be positive.
    pub(crate) positive: bool,
    /// What to record so that the data determine it.
    pub(crate) advice: &'static str,
}

/// A nonlinear parameter θ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nonlinear {
    /// Where the search starts.
    pub(crate) start: f64,
    /// Smallest and largest value.
    pub(crate) range: [f64; 2],
}

/// A law.
pub(crate) trait Law {
    /// φ of the samples used, one column each.
    fn columns(&self, inputs: &Inputs, nonlinear: &[f64]) -> Vec<Vec<f64>>;

    /// The column that velocity enters, and what it is multiplied with there.
    fn velocity_gain(&self, _inputs: &Inputs, _nonlinear: &[f64]) -> Option<(usize, Vec<f64>)> {
        None
    }

    /// What θ is made of.
    fn nonlinear(&self) -> Vec<Nonlinear> {
        Vec::new()
    }

    /// Where to look before the search.
    fn starts(&self) -> Vec<Vec<f64>> {
        vec![self.nonlinear().iter().map(|range| range.start).collect()]
    }

    /// For each reported parameter, why its value cannot stand; empty: none.
    fn objections(&self, _values: &[f64], _standard_errors: &[f64]) -> Vec<Option<String>> {
        Vec::new()
    }

    /// The parameters that are reported.
    fn specs(&self) -> Vec<Spec>;

    /// Their values; the linear coefficients are those of [`Self::columns`].
    fn report(&self, linear: &[f64], _nonlinear: &[f64]) -> Vec<f64> {
        linear.to_vec()
    }

    /// Whether f = β₁ (r − s) + …, with nothing else that depends on the surface s: then s follows from a constant force.
    fn linear_in_surface(&self) -> bool {
        false
    }

    /// A first solution of the linear coefficients by a solver of the law's own.
    fn ordinary_least_squares(&self, _columns: &[Vec<f64>], _target: &[f64]) -> Option<Vec<f64>> {
        None
    }

    /// Where rows are divided by the indentation before they are fitted: the law whose rows are not.
    fn direct_form(&self) -> Option<&'static dyn Law> {
        None
    }

    /// The number of first samples that the law holds for.
    fn holds_for(&self, samples: &Samples) -> usize {
        samples.len()
    }

    /// Least indentation of a sample that is fitted [m], for samples of this `largest` indentation [m].
    fn least_indentation(&self, largest: f64, contact: &ContactPoint) -> f64 {
        if contact.known {
            0.0
        } else {
            (GUARD * largest).max(3.0 * contact.standard_error)
        }
    }

    /// The part of the force that depends on the indentation alone, where that is a power of it.
    fn elastic_term(&self, _nonlinear: &[f64]) -> Option<ElasticTerm> {
        None
    }

    /// What a user should know of a fit.
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
