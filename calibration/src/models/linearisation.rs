//! A solution with its linearised equations, and the slopes of the reported parameters.

use std::rc::Rc;

use nalgebra::DMatrix;

use super::variable_projection::{Problem, State, System};
use crate::statistics::{inference::Equations, least_squares, tangent::Tangent};

/// A solution with the linearised equations.
pub(super) struct Linearisation {
    pub(super) tangent: Tangent,
    pub(super) residual: Vec<f64>,
    pub(super) system: Rc<System>,
    pub(super) inverse: least_squares::Inverse,
}

impl Linearisation {
    pub(super) fn new(problem: &Problem, state: &State) -> Self {
        let system = problem.system(&state.nonlinear, state.shift, 0.0);
        let tangent = problem.tangent(&system, state, 0.0);
        let residual = least_squares::residual(&system.columns, &system.target, &state.linear);
        let slopes = state.robust.as_ref().map(|(_, slopes)| slopes.as_slice());
        Self {
            inverse: tangent.inverse(slopes),
            tangent,
            residual,
            system,
        }
    }

    pub(super) fn equations<'a>(&'a self, state: &'a State) -> Equations<'a> {
        Equations {
            tangent: &self.tangent,
            residual: &self.residual,
            weights: state.robust.as_ref().map(|(weights, _)| weights.as_slice()),
            slopes: state.robust.as_ref().map(|(_, slopes)| slopes.as_slice()),
        }
    }
}

/// Values of the reported parameters.
pub(super) fn values(problem: &Problem, raw: &[f64]) -> Vec<f64> {
    let extra = problem.extra_specs().len();
    let n_nonlinear = problem.law.nonlinear().len();
    let n_linear = raw.len() - n_nonlinear - usize::from(problem.shift_limit > 0.0);
    let of_law = n_linear - extra;
    let mut values = problem
        .law
        .report(&raw[..of_law], &raw[n_linear..n_linear + n_nonlinear]);
    values.extend(&raw[of_law..n_linear]);
    values
}

/// d(reported)/d(raw), shape `[n_reported, n_raw]`.
pub(super) fn report_slopes(problem: &Problem, raw: &[f64]) -> DMatrix<f64> {
    let n_reported = values(problem, raw).len();
    let mut slopes = DMatrix::zeros(n_reported, raw.len());
    for k in 0..raw.len() {
        let step = 1e-6 * raw[k].abs().max(1e-12);
        let at = |sign: f64| {
            let mut moved = raw.to_vec();
            moved[k] += sign * step;
            values(problem, &moved)
        };
        for (j, (above, below)) in at(1.0).iter().zip(at(-1.0)).enumerate() {
            slopes[(j, k)] = (above - below) / (2.0 * step);
        }
    }
    slopes
}
