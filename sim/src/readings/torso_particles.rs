//! Positions and velocities of the particles of a torso.

use std::ops::Range;

use mujoco_rs::wrappers::mj_model::MjModel;
use nalgebra::Vector3;

use super::{PARTICLE_PREFIX, TORSO_PREFIX};
use crate::Physics;
use crate::co_simulation::CoSimulatedTorso;
use crate::names::{self, ObjectType};

/// The particles of a torso.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TorsoParticles {
    /// The origins of these bodies.
    Bodies(Vec<usize>),
    /// These vertices of the model's flexes.
    FlexVertices(Range<usize>),
    /// The points of a torso that is stepped outside MuJoCo; number of points.
    CoSimulated(usize),
}

impl TorsoParticles {
    /// The bodies `torso/B...`, or else the first flex `torso/...`; `None` if the torso has no particles in MuJoCo.
    fn of_model(model: &MjModel) -> Option<Self> {
        let bodies = names::with_prefix(model, ObjectType::Body, PARTICLE_PREFIX);
        if !bodies.is_empty() {
            return Some(Self::Bodies(bodies));
        }
        let flex = *names::with_prefix(model, ObjectType::Flex, TORSO_PREFIX).first()?;
        let start = model.flex_vertadr()[flex] as usize;
        Some(Self::FlexVertices(
            start..start + model.flex_vertnum()[flex] as usize,
        ))
    }

    /// The particles of a scene's torso; `None` if it has no particles.
    pub fn of(physics: &Physics) -> Option<Self> {
        match physics.torso() {
            Some(torso) => Some(Self::CoSimulated(torso.positions().len())),
            None => Self::of_model(physics.model()),
        }
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        match self {
            Self::Bodies(bodies) => bodies.len(),
            Self::FlexVertices(range) => range.len(),
            Self::CoSimulated(count) => *count,
        }
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Positions in world [m], shape `[n_particles, 3]`.
    pub fn positions(&self, physics: &Physics) -> Vec<[f64; 3]> {
        let data = physics.data();
        match self {
            Self::Bodies(bodies) => bodies.iter().map(|&body| data.xpos()[body]).collect(),
            Self::FlexVertices(range) => data.flexvert_xpos()[range.clone()].to_vec(),
            Self::CoSimulated(_) => physics
                .torso()
                .map_or_else(Vec::new, CoSimulatedTorso::positions),
        }
    }

    /// Velocities in world [m/s], shape `[n_particles, 3]`; for flex vertices, the mean over the last step.
    pub fn velocities(&self, physics: &Physics) -> Vec<[f64; 3]> {
        match self {
            Self::Bodies(bodies) => bodies
                .iter()
                .map(|&body| body_velocity(physics, body))
                .collect(),
            Self::FlexVertices(range) => {
                let now = &physics.data().flexvert_xpos()[range.clone()];
                let before = &physics.flex_vertices_before()[range.clone()];
                let rate = 1.0 / physics.timestep();
                now.iter()
                    .zip(before)
                    .map(|(now, before)| std::array::from_fn(|i| (now[i] - before[i]) * rate))
                    .collect()
            }
            Self::CoSimulated(_) => physics
                .torso()
                .map_or_else(Vec::new, CoSimulatedTorso::velocities),
        }
    }
}

/// Velocity of a body's origin in world [m/s], from MuJoCo's com-based velocity.
fn body_velocity(physics: &Physics, body: usize) -> [f64; 3] {
    let data = physics.data();
    let root = physics.model().body_rootid()[body] as usize;
    let [wx, wy, wz, vx, vy, vz] = data.cvel()[body];
    let arm = Vector3::from(data.xpos()[body]) - Vector3::from(data.subtree_com()[root]);
    (Vector3::new(vx, vy, vz) + Vector3::new(wx, wy, wz).cross(&arm)).into()
}
