//! Detects dry friction in the loop between press and release. A law with a damper mistakes it for damping.

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
/// Minimum distance of the friction from zero, in standard errors.
const STANDARD_ERRORS: f64 = 4.0;
/// Residuals with a Durbin–Watson statistic above this value follow no pattern.
const DURBIN_WATSON: f64 = 1.5;
/// Share of the velocity's power explained by its sign, above which damping and friction cannot be separated: a sine
/// of one amplitude has 0.81, two sines of equal length with a speed ratio of 1 to 3 have 0.65.
const ALIKE: f64 = 0.7;

/// Dry friction that explains a loop.
pub(crate) struct Friction {
    /// The fit with friction as an additional parameter.
    pub(crate) fit: Fit,
    /// Whether the motion separates friction from damping.
    pub(crate) determined: bool,
    /// Text of the warning.
    pub(crate) warning: String,
}

/// Tests whether dry friction explains much of the residuals of a fit, and more than another law does.
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
    let warning = if determined {
        format!("{found}; it was fitted as one more parameter")
    } else {
        format!(
            "{found}; this motion does not tell it from damping, and the intervals take in both: press at several frequencies or amplitudes, or mend what rubs"
        )
    };
    Some(Friction {
        fit: rubbed,
        determined,
        warning,
    })
}
