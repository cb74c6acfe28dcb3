//! The limits of a run.

use serde::{Deserialize, Serialize};

/// Limits of a verdict; all must be met.
///
/// Mean force error, contact, root-mean-square path error and tilt are the project's criterion of success for a scan. The other limits
/// detect runs that went wrong in another respect. They lie well above the values of the shipped robots on every torso, and well below the
/// values of a slip, a stuck joint or a collision.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerdictLimits {
    /// Smallest share of the path, or of a press' depth, that the probe covers. A scan at 15 N in tissue of 400 N/m, 40 mm deep, covers 0.93.
    pub covered: f64,
    /// Largest distance of the probe from its goal along the path, behind or ahead [m]. The same scan lags 5 mm.
    pub lag: f64,
    /// Largest distance across the path [m]: twice the largest root mean square of a successful scan.
    pub path_error: f64,
    /// Largest mean absolute error of the force: a share of the force, and a minimum [N].
    pub force_mae: [f64; 2],
    /// Largest error of the force from half a second after first contact: a share of the force, and a minimum [N].
    pub force_error: [f64; 2],
    /// Smallest share of the time in contact, since first contact.
    pub contact_ratio: f64,
    /// Largest angle between the probe's axis and its goal in contact [deg].
    pub tilt_deg: f64,
    /// Largest force above the wanted force at any time: a share of the force, and a minimum [N].
    pub overshoot: [f64; 2],
    /// Largest share of the time that a joint may be at its torque limit or at its position limit.
    pub at_limit: f64,
    /// Largest force between the robot without its probe and anything else [N].
    pub other_contact: f64,
    /// Largest mean pressure on 1 cm² of the probe's face [Pa], where it is measured: in presses and scans. The default is the quasi-static
    /// limit of the abdomen, 140 N/cm² (ISO/TS 15066:2016, Table A.2): the onset of pain, far above a scan.
    pub peak_pressure: f64,
    /// Smallest ratio of simulated time to wall-clock time, judged after 20 s: slower runs are stopped. 0 disables this limit.
    pub real_time: f64,
}

impl Default for VerdictLimits {
    fn default() -> Self {
        Self {
            covered: 0.9,
            lag: 0.01,
            path_error: 0.01,
            force_mae: [0.1, 0.5],
            force_error: [0.5, 2.0],
            contact_ratio: 0.98,
            tilt_deg: 5.0,
            overshoot: [1.0, 10.0],
            at_limit: 0.1,
            other_contact: 1.0,
            peak_pressure: 1.4e6,
            real_time: 0.01,
        }
    }
}

/// An unknown limit, or a value that is not allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("limit {given}: {problem}")]
pub struct LimitError {
    given: String,
    problem: String,
}

impl VerdictLimits {
    /// These limits with one changed, `name=value`; for a pair, `name=share,floor`.
    ///
    /// # Errors
    /// [`LimitError`] for an unknown name, and for a value that is not finite or below 0.
    pub fn with(mut self, given: &str) -> Result<Self, LimitError> {
        let refuse = |problem: String| LimitError {
            given: given.to_owned(),
            problem,
        };
        let (name, text) = given
            .split_once('=')
            .ok_or_else(|| refuse("it must be name=value".to_owned()))?;
        let numbers: Option<Vec<f64>> = text
            .split(',')
            .map(|word| word.trim().parse().ok())
            .collect();
        let numbers = numbers.filter(|all| all.iter().all(|x| x.is_finite() && *x >= 0.0));
        let mut fields = self.fields();
        let Some((_, field)) = fields.iter_mut().find(|(known, _)| *known == name) else {
            let known: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
            return Err(refuse(format!(
                "there is no limit of this name; known are {}",
                known.join(", ")
            )));
        };
        match (numbers.as_deref(), field) {
            (Some([value]), Field::One(field)) => **field = *value,
            (Some([share, floor]), Field::Pair(field)) => **field = [*share, *floor],
            (_, Field::One(_)) => {
                return Err(refuse("it must be a number of at least 0".to_owned()));
            }
            (_, Field::Pair(_)) => {
                return Err(refuse(
                    "it must be two numbers of at least 0: a share and a force in N".to_owned(),
                ));
            }
        }
        Ok(self)
    }

    /// Names and values as text.
    pub fn named(mut self) -> Vec<(&'static str, String)> {
        let text = |field: &Field<'_>| match field {
            Field::One(value) => value.to_string(),
            Field::Pair([share, floor]) => format!("{share},{floor}"),
        };
        self.fields()
            .iter()
            .map(|(name, field)| (*name, text(field)))
            .collect()
    }

    fn fields(&mut self) -> [(&'static str, Field<'_>); 12] {
        [
            ("covered", Field::One(&mut self.covered)),
            ("lag", Field::One(&mut self.lag)),
            ("path_error", Field::One(&mut self.path_error)),
            ("force_mae", Field::Pair(&mut self.force_mae)),
            ("force_error", Field::Pair(&mut self.force_error)),
            ("contact_ratio", Field::One(&mut self.contact_ratio)),
            ("tilt_deg", Field::One(&mut self.tilt_deg)),
            ("overshoot", Field::Pair(&mut self.overshoot)),
            ("at_limit", Field::One(&mut self.at_limit)),
            ("other_contact", Field::One(&mut self.other_contact)),
            ("peak_pressure", Field::One(&mut self.peak_pressure)),
            ("real_time", Field::One(&mut self.real_time)),
        ]
    }
}

enum Field<'a> {
    One(&'a mut f64),
    Pair(&'a mut [f64; 2]),
}

/// A share of `value`, or a minimum if that is larger.
pub(super) fn share_or(limit: [f64; 2], value: f64) -> f64 {
    (limit[0] * value).max(limit[1])
}
