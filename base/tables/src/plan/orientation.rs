//! Detection of the tool's orientation by names with an unambiguous order, or by the user's options.

use std::collections::BTreeMap;

use super::chosen::{Axes, MotionPlan, OrientationPlan, Pick, Plan};
use super::field::{Field, Target, label};
use super::select;
use crate::columns::{self, Selector};
use crate::orientation::none_recorded;
use crate::orientation_kind::OrientationKind;
use crate::{ForceFrame, ReadOptions, TableError, names};

use OrientationKind::{RotationVector, Rpy, RpyDegrees, Xyzw};

/// Suffixes of names, in lower case with `_` between words, in the order of the kind; earlier ones have priority.
const NAMES: &[(OrientationKind, &[&str])] = &[
    (Xyzw, &["qx", "qy", "qz", "qw"]),
    (Xyzw, &["q_x", "q_y", "q_z", "q_w"]),
    (Xyzw, &["quat_x", "quat_y", "quat_z", "quat_w"]),
    (
        Xyzw,
        &[
            "quaternion_x",
            "quaternion_y",
            "quaternion_z",
            "quaternion_w",
        ],
    ),
    (
        Xyzw,
        &[
            "orientation_x",
            "orientation_y",
            "orientation_z",
            "orientation_w",
        ],
    ),
    (
        Xyzw,
        &["rotation_x", "rotation_y", "rotation_z", "rotation_w"],
    ),
    // Names of the tool pose in Universal Robots' RTDE: https://docs.universal-robots.com, RTDE guide.
    (
        RotationVector,
        &[
            "actual_tcp_pose_3",
            "actual_tcp_pose_4",
            "actual_tcp_pose_5",
        ],
    ),
    (
        RotationVector,
        &[
            "actual_tcp_pose_rx",
            "actual_tcp_pose_ry",
            "actual_tcp_pose_rz",
        ],
    ),
    (RpyDegrees, &["roll_deg", "pitch_deg", "yaw_deg"]),
    (Rpy, &["roll_rad", "pitch_rad", "yaw_rad"]),
    (Rpy, &["roll", "pitch", "yaw"]),
];

/// Suffixes of lists that may contain an orientation, in an unspecified order.
const LISTS: &[&str] = &[
    "orientation",
    "quat",
    "quaternion",
    "rotation",
    "rotation_vector",
    "rotvec",
    "rpy",
];

impl Plan {
    /// Adds the orientation, if force and position are vectors and the force may be in the tool's frame.
    pub(crate) fn add_orientation(
        &mut self,
        file: &str,
        fields: &[Field],
        options: &ReadOptions,
    ) -> Result<(), TableError> {
        let named = options
            .columns
            .as_ref()
            .and_then(|columns| columns.orientation.as_deref());
        let in_space = matches!(self.force, Axes::Three(_))
            && matches!(self.motion, MotionPlan::Position(Axes::Three(_)));
        if !in_space {
            let option = match (named, options.orientation, options.force_frame) {
                (Some(_), ..) => "--columns",
                (_, Some(_), _) => "--orientation",
                (.., ForceFrame::Tool) => "--force-frame",
                _ => return Ok(()),
            };
            return Err(TableError::option(
                option,
                format!(
                    "an orientation turns vectors, but force and position of {file} are not three numbers each: name their columns, such as --columns position=x:y:z,force=fx:fy:fz"
                ),
            ));
        }
        if self.joints.is_some() {
            return match (named, options.orientation) {
                (None, None) => Ok(()),
                _ => Err(TableError::option(
                    "--orientation",
                    format!("the orientation of {file} follows from the robot's joints: name none"),
                )),
            };
        }
        if options.force_frame == ForceFrame::Motion {
            return Ok(());
        }
        let found = match named {
            Some(selectors) => {
                let targets = select::resolve(file, fields, "orientation", selectors)?;
                Some(given(
                    file,
                    fields,
                    targets,
                    selectors,
                    options.orientation,
                )?)
            }
            None => detected(fields, options.orientation, &mut self.notes),
        };
        let Some((kind, targets)) = found else {
            return match (options.orientation, options.force_frame) {
                (Some(kind), _) => Err(TableError::option(
                    "--orientation",
                    format!(
                        "{}: {file} has no columns that are known as one: name them, such as --columns orientation=a:b:c:d",
                        kind.name()
                    ),
                )),
                (None, ForceFrame::Tool) => Err(none_recorded(file)),
                _ => Ok(()),
            };
        };
        let first = self.picks.len();
        self.picks.extend(targets.iter().map(|&target| Pick {
            field: target.field,
            element: target.element.unwrap_or(0),
            label: label(fields, target),
            unit: None,
            unit_assumed: false,
            weighed: false,
        }));
        let labels: Vec<&str> = self.picks[first..]
            .iter()
            .map(|pick| pick.label.as_str())
            .collect();
        let is_rad = |label: &&str| label.to_lowercase().contains("rad");
        if kind == Rpy && options.orientation.is_none() && !labels.iter().all(is_rad) {
            self.notes.push(
                "roll, pitch and yaw are taken for radians; --orientation rpy-deg if they are degrees"
                    .to_owned(),
            );
        }
        self.columns.push(format!(
            "orientation: {} [{}]",
            labels.join(", "),
            kind.name()
        ));
        self.orientation = Some(OrientationPlan {
            picks: (first..self.picks.len()).collect(),
            kind,
        });
        Ok(())
    }
}

/// Columns named by the user: in the order of the kind, or of their names.
fn given(
    file: &str,
    fields: &[Field],
    targets: Vec<Target>,
    selectors: &[Selector],
    kind: Option<OrientationKind>,
) -> Result<(OrientationKind, Vec<Target>), TableError> {
    let shown: Vec<String> = selectors.iter().map(ToString::to_string).collect();
    let shown = shown.join(":");
    let mut groups = groups(fields, |target| targets.contains(&target));
    let said = (groups.len() == 1).then(|| groups.remove(0));
    match (said, kind) {
        (Some(said), None) if said.targets.len() == targets.len() => Ok((said.kind, said.targets)),
        (Some(said), Some(kind)) if said.targets.len() == targets.len() => {
            let in_order = match kind {
                OrientationKind::Wxyz if said.kind == Xyzw => {
                    let [x, y, z, w] = said.targets[..] else {
                        return Ok((kind, targets));
                    };
                    targets == [w, x, y, z]
                }
                Rpy if said.kind == RpyDegrees => false,
                _ => kind.width() == targets.len() && targets == said.targets,
            };
            if in_order {
                return Ok((kind, targets));
            }
            Err(columns::refuse(format!(
                "orientation={shown}: its names say another order or unit than --orientation {}: leave --orientation out",
                kind.name()
            )))
        }
        (_, Some(kind)) if kind.width() == targets.len() => Ok((kind, targets)),
        (_, Some(kind)) => Err(columns::refuse(format!(
            "orientation={shown} has {} numbers in {file}, and {} has {}",
            targets.len(),
            kind.name(),
            kind.width()
        ))),
        (_, None) => Err(columns::refuse(format!(
            "orientation={shown}: the names do not say the order: give it by --orientation {}",
            if targets.len() == 4 {
                "xyzw or --orientation wxyz"
            } else {
                "rotation-vector, rpy or rpy-deg"
            }
        ))),
    }
}

/// An orientation whose names determine the order.
struct Group {
    prefix: String,
    kind: OrientationKind,
    targets: Vec<Target>,
}

/// The complete orientations among the columns for which `may` returns true.
fn groups(fields: &[Field], may: impl Fn(Target) -> bool) -> Vec<Group> {
    let mut found: BTreeMap<(usize, String), Vec<Vec<Target>>> = BTreeMap::new();
    for (field, offered) in fields.iter().enumerate() {
        if !matches!(offered.width, None | Some(1)) {
            continue;
        }
        let target = Target {
            field,
            element: offered.width.map(|_| 0),
        };
        let Some(name) = offered.name.as_deref().filter(|_| may(target)) else {
            continue;
        };
        let words = names::snake(name);
        for (set, (kind, endings)) in NAMES.iter().enumerate() {
            for (axis, ending) in endings.iter().enumerate() {
                let Some(prefix) = words.strip_suffix(ending) else {
                    continue;
                };
                if prefix.is_empty() || prefix.ends_with('_') {
                    let axes = found
                        .entry((set, prefix.to_owned()))
                        .or_insert_with(|| vec![Vec::new(); kind.width()]);
                    axes[axis].push(target);
                }
            }
        }
    }
    let whole = found.into_iter().filter_map(|((set, prefix), axes)| {
        let targets = axes.iter().map(|axis| match axis[..] {
            [target] => Some(target),
            _ => None,
        });
        Some(Group {
            prefix,
            kind: NAMES[set].0,
            targets: targets.collect::<Option<Vec<Target>>>()?,
        })
    });
    whole.collect()
}

/// The single orientation that the names of a table determine.
fn detected(
    fields: &[Field],
    kind: Option<OrientationKind>,
    notes: &mut Vec<String>,
) -> Option<(OrientationKind, Vec<Target>)> {
    let mut groups = groups(fields, |_| true);
    if let Some(first) = groups.first().map(|group| group.prefix.clone()) {
        if groups.iter().any(|group| group.prefix != first) {
            notes.push(
                "several orientations are recorded, and none is read: say which is the tool's, such as --columns orientation=qx:qy:qz:qw"
                    .to_owned(),
            );
            return None;
        }
        let group = groups.remove(0);
        match (group.kind, kind) {
            // For three angles the user gives the unit; for a quaternion the names give the order.
            (Rpy, Some(RpyDegrees)) => return Some((RpyDegrees, group.targets)),
            (Xyzw, Some(OrientationKind::Wxyz)) => return Some((Xyzw, group.targets)),
            (found, Some(wanted)) if found != wanted => {}
            (found, _) => return Some((found, group.targets)),
        }
    }
    let named = |field: &&(usize, &Field), endings: &[&str]| {
        field.1.name.as_deref().is_some_and(|name| {
            let words = names::snake(name);
            let is = |ending: &&str| {
                words
                    .strip_suffix(*ending)
                    .is_some_and(|prefix| prefix.is_empty() || prefix.ends_with('_'))
            };
            endings.iter().any(is)
        })
    };
    let list = |field: usize, elements: std::ops::Range<usize>| {
        let target = |element| Target {
            field,
            element: Some(element),
        };
        elements.map(target).collect::<Vec<_>>()
    };
    let all: Vec<(usize, &Field)> = fields.iter().enumerate().collect();
    let rtde = all
        .iter()
        .find(|field| field.1.width == Some(6) && named(field, &["actual_tcp_pose"]));
    if let Some((field, _)) = rtde {
        return Some((RotationVector, list(*field, 3..6)));
    }
    let of_width = |width: usize| {
        let mut lists = all
            .iter()
            .filter(|field| field.1.width == Some(width) && named(field, LISTS));
        match (lists.next(), lists.next()) {
            (Some((field, _)), None) => Some(*field),
            _ => None,
        }
    };
    if let Some(kind) = kind {
        let width = kind.width();
        return of_width(width).map(|field| (kind, list(field, 0..width)));
    }
    if let Some(field) = of_width(4) {
        let name = fields[field].name.as_deref().unwrap_or_default();
        notes.push(format!(
            "\"{name}\" may be the tool's orientation, and its order is not said: it is not read without --orientation xyzw or --orientation wxyz"
        ));
    }
    None
}
