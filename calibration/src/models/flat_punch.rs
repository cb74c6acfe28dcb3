//! Flat cylindrical punch on an elastic half space, pressed slowly (Sneddon 1965).
//!
//! ```text
//! f = k r,   k = 2 a E/(1 − ν²)
//! ```

use super::{
    half_space::{ElasticHalfSpace, Tip},
    kind::ModelKind,
    law::{Law, STIFFNESS},
};
use crate::{CalibrationError, FitOptions, Samples};

/// Registry entry.
pub(super) const KIND: ModelKind = ModelKind {
    name: "flat-punch",
    summary: "flat cylinder on an elastic half space, for slow presses",
    equation: "f = 2 a E/(1 − ν²) r",
    is_candidate: true,
    gives_softness: false,
    has_memory: false,
    options: &["--tip flat"],
    law,
};

fn law(_samples: &Samples, options: &FitOptions) -> Result<Box<dyn Law>, CalibrationError> {
    Ok(Box::new(ElasticHalfSpace {
        coefficient: STIFFNESS,
        tip: Tip::flat_punch(options)?,
    }))
}
