//! Standard errors of the reported parameters: scatter of the samples, and errors that all samples share.

use nalgebra::DMatrix;

use super::{
    linearisation::{Linearisation, values},
    variable_projection::{Problem, State},
};
use crate::{SharedError, fit::GAUSSIAN_95, interpolation, statistics::inference};

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

/// Covariance of the reported parameters, and what it is made of.
pub(super) struct ErrorEstimate {
    /// Influence of each used sample on each reported parameter, also through a refined surface.
    pub(super) influence: Vec<Vec<f64>>,
    /// Samples that the smoother of the log makes dependent; at most 1 without a smoother.
    pub(super) smoothing: usize,
    /// First rows of segments that were prepared separately.
    pub(super) groups: Vec<usize>,
    /// Errors that all samples share.
    pub(super) shared: Vec<SharedError>,
    /// Their changes of the reported parameters.
    pub(super) uncertain: Vec<Vec<f64>>,
    /// d(reported)/d(surface), if the surface was refined.
    pub(super) surface_slope: Option<Vec<f64>>,
    pub(super) covariance: DMatrix<f64>,
}

impl ErrorEstimate {
    pub(super) fn new(
        problem: &Problem,
        state: &State,
        local: &Linearisation,
        slopes: &DMatrix<f64>,
        moved: Option<&SurfaceShift>,
    ) -> Self {
        let shared = shared(problem, state, moved);
        let uncertain: Vec<Vec<f64>> = shared.iter().map(|error| error.change.clone()).collect();
        let mut influence = combine(
            inference::influence(&local.equations(state), &local.inverse.matrix),
            slopes,
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
        Self {
            influence,
            smoothing,
            groups,
            shared,
            uncertain,
            surface_slope,
            covariance,
        }
    }

    pub(super) fn standard_error(&self, parameter: usize) -> f64 {
        self.covariance[(parameter, parameter)].max(0.0).sqrt()
    }

    /// Degrees of freedom of a reported parameter's standard error, of a fit of `n_raw` parameters.
    pub(super) fn freedom(&self, parameter: usize, n_raw: usize, n_effective: f64) -> f64 {
        let influence = &self.influence[parameter];
        match self.groups.len() {
            0 if self.smoothing > 1 => inference::smoothed_freedom(influence, self.smoothing),
            0 => inference::freedom(influence, n_raw, n_effective),
            n => (n - 1) as f64,
        }
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
