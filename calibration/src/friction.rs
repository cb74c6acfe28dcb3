//! Whether the loop between press and release is one of dry friction, which a law with a damper takes for damping.

use crate::{
    Fit, FitOptions, Samples,
    models::{
        self,
        friction::{self, FRICTION},
        selection,
    },
};

/// Friction must leave less than this share of the mean square error: noise alone leaves 1 − 1/n.
const LEAVES: f64 = 0.8;
/// Standard errors that the friction must be away from zero.
const STANDARD_ERRORS: f64 = 4.0;
/// Residuals above this statistic of Durbin and Watson follow no pattern.
const DURBIN_WATSON: f64 = 1.5;
/// Share of the velocity's power that its sign explains from which damping and friction are not told apart:
/// a sine of one amplitude has 0.81, two sines of equal length whose speeds are as 1 to 3 have 0.65.
const ALIKE: f64 = 0.7;

/// Dry friction that explains a loop.
pub(crate) struct Friction {
    /// The fit with friction as one more parameter.
    pub(crate) fit: Fit,
    /// Whether the motion tells friction from damping.
    pub(crate) determined: bool,
    /// What to say of it.
    pub(crate) doubt: String,
}

/// Whether dry friction explains much of what a fit leaves, more than another law does.
pub(crate) fn of(samples: &Samples, fit: &Fit, options: &FitOptions) -> Option<Friction> {
    let viscous = ["damping", "lambda"]
        .into_iter()
        .any(|name| fit.parameter(name).is_some());
    if !viscous || fit.statistics.durbin_watson > DURBIN_WATSON {
        return None;
    }
    let kind = models::by_name(fit.model)?;
    let rubbed = kind.fit_with_friction(samples, options).ok()?;
    let friction = rubbed.parameter(FRICTION.name)?;
    let share = (rubbed.statistics.rmse_n / fit.statistics.rmse_n).powi(2);
    let stands = friction.value > STANDARD_ERRORS * friction.standard_error;
    if !stands || share > LEAVES {
        return None;
    }
    if let Some((_, ratio)) = selection::better_than(models::ALL, fit.model, samples, options)
        && ratio * ratio < share
    {
        return None;
    }
    let determined = !fit.divided && friction::likeness(samples, &rubbed.used) < ALIKE;
    let found = format!(
        "press and release differ as by dry friction of {:.3} N ({:.3} to {:.3} N): with it the force is missed by {:.3} N rms instead of {:.3} N",
        friction.value,
        friction.ci95[0],
        friction.ci95[1],
        rubbed.statistics.rmse_n,
        fit.statistics.rmse_n,
    );
    let doubt = if determined {
        format!("{found}; it was fitted as one more parameter")
    } else {
        format!(
            "{found}; this motion does not tell it from damping, and the intervals take in both: press at several frequencies or amplitudes, or mend what rubs"
        )
    };
    Some(Friction {
        fit: rubbed,
        determined,
        doubt,
    })
}
