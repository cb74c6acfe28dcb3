//! Warnings about a fit, for readers who see only its table: a misfit, with the law that fits better, and a stiffness
//! outside the range of tissue.

use crate::{
    Fit, FitOptions, Samples, friction,
    models::{self, ModelKind, selection},
    prepare::white_noise,
};

/// Share of the force's variance that a fit may leave unexplained without a warning.
const UNEXPLAINED: f64 = 0.1;
/// Residuals above this multiple of the force's noise, with a Durbin–Watson statistic below `DURBIN_WATSON`, follow a
/// pattern.
const STRUCTURED: f64 = 3.0;
const DURBIN_WATSON: f64 = 0.5;
/// Structured residuals are reported if another law leaves less than this share of them.
const BETTER: f64 = 0.5;
/// Force over indentation of a probe face of a few cm² on tissue [N/m]. 2 a E/(1 − ν²) with a = 1 cm gives E = 0.4
/// kPa to 4 MPa; soft tissues lie between about 0.5 kPa (fat, brain) and 1 MPa (Wells and Liang 2011, table 1).
const STIFFNESS: std::ops::RangeInclusive<f64> = 10.0..=1e5;

/// Maximum number of samples of a press that are compared with other presses.
const ROWS: usize = 5000;

/// The warnings about a fit, worst first.
pub(crate) fn of(samples: &Samples, fit: &Fit, options: &FitOptions) -> Vec<String> {
    let mut warnings: Vec<String> = misfit(samples, fit, options).into_iter().collect();
    warnings.extend(units(samples, fit));
    warnings.extend(presses(samples, fit, options));
    warnings
}

/// Samples further apart than this number of intervals belong to different presses.
const GAP: f64 = 20.0;
/// Elastic coefficients of two presses contradict each other beyond this number of standard errors and this share.
const CONTRADICTION: (f64, f64) = (4.0, 0.03);

/// Warns of presses in one log whose elastic coefficients contradict each other.
fn presses(samples: &Samples, fit: &Fit, options: &FitOptions) -> Option<String> {
    let name = fit.elastic?.coefficient;
    let kind = models::by_name(fit.model)?;
    if !samples.presses.is_empty() {
        return places(samples, name, kind, options);
    }
    let apart = |pair: &[f64]| pair[1] - pair[0] > GAP * samples.sampling_interval;
    let mut cuts = vec![0];
    cuts.extend((1..samples.len()).filter(|&i| apart(&samples.time[i - 1..=i])));
    cuts.push(samples.len());
    if cuts.len() < 3 {
        return None;
    }
    let of_press = |range: &[usize]| {
        let press = samples.part(range[0]..range[1]).thinned(ROWS);
        let fit = kind.fit(&press, options).ok()?;
        fit.parameter(name)
            .filter(|found| found.identifiable)
            .cloned()
    };
    let found: Vec<_> = cuts.windows(2).filter_map(of_press).collect();
    let least = found.iter().min_by(|a, b| a.value.total_cmp(&b.value))?;
    let most = found.iter().max_by(|a, b| a.value.total_cmp(&b.value))?;
    let difference = most.value - least.value;
    let error = most.standard_error.hypot(least.standard_error);
    (difference > CONTRADICTION.0 * error && difference > CONTRADICTION.1 * most.value).then(|| {
        let values: Vec<String> = found.iter().map(|found| format!("{:.4}", found.value)).collect();
        format!(
            "the presses contradict each other: {name} is {} {}, one press after the other: the tissue softened, or the probe slipped; fit them one by one with --window",
            values.join(", "),
            least.unit
        )
    })
}

/// Standard deviation over positions along a path that is reported, as a share of the mean.
const UNLIKE: f64 = 0.1;

/// Warns if the elastic coefficients of a palpation's segments differ by much more than the interval of their mean.
fn places(
    samples: &Samples,
    name: &'static str,
    kind: &ModelKind,
    options: &FitOptions,
) -> Option<String> {
    let mut cuts = samples.presses.clone();
    cuts.push(samples.len());
    let found: Vec<f64> = cuts
        .windows(2)
        .filter_map(|range| {
            let stretch = samples.part(range[0]..range[1]);
            Some(kind.fit(&stretch, options).ok()?.parameter(name)?.value)
        })
        .collect();
    let n = found.len() as f64;
    let mean = found.iter().sum::<f64>() / n;
    let spread = (found.iter().map(|k| (k - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    let (low, high) = found.iter().fold((f64::MAX, f64::MIN), |(low, high), k| {
        (low.min(*k), high.max(*k))
    });
    (spread > UNLIKE * mean).then(|| {
        format!(
            "{name} differs along the path, from {low:.0} to {high:.0} over {} stretches: the table has their mean; --window picks a part",
            found.len()
        )
    })
}

/// A law that leaves at most this share of the force's variance describes the log, if only roughly: a straight line
/// leaves 0.3 of the force of a tissue that stiffens with the cube of its depth. Above it, the law must also predict
/// held-out samples.
const DESCRIBED: f64 = 0.3;
/// A law that leaves more than this share explains less than half of the force.
const HALF: f64 = 0.5;

/// Why a law's parameters are meaningless because it does not explain the force; `None` if it does, or if its misfit
/// is noise.
pub(crate) fn no_explanation(samples: &Samples, fit: &Fit, options: &FitOptions) -> Option<String> {
    let unexplained = unexplained(samples, fit);
    let noise = noise(samples);
    if unexplained <= DESCRIBED || fit.statistics.rmse_n <= STRUCTURED * noise {
        return None;
    }
    let kind = models::by_name(fit.model)?;
    let predicts = || selection::predicts(kind, samples, options);
    (unexplained > HALF || !predicts()).then(|| {
        format!(
            "{} explains {:.0} % of the force's variance and misses the force by {:.3} N rms, where its noise is {noise:.3} N: the law does not describe this log",
            fit.model,
            100.0 * (1.0 - unexplained),
            fit.statistics.rmse_n,
        )
    })
}

/// The law that gives stiffness and damping from the same samples, if a law that should leaves one of them open.
pub(crate) fn other_law(samples: &Samples, fit: &Fit, options: &FitOptions) -> Option<String> {
    let gives = models::by_name(fit.model).is_some_and(|kind| kind.gives_softness);
    if !gives || fit.has_softness() {
        return None;
    }
    let open: Vec<&str> = fit
        .parameters
        .iter()
        .filter(|parameter| !parameter.identifiable)
        .map(|parameter| parameter.name)
        .collect();
    models::ALL
        .iter()
        .filter(|kind| kind.name != fit.model)
        .find(|kind| gives_softness(kind, samples, options))
        .map(|kind| {
            format!(
                "{} leaves {} open, and {} gives stiffness and damping from the same samples: try --model {}",
                fit.model,
                open.join(" and "),
                kind.name,
                kind.name
            )
        })
}

/// Whether a law for scenes identifies stiffness and damping from samples, and explains their force.
pub(crate) fn gives_softness(kind: &ModelKind, samples: &Samples, options: &FitOptions) -> bool {
    let options = FitOptions {
        n_bootstrap: 0,
        indenter: None,
        ..options.clone()
    };
    kind.gives_softness
        && kind.fit(samples, &options).is_ok_and(|fit| {
            fit.has_softness()
                && no_explanation(samples, &fit, &options).is_none()
                && friction::of(samples, &fit, &options).is_none()
        })
}

/// Share of the force's variance that a fit leaves unexplained, at most 1.
fn unexplained(samples: &Samples, fit: &Fit) -> f64 {
    (fit.statistics.rmse_n.powi(2) / variance(&samples.force, &fit.used)).min(1.0)
}

/// Standard deviation of the force's noise [N].
fn noise(samples: &Samples) -> f64 {
    if samples.smoothing > 0 {
        samples.force_noise
    } else {
        white_noise(&samples.force)
    }
}

fn misfit(samples: &Samples, fit: &Fit, options: &FitOptions) -> Option<String> {
    let unexplained = unexplained(samples, fit);
    let noise = noise(samples);
    let structured =
        fit.statistics.durbin_watson < DURBIN_WATSON && fit.statistics.rmse_n > STRUCTURED * noise;
    if unexplained <= UNEXPLAINED && !structured {
        return None;
    }
    let better = selection::better_than(models::ALL, fit.model, samples, options);
    let advice = match &better {
        Some((model, ratio)) if *ratio < if unexplained > UNEXPLAINED { 0.95 } else { BETTER } => {
            format!(
                "{model} leaves {:.0} % of that error on samples it did not see: try --model {model}",
                100.0 * ratio
            )
        }
        _ if unexplained > UNEXPLAINED => {
            "no law here does better: look at the residuals, and check columns, units, window and --force-latency".to_owned()
        }
        _ => return None,
    };
    Some(format!(
        "{} misses the force by {:.3} N rms (R² of the force {:.2}), in a pattern that its intervals do not know; {advice}",
        fit.model,
        fit.statistics.rmse_n,
        1.0 - unexplained,
    ))
}

/// Warns of possibly wrong units if force over indentation, at the deepest sample, is outside the range of tissue.
fn units(samples: &Samples, fit: &Fit) -> Option<String> {
    let deepest = fit
        .used
        .iter()
        .copied()
        .max_by(|a, b| samples.indentation[*a].total_cmp(&samples.indentation[*b]))?;
    let row = fit.used.iter().position(|&index| index == deepest)?;
    let stiffness = match fit.parameter("stiffness") {
        Some(stiffness) => stiffness.value,
        None => fit.predicted[row] / samples.indentation[deepest],
    };
    (stiffness > 0.0 && !STIFFNESS.contains(&stiffness)).then(|| {
        format!(
            "{stiffness:.3e} N/m is not a plausible stiffness of tissue under a probe of a few cm² ({:.0} to {:.0e} N/m; Wells and Liang 2011): are the units right? --units indentation=mm,force=N sets them",
            STIFFNESS.start(),
            STIFFNESS.end()
        )
    })
}

fn variance(force: &[f64], used: &[usize]) -> f64 {
    let n = used.len().max(1) as f64;
    let mean = used.iter().map(|&index| force[index]).sum::<f64>() / n;
    let squares: f64 = used
        .iter()
        .map(|&index| (force[index] - mean).powi(2))
        .sum();
    (squares / n).max(f64::MIN_POSITIVE)
}
