//! What a log tells of the time by which its force is late: a spring and a damper fit better with the force taken back by some time.
//!
//! To first order a latency acts as damping does, by minus stiffness times latency. So where a log tells the latency, that is how well
//! its damping is known, and where it does not, because it moves at one speed or frequency, nothing but a guess of the latency is left.

use crate::{
    CalibrationError, Fit, FitOptions, MovingMass, Samples,
    fit::GAUSSIAN_95,
    models::{self, ModelKind, late::delayed, selection},
    prepare::white_noise,
};

/// Standard error of a latency that neither the log nor anyone tells [s]: sensors come with low-pass filters of 35 Hz and more,
/// whose delay is 1/(2π f), and a fieldbus adds a few ms at most.
pub(crate) const UNKNOWN: f64 = 0.005;
/// Delay up to which the interval of an elastic coefficient holds where neither delay nor damping is told [s]: buffers of drivers and networks
/// add more than a filter does now and then, and a delay makes damping small.
pub(crate) const LONGEST: f64 = 0.02;
/// A latency is one beyond so many of its standard errors, which count correlated residuals, and its likelihood must say the same.
const STANDARD_ERRORS: f64 = 4.0;
/// A log tells a latency where latencies further away by this [s] are as unlikely: a standard error is one of the nearest minimum alone.
const FURTHER: f64 = 0.01;
/// A position is not later than this against the force [s]: a force that comes earlier by more is that of another law, such as one that relaxes.
const EARLIEST: f64 = 0.01;
/// A spring and a damper with a latency that miss the force by more than so many times its noise are not the law;
/// then a latency must leave less than this share of the mean square error to be one.
const NOISE: f64 = 2.0;
const LEAVES: f64 = 0.7;
/// Another law that leaves this share of the mean square error that a latency leaves explains as much.
const AS_MUCH: f64 = 1.02;
/// Latencies are not sought between samples that are further apart than this [s]: what is smoothed to compare them takes more time than they do.
const COARSEST: f64 = 0.0105;
/// Samples at most from which it is sought.
const ROWS: usize = 4000;

/// What the log tells of the latency.
pub(crate) struct Latency {
    /// Its standard error about the latency that was taken back, which was none [s].
    pub(crate) error: f64,
    /// Value and standard error [s], where the log tells them.
    pub(crate) told: Option<[f64; 2]>,
    /// Where it speaks against that: what to say of it, and the fit to the force taken back, with a constant force for the surface that it moves.
    pub(crate) doubt: Option<(String, Box<Fit>)>,
}

/// What the samples of a fit tell; `None` for laws that are no spring next to a damper.
pub(crate) fn of(samples: &Samples, fit: &Fit, options: &FitOptions) -> Option<Latency> {
    let kind = models::by_name(fit.model).filter(|kind| kind.finds_latency())?;
    let kind = if kind.gives_softness {
        models::by_name("kelvin-voigt")?
    } else {
        kind
    };
    let untold = Latency {
        error: UNKNOWN,
        told: None,
        doubt: None,
    };
    if samples.sampling_interval > COARSEST {
        return Some(untold);
    }
    let Ok(late) = kind.fit_late(samples, options, ROWS) else {
        return Some(untold);
    };
    let Some(latency) = late.told() else {
        return Some(untold);
    };
    let value = latency.value;
    let error = 0.5 * (latency.ci95[1] - latency.ci95[0]) / GAUSSIAN_95;
    if error > UNKNOWN {
        return Some(untold);
    }
    // Twice the logarithm of the likelihood ratio of the latency to another, with the samples that count as independent.
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
        return Some(untold);
    }
    let beyond = STANDARD_ERRORS * error;
    let allowed = GAUSSIAN_95 * samples.latency_standard_error;
    let is_late =
        value.abs() > beyond.max(allowed) && value > -EARLIEST && ratio(0.0) > unlikely && {
            let now = delayed(&late.samples, samples, 0.0);
            !explained(kind, &now, &late.fit, options)
                && !predicted_better(samples, fit, &late.fit, kind, &now, options)
        };
    let doubt = is_late.then(|| {
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
        told: Some([value, error]),
        doubt,
    })
}

/// Options of a fit with a constant force, which takes what a latency does to surface and preload.
fn free(options: &FitOptions) -> FitOptions {
    FitOptions {
        force_offset: true,
        n_bootstrap: 0,
        indenter: None,
        ..options.clone()
    }
}

/// Whether a law without latency leaves as little of the same samples, or a moving mass less.
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
    // A mass acts like a latency to second order: a small one cannot be told from it, and does not rule it out.
    misses(kind.fit(samples, &with_mass)) < left / AS_MUCH
        || others
            .into_iter()
            .any(|other| misses(other.fit(samples, &free)) < left)
}

/// Whether no spring and damper describe the samples, or another law predicts samples that it did not see better than a latency does those that it was fitted to.
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
    if late.statistics.rmse_n > NOISE * noise && share * share > LEAVES {
        return true;
    }
    selection::better_than(models::ALL, fit.model, samples, options)
        .is_some_and(|(_, ratio)| ratio < share)
}
