//! The goal of the probe.

use insonate_sim::{Pose, Twist};
use nalgebra::Vector3;

/// Desired pose, motion and force at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goal {
    /// Desired pose of the probe's face. Its z axis is the axis of the force.
    pub world_from_probe: Pose,
    /// Twist of that pose, in world.
    pub twist: Twist,
    /// Direction along the path in world, unit length. Zero without a path.
    pub direction: Vector3<f64>,
    /// Speed along the path [m/s].
    pub speed: f64,
    /// Force along the probe's axis [N]. Positive when pressing.
    pub force: f64,
}

impl Goal {
    /// A goal at rest at a pose, without force.
    pub fn at(world_from_probe: Pose) -> Self {
        Self {
            world_from_probe,
            twist: Twist::default(),
            direction: Vector3::zeros(),
            speed: 0.0,
            force: 0.0,
        }
    }
}
