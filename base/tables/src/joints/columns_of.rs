//! Columns of joint positions, by the names of the robot's joints or by numbers: `q1`, `joint_positions_0`.

use crate::names;
use crate::plan::{Field, Target, label};
use crate::robot::RobotKinematics;

/// Names of the joints' positions before a number, and of lists of them; earlier ones have priority.
const STEMS: &[&str] = &[
    "actual_q",
    "joint_positions",
    "joint_position",
    "joint_pos",
    "joint_angles",
    "joint_angle",
    "joint_qpos",
    "joint_states_position",
    "joint_state_position",
    "joints",
    "joint",
    "gelenkwinkel",
    "achse",
    "axis",
];
/// Such names that are too short to follow other words.
const SHORT: &[&str] = &["q", "qpos", "j", "a", "position", "positions"];
/// Words of other quantities than the measured position.
const OTHERS: &[&str] = &[
    "velocity",
    "velocities",
    "vel",
    "speed",
    "qd",
    "dq",
    "effort",
    "torque",
    "torques",
    "tau",
    "current",
    "temperature",
    "target",
    "desired",
    "command",
    "commanded",
    "cmd",
    "reference",
    "acceleration",
    "qdd",
    "ddq",
    "error",
];
/// Words that may follow the name of a joint.
const AFTER: &[&str] = &[
    "position", "pos", "angle", "q", "rad", "radian", "radians", "deg", "degree", "degrees", "m",
];

/// A column that is one entry of a list: the name of the list and a number, such as `joint_positions_0`.
struct Numbered {
    stem: String,
    rank: usize,
    index: usize,
    target: Target,
}

/// The columns in the robot's order; `None` if nothing looks like a joint.
///
/// # Errors
/// The problem with the columns that look like joints.
pub(super) fn find(
    fields: &[Field],
    robot: &RobotKinematics,
) -> Result<Option<Vec<Target>>, String> {
    let by_name = by_name(fields, robot)?;
    let n = robot.joints.len();
    if by_name.iter().all(Option::is_some) {
        return Ok(by_name.into_iter().collect());
    }
    let (mut exact, others) = groups(fields, n);
    exact.sort_by_key(|(rank, _)| *rank);
    match &exact[..] {
        [(rank, first), (next, second), ..] if rank == next => {
            return Err(format!(
                "{} and {} both seem to be the first joint",
                label(fields, first[0]),
                label(fields, second[0])
            ));
        }
        [(_, first), ..] => return Ok(Some(first.clone())),
        [] => {}
    }
    let missing: Vec<&str> = robot
        .joints
        .iter()
        .zip(&by_name)
        .filter(|(_, column)| column.is_none())
        .map(|(joint, _)| joint.name.as_str())
        .collect();
    if missing.len() < n {
        return Err(format!(
            "has no column of joint {} of robot {}",
            missing.join(", "),
            robot.name
        ));
    }
    match others.first() {
        Some((found, target)) => Err(format!(
            "has {found} joint positions, from {} on, and robot {} has {n} joints ({})",
            label(fields, *target),
            robot.name,
            robot.joint_names()
        )),
        None => Ok(None),
    }
}

/// Whether some columns look like the joints of a robot; the first of them.
pub(crate) fn are_there(fields: &[Field]) -> Option<Target> {
    let (_, others) = groups(fields, 0);
    let numbered = others.first().map(|(_, target)| *target);
    numbered.or_else(|| {
        let mut joints = scalars(fields).filter(|(_, words)| {
            let mut words = words.split('_');
            words.clone().any(|word| word.starts_with("joint"))
                && !words.any(|word| OTHERS.contains(&word))
        });
        let first = joints.next()?.0;
        joints.next().map(|_| first)
    })
}

/// Columns of one number, with their names in lower case.
fn scalars(fields: &[Field]) -> impl Iterator<Item = (Target, String)> {
    fields.iter().enumerate().filter_map(|(field, of)| {
        let is_one = matches!(of.width, None | Some(1)) && of.time_unit.is_none();
        let name = of.name.as_deref().filter(|_| is_one)?;
        let element = of.width.map(|_| 0);
        Some((Target { field, element }, names::snake(name)))
    })
}

/// The column of each joint by its name.
fn by_name(fields: &[Field], robot: &RobotKinematics) -> Result<Vec<Option<Target>>, String> {
    let columns: Vec<(Target, String)> = scalars(fields).collect();
    let of_joint = |name: &str| {
        let name = names::snake(name);
        let is_joint = |words: &str| {
            words.match_indices(&name).any(|(at, _)| {
                let (before, after) = (&words[..at], &words[at + name.len()..]);
                let is_whole = (before.is_empty() || before.ends_with('_'))
                    && (after.is_empty() || after.starts_with('_'));
                let mut rest = after.split('_').filter(|word| !word.is_empty());
                is_whole
                    && !before.split('_').any(|word| OTHERS.contains(&word))
                    && rest.all(|word| AFTER.contains(&word))
            })
        };
        let mut found = columns.iter().filter(|(_, words)| is_joint(words));
        match (found.next(), found.next()) {
            (Some((first, _)), Some((second, _))) => Err(format!(
                "{} and {} both seem to be joint \"{name}\"",
                label(fields, *first),
                label(fields, *second)
            )),
            (first, _) => Ok(first.map(|(target, _)| *target)),
        }
    };
    robot
        .joints
        .iter()
        .map(|joint| of_joint(&joint.name))
        .collect()
}

/// Lists of `n` joints with their rank, and other lists with their length and first column.
type Groups = (Vec<(usize, Vec<Target>)>, Vec<(usize, Target)>);

fn groups(fields: &[Field], n: usize) -> Groups {
    let (mut exact, mut others) = (Vec::new(), Vec::new());
    let mut add = |rank: usize, targets: Vec<Target>| {
        if targets.len() == n {
            exact.push((rank, targets));
        } else if targets.len() > 1 {
            others.push((targets.len(), targets[0]));
        }
    };
    let mut numbered: Vec<Numbered> = scalars(fields)
        .filter_map(|(target, words)| numbered(target, &words))
        .collect();
    numbered.sort_by(|a, b| (a.rank, &a.stem, a.index).cmp(&(b.rank, &b.stem, b.index)));
    for list in numbered.chunk_by(|a, b| a.stem == b.stem) {
        // Numbers start at 0 or 1, and none is missing or there twice.
        let first = list[0].index;
        let is_whole = first <= 1
            && list
                .iter()
                .enumerate()
                .all(|(at, of)| of.index == first + at);
        if is_whole {
            add(list[0].rank, list.iter().map(|of| of.target).collect());
        }
    }
    for (field, of) in fields.iter().enumerate() {
        let Some(width) = of.width.filter(|width| *width > 1) else {
            continue;
        };
        if let Some(rank) = of
            .name
            .as_deref()
            .and_then(|name| rank(&names::snake(name)))
        {
            let target = |element| Target {
                field,
                element: Some(element),
            };
            add(rank, (0..width).map(target).collect());
        }
    }
    (exact, others)
}

/// `joint_positions_0_rad`: the list `joint_positions`, number 0.
fn numbered(target: Target, words: &str) -> Option<Numbered> {
    let mut words = words;
    while let Some((rest, last)) = words.rsplit_once('_') {
        if !AFTER.contains(&last) {
            break;
        }
        words = rest;
    }
    let stem = words.trim_end_matches(|last: char| last.is_ascii_digit());
    let index = words[stem.len()..]
        .parse()
        .ok()
        .filter(|index| *index < 100)?;
    let stem = stem.trim_end_matches('_');
    Some(Numbered {
        rank: rank(stem)?,
        stem: stem.to_owned(),
        index,
        target,
    })
}

/// Priority of the name of a list of joint positions; `None` for another name.
fn rank(stem: &str) -> Option<usize> {
    if stem.split('_').any(|word| OTHERS.contains(&word)) {
        return None;
    }
    let ends = |known: &&str| {
        stem.strip_suffix(*known)
            .is_some_and(|before| before.is_empty() || before.ends_with('_'))
    };
    let long = STEMS.iter().position(ends);
    long.or_else(|| {
        let short = SHORT.iter().position(|known| *known == stem)?;
        Some(STEMS.len() + short)
    })
}
