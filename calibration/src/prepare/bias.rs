//! The force reading without contact.

use super::{findings::Findings, noise::mean_with_error, options::ForceBias, track::SampleRange};
use crate::CalibrationError;

/// Minimum number of samples of free air for a bias.
pub(super) const FEWEST: usize = 10;

/// A bias [N] and its standard error [N].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BiasEstimate {
    pub(super) value: f64,
    pub(super) standard_error: f64,
}

/// Free air and its position in a log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Air {
    pub(super) samples: SampleRange,
    place: &'static str,
}

impl Air {
    pub(super) fn before_contact(samples: SampleRange) -> Self {
        Self {
            samples,
            place: "before contact",
        }
    }

    pub(super) fn after_release(samples: SampleRange) -> Self {
        Self {
            samples,
            place: "after release",
        }
    }
}

/// The bias to remove, from free air. If the air is before contact, it is compared with the air after release.
pub(super) fn found(
    force: &[f64],
    air: &Air,
    after: SampleRange,
    option: ForceBias,
    findings: &mut Findings,
) -> Result<BiasEstimate, CalibrationError> {
    match option {
        ForceBias::None => {
            findings.choose("force bias", "0 N".to_owned(), "none removed, as asked");
            return Ok(BiasEstimate::default());
        }
        ForceBias::Known(value) if value.is_finite() => {
            findings.choose("force bias", format!("{value} N"), "given");
            return Ok(BiasEstimate {
                value,
                standard_error: 0.0,
            });
        }
        ForceBias::Known(value) => {
            return Err(CalibrationError::option(
                "--bias",
                format!("{value} is not a finite force in N"),
            ));
        }
        ForceBias::Auto => {}
    }
    let Air { samples, place } = *air;
    if samples.len() < FEWEST {
        findings.choose(
            "force bias",
            "0 N".to_owned(),
            "no free air before contact: no bias removed",
        );
        findings.note(
            "there is no free air before contact: the bias is assumed to be zero; --bias sets it, --fit-offset fits it",
        );
        return Ok(BiasEstimate::default());
    }
    let (value, standard_error, _) = mean_with_error(&force[samples.start..samples.end]);
    findings.choose(
        "force bias",
        format!("{value:.4} ± {standard_error:.4} N"),
        format!("mean of {} samples of free air {place}", samples.len()),
    );
    if after.len() >= FEWEST && after != samples {
        let (later, error, _) = mean_with_error(&force[after.start..after.end]);
        if (later - value).abs() > 3.0 * standard_error.hypot(error) {
            findings.note(format!(
                "the force without contact drifts: {value:.4} N before contact, {later:.4} N after release"
            ));
        }
    }
    Ok(BiasEstimate {
        value,
        standard_error,
    })
}
