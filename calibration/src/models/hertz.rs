//! Hertz 1882: a sphere pressed slowly into an elastic half space.
//!
//! ```text
//! f = κ r^{3/2},   κ = 4/3 E/(1 − ν²) √R
//! ```

use super::{
    half_space::{ElasticHalfSpace, Tip},
    kind::ModelKind,
    law::{Law, Spec},
};
use crate::{CalibrationError, FitOptions, Samples};

/// Registry entry.
pub(super) const KIND: ModelKind = ModelKind {
    name: "hertz",
    summary: "sphere on an elastic half space, for slow presses",
    equation: "f = 4/3 E/(1 − ν²) √R r^{3/2}",
    is_candidate: true,
    gives_softness: false,
    has_memory: false,
    options: &["--tip sphere"],
    law,
};

/// Coefficient κ.
pub(super) const KAPPA: Spec = Spec {
    name: "kappa",
    title: "κ",
    unit: "N/m^1.5",
    positive: true,
    advice: "press deeper",
};

fn law(_samples: &Samples, options: &FitOptions) -> Result<Box<dyn Law>, CalibrationError> {
    Ok(Box::new(ElasticHalfSpace {
        coefficient: KAPPA,
        tip: Tip::sphere(options)?,
    }))
}
