//! What a law's misfit may move its parameters by: how far fits of the shallow and of the deep half of the depths lie apart.

use crate::{Fit, FitOptions, Samples, models};

/// What it is called among the errors that sites share; a fit's own interval does not hold it.
pub(crate) const CAUSE: &str = "law";

/// Standard errors of a difference below which the halves agree.
const AGREE: f64 = 2.0;
/// Samples at most of a half.
const ROWS: usize = 5000;

/// The change of each parameter that stands for one standard error of the law, shape `[n_parameters]`; empty where the law fits.
///
/// What the parameter is to a user may lie anywhere from the one half's fit to the other's, and the whole fit next to either. So half of
/// their difference, less what their own errors explain, is taken for one standard error: an interval of 95 % then spans the difference.
pub(crate) fn change(samples: &Samples, fit: &Fit, options: &FitOptions) -> Vec<f64> {
    if fit.used.is_empty() || !samples.presses.is_empty() {
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
    let (least, most) = fit
        .used
        .iter()
        .map(|&i| samples.indentation[i])
        .fold((f64::MAX, f64::MIN), |(least, most), depth| {
            (least.min(depth), most.max(depth))
        });
    let middle = 0.5 * (least + most);
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
                if difference.abs() <= AGREE * explained {
                    return 0.0;
                }
                let left = difference * difference - explained * explained;
                0.5 * difference.signum() * left.sqrt()
            })
        })
        .map(|change| if change.is_finite() { change } else { 0.0 })
        .collect()
}
