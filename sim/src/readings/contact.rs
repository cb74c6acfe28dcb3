//! Contact of the probe, summed from the contact list.

use mujoco_rs::wrappers::mj_model::MjModel;
use nalgebra::Vector3;

use super::FACE_CENTER;
use crate::names::{self, Kind};
use crate::{Physics, SimError};

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
        let site = names::find(model, Kind::Site, FACE_CENTER)?;
        let bodies = subtree(model, model.site_bodyid()[site] as usize);
        let is_probe = geoms_of(model, &bodies);
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
                // Touching itself or not touching at all adds nothing.
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

    pub(super) fn owns(&self, geom: i32) -> bool {
        usize::try_from(geom).is_ok_and(|geom| self.is_probe[geom])
    }
}

/// A body and all bodies below it, in model order.
pub(super) fn subtree(model: &MjModel, root: usize) -> Vec<usize> {
    let parents = model.body_parentid();
    let mut bodies = vec![root];
    // MuJoCo orders parents before children.
    for (body, &parent) in parents.iter().enumerate().skip(root + 1) {
        if bodies.contains(&(parent as usize)) {
            bodies.push(body);
        }
    }
    bodies
}

/// Whether each geom of the model belongs to one of the bodies, shape `[ngeom]`.
pub(super) fn geoms_of(model: &MjModel, bodies: &[usize]) -> Vec<bool> {
    model
        .geom_bodyid()
        .iter()
        .map(|&body| bodies.contains(&(body as usize)))
        .collect()
}
