//! Where somebody may steer the probe, and how fast it goes there.

use nalgebra::{UnitQuaternion, Vector3};

use crate::sim::Pose;

/// A box in the world, and how far the probe may tilt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Workspace {
    /// Least coordinates of the probe's face [m].
    pub low: [f64; 3],
    /// Greatest coordinates of the probe's face [m].
    pub high: [f64; 3],
    /// Largest angle between the beam and straight down [rad].
    pub max_tilt: f64,
    /// How deep the face may be aimed below the skin at rest [m].
    pub max_depth: f64,
}

impl Workspace {
    /// The nearest pose that is allowed, and what was changed; `skin_height` is that of the skin at rest below it [m], if any.
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
            // Upright again by what is too much; straight up has no nearest way, and any will do.
            let axis = pose.z_axis().cross(&down).try_normalize(1e-9);
            let axis = axis.unwrap_or_else(Vector3::x) * (tilt - self.max_tilt);
            allowed.rotation = UnitQuaternion::from_scaled_axis(axis) * pose.rotation;
            changed.push("tilt");
        }
        (allowed, changed)
    }
}

/// A reference that goes to its target at a limited speed.
#[derive(Debug, Clone, PartialEq)]
pub struct Steering {
    /// Where targets may be.
    pub workspace: Workspace,
    /// Speed of the reference [m/s].
    pub max_speed: f64,
    /// Turn of the reference [rad/s].
    pub max_turn: f64,
    /// Where it is, and where it shall be; none until the first target.
    state: Option<(Pose, Pose)>,
}

impl Steering {
    /// Nobody steers yet.
    pub fn new(workspace: Workspace, max_speed: f64, max_turn: f64) -> Self {
        Self {
            workspace,
            max_speed,
            max_turn,
            state: None,
        }
    }

    /// Takes a target for a probe that is at `now`, and says what of it was not allowed.
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

    /// The reference after so much time [s]; none while nobody steers.
    pub fn advance(&mut self, time: f64) -> Option<Pose> {
        let (reference, target) = self.state.as_mut()?;
        let way = target.position - reference.position;
        let step = self.max_speed * time;
        reference.position += way * (step / way.norm().max(step).max(f64::MIN_POSITIVE));
        let angle = reference.rotation.angle_to(&target.rotation);
        let share = (self.max_turn * time / angle.max(1e-12)).min(1.0);
        // Opposite orientations have no shortest way; the target serves.
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
