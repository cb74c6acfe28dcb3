//! In-sample and held-out error of a law.

use super::{kind::ModelKind, solver, variable_projection::Problem};
use crate::{
    CalibrationError, FitOptions, Samples,
    statistics::least_squares::{self, weighted_dot},
};

/// Number of blocks of neighbouring samples for cross-validation. The first block is never held out, because the
/// state of the tissue before it is unknown.
const BLOCKS: usize = 6;

/// Result of a fit and its cross-validation, for the comparison of laws.
pub(crate) struct CrossValidation {
    /// Mean square force error of the fit [N²].
    pub(crate) mean_square: f64,
    /// Effective number of independent samples.
    pub(crate) n_effective: f64,
    /// Number of fitted parameters.
    pub(crate) n_parameters: usize,
    /// Root mean square force error on held-out blocks [N].
    pub(crate) held_out: f64,
    /// Parameters that the data do not determine.
    pub(crate) unidentified: Vec<&'static str>,
}

/// Fits a law to all samples, and once without each block.
pub(crate) fn explained(
    kind: &ModelKind,
    samples: &Samples,
    options: &FitOptions,
) -> Result<CrossValidation, CalibrationError> {
    let law = (kind.law)(samples, options)?;
    let options = solver::options_for(kind.name, &*law, samples, options)?;
    let mut solved = solver::solve(kind.name, &*law, samples, &options)?;
    let n_parameters = solved.state.raw(solved.problem.shift_limit).len();
    let held_out = held_out(
        &mut solved.problem,
        &solved.state.nonlinear,
        solved.state.shift,
    );
    let fit = solved.fit();
    Ok(CrossValidation {
        mean_square: fit.statistics.rmse_n.powi(2),
        n_effective: fit.statistics.n_effective,
        n_parameters,
        held_out,
        unidentified: fit
            .parameters
            .iter()
            .filter(|parameter| !parameter.identifiable)
            .map(|parameter| parameter.name)
            .collect(),
    })
}

/// Root mean square error on held-out blocks, each predicted from the others [N].
fn held_out(problem: &mut Problem, start: &[f64], shift: f64) -> f64 {
    let all = problem.used().to_vec();
    let size = all.len().div_ceil(BLOCKS).max(1);
    let (mut squares, mut n) = (0.0, 0);
    for (number, block) in all.chunks(size).enumerate().skip(1) {
        let mut others = all.clone();
        others.drain(number * size..number * size + block.len());
        problem.set_used(others);
        let state = problem.solve(start, shift, 0.0);
        problem.set_used(block.to_vec());
        let system = problem.system(&state.nonlinear, state.shift, 0.0);
        let mut residual = least_squares::residual(&system.columns, &system.target, &state.linear);
        for (residual, divisor) in residual.iter_mut().zip(&system.divisor) {
            *residual *= divisor;
        }
        squares += weighted_dot(&residual, &residual, None);
        n += block.len();
    }
    problem.set_used(all);
    (squares / n.max(1) as f64).sqrt()
}

/// Mean square of the force about its mean [N²], and the root mean square error on held-out blocks, each predicted by
/// the mean of the others [N].
pub(crate) fn constant(samples: &Samples) -> (f64, f64) {
    let force = &samples.force;
    let n = force.len() as f64;
    let sum: f64 = force.iter().sum();
    let about = |values: &[f64], mean: f64| -> f64 {
        values.iter().map(|value| (value - mean).powi(2)).sum()
    };
    let (mut squares, mut held) = (0.0, 0);
    for block in force.chunks(force.len().div_ceil(BLOCKS).max(1)).skip(1) {
        let others = (n - block.len() as f64).max(1.0);
        squares += about(block, (sum - block.iter().sum::<f64>()) / others);
        held += block.len();
    }
    (
        about(force, sum / n) / n,
        (squares / held.max(1) as f64).sqrt(),
    )
}
