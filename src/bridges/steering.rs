//! Limits for steering the probe: workspace, speed and turn rate.

use nalgebra::{UnitQuaternion, Vector3};

use crate::sim::Pose;

/// Workspace of the probe: a box in the world and a maximum tilt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Workspace {
    /// Lower bounds of the position of the probe's face [m].
    pub low: [f64; 3],
    /// Upper bounds of the position of the probe's face [m].
    pub high: [f64; 3],
    /// Maximum angle between the beam and straight down [rad].
    pub max_tilt: f64,
    /// Maximum depth of the target position below the resting skin [m].
    pub max_depth: f64,
}

impl Workspace {
    /// Returns the nearest allowed pose and the names of the limits that changed it. `skin_height` is the height of the
    /// resting skin at this position [m].
    pub fn clamp(&self, pose: &Pose, skin_height: Option<f64>) -> (Pose, Vec<&'static str>) {
        let mut changed = Vec::new();
        let mut allowed = *pose;
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let value = &mut allowed.position[axis];
            let inside = value.clamp(self.low[axis], self.high[axis]);
            if inside != *value {
                changed.push(name);
            }
            *value = inside;
        }
        let deepest = skin_height.map_or(f64::NEG_INFINITY, |height| height - self.max_depth);
        if allowed.position.z < deepest {
            allowed.position.z = deepest;
            changed.push("depth");
        }
        let down = -Vector3::z();
        let tilt = pose.z_axis().angle(&down);
        if tilt > self.max_tilt {
            // Tilt back by the excess angle. A beam that points straight up has no unique axis; use any.
            let axis = pose.z_axis().cross(&down).try_normalize(1e-9);
            let axis = axis.unwrap_or_else(Vector3::x) * (tilt - self.max_tilt);
            allowed.rotation = UnitQuaternion::from_scaled_axis(axis) * pose.rotation;
            changed.push("tilt");
        }
        (allowed, changed)
    }
}

/// A reference that moves to its target at a limited speed.
#[derive(Debug, Clone, PartialEq)]
pub struct Steering {
    /// Allowed range of targets.
    pub workspace: Workspace,
    /// Maximum speed of the reference [m/s].
    pub max_speed: f64,
    /// Maximum turn rate of the reference [rad/s].
    pub max_turn: f64,
    /// Current and target pose; `None` before the first target.
    state: Option<(Pose, Pose)>,
}

impl Steering {
    /// A steering without a target.
    pub fn new(workspace: Workspace, max_speed: f64, max_turn: f64) -> Self {
        Self {
            workspace,
            max_speed,
            max_turn,
            state: None,
        }
    }

    /// Sets a target. `now` is the pose of the probe, where the first reference starts. Returns the names
    /// of the limits that changed the target.
    pub fn set_target(
        &mut self,
        now: &Pose,
        target: &Pose,
        skin_height: Option<f64>,
    ) -> Vec<&'static str> {
        let (target, changed) = self.workspace.clamp(target, skin_height);
        let reference = self.state.map_or(*now, |(reference, _)| reference);
        self.state = Some((reference, target));
        changed
    }

    /// Advances the reference by `time` [s] and returns it; `None` before the first target.
    pub fn advance(&mut self, time: f64) -> Option<Pose> {
        let (reference, target) = self.state.as_mut()?;
        let way = target.position - reference.position;
        let step = self.max_speed * time;
        reference.position += way * (step / way.norm().max(step).max(f64::MIN_POSITIVE));
        let angle = reference.rotation.angle_to(&target.rotation);
        let share = (self.max_turn * time / angle.max(1e-12)).min(1.0);
        // Opposite orientations have no shortest path: use the target.
        let turned = reference.rotation.try_slerp(&target.rotation, share, 1e-9);
        reference.rotation = turned.unwrap_or(target.rotation);
        Some(*reference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKSPACE: Workspace = Workspace {
        low: [-0.2, -0.3, 0.8],
        high: [0.2, 0.3, 1.3],
        max_tilt: 0.5,
        max_depth: 0.02,
    };

    fn down(position: [f64; 3]) -> Pose {
        Pose::with_z_axis(position.into(), -Vector3::z(), Vector3::x())
    }

    #[test]
    fn targets_are_brought_into_the_workspace() {
        let (pose, changed) = WORKSPACE.clamp(&down([0.5, -0.1, 0.1]), None);
        assert_eq!(pose.position, Vector3::new(0.2, -0.1, 0.8));
        assert_eq!(changed, ["x", "z"]);
        let (pose, changed) = WORKSPACE.clamp(&down([0.0, 0.0, 0.9]), Some(1.0));
        assert!((pose.position.z - 0.98).abs() < 1e-12);
        assert_eq!(changed, ["depth"]);
        let inside = down([0.1, 0.1, 1.1]);
        assert_eq!(WORKSPACE.clamp(&inside, Some(1.0)), (inside, Vec::new()));
    }

    #[test]
    fn no_target_tilts_more_than_allowed() {
        for angle in [0.6, 1.5, 3.0, std::f64::consts::PI] {
            let mut pose = down([0.0, 0.0, 1.0]);
            pose.rotation = UnitQuaternion::from_scaled_axis(Vector3::x() * angle) * pose.rotation;
            let (allowed, changed) = WORKSPACE.clamp(&pose, None);
            assert_eq!(changed, ["tilt"]);
            let tilt = allowed.z_axis().angle(&-Vector3::z());
            assert!((tilt - 0.5).abs() < 1e-9, "{tilt}");
        }
    }

    #[test]
    fn the_reference_goes_no_faster_than_allowed_and_arrives() {
        let mut steering = Steering::new(WORKSPACE, 0.1, 1.0);
        assert_eq!(steering.advance(0.1), None);
        let (start, end) = (down([0.0, 0.0, 1.0]), down([0.1, 0.0, 1.0]));
        steering.set_target(&start, &end, None);
        let mut last = start.position;
        for _ in 0..20 {
            let now = steering.advance(0.1).unwrap().position;
            assert!((now - last).norm() < 0.01 + 1e-12);
            last = now;
        }
        assert!((last - end.position).norm() < 1e-12);
    }
}
