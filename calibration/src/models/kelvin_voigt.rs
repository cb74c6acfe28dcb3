//! Kelvin–Voigt: a spring and a damper side by side.
//!
//! ```text
//! f = k r + c ṙ (+ f₀) (+ m r̈)
//! ```

use super::{
    ModelKind, direct,
    law::{Inputs, Law, Spec},
};

/// Registry entry.
pub(super) const KIND: ModelKind = ModelKind {
    name: "kelvin-voigt",
    summary: "spring and damper in parallel, least squares on the force",
    equation: "f = k r + c ṙ",
    fit: |samples, options| direct::fit(&KelvinVoigt, samples, options),
    law: |_, _| Ok(Box::new(KelvinVoigt)),
};

/// Stiffness k.
pub(super) const STIFFNESS: Spec = Spec {
    name: "stiffness",
    unit: "N/m",
    positive: true,
    advice: "press deeper, over a larger range of indentation",
};

/// Damping c.
pub(super) const DAMPING: Spec = Spec {
    name: "damping",
    unit: "N·s/m",
    positive: true,
    advice: "press and release at different speeds",
};

/// The law.
pub(super) struct KelvinVoigt;

impl Law for KelvinVoigt {
    fn model(&self) -> &'static str {
        KIND.name
    }

    fn columns(&self, inputs: &Inputs, _nonlinear: &[f64]) -> Vec<Vec<f64>> {
        vec![inputs.column(|r, _| r), inputs.column(|_, v| v)]
    }

    fn velocity_gain(&self, inputs: &Inputs, _nonlinear: &[f64]) -> Option<(usize, Vec<f64>)> {
        Some((1, vec![1.0; inputs.used.len()]))
    }

    fn linear_in_surface(&self) -> bool {
        true
    }

    fn specs(&self) -> Vec<Spec> {
        vec![STIFFNESS, DAMPING]
    }
}
