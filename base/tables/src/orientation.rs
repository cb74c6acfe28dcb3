//! Orientations of the tool in columns, and the frames of a table's force and position.

use std::str::FromStr;

use nalgebra::UnitQuaternion;

use super::orientation_kind::OrientationKind;
use super::plan::{OrientationPlan, Pick};
use super::refuse_at;
use crate::{ForceFrame, LogFrames, TableError};

/// Angle [rad] below which a rotation is the identity.
const SAME: f64 = 1e-6;

/// Parsed from `base` (the frame of the position) or `tool`.
impl FromStr for ForceFrame {
    type Err = TableError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "base" => Ok(Self::Motion),
            "tool" => Ok(Self::Tool),
            _ => Err(TableError::option(
                "--force-frame",
                format!("{text} is not known; known are base and tool"),
            )),
        }
    }
}

/// Name of the position's frame if the log has none.
pub(super) const BASE: &str = "base";
/// Name of the force's frame if the log has none.
pub(super) const TOOL: &str = "tool";

/// `[w, x, y, z]` of rotations; a single row if all are equal.
pub(super) fn rows(turns: &[UnitQuaternion<f64>]) -> Vec<[f64; 4]> {
    let row = |turn: &UnitQuaternion<f64>| [turn.w, turn.i, turn.j, turn.k];
    match turns {
        [first, rest @ ..] if rest.iter().all(|turn| turn == first) => vec![row(first)],
        turns => turns.iter().map(row).collect(),
    }
}

/// Whether all rotations are the identity.
pub(super) fn are_identity(turns: &[UnitQuaternion<f64>]) -> bool {
    turns.iter().all(|turn| turn.angle() < SAME)
}

/// All orientations of a log, or `None`.
///
/// # Errors
/// The index of the first invalid orientation, with the problem.
pub(super) fn all(
    kind: OrientationKind,
    n: usize,
    numbers: impl Fn(usize) -> Vec<f64>,
) -> Result<Option<Vec<UnitQuaternion<f64>>>, (usize, String)> {
    let mut turns = Vec::with_capacity(n);
    let mut missing = None;
    for index in 0..n {
        match kind
            .turn(&numbers(index))
            .map_err(|problem| (index, problem))?
        {
            Some(turn) => turns.push(turn),
            None => missing = missing.or(Some(index)),
        }
    }
    match missing {
        None => Ok(Some(turns)),
        Some(_) if turns.is_empty() => Ok(None),
        Some(index) => Err((
            index,
            "is a quaternion of zeros, and others are not: delete the row, or leave the orientation out by --force-frame base"
                .to_owned(),
        )),
    }
}

/// Frames of a table, whose columns have no frame names.
///
/// With [`ForceFrame::Auto`], rotations are given without names: the force may be in the tool's frame or in the
/// position's.
pub(super) fn of_table(
    file: &str,
    plan: Option<&OrientationPlan>,
    picks: &[Pick],
    series: &[Vec<f64>],
    force_frame: ForceFrame,
    notes: &mut Vec<String>,
) -> Result<LogFrames, TableError> {
    let names = |motion: &str, force: &str| LogFrames {
        motion: Some(motion.to_owned()),
        force: Some(force.to_owned()),
        force_to_motion: Vec::new(),
    };
    if force_frame == ForceFrame::Motion {
        return Ok(names(BASE, BASE));
    }
    let Some(plan) = plan else {
        return Ok(LogFrames::default());
    };
    let n = plan.picks.first().map_or(0, |&pick| series[pick].len());
    let numbers = |row: usize| plan.picks.iter().map(|&pick| series[pick][row]).collect();
    let turns = all(plan.kind, n, numbers).map_err(|(row, problem)| {
        let label = &picks[plan.picks[0]].label;
        refuse_at(file, format!(", sample {}, {label}", row + 1), problem)
    })?;
    match (turns, force_frame) {
        (Some(turns), ForceFrame::Motion | ForceFrame::Tool) => Ok(LogFrames {
            force_to_motion: rows(&turns),
            ..names(BASE, TOOL)
        }),
        (Some(turns), ForceFrame::Auto) if are_identity(&turns) => Ok(LogFrames::default()),
        (Some(turns), ForceFrame::Auto) => Ok(LogFrames {
            force_to_motion: rows(&turns),
            ..LogFrames::default()
        }),
        (None, ForceFrame::Motion | ForceFrame::Tool) => Err(none_recorded(file)),
        (None, ForceFrame::Auto) => {
            notes.push("the orientation is zero throughout: it was not recorded".to_owned());
            Ok(LogFrames::default())
        }
    }
}

/// Error: a force in the tool's frame needs an orientation.
pub(super) fn none_recorded(file: &str) -> TableError {
    TableError::option(
        "--force-frame",
        format!(
            "the force is in the tool's frame, but {file} has no orientation that is known as one: name it, such as --columns orientation=qx:qy:qz:qw with --orientation xyzw"
        ),
    )
}
