//! Hunt–Crossley: a contact whose stiffness and damping grow with the contact area (Hunt and Crossley 1975, Eq. 1).
//!
//! ```text
//! f = κ rⁿ + λ rᵐ ṙ (+ f₀) (+ m r̈)
//! ```
//!
//! The exponents are given (n = 1.5 is Hertz' sphere, m = 0.5 its damping) or fitted.

use super::{
    kind::ModelKind,
    latency,
    law::{Inputs, Law, Nonlinear, Spec, power},
};
use crate::{CalibrationError, ElasticTerm, FitOptions, Samples};

/// Registry entry.
pub(super) const KIND: ModelKind = ModelKind {
    name: "hunt-crossley",
    summary: "spring and damper that stiffen with depth",
    equation: "f = κ rⁿ + λ rᵐ ṙ",
    is_candidate: true,
    gives_softness: false,
    has_memory: false,
    options: &["--exponents", latency::OPTION],
    law,
};

/// Start and range of the search for exponents.
const N: Nonlinear = Nonlinear {
    start: 1.5,
    range: [0.5, 4.0],
};
const M: Nonlinear = Nonlinear {
    start: 0.5,
    range: [-0.5, 4.0],
};
/// An exponent with a larger standard error is not identifiable.
const LARGEST_EXPONENT_ERROR: f64 = 0.25;

fn law(_samples: &Samples, options: &FitOptions) -> Result<Box<dyn Law>, CalibrationError> {
    if let Some(exponents) = options.exponents
        && !exponents
            .iter()
            .all(|exponent| (0.0..=5.0).contains(exponent))
    {
        return Err(CalibrationError::option(
            "--exponents",
            format!(
                "the exponents are {},{}; they must be between 0 and 5, or `fit`",
                exponents[0], exponents[1]
            ),
        ));
    }
    Ok(Box::new(HuntCrossley {
        exponents: options.exponents,
    }))
}

/// The law.
struct HuntCrossley {
    /// n and m; `None`: fitted.
    exponents: Option<[f64; 2]>,
}

impl HuntCrossley {
    fn exponents(&self, nonlinear: &[f64]) -> [f64; 2] {
        self.exponents
            .unwrap_or_else(|| [nonlinear[0], nonlinear[1]])
    }
}

impl Law for HuntCrossley {
    fn columns(&self, inputs: &Inputs, nonlinear: &[f64]) -> Vec<Vec<f64>> {
        let [n, m] = self.exponents(nonlinear);
        vec![
            inputs.column(|r, _| power(r, n)),
            inputs.column(|r, v| power(r, m) * v),
        ]
    }

    fn velocity_gain(&self, inputs: &Inputs, nonlinear: &[f64]) -> Option<(usize, Vec<f64>)> {
        let [_, m] = self.exponents(nonlinear);
        Some((1, inputs.column(|r, _| power(r, m))))
    }

    fn elastic_term(&self, nonlinear: &[f64]) -> Option<ElasticTerm> {
        Some(ElasticTerm::new("kappa", self.exponents(nonlinear)[0]))
    }

    fn nonlinear(&self) -> Vec<Nonlinear> {
        if self.exponents.is_some() {
            Vec::new()
        } else {
            vec![N, M]
        }
    }

    fn specs(&self) -> Vec<Spec> {
        let mut specs = vec![
            Spec {
                name: "kappa",
                title: "κ",
                unit: "N/m^n",
                positive: true,
                advice: "press deeper, over a larger range of indentation",
            },
            Spec {
                name: "lambda",
                title: "λ",
                unit: "N·s/m^(m+1)",
                positive: true,
                advice: "press and release at different speeds",
            },
        ];
        if self.exponents.is_none() {
            let advice = "press from the surface to full depth, at different speeds";
            for (name, title, positive) in [
                ("exponent_n", "exponent n", true),
                ("exponent_m", "exponent m", false),
            ] {
                specs.push(Spec {
                    name,
                    title,
                    unit: "",
                    positive,
                    advice,
                });
            }
        }
        specs
    }

    fn report(&self, linear: &[f64], nonlinear: &[f64]) -> Vec<f64> {
        linear.iter().chain(nonlinear).copied().collect()
    }

    fn objections(&self, values: &[f64], standard_errors: &[f64]) -> Vec<Option<String>> {
        (0..values.len())
            .map(|j| {
                let range = match j {
                    2 => N.range,
                    3 => M.range,
                    _ => return None,
                };
                if standard_errors[j] > LARGEST_EXPONENT_ERROR {
                    Some(format!(
                        "its standard error is {:.2}, so indentation varies too little to tell the shape",
                        standard_errors[j]
                    ))
                } else if values[j] <= range[0] || values[j] >= range[1] {
                    Some(format!("it ran to the end of its range, {:.1}", values[j]))
                } else {
                    None
                }
            })
            .collect()
    }
}
