//! The breath of a solid torso: its base is a heavy body on a spring, whose force is changed for another rate and amplitude.

use std::f64::consts::TAU;

use insonate_models::torsos::Breathing;
use mujoco_rs::wrappers::mj_model::MjModel;

use crate::ffi::Data;
use crate::names;

/// The oscillator of a breathing base, which slides along the torso's vertical axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Breath {
    qpos: usize,
    dof: usize,
    /// Mass of the base [kg].
    mass: f64,
    compiled: Spring,
    /// The spring of the breath that is set.
    current: Spring,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Spring {
    /// Stiffness [N/m].
    stiffness: f64,
    /// Position without force [m].
    rest: f64,
}

impl Spring {
    fn force(&self, position: f64) -> f64 {
        self.stiffness * (self.rest - position)
    }
}

impl Breath {
    /// The breath of a base; `None` if it does not move.
    pub(super) fn of(model: &MjModel, base: usize) -> Option<Self> {
        if model.body_jntnum()[base] != 1 {
            return None;
        }
        let joint = model.body_jntadr()[base] as usize;
        let address = names::joint_address(model, joint);
        let compiled = Spring {
            stiffness: model.jnt_stiffness()[joint],
            rest: model.qpos_spring()[address.qpos],
        };
        Some(Self {
            qpos: address.qpos,
            dof: address.dof,
            mass: model.body_mass()[base],
            compiled,
            current: compiled,
        })
    }

    /// Sets rate and amplitude.
    pub(super) fn set(&mut self, breathing: &Breathing) {
        self.current = Spring {
            stiffness: self.mass * (TAU * breathing.rate).powi(2),
            rest: 0.5 * breathing.amplitude,
        };
    }

    /// Sets the phase of the breath [rad]: 0 breathed out, π breathed in.
    pub(super) fn set_phase(&self, data: &mut Data, phase: f64) {
        let Spring { stiffness, rest } = self.current;
        data.qpos_mut()[self.qpos] = rest * (1.0 - phase.cos());
        data.qvel_mut()[self.dof] = rest * (stiffness / self.mass).sqrt() * phase.sin();
    }

    /// Rise of the base [m] and its rate [m/s].
    pub(super) fn motion(&self, data: &Data) -> [f64; 2] {
        [data.qpos()[self.qpos], data.qvel()[self.dof]]
    }

    /// Force along the axis that the compiled spring lacks [N].
    pub(super) fn missing_force(&self, data: &Data) -> f64 {
        if self.current == self.compiled {
            return 0.0;
        }
        let position = data.qpos()[self.qpos];
        self.current.force(position) - self.compiled.force(position)
    }
}
