//! A prescribed motion of the torso.

use insonate_sim::{Pose, Twist};
use nalgebra::{UnitQuaternion, Vector3};

/// A prescribed motion of the torso.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TorsoFrame {
    /// Transform from the compiled torso to the current torso, in world.
    pub world_from_rest: Pose,
    /// Velocity of that frame, in world.
    pub twist: Twist,
}

impl Default for TorsoFrame {
    fn default() -> Self {
        Self {
            world_from_rest: Pose {
                position: Vector3::zeros(),
                rotation: UnitQuaternion::identity(),
            },
            twist: Twist::default(),
        }
    }
}
