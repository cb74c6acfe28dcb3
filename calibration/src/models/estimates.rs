//! Estimates from a solution: parameters with intervals, identifiability, and goodness of fit.

use nalgebra::DMatrix;

use super::{
    error_estimate::{ErrorEstimate, SurfaceShift},
    excitation,
    law::Spec,
    linearisation::{Linearisation, report_slopes, values},
    variable_projection::{Problem, State},
};
use crate::{
    Fit, FitStatistics, Parameter,
    statistics::{
        bootstrap::{self, Draws},
        hac, inference,
        least_squares::weighted_dot,
        residuals,
    },
};

/// Influence of each used sample on the shift, which must be free; `None` if the data do not determine it.
pub(super) fn shift_influence(problem: &Problem, state: &State) -> Option<Vec<f64>> {
    let local = Linearisation::new(problem, state);
    if local.inverse.undetermined.last() == Some(&true) {
        return None;
    }
    inference::influence(&local.equations(state), &local.inverse.matrix).pop()
}

/// Assembles a fit.
pub(super) fn fit(
    problem: &Problem,
    state: &State,
    moved: Option<&SurfaceShift>,
    noise_dominates: Option<usize>,
    mut notes: Vec<String>,
) -> Fit {
    let local = Linearisation::new(problem, state);
    let raw = state.raw(problem.shift_limit);
    let reported = values(problem, &raw);
    let slopes = report_slopes(problem, &raw);
    let specs: Vec<Spec> = problem
        .law
        .specs()
        .into_iter()
        .chain(problem.extra_specs())
        .collect();

    let errors = ErrorEstimate::new(problem, state, &local, &slopes, moved);
    let n_effective = residuals::effective_samples(&local.residual);
    let (statistics, predicted) = statistics(problem, state, &local, n_effective);
    let beforehand = moved
        .zip(errors.surface_slope.as_ref())
        .map(|(moved, slope)| (moved.influence.as_slice(), slope.as_slice()));
    let replicates = replicates(
        problem,
        state,
        &local,
        &errors.uncertain,
        &slopes,
        beforehand,
    );

    let undetermined = undetermined(problem, state, &local, &slopes, noise_dominates);
    let standard_errors: Vec<f64> = (0..specs.len()).map(|j| errors.standard_error(j)).collect();
    let objections = problem.law.objections(&reported, &standard_errors);
    let parameters = specs.iter().enumerate().map(|(j, spec)| {
        let standard_error = standard_errors[j];
        let freedom = errors.freedom(j, raw.len(), n_effective);
        let half = inference::half_width(freedom) * standard_error;
        let bootstrap95 = replicates.as_ref().and_then(|replicates| {
            bootstrap::interval(
                replicates
                    .iter()
                    .map(|change| reported[j] + change[j])
                    .collect(),
            )
        });
        let open = objections
            .get(j)
            .cloned()
            .flatten()
            .or(undetermined[j].clone());
        let reason = reason(spec, reported[j], half, open.as_deref());
        Parameter {
            name: spec.name,
            title: spec.title,
            unit: spec.unit,
            value: reported[j],
            standard_error,
            ci95: [reported[j] - half, reported[j] + half],
            bootstrap95,
            identifiable: reason.is_empty(),
            reason,
        }
    });
    let parameters = parameters.collect();
    notes.extend(attenuation(&local));
    Fit {
        model: problem.model,
        divided: problem.law.direct_form().is_some(),
        elastic: problem.law.elastic_term(&state.nonlinear),
        parameters,
        covariance: errors.covariance.transpose().as_slice().to_vec(),
        shared: errors.shared,
        statistics,
        used: problem.used().to_vec(),
        predicted,
        contact_shift: (problem.shift_limit > 0.0 || moved.is_some()).then_some(state.shift),
        notes,
    }
}

/// Reports the noise of the velocity that was assumed.
fn attenuation(local: &Linearisation) -> Option<String> {
    let tangent = &local.tangent;
    let (gain, column) = tangent
        .gains
        .iter()
        .zip(&tangent.jacobian)
        .find_map(|(gain, column)| Some((gain.as_ref()?, column)))?;
    let power = weighted_dot(column, column, None);
    let share = tangent.variance * weighted_dot(gain, gain, None) / power;
    (share > 0.0 && power > 0.0).then(|| {
        format!(
            "noise makes up {:.3} % of the power of the velocity's column; what it takes from the damping was put back",
            share * 100.0
        )
    })
}

/// Residuals in newton and their statistics.
fn statistics(
    problem: &Problem,
    state: &State,
    local: &Linearisation,
    n_effective: f64,
) -> (FitStatistics, Vec<f64>) {
    let divisor = &local.system.divisor;
    let in_newton = |values: &[f64], stride: usize| -> Vec<f64> {
        let values = values.iter().step_by(stride);
        if divisor.is_empty() {
            return values.copied().collect();
        }
        values
            .zip(divisor.iter().step_by(stride))
            .map(|(value, divisor)| value * divisor)
            .collect()
    };
    let residual = in_newton(&local.residual, 1);
    let predicted: Vec<f64> = problem
        .used()
        .iter()
        .zip(&residual)
        .map(|(&i, residual)| problem.samples.force[i] - residual)
        .collect();
    let columns = |stride: usize| -> Vec<Vec<f64>> {
        let columns = local.tangent.jacobian.iter();
        columns.map(|column| in_newton(column, stride)).collect()
    };
    let n = residual.len();
    let mean = local.system.target.iter().sum::<f64>() / n as f64;
    let spread: f64 = local
        .system
        .target
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum();
    let squares = weighted_dot(&residual, &residual, None);
    let mean_square = (squares / n as f64).max(f64::MIN_POSITIVE);
    let parameters = state.raw(problem.shift_limit).len() as f64;
    let fit = n_effective * mean_square.ln();
    let statistics = FitStatistics {
        n,
        r_squared: if spread > 0.0 {
            1.0 - weighted_dot(&local.residual, &local.residual, None) / spread
        } else {
            0.0
        },
        rmse_n: (squares / n as f64).sqrt(),
        aic: fit + 2.0 * parameters,
        bic: fit + parameters * n_effective.ln(),
        n_effective,
        condition_number: local.inverse.condition,
        durbin_watson: residuals::durbin_watson(&residual),
        p_values: residuals::p_values(columns, &residual, &predicted),
    };
    (statistics, predicted)
}

/// Bootstrap replicates of the reported parameters' errors.
fn replicates(
    problem: &Problem,
    state: &State,
    local: &Linearisation,
    uncertain: &[Vec<f64>],
    slopes: &DMatrix<f64>,
    beforehand: Option<(&[f64], &[f64])>,
) -> Option<Vec<Vec<f64>>> {
    if problem.options.n_bootstrap == 0 {
        return None;
    }
    let equations = local.equations(state);
    let influence = inference::influence(&equations, &local.inverse.matrix);
    let draws = Draws {
        n: problem.options.n_bootstrap,
        seed: problem.options.seed,
        block: hac::bandwidth(&influence),
        slopes,
        beforehand,
        uncertain,
    };
    Some(bootstrap::replicates(&equations, &draws))
}

/// For each reported parameter, why the data do not determine it.
fn undetermined(
    problem: &Problem,
    state: &State,
    local: &Linearisation,
    slopes: &DMatrix<f64>,
    noise_dominates: Option<usize>,
) -> Vec<Option<String>> {
    let velocity = problem.velocity_column(state);
    let objection = velocity.and_then(|_| excitation::objection(problem.samples, problem.used()));
    slopes
        .row_iter()
        .map(|row| {
            let depends = |k: usize| row[k] != 0.0;
            if (0..row.len()).any(|k| depends(k) && local.inverse.undetermined[k]) {
                Some("the data leave it open: it acts like another parameter, or its motion is missing".into())
            } else if noise_dominates.is_some_and(depends) {
                Some("the velocity is mostly noise".into())
            } else if velocity.is_some_and(depends) {
                objection.clone()
            } else {
                None
            }
        })
        .collect()
}

/// Why a parameter is not identifiable; empty if it is.
fn reason(spec: &Spec, value: f64, half: f64, undetermined: Option<&str>) -> String {
    let why = if !value.is_finite() || !half.is_finite() {
        "it has no finite value".to_string()
    } else if let Some(why) = undetermined {
        why.to_string()
    } else if spec.positive && half >= value.abs() {
        format!(
            "its 95 % interval, {:.4} to {:.4} {}, holds zero",
            value - half,
            value + half,
            spec.unit
        )
    } else if spec.positive && value <= 0.0 {
        format!(
            "the data give {value:.4} {}, which no tissue has: check sign, delay of the force, and velocity",
            spec.unit
        )
    } else {
        return String::new();
    };
    format!("{why}; {}", spec.advice)
}
