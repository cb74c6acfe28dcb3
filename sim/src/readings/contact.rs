//! Contact of the probe, of an instrument, or of the arm, from the contact list.

use mujoco_rs::wrappers::mj_model::MjModel;
use nalgebra::Vector3;

use super::subtree::{geoms_of, subtree};
use super::{FACE_CENTER, ProbeFrame};
use crate::names::{self, ObjectType};
use crate::{Physics, SimError};

/// The geoms of the arm without the probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArmContact {
    /// Whether each geom of the model belongs to the arm, shape `[ngeom]`.
    is_arm: Vec<bool>,
}

impl ArmContact {
    /// All geoms of the tree that carries the probe, without the geoms of the probe's body and below it.
    pub fn new(model: &MjModel, probe: &ProbeFrame) -> Self {
        let mut is_arm = geoms_of(
            model,
            &subtree(model, model.body_rootid()[probe.body] as usize),
        );
        let is_probe = geoms_of(model, &subtree(model, probe.body));
        for (arm, probe) in is_arm.iter_mut().zip(is_probe) {
            *arm &= !probe;
        }
        Self { is_arm }
    }

    /// Whether the arm overlaps with anything, including itself and the probe.
    pub fn touches(&self, physics: &Physics) -> bool {
        physics.contacts().iter().any(|contact| {
            contact.distance < 0.0 && contact.geom.into_iter().any(|geom| self.owns(geom))
        })
    }

    /// Whether a contact's geom belongs to the arm; `false` for -1, a flex.
    pub fn owns(&self, geom: i32) -> bool {
        usize::try_from(geom).is_ok_and(|geom| self.is_arm[geom])
    }
}

/// The geoms of the probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeContact {
    /// Whether each geom of the model belongs to the probe, shape `[ngeom]`.
    is_probe: Vec<bool>,
}

impl ProbeContact {
    /// All geoms of the body that carries `probe/face_center` and of the bodies below it.
    ///
    /// # Errors
    /// [`SimError::UnknownName`].
    pub fn new(model: &MjModel) -> Result<Self, SimError> {
        let site = names::find(model, ObjectType::Site, FACE_CENTER)?;
        let bodies = subtree(model, model.site_bodyid()[site] as usize);
        let is_probe = geoms_of(model, &bodies);
        Ok(Self { is_probe })
    }

    /// All geoms of `body`, such as an instrument's shaft, and of the bodies below it.
    ///
    /// # Errors
    /// [`SimError::UnknownName`].
    pub fn below(model: &MjModel, body: &str) -> Result<Self, SimError> {
        let body = names::find(model, ObjectType::Body, body)?;
        let is_probe = geoms_of(model, &subtree(model, body));
        Ok(Self { is_probe })
    }

    /// Force on the probe from everything that it touches, in world [N], during the last step.
    pub fn force_in_world(&self, physics: &Physics) -> Vector3<f64> {
        let mut force = Vector3::zeros();
        for contact in physics.contacts() {
            let on_second = Vector3::from(contact.force_in_world());
            match contact.geom.map(|geom| self.owns(geom)) {
                [false, true] => force += on_second,
                [true, false] => force -= on_second,
                // Contacts within the probe and contacts without it add nothing.
                [true, true] | [false, false] => {}
            }
        }
        force
    }

    /// Whether a contact carried force to or from the probe during the last step.
    pub fn in_contact(&self, physics: &Physics) -> bool {
        physics.contacts().iter().any(|contact| {
            let [first, second] = contact.geom.map(|geom| self.owns(geom));
            first != second && contact.force_in_contact[0] > 0.0
        })
    }

    /// Whether a contact's geom belongs to the probe; `false` for -1, a flex.
    pub fn owns(&self, geom: i32) -> bool {
        usize::try_from(geom).is_ok_and(|geom| self.is_probe[geom])
    }
}
