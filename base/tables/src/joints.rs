//! Joint positions of a robot in the columns of a table, and the pose of its tip from them.

use super::orientation_kind::OrientationKind;
use super::plan::{Axes, Field, MotionPlan, OrientationPlan, Pick, Plan, Target, select};
use super::robot::{RobotJoint, RobotKinematics};
use super::units::{Dimension, Unit};
use super::{ReadOptions, columns, names, refuse, refuse_at};
use crate::TableError;

mod columns_of;

pub(super) use columns_of::are_there;

/// Distance beyond its range that a joint may have [rad or m]: rounding of angles, and of limits.
const SLACK: f64 = 0.01;
/// Largest angle of a joint without limits [rad]: two turns; degrees are larger.
const MAX_ANGLE: f64 = 2.02 * std::f64::consts::TAU;

/// The columns of the joints, in the robot's order; `None` if the log has none.
///
/// # Errors
/// If joints are missing, if there is another number of them, or if several columns fit one joint.
pub(super) fn find(
    file: &str,
    fields: &[Field],
    options: &ReadOptions,
) -> Result<Option<Vec<Target>>, TableError> {
    let named = options
        .columns
        .as_ref()
        .and_then(|columns| columns.joints.as_deref());
    let Some(robot) = &options.robot else {
        return match named {
            Some(_) => Err(columns::refuse(format!(
                "joints of {file} need a robot: {WAY}"
            ))),
            None => Ok(None),
        };
    };
    if let Some(selectors) = named {
        let targets = select::resolve(file, fields, "joints", selectors)?;
        let (n, wanted) = (targets.len(), robot.joints.len());
        if n != wanted {
            return Err(columns::refuse(format!(
                "joints of {file} are {n} columns, and robot {} has {wanted} joints: {}",
                robot.name,
                robot.joint_names()
            )));
        }
        return Ok(Some(targets));
    }
    columns_of::find(fields, robot).map_err(|problem| {
        refuse(
            file,
            format!("{problem}: name the columns with --columns joints=…:…, in the robot's order"),
        )
    })
}

/// How to name a robot.
pub(super) const WAY: &str =
    "calibrate it with --robot panda or ur5e, or with --robot-file FILE --flange NAME";

/// The unit of a joint's column, and whether it was assumed.
pub(super) fn unit(
    file: &str,
    field: &Field,
    label: &str,
    joint: &RobotJoint,
    given: Option<Unit>,
) -> Result<(Unit, bool), TableError> {
    let dimension = if joint.is_slide {
        Dimension::Length
    } else {
        Dimension::Angle
    };
    let said = names::unit(field.name.as_deref().unwrap_or(""), dimension);
    let given = given.filter(|_| !joint.is_slide);
    match (said, given) {
        (Ok(Some(said)), Some(given)) if said != given => Err(TableError::option(
            "--units",
            format!(
                "joints={} is given, but {label} of {file} says {}: leave joints out of --units",
                given.spelled(),
                said.spelled()
            ),
        )),
        (Err(text), None) => Err(refuse_at(
            file,
            format!(", {label}"),
            format!(
                "\"{text}\" is no unit of a joint: give it with --units joints=rad or joints=deg"
            ),
        )),
        (_, Some(given)) => Ok((given, false)),
        (Ok(Some(said)), None) => Ok((said, false)),
        (Ok(None), None) => Ok((Unit::si(dimension), true)),
    }
}

/// A joint's problem with a value [rad or m], if any.
pub(super) fn problem(joint: &RobotJoint, value: f64, robot: &RobotKinematics) -> Option<String> {
    let [low, high] = joint.range;
    let unit = if joint.is_slide { "m" } else { "rad" };
    let name = &joint.name;
    let hint = if !joint.is_slide && value.abs() > std::f64::consts::PI {
        format!(
            ": are these degrees (--units joints=deg)? is it robot {}?",
            robot.name
        )
    } else {
        format!(": is it robot {}?", robot.name)
    };
    if value < low - SLACK || value > high + SLACK {
        return Some(format!(
            "joint \"{name}\" is at {value:.4} {unit}, outside its range of {low:.4} to {high:.4} {unit}{hint}"
        ));
    }
    (!joint.is_slide && value.abs() > MAX_ANGLE)
        .then(|| format!("joint \"{name}\" is at {value:.4} rad, more than two turns{hint}"))
}

/// Poses of the tip, row by row.
#[derive(Default)]
pub(super) struct Poses {
    /// Positions x, y, z [m].
    pub(super) position: [Vec<f64>; 3],
    /// Quaternions w, x, y, z.
    pub(super) rotation: [Vec<f64>; 4],
}

impl Poses {
    /// Adds the pose at joint positions [rad or m]; NaN if one of them is missing.
    pub(super) fn push(&mut self, robot: &RobotKinematics, joints: &[f64]) {
        let is_missing = joints.iter().any(|value| value.is_nan());
        let (position, mut rotation) = if is_missing {
            ([f64::NAN; 3], [f64::NAN; 4])
        } else {
            let pose = robot.pose(joints);
            (pose.position, pose.rotation)
        };
        // Both signs are one rotation; equal signs can be interpolated.
        let before = self
            .rotation
            .each_ref()
            .map(|values| values.last().copied());
        let dot: f64 = rotation
            .iter()
            .zip(before)
            .map(|(now, before)| now * before.unwrap_or(0.0))
            .sum();
        if dot < 0.0 {
            rotation = rotation.map(|number| -number);
        }
        for (values, number) in self.position.iter_mut().zip(position) {
            values.push(number);
        }
        for (values, number) in self.rotation.iter_mut().zip(rotation) {
            values.push(number);
        }
    }
}

/// Computes the pose of the tip, for a plan with joints: the position, and the orientation for a force in space.
///
/// # Errors
/// For a joint outside its range, with the row.
pub(super) fn place(
    file: &str,
    plan: &mut Plan,
    series: &mut Vec<Vec<f64>>,
    robot: Option<&RobotKinematics>,
) -> Result<(), TableError> {
    let (Some(joints), Some(robot)) = (plan.joints.take(), robot) else {
        return Ok(());
    };
    let mut poses = Poses::default();
    let mut here = vec![0.0; joints.len()];
    let columns: Vec<(&Pick, &[f64])> = joints
        .iter()
        .map(|&pick| (&plan.picks[pick], &*series[pick]))
        .collect();
    let rows = columns.first().map_or(0, |(_, values)| values.len());
    for row in 0..rows {
        for ((value, (pick, values)), joint) in here.iter_mut().zip(&columns).zip(&robot.joints) {
            *value = pick
                .unit
                .map_or(values[row], |unit| unit.to_si(values[row]));
            if let Some(problem) = problem(joint, *value, robot) {
                let place = format!(", row {}, {}", row + 1, pick.label);
                return Err(refuse_at(file, place, problem));
            }
        }
        poses.push(robot, &here);
    }
    let first = series.len();
    for (what, unit) in [
        ("position", Some(Unit::si(Dimension::Length))),
        ("orientation", None),
    ] {
        let n = if unit.is_some() { 3 } else { 4 };
        plan.picks.extend((0..n).map(|_| Pick {
            field: usize::MAX,
            element: 0,
            label: format!("{what} of {} by the joints", robot.tip),
            unit,
            unit_assumed: false,
            weighed: false,
        }));
    }
    series.extend(poses.position.into_iter().chain(poses.rotation));
    plan.motion = MotionPlan::Position(Axes::Three([first, first + 1, first + 2]));
    if matches!(plan.force, Axes::Three(_)) {
        plan.orientation = Some(OrientationPlan {
            picks: (first + 3..first + 7).collect(),
            kind: OrientationKind::Wxyz,
        });
    }
    Ok(())
}
