//! The goal of the probe.

use insonate_sim::{Pose, Twist};
use nalgebra::Vector3;

/// Desired pose, motion and force at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goal {
    /// Wanted pose of the probe's face; its z axis is the axis of the force.
    pub world_from_probe: Pose,
    /// How that pose moves, in world.
    pub twist: Twist,
    /// Direction along the path in world, unit length; zero: there is no path.
    pub direction: Vector3<f64>,
    /// Speed along the path [m/s].
    pub speed: f64,
    /// Force along the probe's axis [N], positive when pressing.
    pub force: f64,
}

impl Goal {
    /// A goal that rests at a pose, without force.
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
