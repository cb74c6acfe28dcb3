//! Estimates the latency of the force from the log: a spring and a damper fit better if the force is shifted by it.
//!
//! To first order, a latency changes the damping by minus stiffness times latency. If the log determines the latency,
//! its standard error limits how well the damping is known. If it does not, because the motion has a single speed or
//! frequency, a prior for the latency is used.

use crate::{
    CalibrationError, Fit, FitOptions, MovingMass, Samples,
    fit::GAUSSIAN_95,
    models::{self, ModelKind, latency::delayed, selection},
    prepare::white_noise,
};

/// Standard error of a latency that neither the log nor the user gives [s]: sensors have low-pass filters of 35 Hz
/// and more, with a delay of 1/(2π f), and a fieldbus adds a few ms at most.
pub(crate) const UNKNOWN: f64 = 0.005;
/// Delay up to which the interval of an elastic coefficient holds if neither delay nor damping is determined [s]:
/// buffers of drivers and networks occasionally add more than a filter does, and a delay makes the damping small.
pub(crate) const LONGEST: f64 = 0.02;
/// A latency is significant beyond this number of its standard errors (robust to correlated residuals); a likelihood
/// ratio must confirm it.
const STANDARD_ERRORS: f64 = 4.0;
/// A log determines a latency only if latencies this far away [s] are as unlikely: a standard error describes only
/// the nearest minimum.
const FURTHER: f64 = 0.01;
/// Limit of how much the position may lag the force [s]: a force that is earlier by more comes from another law, such
/// as relaxation.
const EARLIEST: f64 = 0.01;
/// A spring and a damper with a latency are the wrong law if their error exceeds this multiple of the force's noise;
/// then the latency must leave less than `REMAINING_SHARE` of the mean square error to be accepted.
const NOISE: f64 = 2.0;
const REMAINING_SHARE: f64 = 0.7;
/// Another law explains as much if it leaves at most this multiple of the mean square error that the latency leaves.
const AS_MUCH: f64 = 1.02;
/// No latency is estimated if samples are further apart than this [s]: the smoothing for the comparison spans more
/// time than the latency.
const COARSEST: f64 = 0.0105;
/// Maximum number of samples for the estimate.
const ROWS: usize = 4000;

/// Latency of the force as estimated from the log.
pub(crate) struct Latency {
    /// Standard error about the applied latency, which was zero [s].
    pub(crate) error: f64,
    /// Value and standard error [s], if the log determines them.
    pub(crate) estimate: Option<[f64; 2]>,
    /// If the log contradicts a latency of zero: the warning, and the fit to the shifted force, with a constant force
    /// for the shift of the surface.
    pub(crate) warning: Option<(String, Box<Fit>)>,
}

/// Estimates the latency from the samples of a fit; `None` for laws other than a parallel spring and damper.
pub(crate) fn of(samples: &Samples, fit: &Fit, options: &FitOptions) -> Option<Latency> {
    let kind = models::by_name(fit.model).filter(|kind| kind.finds_latency())?;
    let kind = if kind.gives_softness {
        models::by_name("kelvin-voigt")?
    } else {
        kind
    };
    let unknown = Latency {
        error: UNKNOWN,
        estimate: None,
        warning: None,
    };
    if samples.sampling_interval > COARSEST {
        return Some(unknown);
    }
    let Ok(late) = kind.fit_with_latency(samples, options, ROWS) else {
        return Some(unknown);
    };
    let Some(latency) = late.latency() else {
        return Some(unknown);
    };
    let value = latency.value;
    let error = 0.5 * (latency.ci95[1] - latency.ci95[0]) / GAUSSIAN_95;
    if error > UNKNOWN {
        return Some(unknown);
    }
    // Twice the log-likelihood ratio of this latency to another one, computed with the effective number of
    // independent samples.
    let statistics = &late.fit.statistics;
    let misses = |latency: f64| {
        let delayed = delayed(&late.samples, samples, latency);
        let fit = kind.fit(&delayed, &free(options));
        fit.map_or(f64::MAX, |fit| fit.statistics.rmse_n)
    };
    let ratio =
        |other: f64| 2.0 * statistics.n_effective * (misses(other) / statistics.rmse_n).ln();
    let unlikely = STANDARD_ERRORS.powi(2);
    if ratio(value - FURTHER) < unlikely || ratio(value + FURTHER) < unlikely {
        return Some(unknown);
    }
    let beyond = STANDARD_ERRORS * error;
    let allowed = GAUSSIAN_95 * samples.latency_standard_error;
    let is_late =
        value.abs() > beyond.max(allowed) && value > -EARLIEST && ratio(0.0) > unlikely && {
            let now = delayed(&late.samples, samples, 0.0);
            !explained(kind, &now, &late.fit, options)
                && !predicted_better(samples, fit, &late.fit, kind, &now, options)
        };
    let warning = is_late.then(|| {
        let text = format!(
            "the force seems {:.1} ms {}: a spring and a damper with that delay miss it least ({:.1} ± {:.1} ms); stiffness and damping are wrong by it, which their intervals take in: try --force-latency fit",
            1e3 * value.abs(),
            if value > 0.0 { "late" } else { "early (or the position late)" },
            1e3 * value,
            1e3 * error,
        );
        (text, Box::new(late.fit))
    });
    Some(Latency {
        error: value.hypot(error).min(UNKNOWN),
        estimate: Some([value, error]),
        warning,
    })
}

/// Options with a constant force, which absorbs the effect of a latency on surface and preload.
fn free(options: &FitOptions) -> FitOptions {
    FitOptions {
        force_offset: true,
        n_bootstrap: 0,
        indenter: None,
        ..options.clone()
    }
}

/// Whether a law without latency leaves as small an error on the same samples, or a moving mass a smaller one.
fn explained(kind: &ModelKind, samples: &Samples, late: &Fit, options: &FitOptions) -> bool {
    let left = late.statistics.rmse_n * AS_MUCH.sqrt();
    let free = free(options);
    let misses =
        |fit: Result<Fit, CalibrationError>| fit.map_or(f64::MAX, |fit| fit.statistics.rmse_n);
    let with_mass = FitOptions {
        mass: MovingMass::Fitted,
        ..free.clone()
    };
    let others = models::ALL
        .iter()
        .filter(|other| other.is_candidate && other.name != kind.name);
    // To second order a mass acts like a latency: a small mass cannot be separated from it, and does not rule it out.
    misses(kind.fit(samples, &with_mass)) < left / AS_MUCH
        || others
            .into_iter()
            .any(|other| misses(other.fit(samples, &free)) < left)
}

/// Whether a spring and a damper do not describe the samples, or another law predicts held-out samples better than
/// the latency fits its training samples.
fn predicted_better(
    samples: &Samples,
    fit: &Fit,
    late: &Fit,
    kind: &ModelKind,
    inner: &Samples,
    options: &FitOptions,
) -> bool {
    let free = free(options);
    let Ok(now) = kind.fit(inner, &free) else {
        return true;
    };
    let share = late.statistics.rmse_n / now.statistics.rmse_n;
    let noise = if samples.smoothing > 0 {
        samples.force_noise
    } else {
        white_noise(&samples.force)
    };
    if late.statistics.rmse_n > NOISE * noise && share * share > REMAINING_SHARE {
        return true;
    }
    selection::better_than(models::ALL, fit.model, samples, options)
        .is_some_and(|(_, ratio)| ratio < share)
}
