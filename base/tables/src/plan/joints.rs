//! Whether the motion of a log comes from the joints of a robot.

use std::borrow::Cow;

use super::detect::Detected;
use super::field::{Field, Target, label};
use crate::{ReadOptions, TableError, joints, refuse};

/// The columns of joint positions.
#[derive(Debug, Default)]
pub(super) struct Joints {
    targets: Vec<Target>,
    /// Whether they give the motion.
    are_motion: bool,
}

impl Joints {
    /// Finds the joints. They give the motion if the log has no other one.
    pub(super) fn find(
        file: &str,
        fields: &[Field],
        options: &ReadOptions,
        notes: &mut Vec<String>,
    ) -> Result<Self, TableError> {
        let columns = options.columns.as_ref();
        if columns
            .is_some_and(|columns| columns.position.is_some() || columns.indentation.is_some())
        {
            return Ok(Self::default());
        }
        let are_named = columns.is_some_and(|columns| columns.joints.is_some());
        let found = joints::find(file, fields, options);
        let mut joints = Self {
            targets: found.iter().flatten().flatten().copied().collect(),
            are_motion: false,
        };
        if !are_named && Detected::new(&joints.others(fields)).has_motion() {
            if !joints.targets.is_empty() {
                notes.push(
                    "there are a position and joint positions: the joint positions are not read"
                        .to_owned(),
                );
            }
            return Ok(joints);
        }
        joints.are_motion = found?.is_some();
        match joints::are_there(fields) {
            Some(first) if options.robot.is_none() => Err(refuse(
                file,
                format!(
                    "has joint positions, from {} on, and no position of the probe: {}; or name its columns with --columns position=…",
                    label(fields, first),
                    joints::WAY
                ),
            )),
            _ => Ok(joints),
        }
    }

    /// The joints that give the motion; `None` if something else does.
    pub(super) fn motion(&self) -> Option<&[Target]> {
        self.are_motion.then_some(&*self.targets)
    }

    /// The fields without names of joints, which may read like those of a position, a velocity or a force.
    pub(super) fn others<'a>(&self, fields: &'a [Field]) -> Cow<'a, [Field]> {
        if self.targets.is_empty() {
            return Cow::Borrowed(fields);
        }
        let mut others = fields.to_vec();
        for target in &self.targets {
            others[target.field].name = None;
        }
        Cow::Owned(others)
    }
}
