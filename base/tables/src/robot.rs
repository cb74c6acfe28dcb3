//! Forward kinematics of a robot, for logs with joint positions instead of a position.
//!
//! This crate has no models of robots: the caller passes their kinematics as a function.

use std::fmt;
use std::sync::Arc;

/// A joint of a robot's arm.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotJoint {
    /// Name, such as `joint1`.
    pub name: String,
    /// Minimum and maximum position [rad, or m for a slide]; infinite if it has no limits.
    pub range: [f64; 2],
    /// Whether it moves along its axis instead of about it.
    pub is_slide: bool,
}

/// Pose of the tip in the base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TipPose {
    /// Position [m].
    pub position: [f64; 3],
    /// Unit quaternion `[w, x, y, z]` that rotates vectors from the tip's frame into the base's frame.
    pub rotation: [f64; 4],
}

/// Pose of the tip at joint positions [rad or m], in the order of the joints.
type PoseOf = dyn Fn(&[f64]) -> TipPose + Send + Sync;

/// Forward kinematics of a robot's arm.
///
/// ```
/// use insonate_tables::{RobotJoint, RobotKinematics, TipPose};
///
/// let joint = RobotJoint { name: "lift".to_owned(), range: [0.0, 0.4], is_slide: true };
/// let pose = |joints: &[f64]| TipPose {
///     position: [0.0, 0.0, joints[0]],
///     rotation: [1.0, 0.0, 0.0, 0.0],
/// };
/// let robot = RobotKinematics::new("column", vec![joint], "base", "tip", pose);
/// assert_eq!(robot.pose(&[0.1]).position, [0.0, 0.0, 0.1]);
/// ```
#[derive(Clone)]
pub struct RobotKinematics {
    /// Name of the robot.
    pub name: String,
    /// Joints from the base to the tip.
    pub joints: Vec<RobotJoint>,
    /// Name of the base's frame.
    pub base: String,
    /// Name of the tip's frame.
    pub tip: String,
    pose: Arc<PoseOf>,
}

impl RobotKinematics {
    /// Kinematics by a function from the joint positions [rad, or m for slides] to the pose of the tip.
    pub fn new(
        name: &str,
        joints: Vec<RobotJoint>,
        base: &str,
        tip: &str,
        pose: impl Fn(&[f64]) -> TipPose + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.to_owned(),
            joints,
            base: base.to_owned(),
            tip: tip.to_owned(),
            pose: Arc::new(pose),
        }
    }

    /// Pose of the tip at joint positions [rad or m], shape `[n_joints]`.
    pub fn pose(&self, positions: &[f64]) -> TipPose {
        (self.pose)(positions)
    }

    /// Names of the joints, for messages.
    pub(super) fn joint_names(&self) -> String {
        let names: Vec<&str> = self
            .joints
            .iter()
            .map(|joint| joint.name.as_str())
            .collect();
        names.join(", ")
    }
}

impl fmt::Debug for RobotKinematics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RobotKinematics")
            .field("name", &self.name)
            .field("joints", &self.joints)
            .field("base", &self.base)
            .field("tip", &self.tip)
            .finish_non_exhaustive()
    }
}

impl PartialEq for RobotKinematics {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.pose, &other.pose)
            && (&self.name, &self.joints, &self.base, &self.tip)
                == (&other.name, &other.joints, &other.base, &other.tip)
    }
}
