//! Calibration of one log: preparation and model fit.

use crate::{
    CalibrationError, Channel, Fit, FitOptions, ForceLatency, Log, LogSource, ModelSelection,
    Motion, PrepareOptions, PreparedLog, curvature,
    fit::GAUSSIAN_95,
    force_latency::{self, Latency},
    friction, misfit,
    models::{self, ModelKind, selection},
    prepare, warnings,
};

/// Which model to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelChoice {
    /// The model with this name in [`crate::models::ALL`].
    Named(&'static str),
    /// The model that best predicts held-out samples, with the fewest parameters.
    Auto,
}

/// All options of a calibration.
#[derive(Clone, Debug)]
pub struct CalibrationOptions {
    /// Model.
    pub model: ModelChoice,
    /// Preparation.
    pub prepare: PrepareOptions,
    /// Fit.
    pub fit: FitOptions,
}

/// A calibrated log.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// Origin of the log.
    pub source: LogSource,
    /// The samples and how they were prepared.
    pub prepared: PreparedLog,
    /// The fit.
    pub fit: Fit,
    /// How models were compared and why this one was selected; `None` if the model was named.
    pub selection: Option<ModelSelection>,
    /// Reasons why the fit may be misleading, in words, with what to do; empty if there are none.
    pub warnings: Vec<String>,
    /// Contact position of the probe [m], in the frame of the log. `None` if the log has no position in space or the
    /// probe slid.
    pub place: Option<[f64; 3]>,
}

impl Default for CalibrationOptions {
    fn default() -> Self {
        Self {
            model: ModelChoice::Named(models::DEFAULT.name),
            prepare: PrepareOptions::default(),
            fit: FitOptions::default(),
        }
    }
}

/// Prepares and fits a log.
///
/// # Errors
/// The errors of [`crate::prepare`] and of the model; [`CalibrationError::Option`] for an unknown model.
pub fn calibrate(log: &Log, options: &CalibrationOptions) -> Result<Calibration, CalibrationError> {
    let named = match options.model {
        ModelChoice::Named(name) => Some(models::by_name(name).ok_or_else(|| unknown(name))?),
        ModelChoice::Auto => None,
    };
    let prepared = prepare_in_time(log, named, options)?;
    let (kind, selection) = if let Some(kind) = named {
        (kind, None)
    } else {
        let (kind, selection) = selection::select(models::ALL, &prepared.samples, &options.fit)?;
        (kind, Some(selection))
    };
    let mut calibration = Calibration {
        source: log.source.clone(),
        fit: kind.fit(&prepared.samples, &options.fit)?,
        prepared,
        selection,
        warnings: Vec::new(),
        place: None,
    };
    calibration.place = place_of(log, calibration.prepared.window);
    calibration.judge(&options.prepare, &options.fit)?;
    Ok(calibration)
}

/// Distance between the first and the last contact position of a press above which the probe slid [m].
const SLID: f64 = 5e-3;

/// Position of the probe at the start of the window.
fn place_of(log: &Log, [from, to]: [f64; 2]) -> Option<[f64; 3]> {
    let Motion::Position(Channel::Vector(positions)) = &log.motion else {
        return None;
    };
    let inside: Vec<usize> = (0..positions.len())
        .filter(|&i| from <= log.time[i] && log.time[i] <= to)
        .collect();
    let (first, last) = (*inside.first()?, *inside.last()?);
    let (first, last) = (positions[first], positions[last]);
    let squares = first.iter().zip(last).map(|(a, b)| (a - b).powi(2));
    (squares.sum::<f64>().sqrt() < SLID && first.iter().all(|x| x.is_finite())).then_some(first)
}

/// Maximum number of iterations of the latency estimate; each one estimates the surface again.
const ROUNDS: usize = 8;
/// Convergence threshold, as a share of the standard error of the latency.
const SETTLED: f64 = 0.1;

/// Prepares a log. If a latency is to be fitted, the force is shifted by it.
fn prepare_in_time(
    log: &Log,
    named: Option<&ModelKind>,
    options: &CalibrationOptions,
) -> Result<PreparedLog, CalibrationError> {
    if options.prepare.force_latency != Some(ForceLatency::Fitted) {
        return prepare(log, &options.prepare);
    }
    let kind = named.ok_or_else(|| {
        CalibrationError::option("--force-latency", "fit needs one law: name it with --model")
    })?;
    let mut latency = 0.0;
    for _ in 0..ROUNDS {
        let mut known = PrepareOptions {
            force_latency: Some(ForceLatency::Known(latency)),
            ..options.prepare.clone()
        };
        let prepared = prepare(log, &known)?;
        let left = kind.fit_latency(&prepared.samples, &options.fit)?;
        latency += left.value;
        if left.value.abs() < SETTLED * left.standard_error {
            known.force_latency = Some(ForceLatency::Known(latency));
            // With few independent samples, the standard error follows from the interval.
            let error = 0.5 * (left.ci95[1] - left.ci95[0]) / GAUSSIAN_95;
            known.force_latency_error = options.prepare.force_latency_error.or(Some(error));
            let mut prepared = prepare(log, &known)?;
            for choice in &mut prepared.choices {
                if choice.what == FORCE_LATENCY {
                    choice.how = "fitted with the law".into();
                }
            }
            return Ok(prepared);
        }
    }
    Err(CalibrationError::Fit {
        log: log.name(),
        model: kind.name,
        problem: "the latency of the force does not settle: give it in s with --force-latency"
            .into(),
    })
}

/// Name of the choice of a latency in the report of the preparation.
const FORCE_LATENCY: &str = "force latency";

impl Calibration {
    /// Collects the warnings about the fit, and widens its intervals by the uncertainty of the latency of the force. If
    /// no law describes the log, all parameters are marked as not identifiable.
    pub(crate) fn judge(
        &mut self,
        prepare: &PrepareOptions,
        options: &FitOptions,
    ) -> Result<(), CalibrationError> {
        let latency = match prepare.force_latency {
            None => force_latency::of(&self.prepared.samples, &self.fit, options),
            Some(_) => None,
        };
        if let Some(latency) = &latency
            && latency.warning.is_none()
            && prepare.force_latency_error.is_none()
            && latency.error > self.prepared.samples.latency_standard_error
        {
            self.prepared.mark_unidentified(latency);
            let kind = models::by_name(self.fit.model).ok_or_else(|| unknown(self.fit.model))?;
            self.fit = kind.fit(&self.prepared.samples, options)?;
            if latency.estimate.is_none() && self.fit.parameters.iter().any(|p| !p.identifiable) {
                // A damping near zero indicates a longer delay.
                self.prepared.samples.longest_latency = force_latency::LONGEST;
                self.fit = kind.fit(&self.prepared.samples, options)?;
            }
        }
        let late = latency.and_then(|latency| latency.warning);
        let samples = &self.prepared.samples;
        // A late force also opens a loop.
        let rubbing = if late.is_none() {
            friction::of(samples, &self.fit, options)
        } else {
            None
        };
        let explained = late.is_some() || rubbing.is_some();
        let mut told = Vec::new();
        if let Some(friction) = rubbing {
            if friction.determined {
                self.fit = friction.fit;
            } else {
                self.fit
                    .widen(&friction.fit, "dry friction explains the loop as well");
            }
            told.push(friction.warning);
        }
        self.warnings = warnings::of(samples, &self.fit, options);
        self.warnings.extend(told);
        let misfit = misfit::error(samples, &self.fit, options);
        let curvature = curvature::error(samples, &self.fit, options);
        if let Some((warning, late)) = late {
            self.fit.widen(&late, "the force seems late");
            self.warnings.push(warning);
        }
        self.fit.shared.extend(misfit);
        self.fit.shared.extend(curvature);
        if let Some(selection) = &self.selection
            && selection.is_none()
        {
            self.fit.refuse("no law describes this log");
            self.warnings.insert(0, selection.reason.clone());
        } else if let Some(reason) = warnings::no_explanation(samples, &self.fit, options) {
            self.fit.refuse(&reason);
        } else if !explained {
            self.warnings
                .extend(warnings::other_law(samples, &self.fit, options));
        }
        Ok(())
    }
}

impl PreparedLog {
    /// Sets the standard error of the latency to the value that the log supports.
    fn mark_unidentified(&mut self, latency: &Latency) {
        self.samples.latency_standard_error = latency.error;
        let how = match latency.estimate {
            Some([value, error]) => format!(
                "the log itself tells {:.2} ± {:.2} ms",
                1e3 * value,
                1e3 * error
            ),
            None => "no one tells it, and the log does not".to_owned(),
        };
        for choice in &mut self.choices {
            if choice.what == FORCE_LATENCY {
                choice.value = format!("0.00 ± {:.2} ms", 1e3 * latency.error);
                choice.how.clone_from(&how);
            }
        }
        if latency.estimate.is_none() {
            self.notes.push(format!(
                "the log does not tell whether the force is late, as a delay acts like damping at one speed or frequency: it is taken as 0 ± {:.0} ms, and the damping is uncertain by stiffness times that; press at several speeds and frequencies, or say what is known with --force-latency and --force-latency-error",
                1e3 * latency.error
            ));
        }
    }
}

fn unknown(name: &str) -> CalibrationError {
    let names: Vec<&str> = models::ALL.iter().map(|kind| kind.name).collect();
    CalibrationError::option(
        "--model",
        format!("there is no {name:?}; there are {}, auto", names.join(", ")),
    )
}
