//! Plausibility checks of an identified payload.

use nalgebra::{DMatrix, DVector};

use super::motion_log::MotionLog;
use super::payload::{CARRYING, Payload};
use super::robust::NORMAL_QUANTILE;
use crate::error::DvrkError;

/// Maximum distance of a payload's centre from the origin of the carriage's frame along each axis [m]: the bounds of the carriage.
const REACH: [f64; 3] = [0.3, 0.3, 0.4];
/// Ratio of residuals to those of the reference above which the log contains effects other than friction, payload and noise.
const STRANGE: f64 = 3.0;
/// Ratio of residuals to those of the reference above which a payload is always rejected, because its interval would not be valid.
const IMPOSSIBLE: f64 = 10.0;
/// Fraction of the residuals without payload that may remain with it, if the ratio is above `STRANGE`.
const EXPLAINED: f64 = 0.8;

/// Root mean square residual per joint of a fit of friction alone [N m, N]; the friction columns start at `first`.
pub(super) fn without_payload(
    joints: &[[DMatrix<f64>; 2]],
    rests: &[DVector<f64>],
    weights: &[f64; CARRYING],
    first: usize,
) -> [f64; CARRYING] {
    let n_friction = 3 * CARRYING;
    let mut information = DMatrix::zeros(n_friction, n_friction);
    let mut right = DVector::zeros(n_friction);
    for (joint, [columns, _]) in joints.iter().enumerate() {
        let own = columns.columns(first, n_friction);
        let square = weights[joint] * weights[joint];
        information += own.transpose() * own * square;
        right += own.transpose() * &rests[joint] * square;
    }
    let values = information
        .cholesky()
        .map_or_else(|| DVector::zeros(n_friction), |c| c.solve(&right));
    std::array::from_fn(|joint| {
        let own = joints[joint][0].columns(first, n_friction);
        let left = &rests[joint] - own * &values;
        (left.norm_squared() / left.len().max(1) as f64).sqrt()
    })
}

/// Rejects bodies that cannot be on the carriage; `with` and `without` are the residuals of the fit with and without a payload.
pub(super) fn possible(
    payload: &Payload,
    log: &MotionLog,
    with: &[f64; CARRYING],
    without: &[f64; CARRYING],
) -> Result<(), DvrkError> {
    let [low, high] = payload.mass_interval();
    let grams = format!(
        "{:.1} g ± {:.1} g",
        1e3 * payload.mass,
        1e3 * NORMAL_QUANTILE * payload.mass_error
    );
    let refuse = |why: String| {
        Err(DvrkError::Log {
            file: log.name.clone(),
            problem: format!(
                "no compact payload on the carriage explains the difference from the reference log: {why}; friction of joints 1 to 3 was fitted, so look at what else changed: counterweight, instrument, cables, how the base stands"
            ),
        })
    };
    if high < 0.0 {
        return refuse(format!(
            "the best fit weighs {grams}; if the reference log is the one with the payload, exchange the logs"
        ));
    }
    for (axis, reach) in REACH.iter().enumerate() {
        let moment = payload.first_moment[axis].abs();
        let error = NORMAL_QUANTILE * payload.first_moment_error[axis];
        if moment > reach * high + error {
            let centre = payload.first_moment / payload.mass * 1e3;
            let place = if low > 0.0 {
                format!(
                    "its centre would be at {:.0}, {:.0}, {:.0} mm",
                    centre.x, centre.y, centre.z
                )
            } else {
                format!(
                    "the difference has a moment of {moment:.3} kg m about the carriage without a mass"
                )
            };
            return refuse(format!(
                "the best fit weighs {grams}, and {place}; it must lie within {:.0}, {:.0}, {:.0} mm of the carriage's frame",
                1e3 * REACH[0],
                1e3 * REACH[1],
                1e3 * REACH[2]
            ));
        }
    }
    let strange = payload.residual_ratio.iter().any(|ratio| *ratio > STRANGE);
    let helps = (0..CARRYING).any(|joint| with[joint] < EXPLAINED * without[joint]);
    let is_impossible = payload
        .residual_ratio
        .iter()
        .any(|ratio| *ratio > IMPOSSIBLE);
    if is_impossible || (strange && !helps) {
        return refuse(format!(
            "the residual torques of joints 1 to 3 are {:.1}, {:.1} and {:.1} times those of the reference log; they must be at most {STRANGE} times, or at most {IMPOSSIBLE} times if the payload reduces them",
            payload.residual_ratio[0], payload.residual_ratio[1], payload.residual_ratio[2]
        ));
    }
    Ok(())
}

/// Warnings about the result.
pub(super) fn notes(payload: &Payload) -> Vec<String> {
    let mut notes = Vec::new();
    if payload.centre().is_none() {
        notes.push("The interval of the mass includes zero: the log may have no payload, so the centre is not reported.".to_owned());
    }
    let strange: Vec<String> = (0..CARRYING)
        .filter(|joint| payload.residual_ratio[*joint] > STRANGE)
        .map(|joint| (joint + 1).to_string())
        .collect();
    if !strange.is_empty() {
        notes.push(format!(
            "More than a payload and friction changed: the fit leaves over {STRANGE} times as much of the torques of joints {} as the reference of its own log. The interval has this in it only as far as it varies over the log.",
            strange.join(", ")
        ));
    }
    notes
}
