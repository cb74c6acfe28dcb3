//! Kelvin–Voigt: a spring and a damper in parallel.
//!
//! ```text
//! f = k r + c ṙ (+ f₀) (+ m r̈)
//! ```

use super::{
    kind::ModelKind,
    latency,
    law::{DAMPING, Inputs, Law, STIFFNESS, Spec},
};
use crate::ElasticTerm;

/// Registry entry.
pub(super) const KIND: ModelKind = ModelKind {
    name: "kelvin-voigt",
    summary: "spring and damper in parallel, least squares on the force",
    equation: "f = k r + c ṙ",
    is_candidate: true,
    gives_softness: true,
    has_memory: false,
    options: &[latency::OPTION],
    law: |_, _| Ok(Box::new(KelvinVoigt)),
};

/// The law.
pub(super) struct KelvinVoigt;

impl Law for KelvinVoigt {
    fn columns(&self, inputs: &Inputs, _nonlinear: &[f64]) -> Vec<Vec<f64>> {
        vec![inputs.column(|r, _| r), inputs.column(|_, v| v)]
    }

    fn velocity_gain(&self, inputs: &Inputs, _nonlinear: &[f64]) -> Option<(usize, Vec<f64>)> {
        Some((1, vec![1.0; inputs.used.len()]))
    }

    fn linear_in_surface(&self) -> bool {
        true
    }

    fn elastic_term(&self, _nonlinear: &[f64]) -> Option<ElasticTerm> {
        Some(ElasticTerm::new("stiffness", 1.0))
    }

    fn specs(&self) -> Vec<Spec> {
        vec![STIFFNESS, DAMPING]
    }
}
