//! Frames of the topics of a log, and the rotation of the force into the frame of the position.

use nalgebra::{Quaternion, UnitQuaternion};

use super::Timeline;
use super::message::MessageNumbers;
use super::topic::Topic;
use super::transforms::{MovingPose, PoseInRoot, Transforms};
use crate::columns::{Columns, Selector};
use crate::names::{self, Quantity};
use crate::orientation::{self, BASE, TOOL, are_identity, none_recorded};
use crate::orientation_kind::OrientationKind;
use crate::plan::{Axes, MotionPlan, OrientationPlan, Plan};
use crate::{ForceFrame, LogFrames, ReadOptions, TableError, refuse, refuse_at};

/// Removes the frames from the topics and returns them.
pub(super) fn transforms(topics: &mut Vec<Topic>) -> Transforms {
    let mut all = Transforms::default();
    topics.retain_mut(|topic| match topic.transforms.take() {
        Some(of_topic) => {
            all.extend(of_topic);
            false
        }
        None => true,
    });
    all
}

/// Adds the frames of `/tf` that a log may need as topics. If nothing else gives the position of the probe, the frame
/// of the force does.
pub(super) fn add_places(
    file: &str,
    topics: &mut Vec<Topic>,
    transforms: &Transforms,
    options: &mut ReadOptions,
    notes: &mut Vec<String>,
) -> Result<(), TableError> {
    if transforms.is_empty() {
        return Ok(());
    }
    let mut wanted: Vec<String> = topics
        .iter()
        .filter_map(|topic| topic.frame.clone())
        .collect();
    let is_selected = |frame: &str| {
        let of = |selector: &&Selector| match selector {
            Selector::Name(name) => name
                .strip_prefix("/tf.")
                .and_then(|rest| rest.strip_prefix(frame))
                .is_some_and(|rest| rest.starts_with('.')),
            Selector::Number(_) => false,
        };
        let columns = options.columns.as_ref();
        columns.is_some_and(|columns| columns.selectors().any(|selector| of(&selector)))
    };
    wanted.extend(
        transforms
            .frames()
            .filter(|frame| is_selected(frame))
            .map(str::to_owned),
    );
    if !gives_position(topics, options.columns.as_ref()) {
        let frame = probe(file, topics, transforms)?;
        notes.push(format!(
            "the position is that of frame {frame} in {}, by /tf",
            transforms.root(&frame).unwrap_or_default()
        ));
        let columns = options.columns.get_or_insert_default();
        columns.position = Some(vec![Selector::Name(format!("/tf.{frame}.translation"))]);
        wanted.push(frame);
    }
    wanted.sort();
    wanted.dedup();
    for frame in wanted {
        if let Some(PoseInRoot::Moving(pose)) = transforms.place(&frame) {
            let topic = pose_topic(frame, pose);
            if topic.has_messages() {
                topics.push(topic);
            }
        }
    }
    Ok(())
}

/// The pose of a frame as a topic.
fn pose_topic(frame: String, pose: MovingPose) -> Topic {
    let name = format!("/tf.{frame}");
    let parts = vec![
        MessageNumbers::list("translation", 3, pose.translation),
        MessageNumbers::list("rotation", 4, pose.rotation),
    ];
    let child = Some(frame);
    Topic::composed(name, pose.root, child, pose.recorded, pose.stamps, parts)
}

/// Whether a topic or the user specifies the position of the probe.
pub(super) fn gives_position(topics: &[Topic], columns: Option<&Columns>) -> bool {
    let said = |columns: &Columns| columns.position.is_some() || columns.indentation.is_some();
    let is_place = |name: String| {
        names::meaning(&name).is_some_and(|meaning| {
            matches!(meaning.quantity, Quantity::Position | Quantity::Indentation)
        })
    };
    columns.is_some_and(said)
        || topics.iter().any(|topic| {
            let mut parts = topic.parts.iter();
            parts.any(|part| is_place(format!("{}.{}", topic.name(), part.name)))
        })
}

/// The frame of the probe: the frame of the force if it moves, otherwise the only moving leaf of the tree.
fn probe(file: &str, topics: &[Topic], transforms: &Transforms) -> Result<String, TableError> {
    let is_force = |topic: &&Topic| {
        topic.parts.iter().any(|part| {
            let name = format!("{}.{}", topic.name(), part.name);
            names::meaning(&name).is_some_and(|meaning| meaning.quantity == Quantity::Force)
        })
    };
    let mut frames: Vec<&str> = topics
        .iter()
        .filter(is_force)
        .filter_map(|topic| topic.frame.as_deref())
        .filter(|frame| transforms.moves(frame))
        .collect();
    frames.sort_unstable();
    frames.dedup();
    if frames.is_empty() {
        frames = transforms.moving_ends();
    }
    match frames[..] {
        [frame] => Ok(frame.to_owned()),
        [] => Err(refuse(
            file,
            format!(
                "has no pose or position, and no frame of /tf moves: its frames are {}",
                transforms.frames().collect::<Vec<_>>().join(", ")
            ),
        )),
        _ => {
            let ways: Vec<String> = frames
                .iter()
                .map(|frame| format!("--columns position=/tf.{frame}.translation"))
                .collect();
            Err(refuse(
                file,
                format!(
                    "has no pose or position but several frames in /tf: say which is the probe's, {}",
                    ways.join(" or ")
                ),
            ))
        }
    }
}

/// Source of the rotation of the force.
enum ForceRotation {
    /// No rotation was recorded.
    None,
    /// The orientation in these numbers of a topic: part and element.
    Orientation {
        topic: usize,
        numbers: Vec<(usize, usize)>,
        kind: OrientationKind,
    },
    /// Frames in the root of one tree: first the frame of the force, then the frame of the position.
    Chain(FramePose, FramePose),
}

/// Pose of a frame in the root.
enum FramePose {
    Fixed(UnitQuaternion<f64>),
    Moving(usize),
}

/// Frames of the vectors of a log.
pub(super) struct Frames {
    names: LogFrames,
    turn: ForceRotation,
    force_frame: ForceFrame,
}

/// The recorded data in which frames are looked up.
pub(super) struct Recorded<'a> {
    pub(super) file: &'a str,
    pub(super) topics: &'a [Topic],
    pub(super) transforms: &'a Transforms,
    /// Topic and part of a field.
    pub(super) owner: &'a dyn Fn(usize) -> Option<(usize, usize)>,
}

impl Recorded<'_> {
    /// Finds the frames of the planned columns; a velocity in another frame than the position is left out.
    pub(super) fn frames(
        &self,
        plan: &mut Plan,
        force_frame: ForceFrame,
        notes: &mut Vec<String>,
    ) -> Result<Frames, TableError> {
        let place = match plan.motion {
            MotionPlan::Indentation(pick) => Axes::One(pick),
            MotionPlan::Position(axes) => axes,
        };
        let mut names = LogFrames {
            motion: self.frame_of(place, plan)?,
            force: self.frame_of(plan.force, plan)?,
            force_to_motion: Vec::new(),
        };
        if let Some(axes) = plan.velocity
            && let (Some(of_velocity), Some(of_place)) =
                (self.frame_of(axes, plan)?, names.motion.as_ref())
            && of_velocity != *of_place
        {
            notes.push(format!(
                "the velocity is in frame {of_velocity} and the position in {of_place}: the velocity is not read"
            ));
            plan.velocity = None;
        }
        if force_frame == ForceFrame::Motion {
            let frame = names.motion.get_or_insert_with(|| BASE.to_owned()).clone();
            names.force = Some(frame);
        }
        let named = plan.orientation.take();
        let in_space = matches!((place, plan.force), (Axes::Three(_), Axes::Three(_)));
        let is_one = names.motion.is_some() && names.motion == names.force;
        let is_turned = force_frame == ForceFrame::Tool || !is_one;
        let turn = match named {
            _ if !in_space || !is_turned || force_frame == ForceFrame::Motion => {
                ForceRotation::None
            }
            Some(named) => self.named(&named, plan)?,
            None => self.turn(&names, self.topic_of(place, plan), force_frame, notes)?,
        };
        Ok(Frames {
            names,
            turn,
            force_frame,
        })
    }

    fn topic_of(&self, axes: Axes, plan: &Plan) -> Option<(usize, usize)> {
        let (Axes::One(pick) | Axes::Three([pick, ..])) = axes;
        (self.owner)(plan.picks[pick].field)
    }

    fn frame_of(&self, axes: Axes, plan: &Plan) -> Result<Option<String>, TableError> {
        let Some((topic, _)) = self.topic_of(axes, plan) else {
            return Ok(None);
        };
        let topic = &self.topics[topic];
        let frame = topic.one_frame().map_err(|problem| {
            refuse_at(self.file, format!(", topic {}", topic.name()), problem)
        })?;
        Ok(frame.map(str::to_owned))
    }

    /// The orientation that the user named.
    fn named(&self, named: &OrientationPlan, plan: &Plan) -> Result<ForceRotation, TableError> {
        let owners: Option<Vec<_>> = named
            .picks
            .iter()
            .map(|&pick| {
                let (topic, part) = (self.owner)(plan.picks[pick].field)?;
                Some((topic, part, plan.picks[pick].element))
            })
            .collect();
        let owners = owners.filter(|owners| owners.iter().all(|owner| owner.0 == owners[0].0));
        let owners = owners.ok_or_else(|| {
            TableError::option(
                "--columns",
                format!(
                    "the numbers of orientation are of several topics of {}: name those of one",
                    self.file
                ),
            )
        })?;
        Ok(ForceRotation::Orientation {
            topic: owners[0].0,
            numbers: owners.iter().map(|owner| (owner.1, owner.2)).collect(),
            kind: named.kind,
        })
    }

    /// The rotation from `/tf` if it contains both frames, otherwise from the orientation next to the position.
    fn turn(
        &self,
        names: &LogFrames,
        place: Option<(usize, usize)>,
        force_frame: ForceFrame,
        notes: &mut Vec<String>,
    ) -> Result<ForceRotation, TableError> {
        let both = names.motion.as_deref().zip(names.force.as_deref());
        let both = both.filter(|_| force_frame == ForceFrame::Auto);
        if let Some((motion, force)) = both
            && let Some(of_force) = self.transforms.root(force)
            && self.transforms.root(motion) == Some(of_force)
            && let (Some(of_force), Some(of_motion)) =
                (self.frame_pose(force), self.frame_pose(motion))
        {
            notes.push(format!(
                "the force is turned from frame {force} into {motion}, that of the position, by /tf"
            ));
            return Ok(ForceRotation::Chain(of_force, of_motion));
        }
        let found = place.and_then(|(topic, part)| {
            let orientation = self.topics[topic].orientation_of(part)?;
            let force = names.force.as_deref();
            let may = force_frame != ForceFrame::Auto || may_be_of(&self.topics[topic], force);
            may.then_some((topic, orientation))
        });
        let Some((topic, orientation)) = found else {
            return match force_frame {
                ForceFrame::Tool => Err(none_recorded(self.file)),
                _ => Ok(ForceRotation::None),
            };
        };
        if let Some((motion, force)) = both {
            notes.push(format!(
                "the force is in frame {force} and the position in {motion}: the orientation of {} is taken for that of {force}; --force-frame base if the force is in {motion} after all",
                self.topics[topic].name()
            ));
        }
        Ok(ForceRotation::Orientation {
            topic,
            numbers: (0..4).map(|element| (orientation, element)).collect(),
            kind: OrientationKind::Xyzw,
        })
    }

    fn frame_pose(&self, frame: &str) -> Option<FramePose> {
        let name = format!("/tf.{frame}");
        let topic = self.topics.iter().position(|topic| topic.name() == name);
        if let Some(topic) = topic {
            return Some(FramePose::Moving(topic));
        }
        match self.transforms.place(frame)? {
            PoseInRoot::Fixed(turn) => Some(FramePose::Fixed(turn)),
            PoseInRoot::Moving(_) => None,
        }
    }
}

/// Whether the orientation of a topic may describe the force's frame: the topic does not name another frame, and the
/// name of the force's frame is not typical of one that does not move with the tool.
fn may_be_of(topic: &Topic, force: Option<&str>) -> bool {
    const FIXED: [&str; 4] = ["base", "world", "map", "odom"];
    let Some(force) = force else {
        return true;
    };
    let is_fixed = FIXED.iter().any(|name| force.to_lowercase().contains(name));
    !is_fixed && topic.child.as_deref().is_none_or(|child| child == force)
}

impl Frames {
    /// Topics that the rotation needs.
    pub(super) fn topics(&self) -> Vec<usize> {
        match &self.turn {
            ForceRotation::None => Vec::new(),
            ForceRotation::Orientation { topic, .. } => vec![*topic],
            ForceRotation::Chain(force, motion) => [force, motion]
                .into_iter()
                .filter_map(|spot| match spot {
                    FramePose::Moving(topic) => Some(*topic),
                    FramePose::Fixed(_) => None,
                })
                .collect(),
        }
    }

    /// The rotation as four series w, x, y, z at the times of the log; `None` if there is no rotation.
    pub(super) fn sampled(
        &self,
        file: &str,
        topics: &[Topic],
        timelines: &[Timeline],
        at: &[f64],
    ) -> Result<Vec<Vec<f64>>, TableError> {
        let along = |topic: usize, numbers: &[(usize, usize)], kind: OrientationKind| {
            let of = &topics[topic];
            let numbers = |message: usize| {
                let number = |&(part, element): &(usize, usize)| {
                    let part = &of.parts[part];
                    part.values[message * part.width.unwrap_or(1) + element]
                };
                numbers.iter().map(number).collect()
            };
            let turns = orientation::all(kind, of.recorded.len(), numbers);
            let turns = turns.map_err(|(message, problem)| {
                let place = format!(", topic {}, message {}", of.name(), message + 1);
                refuse_at(file, place, format!("its orientation {problem}"))
            })?;
            let timeline = timelines.iter().find(|line| line.topic == topic);
            Ok(turns
                .zip(timeline)
                .map(|(turns, timeline)| timeline.turned(&turns, at)))
        };
        let of_spot = |spot: &FramePose| match spot {
            FramePose::Fixed(turn) => Ok(Some(vec![Some(*turn); at.len()])),
            FramePose::Moving(topic) => {
                let rotation = topics[*topic].orientation_of(0).unwrap_or(1);
                let numbers: Vec<_> = (0..4).map(|element| (rotation, element)).collect();
                along(*topic, &numbers, OrientationKind::Xyzw)
            }
        };
        let turns = match &self.turn {
            ForceRotation::None => None,
            ForceRotation::Orientation {
                topic,
                numbers,
                kind,
            } => along(*topic, numbers, *kind)?,
            ForceRotation::Chain(force, motion) => {
                let both = of_spot(force)?.zip(of_spot(motion)?);
                both.map(|(force, motion)| {
                    let pairs = force.into_iter().zip(motion);
                    pairs
                        .map(|(force, motion)| Some(motion?.inverse() * force?))
                        .collect()
                })
            }
        };
        let Some(turns) = turns else {
            return Ok(Vec::new());
        };
        let number = |index: usize| {
            turns
                .iter()
                .map(|turn: &Option<UnitQuaternion<f64>>| {
                    turn.map_or(f64::NAN, |turn| [turn.w, turn.i, turn.j, turn.k][index])
                })
                .collect()
        };
        Ok((0..4).map(number).collect())
    }

    /// The frames, with the rotation of all kept rows.
    pub(super) fn finish(
        mut self,
        file: &str,
        series: &[Vec<f64>],
        notes: &mut Vec<String>,
    ) -> Result<LogFrames, TableError> {
        let [w, x, y, z] = series else {
            if matches!(self.turn, ForceRotation::Orientation { .. }) {
                if self.force_frame == ForceFrame::Tool {
                    return Err(none_recorded(file));
                }
                notes.push("the orientation is zero throughout: it was not recorded".to_owned());
            }
            return Ok(self.names);
        };
        let turns: Vec<UnitQuaternion<f64>> = (0..w.len())
            .map(|row| {
                UnitQuaternion::new_normalize(Quaternion::new(w[row], x[row], y[row], z[row]))
            })
            .collect();
        if self.force_frame == ForceFrame::Tool {
            self.names.motion.get_or_insert_with(|| BASE.to_owned());
            if self.names.force.is_none() || self.names.force == self.names.motion {
                self.names.force = Some(TOOL.to_owned());
            }
        }
        let are_told = self.names.motion.is_some() && self.names.force.is_some();
        if are_told || !are_identity(&turns) {
            self.names.force_to_motion = orientation::rows(&turns);
        }
        Ok(self.names)
    }
}
