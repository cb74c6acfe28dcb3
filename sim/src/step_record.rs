//! Quantities that are only valid between the two halves of a step: contact forces, accelerations, the previous shape of flexes.

use mujoco_rs::wrappers::mj_model::MjModel;

use crate::ffi::{self, Contact, Data};
use crate::readings::ForceTorque;

/// Measurements taken right after the solver, before the next state overwrites its arrays.
#[derive(Debug, Clone)]
pub(crate) struct StepRecord {
    /// Contacts with the forces that acted during the step.
    pub(crate) contacts: Vec<Contact>,
    /// The force-torque sensor at the tip, if the scene has one.
    pub(crate) force_torque: Option<ForceTorque>,
    /// Flex vertices at the start of the step in world [m], shape `[nflexvert, 3]`.
    pub(crate) flex_vertices: Vec<[f64; 3]>,
}

impl StepRecord {
    pub(crate) fn new(model: &MjModel) -> Self {
        Self {
            contacts: Vec::new(),
            force_torque: ForceTorque::new(model).ok(),
            flex_vertices: Vec::new(),
        }
    }

    /// Takes the measurements. `co_simulated` are the contacts with a torso that MuJoCo does not step.
    pub(crate) fn take(&mut self, data: &Data, co_simulated: &[Contact]) {
        self.contacts.clear();
        self.contacts.extend(ffi::contacts(data));
        self.contacts.extend_from_slice(co_simulated);
        if let Some(sensor) = &mut self.force_torque {
            sensor.measure(data, &self.contacts);
        }
        self.flex_vertices.clear();
        self.flex_vertices.extend_from_slice(data.flexvert_xpos());
    }
}
