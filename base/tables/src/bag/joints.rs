//! The pose of a robot's tip from recorded joint states, as one more topic.

use super::message::MessageNumbers;
use super::topic::Topic;
use crate::columns::{self, Selector};
use crate::joints::{self, Poses};
use crate::robot::RobotKinematics;
use crate::{ReadOptions, TableError, refuse, refuse_at};

/// Name of the joints' positions in a joint state.
const POSITIONS: &str = "joint_position";

/// Adds the pose of the robot's tip as a topic, and selects its position.
///
/// # Errors
/// If the joint states lack a joint of the robot, if several topics have all of them, or for a joint outside its range.
pub(super) fn add_pose(
    file: &str,
    topics: &mut Vec<Topic>,
    robot: &RobotKinematics,
    options: &mut ReadOptions,
    notes: &mut Vec<String>,
) -> Result<(), TableError> {
    let (index, places) = choose(file, topics, robot, options)?;
    let topic = &topics[index];
    let place = |message: usize| format!(", topic {}, message {message}", topic.name());
    if let Some(message) = topic.joint_changes {
        let problem = "names other joints than the first: record one robot in a topic";
        return Err(refuse_at(file, place(message), problem));
    }
    let width = topic.joints.len();
    let states = topic
        .part(POSITIONS)
        .filter(|states| states.width == Some(width));
    let states = states.ok_or_else(|| {
        let problem = "has other numbers of joints and of positions";
        refuse_at(file, format!(", topic {}", topic.name()), problem)
    })?;
    let unit = options.units.joints;
    let mut poses = Poses::default();
    let mut here = vec![0.0; places.len()];
    for (message, state) in states.values.chunks(width.max(1)).enumerate() {
        for ((value, &column), joint) in here.iter_mut().zip(&places).zip(&robot.joints) {
            *value = match unit.filter(|_| !joint.is_slide) {
                Some(unit) => unit.to_si(state[column]),
                None => state[column],
            };
            if !value.is_finite() {
                let problem = format!("joint \"{}\" is at {value}", joint.name);
                return Err(refuse_at(file, place(message + 1), problem));
            }
            if let Some(problem) = joints::problem(joint, *value, robot) {
                return Err(refuse_at(file, place(message + 1), problem));
            }
        }
        poses.push(robot, &here);
    }
    let [x, y, z] = poses.position;
    let [rw, rx, ry, rz] = poses.rotation;
    let rows = 0..x.len();
    let translation = rows
        .clone()
        .flat_map(|row| [x[row], y[row], z[row]])
        .collect();
    let rotation = rows
        .flat_map(|row| [rx[row], ry[row], rz[row], rw[row]])
        .collect();
    notes.push(format!(
        "position and orientation are those of {} in {}, by the joints of robot {} in {}",
        robot.tip,
        robot.base,
        robot.name,
        topic.name()
    ));
    let name = format!("/robot.{}", robot.tip);
    let columns = options.columns.get_or_insert_default();
    columns.joints = None;
    columns.position = Some(vec![Selector::Name(format!("{name}.translation"))]);
    let parts = vec![
        MessageNumbers::list("translation", 3, translation),
        MessageNumbers::list("rotation", 4, rotation),
    ];
    // The frame of a sensor that the robot carries has another name than the tip.
    let pose = Topic::composed(
        name,
        robot.base.clone(),
        None,
        topic.recorded.clone(),
        topic.stamps.clone(),
        parts,
    );
    topics.push(pose);
    Ok(())
}

/// The topic with all joints of the robot, and their places in its lists.
fn choose(
    file: &str,
    topics: &[Topic],
    robot: &RobotKinematics,
    options: &ReadOptions,
) -> Result<(usize, Vec<usize>), TableError> {
    let named = options
        .columns
        .as_ref()
        .and_then(|columns| columns.joints.as_deref());
    let named = match named {
        None => None,
        Some([Selector::Name(name)]) => Some(name.strip_suffix(".joint_position").unwrap_or(name)),
        Some(_) => {
            return Err(columns::refuse(format!(
                "joints of {file} are one topic of joint states, such as joints=/joint_states"
            )));
        }
    };
    let states = topics.iter().enumerate().filter(|(_, topic)| {
        !topic.joints.is_empty() && named.is_none_or(|named| named == topic.name())
    });
    let (mut whole, mut lacking) = (Vec::new(), Vec::new());
    for (index, topic) in states {
        let is = |name: &str, joint: &str| {
            let before = name.strip_suffix(joint);
            before.is_some_and(|before| before.is_empty() || before.ends_with(['_', '/']))
        };
        let place = |joint: &str| topic.joints.iter().position(|name| is(name, joint));
        let places: Vec<Option<usize>> = robot
            .joints
            .iter()
            .map(|joint| place(&joint.name))
            .collect();
        let missing: Vec<&str> = robot
            .joints
            .iter()
            .zip(&places)
            .filter(|(_, place)| place.is_none())
            .map(|(joint, _)| joint.name.as_str())
            .collect();
        if missing.is_empty() {
            whole.push((index, places.into_iter().flatten().collect()));
        } else {
            lacking.push(format!(
                "{} has no joint {} of robot {}, only {}",
                topic.name(),
                missing.join(", "),
                robot.name,
                topic.joints.join(", ")
            ));
        }
    }
    match whole.len() {
        1 => Ok(whole.remove(0)),
        0 if lacking.is_empty() => Err(refuse(
            file,
            format!(
                "has no pose or position, and no joint states of robot {}",
                robot.name
            ),
        )),
        0 => Err(refuse(file, lacking.join("; "))),
        _ => {
            let ways: Vec<String> = whole
                .iter()
                .map(|(index, _)| format!("--columns joints={}", topics[*index].name()))
                .collect();
            Err(refuse(
                file,
                format!(
                    "several topics have the joints: say which is meant, {}",
                    ways.join(" or ")
                ),
            ))
        }
    }
}
