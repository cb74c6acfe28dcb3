//! Effect of a law's misfit on its parameters: the difference between fits of the shallow and the deep half of the
//! depths, and the change of the parameters when the law moves the surface.

use crate::{Fit, FitOptions, Parameter, Samples, SharedError, models};

/// Name among the errors that sites share. A fit's own interval does not contain it, and pooling removes the noise of
/// a site's change.
pub(crate) const CAUSE: &str = "law";
/// Maximum number of samples of a half.
const ROWS: usize = 5000;

/// The error of the law that all sites share; `None` if the depths cannot be split into two halves.
///
/// A law that does not hold moves the surface to the best fit, which absorbs much of its misfit. Two changes have
/// this one cause and are added: the change from the fit with the surface of the preparation (which is based on
/// several laws), and the change between the halves with that surface. Noise of the difference between the two
/// surfaces has a random sign at each site.
pub(crate) fn error(samples: &Samples, fit: &Fit, options: &FitOptions) -> Option<SharedError> {
    let mut change = of_depth(samples, fit, options);
    if change.is_empty() {
        return None;
    }
    for (change, by_surface) in change.iter_mut().zip(of_surface(samples, fit, options)) {
        *change += by_surface;
    }
    Some(SharedError {
        cause: CAUSE,
        change,
    })
}

/// Change of each parameter from the surface of the preparation to the law's own, shape `[n_parameters]`; empty if
/// the law has none.
fn of_surface(samples: &Samples, fit: &Fit, options: &FitOptions) -> Vec<f64> {
    if fit.contact_shift.is_none() || !options.contact_point {
        return Vec::new();
    }
    let options = FitOptions {
        n_bootstrap: 0,
        contact_point: false,
        ..options.clone()
    };
    let Some(given) = models::by_name(fit.model).and_then(|kind| kind.fit(samples, &options).ok())
    else {
        return Vec::new();
    };
    let change = |ours: &Parameter| {
        let given = given.parameter(ours.name);
        given.map_or(0.0, |given| ours.value - given.value)
    };
    fit.parameters.iter().map(change).map(finite).collect()
}

/// Change of each parameter per standard error of the law, shape `[n_parameters]`; empty without two halves.
///
/// The parameter that matters to a user may lie anywhere between the fits of the two halves, and the whole fit next
/// to either of them. So half of their difference is one standard error: a 95 % interval then spans the difference.
/// Both use the surface of the preparation, because with the law's own surface the halves differ least.
fn of_depth(samples: &Samples, fit: &Fit, options: &FitOptions) -> Vec<f64> {
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
    let half = |is_deep: bool| {
        let rows: Vec<usize> = fit
            .used
            .iter()
            .copied()
            .filter(|&i| (samples.indentation[i] > middle) == is_deep)
            .collect();
        let half = samples.rows(&rows).thinned(ROWS);
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
            both.map_or(0.0, |(shallow, deep)| 0.5 * (deep.value - shallow.value))
        })
        .map(finite)
        .collect()
}

fn finite(change: f64) -> f64 {
    if change.is_finite() { change } else { 0.0 }
}
