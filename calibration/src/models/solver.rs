//! Fit of any law to samples: select samples, refine the surface, solve, evaluate.

use std::borrow::Cow;

use super::{
    acceleration,
    error_estimate::{self, SurfaceShift},
    estimates,
    law::Law,
    variable_projection::{Problem, State},
};
use crate::{
    CalibrationError, Fit, FitOptions, MovingMass, Samples,
    statistics::{inference, least_squares},
};

/// Limit of a shift of the surface, in its standard errors, and in samples of travel.
const SHIFT_IN_STANDARD_ERRORS: f64 = 6.0;
const SHIFT_IN_SAMPLES: f64 = 4.0;
/// Minimum reliability (share of signal) of a regressor for a correction of its noise; below it, the parameter is
/// undetermined.
const LEAST_RELIABILITY: f64 = 0.5;

/// The solution of a law on samples.
pub(super) struct Solved<'a> {
    /// The problem.
    pub(super) problem: Problem<'a>,
    /// The solution.
    pub(super) state: State,
    /// The surface, if it was refined before the fit.
    moved: Option<SurfaceShift>,
    /// Linear column that consists mostly of noise.
    noise_dominates: Option<usize>,
    notes: Vec<String>,
}

impl Solved<'_> {
    /// Computes estimates and statistics.
    pub(super) fn fit(self) -> Fit {
        estimates::fit(
            &self.problem,
            &self.state,
            self.moved.as_ref(),
            self.noise_dominates,
            self.notes,
        )
    }
}

/// The options with a force offset if the surface is unknown; the offset then absorbs the preload. Fails for a law
/// that needs the surface.
pub(super) fn options_for<'a>(
    model: &'static str,
    law: &dyn Law,
    samples: &Samples,
    options: &'a FitOptions,
) -> Result<Cow<'a, FitOptions>, CalibrationError> {
    if !samples.contact.is_unknown() {
        return Ok(Cow::Borrowed(options));
    }
    if !law.linear_in_surface() {
        return Err(CalibrationError::Fit {
            log: samples.log.clone(),
            model,
            problem: if samples.presses.is_empty() {
                "the log starts in contact, and this law needs the surface: use --model kelvin-voigt, which fits stiffness and damping about the preload, or give --surface and --bias, or the indentation itself (--columns indentation=…)"
            } else {
                "the probe slides while it presses, so there is no one surface, which this law needs: use --model kelvin-voigt, which fits stiffness and damping about the preload of each stretch"
            }
            .into(),
        });
    }
    Ok(Cow::Owned(FitOptions {
        force_offset: true,
        ..options.clone()
    }))
}

/// Solves the law with this name.
pub(super) fn solve<'a>(
    model: &'static str,
    law: &'a dyn Law,
    samples: &'a Samples,
    options: &'a FitOptions,
) -> Result<Solved<'a>, CalibrationError> {
    // options, samples => problem
    let mut notes = Vec::new();
    let refines = !samples.contact.known && options.contact_point && !options.force_offset;
    let mut problem = Problem::new(
        model,
        law,
        samples,
        options,
        used(law, samples, options, &mut notes),
        acceleration(model, samples, options)?,
    );
    check_size(&problem)?;
    check_force(&problem)?;

    // Is the velocity a signal, or noise?
    let start = best_start(&problem);
    let noise_dominates = noise_dominates(&problem, &start);
    if noise_dominates.is_some() {
        problem.set_attenuation(false);
    }

    // Where has the tissue separated from the probe?
    let mut state = problem.solve(&start, 0.0, 0.0);
    if !samples.contact.is_unknown() && leave_out_separated(&mut problem, &state, &mut notes) {
        check_size(&problem)?;
        state = problem.solve(&state.nonlinear, 0.0, 0.0);
    }

    // Where is the surface?
    let mut moved = None;
    match law.direct_form() {
        Some(direct_form) if refines => {
            moved = refine_before_dividing(direct_form, &mut problem, &mut state, &mut notes);
        }
        None if refines => {
            refine(&mut problem, &mut state, &mut notes);
        }
        _ => {}
    }
    Ok(Solved {
        problem,
        state,
        moved,
        noise_dominates,
        notes,
    })
}

/// Maximum number of samples for the comparison of starts.
const ROWS_FOR_START: usize = 20_000;

/// The start with the least sum of squares.
fn best_start(problem: &Problem) -> Vec<f64> {
    let mut starts = problem.law.starts();
    if starts.len() == 1 {
        return starts.remove(0);
    }
    let problem = problem.thinned(ROWS_FOR_START);
    let objective = |start: &[f64]| problem.project(start, 0.0, 0.0, None).objective;
    starts
        .into_iter()
        .map(|start| (objective(&start), start))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, start)| start)
        .unwrap_or_default()
}

/// Samples inside the tissue and outside the singular region.
fn used(
    law: &dyn Law,
    samples: &Samples,
    options: &FitOptions,
    notes: &mut Vec<String>,
) -> Vec<usize> {
    let largest = samples.indentation.iter().copied().fold(0.0, f64::max);
    let least = options
        .min_indentation
        .unwrap_or_else(|| law.least_indentation(largest, &samples.contact));
    let holds_for = law.holds_for(samples);
    if holds_for < samples.len() {
        notes.push(format!(
            "samples from {:.3} s on were left out: the probe is withdrawn there, and the law holds while the contact grows or stays",
            samples.time[holds_for]
        ));
    }
    let used: Vec<usize> = (0..holds_for)
        .filter(|&i| {
            let r = samples.indentation[i];
            samples.contact.is_unknown() || r > 0.0 && r >= least
        })
        .collect();
    let left_out = holds_for - used.len();
    if left_out > 0 {
        let why = if law.direct_form().is_some() {
            "dividing by a small indentation would magnify its noise"
        } else {
            "they are outside tissue or within the error of the contact point"
        };
        notes.push(format!(
            "{left_out} of {holds_for} samples with less than {:.3} mm of indentation were left out: {why}",
            least * 1e3
        ));
    }
    used
}

fn acceleration(
    model: &'static str,
    samples: &Samples,
    options: &FitOptions,
) -> Result<Option<Vec<f64>>, CalibrationError> {
    match options.mass {
        MovingMass::Unknown => return Ok(None),
        MovingMass::Known(mass) if !mass.is_finite() || mass < 0.0 => {
            return Err(CalibrationError::option(
                "--mass",
                format!("the mass is {mass} kg; it must be at least 0 kg, or `fit`"),
            ));
        }
        MovingMass::Known(_) | MovingMass::Fitted => {}
    }
    if samples.sampling_interval <= 0.0 {
        return Err(CalibrationError::Fit {
            log: samples.log.clone(),
            model,
            problem: "a mass needs accelerations, and the sampling interval is not positive".into(),
        });
    }
    Ok(Some(acceleration::of(
        &samples.time,
        &samples.velocity,
        samples.sampling_interval,
    )))
}

fn check_size(problem: &Problem) -> Result<(), CalibrationError> {
    let parameters = problem.law.specs().len() + problem.extra_specs().len();
    let needed = parameters + 2;
    if problem.used().len() >= needed {
        return Ok(());
    }
    Err(CalibrationError::Fit {
        log: problem.samples.log.clone(),
        model: problem.model,
        problem: format!(
            "{} samples are usable and {parameters} parameters need {needed}; record longer, or widen the window",
            problem.used().len()
        ),
    })
}

fn check_force(problem: &Problem) -> Result<(), CalibrationError> {
    let samples = problem.samples;
    let finite = problem.used().iter().all(|&i| {
        samples.force[i].is_finite()
            && samples.indentation[i].is_finite()
            && samples.velocity[i].is_finite()
    });
    let wrong = if !finite {
        "a sample is not a finite number"
    } else if problem.used().iter().all(|&i| samples.force[i] == 0.0) {
        "the force is zero throughout; check the force column and its unit"
    } else {
        return Ok(());
    };
    Err(CalibrationError::Fit {
        log: samples.log.clone(),
        model: problem.model,
        problem: wrong.into(),
    })
}

/// The velocity's column, if the part of it that is independent of the others is mostly noise.
fn noise_dominates(problem: &Problem, start: &[f64]) -> Option<usize> {
    let system = problem.system(start, 0.0, 0.0);
    let (column, _) = system.gain.as_ref()?;
    let column = *column;
    let gram = least_squares::gram(&system.columns, None);
    let inverse = least_squares::scaled_inverse(&gram, &least_squares::lengths(&gram));
    let reliability = 1.0 - system.noise[(column, column)] * inverse.matrix[(column, column)];
    (reliability < LEAST_RELIABILITY).then_some(column)
}

/// Leaves out samples of the release where the law would pull: there the tissue has separated from the probe and the
/// force is zero.
fn leave_out_separated(problem: &mut Problem, state: &State, notes: &mut Vec<String>) -> bool {
    let system = problem.system(&state.nonlinear, state.shift, 0.0);
    let residual = least_squares::residual(&system.columns, &system.target, &state.linear);
    let before = problem.used().len();
    let pulls = |row: usize| {
        system.target[row] - residual[row] <= 0.0
            && problem.samples.velocity[problem.used()[row]] < 0.0
    };
    if !(0..before).any(pulls) {
        return false;
    }
    let kept = (0..before)
        .filter(|row| !pulls(*row))
        .map(|row| problem.used()[row])
        .collect();
    problem.set_used(kept);
    let left_out = before - problem.used().len();
    if left_out > 0 {
        notes.push(format!(
            "{left_out} samples of the release were left out: the law would pull there, so the tissue has come off the probe"
        ));
    }
    left_out > 0
}

/// Limit of a shift of the surface [m].
fn shift_limit(samples: &Samples) -> f64 {
    let fastest = samples
        .velocity
        .iter()
        .fold(0.0_f64, |fastest, value| fastest.max(value.abs()));
    (SHIFT_IN_STANDARD_ERRORS * samples.contact.standard_error)
        .max(SHIFT_IN_SAMPLES * fastest * samples.sampling_interval)
}

/// Lets the law refine the surface, if its estimate is better than that of the preparation. Returns the influence of
/// each used sample on the surface, and its standard error [m].
fn refine(
    problem: &mut Problem,
    state: &mut State,
    notes: &mut Vec<String>,
) -> Option<(Vec<f64>, f64)> {
    let limit = shift_limit(problem.samples);
    if limit <= 0.0 {
        return None;
    }
    problem.shift_limit = limit;
    let refined = problem.solve(&state.nonlinear, 0.0, 0.0);
    let influence = estimates::shift_influence(problem, &refined);
    let error = influence.as_ref().map_or(f64::INFINITY, |influence| {
        inference::covariance(std::slice::from_ref(influence), problem.samples.smoothing)[(0, 0)]
            .sqrt()
    });
    let why = if refined.shift.abs() > 0.98 * limit {
        format!(
            "the law would move the contact point by more than {:.3} mm, which the approach rules out: it was kept, and the law may not hold",
            limit * 1e3
        )
    } else if error > problem.samples.contact.standard_error {
        "the contact point of the preparation was kept: it is better known than the law can tell"
            .into()
    } else {
        *state = refined;
        notes.push(format!(
            "the law put the contact point {:.3} mm deeper than the preparation did (± {:.3} mm)",
            state.shift * 1e3,
            1.96 * error * 1e3
        ));
        return influence.map(|influence| (influence, error));
    };
    notes.push(why);
    problem.shift_limit = 0.0;
    None
}

/// Refines the surface with the form without division, then divides; reports the effect of the surface's error.
fn refine_before_dividing(
    direct_form: &'static dyn Law,
    problem: &mut Problem,
    state: &mut State,
    notes: &mut Vec<String>,
) -> Option<SurfaceShift> {
    let mut direct = Problem::new(
        problem.model,
        direct_form,
        problem.samples,
        problem.options,
        problem.used().to_vec(),
        problem.acceleration.clone(),
    );
    direct.set_attenuation(problem.attenuation());
    let mut found = direct.solve(&[], 0.0, 0.0);
    let (influence, standard_error) = refine(&mut direct, &mut found, notes)?;
    let of_bias = error_estimate::shift_of_bias(&direct, &found);
    *state = problem.solve(&state.nonlinear, found.shift, 0.0);
    Some(SurfaceShift {
        influence,
        standard_error,
        of_bias,
    })
}
