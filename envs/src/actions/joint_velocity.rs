//! Velocities of the joints.

use insonate_settings::check_ranges;
use insonate_sim::controllers::{Controller as _, JointVelocity, JointVelocityConfig};
use serde::{Deserialize, Serialize};

use super::mode::ActionMode;
use crate::probe::SceneState;
use crate::{BoxSpace, EnvError};

/// Settings of the mode `joint_velocity`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointVelocitySettings {
    /// Velocity at a full-scale action [rad/s].
    pub velocity_scale: f64,
    /// Joint acceleration per velocity error [1/s].
    pub gain: f64,
}

impl Default for JointVelocitySettings {
    fn default() -> Self {
        Self {
            velocity_scale: 0.5,
            gain: JointVelocityConfig::default().gain,
        }
    }
}

impl JointVelocitySettings {
    pub(super) fn check(&self) -> Result<(), EnvError> {
        Ok(check_ranges(
            "action.joint_velocity.",
            [
                ("velocity_scale", self.velocity_scale, [1e-3, 10.0], "rad/s"),
                ("gain", self.gain, [0.1, 500.0], "1/s"),
            ],
        )?)
    }
}

/// The mode `joint_velocity`.
#[derive(Debug)]
pub struct JointVelocityAction {
    controller: JointVelocity,
    scale: f64,
    velocities: Vec<f64>,
}

impl JointVelocityAction {
    /// # Errors
    /// [`EnvError::Sim`] if the scene has no arm.
    pub fn new(state: &SceneState, settings: &JointVelocitySettings) -> Result<Self, EnvError> {
        let config = JointVelocityConfig {
            gain: settings.gain,
        };
        Ok(Self {
            controller: JointVelocity::new(&state.physics, config)?,
            scale: settings.velocity_scale,
            velocities: vec![0.0; state.placement.arm.n_joints()],
        })
    }
}

impl ActionMode for JointVelocityAction {
    fn space(&self) -> BoxSpace {
        let mut space = BoxSpace::default();
        (0..self.velocities.len()).for_each(|i| space.push(format!("velocity_{i} [1]"), -1.0, 1.0));
        space
    }

    fn reset(&mut self, state: &SceneState) {
        self.controller.reset(&state.physics);
    }

    fn set_action(&mut self, _state: &SceneState, action: &[f32]) {
        for (velocity, &share) in self.velocities.iter_mut().zip(action) {
            *velocity = f64::from(share) * self.scale;
        }
        self.controller.set_velocities(&self.velocities);
    }

    fn control(&mut self, state: &mut SceneState) {
        self.controller.control(&mut state.physics);
    }
}
