//! Whether the force of a log is older than the position beside it: a law fits better with the force taken back by some time.

use crate::{
    CalibrationError, ContactPoint, Fit, FitOptions, Samples,
    models::{self, ModelKind, selection},
};

/// Longest latency tried [s].
const LONGEST: f64 = 0.06;
/// Shorter ones are not told [s].
const SHORTEST: f64 = 0.005;
/// A latency must leave less than this share of the mean square error, and less than any other law without one.
const LEAVES: f64 = 0.7;
/// Residuals above this statistic of Durbin and Watson follow no pattern.
const DURBIN_WATSON: f64 = 1.5;
/// Samples at most from which it is sought.
const ROWS: usize = 4000;
/// Share of the largest indentation above which samples are compared.
const SHALLOW: f64 = 0.25;
/// Samples between which more than so many intervals are missing are not compared.
const GAP: f64 = 5.0;

/// A force that seems late.
pub(crate) struct LateForce {
    /// What to say of it.
    pub(crate) doubt: String,
    /// The fit to the force taken back, with a constant force for the surface that it moves.
    pub(crate) fit: Fit,
}

/// Whether the force of a fit seems late.
pub(crate) fn of(samples: &Samples, fit: &Fit, options: &FitOptions) -> Option<LateForce> {
    if fit.statistics.durbin_watson > DURBIN_WATSON {
        return None;
    }
    // About an unknown surface, as a latency moves it; laws that are no spring beside a damper have no offset that would take it.
    let kind = models::by_name(fit.model).filter(|kind| kind.gives_softness)?;
    let kind = models::by_name("kelvin-voigt").unwrap_or(kind);
    // By whole samples: interpolation would take noise away, and look like a better fit.
    let interval = samples.sampling_interval;
    let stride = (SHORTEST / 2.0 / interval).floor().max(1.0);
    let longest = (LONGEST / interval) as usize;
    let fitted = |shift: usize| fit_later(kind, &later(samples, shift, longest), options).ok();
    let error = |shift: usize| Some(fitted(shift)?.statistics.rmse_n.powi(2));
    let now = error(0)?;
    let mut tried = Vec::new();
    for shift in (stride as usize..=longest).step_by(stride as usize) {
        tried.push((shift, error(shift)?));
    }
    let (shift, least) = tried.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let latency = shift as f64 * interval;
    let is_last = tried.last().is_some_and(|last| last.0 == shift);
    if latency < SHORTEST || is_last || least > LEAVES * now {
        return None;
    }
    if let Some((_, ratio)) = selection::better_than(models::ALL, fit.model, samples, options)
        && ratio * ratio * now < least
    {
        return None;
    }
    Some(LateForce {
        fit: fitted(shift)?,
        doubt: format!(
            "the force seems {:.0} ms late: taken back by that, it is missed by {:.3} N rms instead of {:.3} N; stiffness and damping are wrong by it, which their intervals take in: try --force-latency fit",
            1e3 * latency,
            least.sqrt(),
            now.sqrt(),
        ),
    })
}

/// A fit with a constant force, which takes what a late force does to the surface.
fn fit_later(
    kind: &ModelKind,
    samples: &Samples,
    options: &FitOptions,
) -> Result<Fit, CalibrationError> {
    let options = FitOptions {
        force_offset: true,
        n_bootstrap: 0,
        indenter: None,
        ..options.clone()
    };
    kind.fit(&samples.thinned(ROWS), &options)
}

/// The samples with the force that was recorded so many samples later; the same ones for all shifts up to `longest`, so that errors compare.
fn later(samples: &Samples, shift: usize, longest: usize) -> Samples {
    // Near the surface, which a latency moves, a press begins and ends.
    let shallow = SHALLOW * samples.indentation.iter().copied().fold(0.0, f64::max);
    let unbroken = (longest as f64 + GAP) * samples.sampling_interval;
    let kept: Vec<usize> = (0..samples.len().saturating_sub(longest))
        .filter(|&index| {
            samples.indentation[index] > shallow
                && samples.time[index + longest] - samples.time[index] < unbroken
        })
        .collect();
    let pick = |values: &[f64]| kept.iter().map(|&index| values[index]).collect();
    Samples {
        log: samples.log.clone(),
        time: pick(&samples.time),
        indentation: pick(&samples.indentation),
        velocity: pick(&samples.velocity),
        force: kept
            .iter()
            .map(|index| samples.force[index + shift])
            .collect(),
        contact: ContactPoint::UNKNOWN,
        presses: Vec::new(),
        changes: Vec::new(),
        ..*samples
    }
}
