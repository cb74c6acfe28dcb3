//! Physical plausibility checks of a log: friction must brake, and torques must have about the size that such an arm needs.

use nalgebra::DVector;

use super::motion_log::MotionLog;
use super::observations::Observations;
use crate::dynamics::{BaseParameters, FRICTION};
use crate::error::DvrkError;
use crate::joints::{JointVector, N_DRIVES, N_JOINTS};

/// Fraction of |torque · velocity| by which friction must drive a joint before its torque counts as reversed. Fits of good logs stay far below it.
const DRIVEN: f64 = 0.05;
/// Number of standard deviations of the noise by which that power must differ from zero.
const SURE: f64 = 3.0;
/// Allowed ratio of the torques of joints 1 to 3 to those of the given arm. Arms and instruments differ by less; wrong units (N mm, mN m) differ by 1000.
const SIZES: std::ops::RangeInclusive<f64> = 0.05..=20.0;
/// Number of joints that carry weight: joints 1 to 3.
const HEAVY_JOINTS: usize = 3;
/// Cosine between measured and predicted torques below which the torques of another log count as reversed.
const OPPOSITE: f64 = -0.5;
/// Relative error on the fitted log above which the fit does not describe a joint; Wang et al. 2019 report up to 0.26.
const POOR: f64 = 0.5;

/// Rejects torques of opposite sign or in other units; `free` are the fitted base parameters and `given` those of the given arm.
pub(super) fn torques(
    log: &MotionLog,
    observations: &Observations,
    base: &BaseParameters,
    free: &DVector<f64>,
    given: &DVector<f64>,
) -> Result<(), DvrkError> {
    let (mut driven, mut opposed) = (Vec::new(), Vec::new());
    let moving = |joint: &usize| !observations.at_rest[*joint];
    for joint in (0..N_JOINTS).filter(moving) {
        let share = lost_share(observations, base, free, joint);
        if share < -DRIVEN {
            driven.push(joint);
        }
        if joint >= HEAVY_JOINTS {
            continue;
        }
        let model = &observations.regressor[joint] * given;
        let (mut along, mut square, mut measured) = (0.0, 0.0, 0.0);
        for (torque, model) in observations.torque.iter().zip(model.iter()) {
            along += model * torque[joint];
            square += model * model;
            measured += torque[joint] * torque[joint];
        }
        let size = along / square.max(f64::MIN_POSITIVE);
        let is_alike = along.abs() > -OPPOSITE * f64::sqrt(square * measured);
        if is_alike && !SIZES.contains(&size.abs()) {
            return Err(unit(log, joint, size.abs()));
        }
        // Without friction, only inertia and weight reveal the sign.
        if is_alike && size < 0.0 && share.abs() <= DRIVEN {
            opposed.push(joint);
        }
    }
    let reversed = if driven.is_empty() { opposed } else { driven };
    refuse_reversed(log, observations, &reversed)
}

/// Rejects a log if, with these base parameters, friction drives the motion of one of the first `n_joints` joints.
pub(super) fn reversed(
    log: &MotionLog,
    observations: &Observations,
    base: &BaseParameters,
    values: &DVector<f64>,
    n_joints: usize,
) -> Result<(), DvrkError> {
    let moving = (0..n_joints).filter(|joint| !observations.at_rest[*joint]);
    let driven: Vec<usize> = moving
        .filter(|joint| lost_share(observations, base, values, *joint) < -DRIVEN)
        .collect();
    refuse_reversed(log, observations, &driven)
}

fn refuse_reversed(
    log: &MotionLog,
    observations: &Observations,
    reversed: &[usize],
) -> Result<(), DvrkError> {
    if reversed.is_empty() {
        return Ok(());
    }
    let mut heavy = (0..HEAVY_JOINTS).filter(|joint| !observations.at_rest[*joint]);
    Err(sign(
        log,
        reversed,
        heavy.all(|joint| reversed.contains(&joint)),
    ))
}

/// Power that Coulomb and viscous friction take from a joint, over |torque · velocity|; 0 if noise alone can explain it.
fn lost_share(
    observations: &Observations,
    base: &BaseParameters,
    values: &DVector<f64>,
    joint: usize,
) -> f64 {
    let friction = DVector::from_fn(values.len(), |index, _| {
        let is_friction = (FRICTION..FRICTION + 2 * N_DRIVES).contains(&base.independent[index]);
        if is_friction { values[index] } else { 0.0 }
    });
    let braking = &observations.regressor[joint] * &friction;
    let (mut lost, mut whole, mut speed) = (0.0, 0.0, 0.0);
    let states = observations.torque.iter().zip(&observations.velocity);
    for ((torque, velocity), braking) in states.zip(braking.iter()) {
        lost += braking * velocity[joint];
        whole += (torque[joint] * velocity[joint]).abs();
        speed += velocity[joint] * velocity[joint];
    }
    // Standard deviation of the sum due to the residuals of independent samples.
    let noise = observations.residual(values)[joint] * (speed * observations.stride as f64).sqrt();
    if whole > 0.0 && lost.abs() > SURE * noise {
        lost / whole
    } else {
        0.0
    }
}

fn unit(log: &MotionLog, joint: usize, size: f64) -> DvrkError {
    DvrkError::Log {
        file: log.name.clone(),
        problem: format!(
            "tau{} is {size:.3} times the torque that this arm needs for the motion; it must be between {} and {} times; torques must be in N m, and in N for the insertion (numbers in N mm and mN are 1000 times larger); convert tau1 to tau7",
            joint + 1,
            SIZES.start(),
            SIZES.end()
        ),
    }
}

fn sign(log: &MotionLog, reversed: &[usize], is_all: bool) -> DvrkError {
    let names: Vec<String> = reversed
        .iter()
        .map(|joint| format!("tau{}", joint + 1))
        .collect();
    let way = if is_all {
        "read the log with torques=reaction, or change the sign of tau1 to tau7".to_owned()
    } else {
        format!("change the sign of {} in the log", names.join(", "))
    };
    DvrkError::Log {
        file: log.name.clone(),
        problem: format!(
            "{} {} the opposite sign: friction would drive the motion instead of braking it, and weight would lift; torques must be those of the motors on the arm, not the arm's reaction; {way}",
            names.join(", "),
            if names.len() == 1 { "has" } else { "have" }
        ),
    }
}

/// Rejects another log if its torques oppose their prediction.
pub(super) fn same_sign(log: &MotionLog, comparison: &[[JointVector; 2]]) -> Result<(), DvrkError> {
    let still = log.joints_at_rest();
    let opposes = |joint: &usize| {
        let (mut along, mut measured_square, mut model_square) = (0.0, 0.0, 0.0);
        for [measured, model] in comparison {
            along += measured[*joint] * model[*joint];
            measured_square += measured[*joint].powi(2);
            model_square += model[*joint].powi(2);
        }
        along < OPPOSITE * f64::sqrt(measured_square * model_square)
    };
    let heavy = (0..HEAVY_JOINTS).filter(|joint| !still[*joint]);
    let reversed: Vec<usize> = heavy.clone().filter(opposes).collect();
    if reversed.is_empty() {
        return Ok(());
    }
    Err(sign(log, &reversed, reversed.len() == heavy.count()))
}

/// Warnings about a fit.
pub(super) fn notes(
    observations: &Observations,
    base: &BaseParameters,
    open: &[usize],
    residual: &JointVector,
) -> Vec<String> {
    let mut notes = Vec::new();
    let still: Vec<String> = (0..N_JOINTS)
        .filter(|joint| observations.at_rest[*joint])
        .map(|joint| (joint + 1).to_string())
        .collect();
    if !still.is_empty() {
        let names = base.names();
        let open: Vec<&str> = open.iter().map(|index| names[*index].as_str()).collect();
        notes.push(format!(
            "Joints {} stand still and are left out. Parameters that are not identified are taken from the given arm: {}.",
            still.join(", "),
            if open.is_empty() { "none".to_owned() } else { open.join("; ") }
        ));
    }
    for joint in (0..N_JOINTS).filter(|joint| !observations.at_rest[*joint]) {
        let squares = observations
            .torque
            .iter()
            .map(|torque| torque[joint].powi(2));
        let torque = (squares.sum::<f64>() / observations.n() as f64).sqrt();
        if residual[joint] > POOR * torque {
            notes.push(format!(
                "The fit leaves {:.0} % of the torque of joint {} on its own log: the arm does not move as this model says, or units are others.",
                100.0 * residual[joint] / torque,
                joint + 1
            ));
        }
    }
    notes
}
