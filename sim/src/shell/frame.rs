//! Pose and velocity of the torso as a whole, relative to where it was compiled.

use mujoco_rs::wrappers::mj_model::MjModel;
use nalgebra::{Matrix3, Vector3};

use crate::ffi::Data;
use crate::names::{self, ObjectType};
use crate::{Pose, Twist};

/// A prescribed rigid motion of the whole torso.
///
/// The shell's equations keep the compiled pose: contacts are found there and then transformed.
#[derive(Debug, Clone)]
pub(super) struct TorsoFrame {
    /// Pose of the torso relative to its compiled pose, in world.
    pub(super) world_from_rest: Pose,
    pub(super) rotation: Matrix3<f64>,
    pub(super) translation: Vector3<f64>,
    /// Velocity of that frame in world, about its origin.
    pub(super) twist: Twist,
}

impl TorsoFrame {
    pub(super) fn new(world_from_rest: Pose, twist: Twist) -> Self {
        Self {
            rotation: world_from_rest.rotation.to_rotation_matrix().into_inner(),
            translation: world_from_rest.position,
            world_from_rest,
            twist,
        }
    }

    /// A point of the torso at rest [m], in world.
    pub(super) fn place(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.rotation * point + self.translation
    }

    /// Velocity [m/s] of a world point [m] that moves with the torso.
    pub(super) fn velocity_at(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.twist.linear + self.twist.angular.cross(&(point - self.translation))
    }
}

impl Default for TorsoFrame {
    fn default() -> Self {
        Self::new(Pose::default(), Twist::default())
    }
}

/// The mocap body of the part of the torso that stays in MuJoCo: the hard sphere in its middle.
#[derive(Debug)]
pub(super) struct MocapBase {
    mocap: usize,
    /// Pose as compiled, in world.
    world_from_body: Pose,
    /// The last torso pose to which the body was moved.
    world_from_rest: Pose,
}

impl MocapBase {
    pub(super) fn find(model: &MjModel, prefix: &str) -> Option<Self> {
        let bodies = names::with_prefix(model, ObjectType::Body, prefix);
        bodies.into_iter().find_map(|body| {
            Some(Self {
                mocap: usize::try_from(model.body_mocapid()[body]).ok()?,
                world_from_body: Pose::from_quat(model.body_pos()[body], model.body_quat()[body]),
                world_from_rest: Pose::default(),
            })
        })
    }

    /// Moves the body with the torso, starting with the next kinematics.
    pub(super) fn follow(&mut self, frame: &TorsoFrame, data: &mut Data) {
        if self.world_from_rest == frame.world_from_rest {
            return;
        }
        self.world_from_rest = frame.world_from_rest;
        let pose = frame.world_from_rest * self.world_from_body;
        data.mocap_pos_mut()[self.mocap] = pose.position.into();
        data.mocap_quat_mut()[self.mocap] = pose.quat();
    }

    /// Must be called after a reset of MuJoCo's state.
    pub(super) fn reset(&mut self) {
        self.world_from_rest = Pose::default();
    }
}
