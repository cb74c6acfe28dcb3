//! Effect of a force that grows faster than the depth on a spring's stiffness, if the law also finds the surface.
//!
//! A power of the depth slightly above 1 and a surface that is slightly too deep are almost the same force, so one log
//! does not distinguish them. Several sites of one tissue do: the noise of a site's power averages out, the power
//! itself does not.

use crate::{Fit, FitOptions, Samples, SharedError, models};

/// Name among the errors that sites share. Pooling adds the noise of the mean over the sites.
pub(crate) const CAUSE: &str = "curvature";
/// Maximum number of samples of a fit.
const ROWS: usize = 2000;
/// Powers of the depth that are tried, from the first to the last in equal steps.
const POWERS: [f64; 2] = [0.8, 1.7];
const STEPS: usize = 9;

/// A law f = κ rᵖ + λ rᵖ⁻¹ ṙ, which is Kelvin and Voigt's for p = 1.
struct PowerLaw {
    /// Root mean square of the force that it does not explain [N].
    misfit: f64,
    /// Mean of κ rᵖ⁻¹ and of λ rᵖ⁻¹ over the depths from the surface to the deepest sample [N/m, N·s/m].
    softness: [f64; 2],
}

/// Change of stiffness and damping from the best spring to the best power of the depth, which all sites of a tissue
/// share; `None` if the law is not a spring or does not find the surface.
pub(crate) fn error(samples: &Samples, fit: &Fit, options: &FitOptions) -> Option<SharedError> {
    let is_spring = fit
        .elastic
        .is_some_and(|elastic| elastic.exponent.total_cmp(&1.0).is_eq());
    if !is_spring || fit.contact_shift.is_none() || !samples.presses.is_empty() {
        return None;
    }
    if models::by_name(fit.model).is_none_or(|kind| kind.has_memory) {
        return None;
    }
    let samples = samples.rows(&fit.used).thinned(ROWS);
    let law = |power: f64| of_power(&samples, options, power);
    let step = (POWERS[1] - POWERS[0]) / STEPS as f64;
    let powers = (0..=STEPS).map(|i| POWERS[0] + step * i as f64);
    let tried: Vec<(f64, PowerLaw)> = powers
        .filter_map(|power| Some((power, law(power)?)))
        .collect();
    let best = tried
        .iter()
        .enumerate()
        .min_by(|(_, a), (_, b)| a.1.misfit.total_cmp(&b.1.misfit))?
        .0;
    let at = |index: usize| tried.get(index).map(|(power, law)| (*power, law.misfit));
    let power = match (best.checked_sub(1).and_then(at), at(best), at(best + 1)) {
        (Some(before), Some(best), Some(after)) => vertex(before, best, after),
        _ => tried[best].0,
    };
    let (spring, curved) = (law(1.0)?, law(power)?);
    let change = |parameter: &crate::Parameter| match parameter.name {
        "stiffness" => curved.softness[0] - spring.softness[0],
        "damping" => curved.softness[1] - spring.softness[1],
        _ => 0.0,
    };
    Some(SharedError {
        cause: CAUSE,
        change: fit.parameters.iter().map(change).collect(),
    })
}

/// Position of the minimum of the parabola through three points with increasing positions.
fn vertex(a: (f64, f64), b: (f64, f64), c: (f64, f64)) -> f64 {
    let left = (b.1 - a.1) / (b.0 - a.0);
    let right = (c.1 - b.1) / (c.0 - b.0);
    let middle = 0.5 * (a.0 + b.0);
    if right > left {
        middle - left * 0.5 * (c.0 - a.0) / (right - left)
    } else {
        b.0
    }
}

fn of_power(samples: &Samples, options: &FitOptions, power: f64) -> Option<PowerLaw> {
    let m = (power - 1.0).max(0.0);
    let options = FitOptions {
        n_bootstrap: 0,
        exponents: Some([power, m]),
        ..options.clone()
    };
    let fit = models::by_name("hunt-crossley")?
        .fit(samples, &options)
        .ok()?;
    let shift = fit.contact_shift.unwrap_or(0.0);
    let deepest = fit
        .used
        .iter()
        .map(|&i| samples.indentation[i] - shift)
        .fold(0.0, f64::max);
    let mean = |name: &str, exponent: f64| {
        Some(fit.parameter(name)?.value * deepest.powf(exponent) / (exponent + 1.0))
    };
    let softness = [mean("kappa", power - 1.0)?, mean("lambda", m)?];
    (deepest > 0.0 && softness.iter().all(|x| x.is_finite())).then_some(PowerLaw {
        misfit: fit.statistics.rmse_n,
        softness,
    })
}
