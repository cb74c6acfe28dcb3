//! Units and signs of a log, and the check that its positions are those of a PSM in rad and m.

use super::filter::derivative;
use super::motion_log::{Coordinates, INSERTION, MotionLog};
use crate::error::DvrkError;
use crate::joints::{JointVector, N_JOINTS};

/// Allowed joint positions in a log [rad, m], with room for calibration: the arm's stops are at ±1.605, ±0.925, 0 to 0.24 m, ±4.54 and ±1.4, and the jaws open to 2.1 on either side, which motors 6 and 7 follow.
const POSITIONS: [[f64; 2]; N_JOINTS] = [
    [-2.0, 2.0],
    [-1.3, 1.3],
    [-0.06, 0.3],
    [-5.5, 5.5],
    [-5.5, 5.5],
    [-5.5, 5.5],
    [-5.5, 5.5],
];

/// Root mean square velocity that an encoder at rest may report [rad/s, m/s].
const RESTING_SPEED: f64 = 0.05;

/// Unit of the angles in a log and of their rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AngleUnit {
    /// rad and rad/s.
    #[default]
    Radians,
    /// Degrees and degrees per second.
    Degrees,
}

/// Unit of the insertion in a log and of its rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LengthUnit {
    /// m and m/s.
    #[default]
    Metres,
    /// mm and mm/s.
    Millimetres,
}

/// Sign convention of the torques in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TorqueSign {
    /// Torques of the motors on the arm, which do work against friction.
    #[default]
    Motor,
    /// Torques of the arm on its motors: the opposite sign.
    Reaction,
}

/// Settings for reading a log.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// Sample rate [Hz]. `None` takes the rate of the time column, or 200 Hz if there is no time column.
    pub rate_hz: Option<f64>,
    /// Coordinates of the log; a header with the topics of the dVRK overrides them.
    pub coordinates: Coordinates,
    /// Unit of all joints but the insertion.
    pub angles: AngleUnit,
    /// Unit of the insertion.
    pub lengths: LengthUnit,
    /// Sign of the torques.
    pub torques: TorqueSign,
}

impl Reading {
    /// Settings for a log in `coordinates`, in rad and m, at the rate of the time column.
    pub fn new(coordinates: Coordinates) -> Self {
        Self {
            rate_hz: None,
            coordinates,
            angles: AngleUnit::default(),
            lengths: LengthUnit::default(),
            torques: TorqueSign::default(),
        }
    }

    /// Converts a log to rad, m, and motor torques.
    pub(super) fn convert(&self, log: &mut MotionLog) {
        let angle = match self.angles {
            AngleUnit::Radians => 1.0,
            AngleUnit::Degrees => 1.0_f64.to_radians(),
        };
        let length = match self.lengths {
            LengthUnit::Metres => 1.0,
            LengthUnit::Millimetres => 1e-3,
        };
        let mut factors = JointVector::repeat(angle);
        factors[INSERTION] = length;
        if factors != JointVector::repeat(1.0) {
            for value in log.q.iter_mut().chain(&mut log.dq) {
                value.component_mul_assign(&factors);
            }
        }
        if self.torques == TorqueSign::Reaction {
            log.tau.iter_mut().for_each(|tau| *tau = -*tau);
        }
    }
}

/// Rejects positions that no PSM can have in rad and m, and names the likely unit.
pub(super) fn check_positions(log: &MotionLog) -> Result<(), DvrkError> {
    let range = |joint: usize| {
        let positions = log.q.iter().map(|q| q[joint]);
        positions.fold((f64::MAX, f64::MIN), |(l, h), q| (l.min(q), h.max(q)))
    };
    let outside: Vec<usize> = (0..N_JOINTS)
        .filter(|joint| {
            let (low, high) = range(*joint);
            low < POSITIONS[*joint][0] || high > POSITIONS[*joint][1]
        })
        .collect();
    let Some(first) = outside.first() else {
        return Ok(());
    };
    let fits = |joint: usize, factor: f64| {
        let (low, high) = range(joint);
        let [lowest, highest] = POSITIONS[joint];
        low * factor >= lowest && high * factor <= highest
    };
    let mut ways = Vec::new();
    let names = |joints: &[usize], quantity: &str| {
        let names = joints
            .iter()
            .map(|joint| format!("{quantity}{}", joint + 1));
        names.collect::<Vec<_>>().join(", ")
    };
    // Velocities that match the derivatives of the positions share their unit; others are in rad/s and m/s already.
    let shares_unit = |joint: &usize| {
        let ratio = velocity_ratio(log, *joint);
        ratio.is_none_or(|ratio| ratio < 10.0)
    };
    let turning: Vec<usize> = outside
        .iter()
        .copied()
        .filter(|j| *j != INSERTION)
        .collect();
    if !turning.is_empty() {
        let degrees = 1.0_f64.to_radians();
        if !turning.iter().all(|joint| fits(*joint, degrees)) {
            ways.push(format!(
                "{} must be in rad, and not even degrees bring them into the arm's range",
                names(&turning, "q")
            ));
        } else if turning.iter().all(shares_unit) {
            ways.push(format!(
                "{} look like degrees: read the log with angles=degrees, or convert q and dq to rad and rad/s",
                names(&turning, "q")
            ));
        } else {
            ways.push(format!(
                "{} look like degrees, but their rates like rad/s: convert q to rad",
                names(&turning, "q")
            ));
        }
    }
    if outside.contains(&INSERTION) {
        ways.push(if !fits(INSERTION, 1e-3) {
            "q3 must be in m, and not even mm bring it into the arm's range".to_owned()
        } else if shares_unit(&INSERTION) {
            "q3 looks like mm: read the log with lengths=millimetres, or convert q3 and dq3 to m and m/s".to_owned()
        } else {
            "q3 looks like mm, but dq3 like m/s: convert q3 to m".to_owned()
        });
    }
    let (low, high) = range(*first);
    let [lowest, highest] = POSITIONS[*first];
    Err(DvrkError::Log {
        file: log.name.clone(),
        problem: format!(
            "q{} goes from {low:.4} to {high:.4}; it must stay between {lowest} and {highest} {}; {}",
            first + 1,
            if *first == INSERTION { "m" } else { "rad" },
            ways.join("; ")
        ),
    })
}

/// Ratio of the derivative of a joint's positions to its recorded velocity; `None` if the joint is at rest.
pub(super) fn velocity_ratio(log: &MotionLog, joint: usize) -> Option<f64> {
    let positions: Vec<f64> = log.q.iter().map(|q| q[joint]).collect();
    let rates = derivative(&positions, log.rate_hz);
    let (mut cross, mut square) = (0.0, 0.0);
    for (rate, dq) in rates.iter().zip(&log.dq) {
        cross += rate * dq[joint];
        square += dq[joint] * dq[joint];
    }
    // The velocity of a joint at rest is only encoder noise.
    let least = if log.joints_at_rest()[joint] {
        RESTING_SPEED * RESTING_SPEED
    } else {
        1e-6
    };
    (square > least * log.n_samples() as f64).then(|| cross / square)
}

/// Hint at the likely cause of a wrong velocity ratio.
pub(super) fn ratio_hint(log: &MotionLog, joint: usize, ratio: f64) -> String {
    let near = |factor: f64| (ratio / factor - 1.0).abs() < 0.1;
    let name = joint + 1;
    let degrees = 1.0_f64.to_degrees();
    let (unit, factor) = if joint == INSERTION {
        ("mm", 1e3)
    } else {
        ("degrees", degrees)
    };
    if near(1.0 / factor) {
        return format!("dq{name} looks like {unit}/s, and q{name} does not: convert dq{name}");
    }
    if near(factor) {
        return format!("q{name} looks like {unit}, and dq{name} does not: convert q{name}");
    }
    let still = log.joints_at_rest();
    let ratios: Vec<f64> = (0..N_JOINTS)
        .filter(|joint| !still[*joint])
        .filter_map(|joint| velocity_ratio(log, joint))
        .collect();
    // Encoder noise slightly lowers the ratio of a slow joint.
    if ratio > 0.0 && ratios.iter().all(|other| (other / ratio - 1.0).abs() < 0.1) {
        return format!(
            "all joints agree at about {:.0} Hz: is that the rate",
            log.rate_hz / ratio
        );
    }
    "is the rate right, and are angles in radians".to_owned()
}
