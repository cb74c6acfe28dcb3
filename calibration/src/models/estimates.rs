//! Estimates from a solution: parameters with intervals, identifiability, and goodness of fit.

use std::rc::Rc;

use nalgebra::DMatrix;

use super::{
    excitation,
    law::Spec,
    variable_projection::{Problem, State, System},
};
use crate::{
    Fit, FitStatistics, Parameter, SharedError,
    fit::GAUSSIAN_95,
    interpolation,
    statistics::{
        bootstrap::{self, Draws},
        hac,
        inference::{self, Equations},
        least_squares::{self, weighted_dot},
        residuals,
        tangent::Tangent,
    },
};

/// Maximum number of samples for the sensitivity to bias and surface.
const ROWS: usize = 20_000;

/// A surface that was refined before this fit, with the same samples.
pub(super) struct SurfaceShift {
    /// Influence of each used sample on the surface [m].
    pub(super) influence: Vec<f64>,
    /// Standard error of the surface [m].
    pub(super) standard_error: f64,
    /// Change of the surface per standard error of the bias [m].
    pub(super) of_bias: f64,
}

/// A solution with the linearised equations.
struct Linearisation {
    tangent: Tangent,
    residual: Vec<f64>,
    system: Rc<System>,
    inverse: least_squares::Inverse,
}

impl Linearisation {
    fn new(problem: &Problem, state: &State) -> Self {
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

    fn equations<'a>(&'a self, state: &'a State) -> Equations<'a> {
        Equations {
            tangent: &self.tangent,
            residual: &self.residual,
            weights: state.robust.as_ref().map(|(weights, _)| weights.as_slice()),
            slopes: state.robust.as_ref().map(|(_, slopes)| slopes.as_slice()),
        }
    }
}

/// Influence of each used sample on the shift, which must be free; `None` if the data do not determine it.
pub(super) fn shift_influence(problem: &Problem, state: &State) -> Option<Vec<f64>> {
    let local = Linearisation::new(problem, state);
    if local.inverse.undetermined.last() == Some(&true) {
        return None;
    }
    inference::influence(&local.equations(state), &local.inverse.matrix).pop()
}

/// Values of the reported parameters.
fn values(problem: &Problem, raw: &[f64]) -> Vec<f64> {
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
fn report_slopes(problem: &Problem, raw: &[f64]) -> DMatrix<f64> {
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

    // Influence of each sample, and contributions of bias and surface.
    let shared = shared(problem, state, moved);
    let uncertain: Vec<Vec<f64>> = shared.iter().map(|error| error.change.clone()).collect();
    let mut influence = combine(
        inference::influence(&local.equations(state), &local.inverse.matrix),
        &slopes,
    );
    let surface_slope = moved.map(|moved| surface_slope(problem, state, moved.standard_error));
    if let (Some(moved), Some(slopes)) = (moved, &surface_slope) {
        add_surface(&mut influence, moved, slopes);
    }
    let groups = groups(problem);
    let smoothing = problem.samples.smoothing;
    let mut covariance = if groups.is_empty() {
        inference::covariance(&influence, smoothing)
    } else {
        inference::grouped_covariance(&influence, &groups)
    };
    for change in &uncertain {
        inference::add_uncertain(&mut covariance, change);
    }

    // Goodness of fit.
    let n_effective = residuals::effective_samples(&local.residual);
    let (statistics, predicted) = statistics(problem, state, &local, n_effective);
    let beforehand = moved
        .zip(surface_slope.as_ref())
        .map(|(moved, slope)| (moved.influence.as_slice(), slope.as_slice()));
    let replicates = replicates(problem, state, &local, &uncertain, &slopes, beforehand);

    let mut undetermined = undetermined(&local, &slopes, noise_dominates);
    if let Some(column) = problem.velocity_column(state) {
        let objection = excitation::objection(problem.samples, problem.used());
        for (open, row) in undetermined.iter_mut().zip(slopes.row_iter()) {
            if open.is_none() && row[column] != 0.0 {
                open.clone_from(&objection);
            }
        }
    }
    let standard_errors: Vec<f64> = (0..specs.len())
        .map(|j| covariance[(j, j)].max(0.0).sqrt())
        .collect();
    let objections = problem.law.objections(&reported, &standard_errors);
    let mut parameters = Vec::new();
    for (j, spec) in specs.iter().enumerate() {
        let standard_error = standard_errors[j];
        let freedom = match groups.len() {
            0 if smoothing > 1 => inference::smoothed_freedom(&influence[j], smoothing),
            0 => inference::freedom(&influence[j], raw.len(), n_effective),
            n => (n - 1) as f64,
        };
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
        parameters.push(Parameter {
            name: spec.name,
            title: spec.title,
            unit: spec.unit,
            value: reported[j],
            standard_error,
            ci95: [reported[j] - half, reported[j] + half],
            bootstrap95,
            identifiable: reason.is_empty(),
            reason,
        });
    }
    notes.extend(attenuation(&local));
    Fit {
        model: problem.model,
        divided: problem.law.direct_form().is_some(),
        elastic: problem.law.elastic_term(&state.nonlinear),
        parameters,
        covariance: covariance.transpose().as_slice().to_vec(),
        shared,
        statistics,
        used: problem.used().to_vec(),
        predicted,
        contact_shift: (problem.shift_limit > 0.0 || moved.is_some()).then_some(state.shift),
        notes,
    }
}

/// Adds the influence of each sample through a surface that was estimated from the same samples.
fn add_surface(influence: &mut [Vec<f64>], moved: &SurfaceShift, slopes: &[f64]) {
    for (values, slope) in influence.iter_mut().zip(slopes) {
        for (value, shift) in values.iter_mut().zip(&moved.influence) {
            *value += slope * shift;
        }
    }
}

/// First rows of segments that were prepared separately; their scatter contains all differences between them.
fn groups(problem: &Problem) -> Vec<usize> {
    let starts = problem.samples.presses.iter();
    let row = |start: &usize| problem.used().partition_point(|index| index < start);
    starts.map(row).collect()
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

/// Change of the reported parameters with a shift of the surface [m] and of the bias [N], from `state`.
fn sensitivity(problem: &Problem, state: &State, shift: f64, bias: f64) -> Vec<f64> {
    let problem = problem.thinned(ROWS);
    let at = |shift: f64, bias: f64| {
        let other = problem.solve(&state.nonlinear, state.shift + shift, bias);
        values(&problem, &other.raw(problem.shift_limit))
    };
    difference(&at(shift, bias), &at(0.0, 0.0))
}

/// Change of the reported parameters per standard error of the bias, of a surface that was not refined, and of the
/// latency.
fn shared(problem: &Problem, state: &State, moved: Option<&SurfaceShift>) -> Vec<SharedError> {
    let mut errors = Vec::new();
    let mut push = |cause, change| errors.push(SharedError { cause, change });
    let bias = problem.samples.bias_standard_error;
    if bias > 0.0 {
        let shift = moved.map_or(0.0, |moved| moved.of_bias);
        push("bias", sensitivity(problem, state, shift, bias));
    }
    let contact = problem.samples.contact;
    let refined = problem.shift_limit > 0.0 || moved.is_some();
    if !contact.known && !contact.is_unknown() && contact.standard_error > 0.0 && !refined {
        let change = sensitivity(problem, state, contact.standard_error, 0.0);
        push("surface", change);
    }
    if let Some(change) = of_latency(problem, state) {
        push("latency", change);
    }
    for change in of_changes(problem, state) {
        push("direction and baseline", change);
    }
    errors
}

/// Half window for the rate of the force: the maximum number of samples, and `HALF_SPAN` [s], in which a probe in
/// tissue hardly reverses.
const HALF: f64 = 4.0;
const HALF_SPAN: f64 = 0.008;

/// Change of the reported parameters per standard error of the latency; `None` if that error is zero.
fn of_latency(problem: &Problem, state: &State) -> Option<Vec<f64>> {
    let samples = problem.samples;
    if samples.latency_standard_error <= 0.0 {
        return None;
    }
    let interval = samples.sampling_interval.max(f64::MIN_POSITIVE);
    let half = (HALF_SPAN / interval).round().clamp(1.0, HALF) as usize;
    let rate = |i: usize| {
        let (from, to) = (i.saturating_sub(half), (i + half).min(samples.len() - 1));
        let span = samples.time[to] - samples.time[from];
        // Does not extend across the air between presses.
        if span > 4.0 * half as f64 * samples.sampling_interval {
            return 0.0;
        }
        (samples.force[to] - samples.force[from]) / span
    };
    // With a late force, the surface was estimated too deep, by the travel of the probe during the latency.
    let contact = samples.contact;
    let approach = match samples.velocity.first() {
        Some(speed) if !contact.known && !contact.is_unknown() => speed.max(0.0),
        _ => 0.0,
    };
    let base = problem.thinned(ROWS);
    let at = |problem: &Problem, latency: f64| {
        let shift = state.shift - latency * approach;
        let state = problem.solve(&state.nonlinear, shift, 0.0);
        values(problem, &state.raw(problem.shift_limit))
    };
    // Only the samples that are fitted need another force.
    let mut later = samples.clone();
    let mut shifted = |latency: f64| {
        for &i in base.used() {
            let wanted = samples.time[i] + latency;
            let right = samples.time.partition_point(|time| *time < wanted);
            let near =
                |j: usize| (samples.time[j] - wanted).abs() < 2.0 * samples.sampling_interval;
            later.force[i] = if right > 0 && right < samples.len() && near(right - 1) && near(right)
            {
                interpolation::at(&samples.time, &samples.force, right, wanted)
            } else {
                samples.force[i] + latency * rate(i)
            };
        }
        at(&base.with_samples(&later), latency)
    };
    let now = at(&base, 0.0);
    let error = samples.latency_standard_error;
    let (late, early) = (shifted(error), shifted(-error));
    // An interval reaches two standard errors, where the curvature term is four times as large: twice the linear
    // scaling.
    let change = now.iter().zip(late).zip(early).map(|((now, late), early)| {
        let (linear, curved) = (0.5 * (late - early), 0.5 * (late + early) - now);
        linear + (2.0 * curved.abs()).copysign(linear)
    });
    let mut change: Vec<f64> = change.collect();
    if samples.longest_latency > 0.0
        && let Some(elastic) = problem.law.elastic_term(&state.nonlinear)
        && let Some(index) = index_of(problem, elastic.coefficient)
    {
        // The effect of a delay need not grow with the delay.
        for part in 1..=PARTS {
            let latency = samples.longest_latency * f64::from(part) / f64::from(PARTS);
            let moved = (shifted(latency)[index] - now[index]) / GAUSSIAN_95;
            if moved.abs() > change[index].abs() {
                change[index] = moved;
            }
        }
    }
    Some(change)
}

/// Number of delays that are evaluated, up to the longest one.
const PARTS: u32 = 4;

/// Index of a parameter of the law.
fn index_of(problem: &Problem, name: &str) -> Option<usize> {
    let specs = problem.law.specs();
    specs.iter().position(|spec| spec.name == name)
}

/// Change of the reported parameters by the changes of the samples.
fn of_changes(problem: &Problem, state: &State) -> Vec<Vec<f64>> {
    if problem.samples.changes.is_empty() {
        return Vec::new();
    }
    let base = problem.thinned(ROWS);
    let at = |problem: &Problem| {
        let state = problem.solve(&state.nonlinear, state.shift, 0.0);
        values(problem, &state.raw(problem.shift_limit))
    };
    let from = at(&base);
    let changes = problem.samples.changes.iter();
    changes
        .map(|change| {
            difference(
                &at(&base.with_samples(&problem.samples.with(change))),
                &from,
            )
        })
        .collect()
}

/// Shift of a free surface per standard error of the bias [m].
pub(super) fn shift_of_bias(problem: &Problem, state: &State) -> f64 {
    let bias = problem.samples.bias_standard_error;
    if bias <= 0.0 {
        return 0.0;
    }
    let problem = problem.thinned(ROWS);
    let at = |bias: f64| problem.solve(&state.nonlinear, state.shift, bias).shift;
    at(bias) - at(0.0)
}

/// d(reported)/d(surface) of a fit with a fixed surface.
fn surface_slope(problem: &Problem, state: &State, step: f64) -> Vec<f64> {
    sensitivity(problem, state, step, 0.0)
        .into_iter()
        .map(|change| change / step)
        .collect()
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// Products of the rows of `slopes` with the columns of `influence`.
fn combine(mut influence: Vec<Vec<f64>>, slopes: &DMatrix<f64>) -> Vec<Vec<f64>> {
    let (n_reported, n_raw) = slopes.shape();
    let mut same = (0..n_reported).flat_map(|j| (0..n_raw).map(move |k| (j, k)));
    if n_reported <= n_raw
        && same.all(|(j, k)| (slopes[(j, k)] - f64::from(u8::from(j == k))).abs() < 1e-9)
    {
        influence.truncate(n_reported);
        return influence;
    }
    let n = influence.first().map_or(0, Vec::len);
    slopes
        .row_iter()
        .map(|row| {
            let mut sum = vec![0.0; n];
            for (slope, values) in row.iter().zip(&influence) {
                if *slope != 0.0 {
                    for (total, value) in sum.iter_mut().zip(values) {
                        *total += slope * value;
                    }
                }
            }
            sum
        })
        .collect()
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
    local: &Linearisation,
    slopes: &DMatrix<f64>,
    noise_dominates: Option<usize>,
) -> Vec<Option<String>> {
    slopes
        .row_iter()
        .map(|row| {
            let depends = |k: usize| row[k] != 0.0;
            if (0..row.len()).any(|k| depends(k) && local.inverse.undetermined[k]) {
                Some("the data leave it open: it acts like another parameter, or its motion is missing".into())
            } else if noise_dominates.is_some_and(depends) {
                Some("the velocity is mostly noise".into())
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
