//! What a law's misfit may move its parameters by: how far fits of the shallow and of the deep half of the samples lie apart.

use crate::{Fit, FitOptions, Samples, models};

/// Residuals above this statistic of Durbin and Watson follow no pattern.
const DURBIN_WATSON: f64 = 1.5;
/// Samples at most of a half.
const ROWS: usize = 5000;

/// The change of each parameter that stands for one standard error of the law, shape `[n_parameters]`; empty where the law fits.
///
/// The truth may lie as near to the one half's fit as to the other's: half of their difference, less what their own errors explain.
pub(crate) fn change(samples: &Samples, fit: &Fit, options: &FitOptions) -> Vec<f64> {
    if fit.statistics.durbin_watson > DURBIN_WATSON || !samples.presses.is_empty() {
        return Vec::new();
    }
    let Some(kind) = models::by_name(fit.model).filter(|kind| !kind.has_memory) else {
        return Vec::new();
    };
    let options = FitOptions {
        n_bootstrap: 0,
        contact_point: false,
        ..options.clone()
    };
    let mut depths: Vec<f64> = fit.used.iter().map(|&i| samples.indentation[i]).collect();
    if depths.is_empty() {
        return Vec::new();
    }
    let middle = depths.len() / 2;
    let middle = *depths.select_nth_unstable_by(middle, f64::total_cmp).1;
    let shift = fit.contact_shift.unwrap_or_default();
    let half = |is_deep: bool| {
        let rows: Vec<usize> = fit
            .used
            .iter()
            .copied()
            .filter(|&i| (samples.indentation[i] > middle) == is_deep)
            .collect();
        let mut half = samples.rows(&rows).thinned(ROWS);
        for depth in &mut half.indentation {
            *depth -= shift;
        }
        kind.fit(&half, &options).ok()
    };
    let (Some(shallow), Some(deep)) = (half(false), half(true)) else {
        return Vec::new();
    };
    fit.parameters
        .iter()
        .map(|parameter| {
            let both = shallow
                .parameter(parameter.name)
                .zip(deep.parameter(parameter.name));
            both.map_or(0.0, |(shallow, deep)| {
                let difference = deep.value - shallow.value;
                let explained = deep.standard_error.hypot(shallow.standard_error);
                let left = (difference * difference - explained * explained).max(0.0);
                0.5 * difference.signum() * left.sqrt()
            })
        })
        .map(|change| if change.is_finite() { change } else { 0.0 })
        .collect()
}
