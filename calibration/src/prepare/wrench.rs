//! The force in the frame of the position: rotated by the recorded orientation if it was measured in another frame.
//!
//! | contents of the log | action |
//! |---|---|
//! | both frames, equal | none |
//! | both frames, different, with an orientation | the force is rotated |
//! | both frames, different, without an orientation | refused |
//! | an orientation, without the force's frame | the frame in which the force lies along the motion, if that is clear; otherwise refused |
//! | neither | none; `tilt` reports contradictions |

use std::borrow::Cow;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::{
    directions::{along, degrees, principal_direction, widest},
    findings::Findings,
    normals::Moments,
    options::{ForceFrame, PrepareOptions},
    presses,
    tilt::touching,
    weight,
};
use crate::{CalibrationError, Channel, Log, LogFrames, Motion};

/// A frame is clear if the force lies within this angle of the motion [°], and in the other frame this much further
/// away.
const CLEAR: f64 = 10.0;
/// The angle must also be larger by this factor in the other frame: friction tilts a force by a few degrees in its
/// correct frame too.
const TIMES: f64 = 2.5;
/// Frames that change the stiffness by less than this share need not be distinguished: the interval covers both.
const ALIKE: f64 = 0.02;
/// Name of the common frame of force and position after this step.
const SHARED: &str = "position";

/// A log with force and position in one frame, if the frame could be determined.
pub(super) struct AlignedLog<'a> {
    pub(super) log: Cow<'a, Log>,
    /// Change of the force per standard error of the tool's weight and bias, in the position's frame, each of shape
    /// `[n, 3]` [N].
    pub(super) changes: Vec<Vec<[f64; 3]>>,
    /// Relative change of the force per standard error of the choice of frame.
    pub(super) share: f64,
}

/// Transforms the force into the position's frame.
pub(super) fn in_one_frame<'a>(
    log: Cow<'a, Log>,
    options: &PrepareOptions,
    findings: &mut Findings,
) -> Result<AlignedLog<'a>, CalibrationError> {
    let Some((positions, forces)) = vectors(&log) else {
        return match options.force_frame {
            ForceFrame::Auto => Ok(AlignedLog::unchanged(log)),
            _ => Err(CalibrationError::option(
                "--force-frame",
                "frames differ only between vectors: this log has position or force along one axis; leave the option out",
            )),
        };
    };
    let turns = checked(&log.frames.force_to_motion, log.len(), findings)?;
    let names = (log.frames.force.as_deref(), log.frames.motion.as_deref());
    let how = match (options.force_frame, names) {
        (ForceFrame::Motion, _) => {
            findings.choose("force frame", "that of the position".to_owned(), "given");
            return Ok(AlignedLog::shared(log));
        }
        (ForceFrame::Tool, _) if turns.is_empty() => {
            return Err(CalibrationError::option(
                "--force-frame",
                "the log has no orientation to turn the force by: record it (columns qx, qy, qz, qw), or turn the force into the position's frame before",
            ));
        }
        (ForceFrame::Tool, _) => "given".to_owned(),
        (ForceFrame::Auto, (Some(force), Some(motion))) if same(force, motion) => {
            return Ok(AlignedLog::shared(log));
        }
        (ForceFrame::Auto, (Some(force), Some(motion))) if turns.is_empty() => {
            return Err(findings.refuse(format!(
                "the force is in frame {force:?} and the position in {motion:?}, and their relative orientation is unknown: record the orientation, or give --force-frame base if the force is in the position's frame all the same"
            )));
        }
        (ForceFrame::Auto, (Some(force), Some(motion))) => {
            format!("the force is in frame {force:?}, the position in {motion:?}")
        }
        (ForceFrame::Auto, _) if turns.is_empty() => return Ok(AlignedLog::unchanged(log)),
        (ForceFrame::Auto, _) => {
            return decided(&log, positions, forces, &turns, options, findings)
                .map(|(decision, share)| decision.applied(&log, share, findings));
        }
    };
    let turned = Hypothesis::tool(forces, &turns);
    Ok(Decision::Tool(Box::new(turned), how).applied(&log, 0.0, findings))
}

/// Vectors of a log, shape `[n, 3]`.
type Vectors<'a> = &'a [[f64; 3]];

/// Position and force if both are vectors.
fn vectors(log: &Log) -> Option<(Vectors<'_>, Vectors<'_>)> {
    match (&log.motion, &log.force) {
        (Motion::Position(Channel::Vector(positions)), Channel::Vector(forces)) => {
            Some((positions, forces))
        }
        _ => None,
    }
}

/// Whether two names denote the same frame; ROS 1 wrote a leading slash.
fn same(a: &str, b: &str) -> bool {
    a.trim_start_matches('/') == b.trim_start_matches('/')
}

/// The rotations, one per sample or one for all; refuses invalid quaternions.
fn checked(
    turns: &[[f64; 4]],
    n: usize,
    findings: &Findings,
) -> Result<Vec<UnitQuaternion<f64>>, CalibrationError> {
    if turns.len() > 1 && turns.len() != n {
        return Err(findings.refuse(format!(
            "the number of orientations is {}; it must be 1 or {n}, the number of samples",
            turns.len()
        )));
    }
    let rotation = |(row, turn): (usize, &[f64; 4])| {
        let [w, x, y, z] = *turn;
        let norm = Vector3::new(x, y, z).norm().hypot(w);
        if (norm - 1.0).abs() > LONGEST_ERROR {
            return Err(findings.refuse(format!(
                "the orientation of sample {} is not a rotation: its quaternion has length {norm:.4} instead of 1; check its columns and their order",
                row + 1
            )));
        }
        Ok(UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z)))
    };
    turns.iter().enumerate().map(rotation).collect()
}

/// Tolerance of a quaternion's length, for rounding to two digits.
const LONGEST_ERROR: f64 = 0.02;

/// The force in the position's frame under a hypothesis about its frame.
struct Hypothesis {
    forces: Vec<[f64; 3]>,
    turns: Vec<UnitQuaternion<f64>>,
    weight: Option<weight::Weight>,
    /// Largest change of the tool's tilt against gravity over the log [°].
    tilted: f64,
}

impl Hypothesis {
    /// Hypothesis that the force was measured in the tool's frame.
    fn tool(forces: &[[f64; 3]], turns: &[UnitQuaternion<f64>]) -> Self {
        let tilted = weight::tilted(turns);
        let weight = weight::found(forces, turns);
        let at = |index: usize| &turns[index.min(turns.len() - 1)];
        let turned = forces.iter().enumerate().map(|(index, force)| {
            let turn = at(index);
            let carried = weight
                .as_ref()
                .map_or_else(Vector3::zeros, |weight| weight.force(turn));
            (turn * (Vector3::from(*force) - carried)).into()
        });
        Self {
            forces: turned.collect(),
            turns: turns.to_vec(),
            tilted,
            weight,
        }
    }
}

enum Decision {
    Motion(String),
    Tool(Box<Hypothesis>, String),
}

impl Decision {
    fn applied<'a>(self, log: &Log, share: f64, findings: &mut Findings) -> AlignedLog<'a> {
        match self {
            Self::Motion(how) => {
                findings.choose("force frame", "that of the position".to_owned(), how);
                AlignedLog {
                    share,
                    ..AlignedLog::shared(Cow::Owned(log.clone()))
                }
            }
            Self::Tool(turned, how) => {
                findings.choose(
                    "force frame",
                    "turned into that of the position by the recorded orientation".to_owned(),
                    how,
                );
                let changes = if let Some(weight) = &turned.weight {
                    weight.state(findings);
                    weight.changes(&turned.turns)
                } else {
                    weight::note_unknown(turned.tilted, findings);
                    Vec::new()
                };
                AlignedLog {
                    changes,
                    share,
                    ..AlignedLog::shared(Cow::Owned(Log {
                        force: Channel::Vector(turned.forces),
                        ..log.clone()
                    }))
                }
            }
        }
    }
}

impl<'a> AlignedLog<'a> {
    fn unchanged(log: Cow<'a, Log>) -> Self {
        Self {
            log,
            changes: Vec::new(),
            share: 0.0,
        }
    }

    /// The log with one frame for both.
    fn shared(mut log: Cow<'a, Log>) -> Self {
        let frames = LogFrames {
            motion: Some(SHARED.to_owned()),
            force: Some(SHARED.to_owned()),
            force_to_motion: Vec::new(),
        };
        if log.frames != frames {
            log.to_mut().frames = frames;
        }
        Self::unchanged(log)
    }
}

/// Whether force and position of a log are known to be in one frame.
pub(super) fn is_shared(frames: &LogFrames) -> bool {
    matches!((&frames.force, &frames.motion), (Some(force), Some(motion)) if same(force, motion))
}

/// The frame that explains the data, and the relative change of the force per standard error of that choice.
fn decided(
    log: &Log,
    positions: &[[f64; 3]],
    forces: &[[f64; 3]],
    turns: &[UnitQuaternion<f64>],
    options: &PrepareOptions,
    findings: &Findings,
) -> Result<(Decision, f64), CalibrationError> {
    let tool = Hypothesis::tool(forces, turns);
    let recorded = Fit::of(log, positions, forces, options);
    let turned = Fit::of(log, positions, &tool.forces, options);
    let is_tool = turned.angle < recorded.angle;
    let (near, far) = if is_tool {
        (turned, recorded)
    } else {
        (recorded, turned)
    };
    let how = format!(
        "in contact it lies {:.1}° from the motion, {:.1}° {}",
        near.angle,
        far.angle,
        if is_tool {
            "as it was recorded"
        } else {
            "if it were turned by the recorded orientation"
        }
    );
    let change = far.stiffness / near.stiffness.max(f64::MIN_POSITIVE) - 1.0;
    let clear =
        near.angle < CLEAR && far.angle > near.angle + CLEAR && far.angle > TIMES * near.angle;
    let share = match (clear, change.abs() < ALIKE) {
        (true, _) => 0.0,
        (false, true) => change,
        (false, false) => {
            return Err(findings.refuse(format!(
                "an orientation was recorded, but not whether the force is in the tool's frame: {how}, which does not tell; say --force-frame tool if the sensor turns with the tool, or --force-frame base if its force was already turned"
            )));
        }
    };
    let decision = if is_tool {
        Decision::Tool(Box::new(tool), how)
    } else {
        Decision::Motion(how)
    };
    Ok((decision, share))
}

/// Relation of forces to the motion in contact.
struct Fit {
    /// Angle between their principal directions [°].
    angle: f64,
    /// Slope of the force over the travel along the motion [N/m].
    stiffness: f64,
}

impl Fit {
    fn of(
        log: &Log,
        positions: &[[f64; 3]],
        forces: &[[f64; 3]],
        options: &PrepareOptions,
    ) -> Self {
        let force = principal_direction(forces);
        let rough = along(forces, &force);
        let stretches = presses::stretches(&log.time, &rough, options.window);
        let given = options
            .normal
            .map(|normal| Vector3::from(normal).normalize());
        if stretches.is_empty() {
            let contact = touching(positions, &rough);
            let motion = given.unwrap_or(contact.motion);
            return Self {
                angle: degrees(&motion, &force),
                stiffness: contact.slope(positions, &along(forces, &motion), &motion),
            };
        }
        let force = Channel::Vector(forces.to_vec());
        let moments: Vec<Moments> = stretches
            .into_iter()
            .map(|range| Moments::of(&log.time, &force, positions, &rough, range))
            .collect();
        let all = Moments::sum(&moments);
        let motion = given.unwrap_or_else(|| widest(&all.place));
        Self {
            angle: degrees(&motion, &widest(&all.forces)),
            stiffness: all.slope(&motion).abs(),
        }
    }
}
