//! Pose and twist of the probe's face.

use mujoco_rs::wrappers::mj_model::{MjModel, MjtObjBase};

use super::FACE_CENTER;
use crate::names::{self, ObjectType};
use crate::{Physics, Pose, SimError, Twist};

/// The site on the centre of the probe's face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbeFrame {
    /// Index of the site.
    pub site: usize,
    /// Index of the body that carries it.
    pub body: usize,
}

impl ProbeFrame {
    /// Looks up the site `probe/face_center`.
    ///
    /// # Errors
    /// [`SimError::UnknownName`].
    pub fn new(model: &MjModel) -> Result<Self, SimError> {
        let site = names::find(model, ObjectType::Site, FACE_CENTER)?;
        Ok(Self {
            site,
            body: model.site_bodyid()[site] as usize,
        })
    }

    /// Pose of the face in world: z points out of the probe, x along the array.
    pub fn world_from_probe(&self, physics: &Physics) -> Pose {
        let data = physics.data();
        Pose::from_matrix(data.site_xpos()[self.site], data.site_xmat()[self.site])
    }

    /// Velocity of the face centre and angular velocity of the probe, in world.
    pub fn twist_in_world(&self, physics: &Physics) -> Twist {
        let [wx, wy, wz, vx, vy, vz] =
            physics
                .data()
                .object_velocity(MjtObjBase::mjOBJ_SITE, self.site, false);
        Twist {
            linear: [vx, vy, vz].into(),
            angular: [wx, wy, wz].into(),
        }
    }
}
