//! Tree of the frames from `/tf` and `/tf_static`.

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::{Isometry3, Translation3, UnitQuaternion};

use crate::MAX_SAMPLES;
use crate::orientation_kind::OrientationKind;

/// Maximum number of frames.
const MAX_FRAMES: usize = 4096;
/// Maximum length of a chain of frames; a longer one is a cycle.
const MAX_CHAIN: usize = 256;

/// Pose of a frame in another one.
#[derive(Clone, Debug)]
pub(super) struct Transform {
    pub(super) stamp: i64,
    pub(super) parent: String,
    pub(super) child: String,
    pub(super) translation: [f64; 3],
    /// x, y, z, w.
    pub(super) rotation: [f64; 4],
}

/// Recorded transforms of one frame.
#[derive(Clone, Debug, Default)]
struct Link {
    parent: String,
    /// Whether the frame had several parents or an invalid pose, so it cannot be used.
    is_unusable: bool,
    recorded: Vec<i64>,
    stamps: Vec<i64>,
    poses: Vec<Isometry3<f64>>,
}

impl Link {
    /// Latched transforms are repeated with equal values and do not count as motion.
    fn moves(&self) -> bool {
        self.poses.windows(2).any(|pair| pair[0] != pair[1])
    }
}

/// Frames by their names, each with its parent.
#[derive(Clone, Debug, Default)]
pub(super) struct Transforms {
    links: BTreeMap<String, Link>,
    samples: usize,
}

/// Pose of a frame in the root of its tree.
pub(super) enum PoseInRoot {
    Fixed(UnitQuaternion<f64>),
    Moving(MovingPose),
}

/// Poses of a frame in the root of its tree, one after the other.
pub(super) struct MovingPose {
    pub(super) root: String,
    pub(super) recorded: Vec<i64>,
    pub(super) stamps: Vec<i64>,
    /// Three numbers per pose.
    pub(super) translation: Vec<f64>,
    /// x, y, z, w per pose.
    pub(super) rotation: Vec<f64>,
}

impl Transforms {
    /// Adds a transform that was recorded at a time [ns].
    pub(super) fn push(&mut self, recorded: i64, transform: &Transform) -> Result<(), String> {
        let turn = OrientationKind::Xyzw.turn(&transform.rotation);
        let is_place = transform.translation.iter().all(|value| value.is_finite());
        if self.samples >= MAX_SAMPLES {
            return Err(format!("has more than {MAX_SAMPLES} transforms"));
        }
        if !self.links.contains_key(&transform.child) && self.links.len() >= MAX_FRAMES {
            return Err(format!("has more than {MAX_FRAMES} frames"));
        }
        self.samples += 1;
        let link = self.links.entry(transform.child.clone()).or_default();
        if link.parent.is_empty() {
            link.parent.clone_from(&transform.parent);
        }
        // An unusable frame is not an error, because the bag may not need it.
        let (Ok(Some(turn)), true, true) = (turn, is_place, link.parent == transform.parent) else {
            link.is_unusable = true;
            return Ok(());
        };
        link.recorded.push(recorded);
        link.stamps.push(transform.stamp);
        let [x, y, z] = transform.translation;
        link.poses
            .push(Isometry3::from_parts(Translation3::new(x, y, z), turn));
        Ok(())
    }

    /// Adds the frames of another topic, which replace frames with the same name.
    pub(super) fn extend(&mut self, other: Self) {
        self.samples += other.samples;
        self.links.extend(other.links);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// The links from a frame up to its root, and the root; `None` if the tree does not determine them.
    fn chain(&self, frame: &str) -> Option<(Vec<&Link>, String)> {
        let mut chain = Vec::new();
        let mut at = frame;
        while let Some(link) = self.links.get(at) {
            if link.is_unusable || chain.len() == MAX_CHAIN {
                return None;
            }
            chain.push(link);
            at = &link.parent;
        }
        let is_known = !chain.is_empty() || self.links.values().any(|link| link.parent == frame);
        is_known.then(|| (chain, at.to_owned()))
    }

    /// Root of the tree that contains a frame.
    pub(super) fn root(&self, frame: &str) -> Option<String> {
        self.chain(frame).map(|(_, root)| root)
    }

    /// Whether a frame moves relative to the root of its tree.
    pub(super) fn moves(&self, frame: &str) -> bool {
        self.chain(frame)
            .is_some_and(|(chain, _)| chain.iter().any(|link| link.moves()))
    }

    /// Moving frames without child frames.
    pub(super) fn moving_ends(&self) -> Vec<&str> {
        let parents: BTreeSet<&str> = self.links.values().map(|link| &link.parent[..]).collect();
        let ends = self.links.keys().map(String::as_str);
        ends.filter(|frame| !parents.contains(frame) && self.moves(frame))
            .collect()
    }

    /// Frames with a parent.
    pub(super) fn frames(&self) -> impl Iterator<Item = &str> {
        self.links.keys().map(String::as_str)
    }

    /// Pose of a frame in its root, at the times of the link with the most messages.
    pub(super) fn place(&self, frame: &str) -> Option<PoseInRoot> {
        let (chain, root) = self.chain(frame)?;
        let is_stamped = chain
            .iter()
            .filter(|link| link.moves())
            .all(|link| link.stamps.iter().all(|stamp| *stamp > 0));
        let tracks: Vec<Track> = chain
            .iter()
            .map(|link| Track::of(link, is_stamped))
            .collect();
        let fastest = tracks
            .iter()
            .filter(|track| track.order.len() > 1)
            .max_by_key(|track| track.order.len());
        let Some(fastest) = fastest else {
            let pose = tracks
                .iter()
                .rev()
                .fold(Isometry3::identity(), |pose, track| pose * track.last());
            return Some(PoseInRoot::Fixed(pose.rotation));
        };
        let (mut recorded, mut stamps) = (Vec::new(), Vec::new());
        let (mut translation, mut rotation) = (Vec::new(), Vec::new());
        let mut places = vec![0; tracks.len()];
        for &message in &fastest.order {
            let time = fastest.times[message];
            let poses: Option<Vec<Isometry3<f64>>> = tracks
                .iter()
                .zip(&mut places)
                .map(|(track, place)| track.at(time, place))
                .collect();
            let Some(poses) = poses else {
                continue;
            };
            let pose = poses
                .iter()
                .rev()
                .fold(Isometry3::identity(), |pose, inner| pose * inner);
            recorded.push(fastest.link.recorded[message]);
            stamps.push(fastest.link.stamps[message]);
            translation.extend(pose.translation.vector.iter());
            rotation.extend(pose.rotation.coords.iter());
        }
        Some(PoseInRoot::Moving(MovingPose {
            root,
            recorded,
            stamps,
            translation,
            rotation,
        }))
    }
}

/// A link with its messages in order of time.
struct Track<'a> {
    link: &'a Link,
    times: &'a [i64],
    order: Vec<usize>,
}

impl<'a> Track<'a> {
    fn of(link: &'a Link, is_stamped: bool) -> Self {
        let times = if is_stamped {
            &link.stamps
        } else {
            &link.recorded
        };
        let mut order: Vec<usize> = (0..times.len()).collect();
        order.sort_by_key(|&message| times[message]);
        order.dedup_by_key(|message| times[*message]);
        if !link.moves() {
            order.truncate(1);
        }
        Self { link, times, order }
    }

    fn last(&self) -> Isometry3<f64> {
        self.order
            .last()
            .map_or_else(Isometry3::identity, |&message| self.link.poses[message])
    }

    /// The pose at a time; `place` advances through the messages. `None` before the first and after the last message.
    fn at(&self, time: i64, place: &mut usize) -> Option<Isometry3<f64>> {
        if let [only] = self.order[..] {
            return Some(self.link.poses[only]);
        }
        while *place + 1 < self.order.len() && self.times[self.order[*place]] < time {
            *place += 1;
        }
        let (right, left) = (self.order[*place], self.order[place.saturating_sub(1)]);
        let [from, to] = [left, right].map(|message| self.times[message]);
        if to == time {
            return Some(self.link.poses[right]);
        }
        if !(from..to).contains(&time) {
            return None;
        }
        let share = time.saturating_sub(from) as f64 / to.saturating_sub(from) as f64;
        let [before, after] = [left, right].map(|message| &self.link.poses[message]);
        let step = after.translation.vector - before.translation.vector;
        Some(Isometry3::from_parts(
            Translation3::from(before.translation.vector + step * share),
            between(&before.rotation, &after.rotation, share),
        ))
    }
}

/// Interpolates between two orientations along the shortest arc; for half a turn it is not unique, and the nearer end
/// is used.
pub(super) fn between(
    from: &UnitQuaternion<f64>,
    to: &UnitQuaternion<f64>,
    share: f64,
) -> UnitQuaternion<f64> {
    let nearer = if share < 0.5 { from } else { to };
    from.try_slerp(to, share, 1e-9).unwrap_or(*nearer)
}
