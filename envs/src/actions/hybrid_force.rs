//! Corrections of the scripted hybrid force controller. The zero action is that controller (residual learning, Johannink et al.
//! 2019, doi:10.1109/ICRA.2019.8794127).

use insonate_settings::check_ranges;
use insonate_sim::Twist;
use insonate_sim::controllers::{Controller as _, HybridConfig, HybridForce, HybridTarget};
use serde::{Deserialize, Serialize};

use super::mode::ActionMode;
use super::{ActionSettings, control_force};
use crate::probe::SceneState;
use crate::{BoxSpace, EnvError};

/// Settings of the mode `hybrid_force`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HybridForceSettings {
    /// Change of the desired force at a full-scale action [N].
    pub force_scale: f64,
    /// Velocity along the probe's axis at a full-scale action [m/s].
    pub velocity_scale: f64,
    /// Factor on both gains at a full-scale action; 1/factor at -1.
    pub gain_scale: f64,
    /// Maximum rate of the desired force [N/s].
    pub force_rate: f64,
    /// Acceleration along the axis per force error [m/s² per N].
    pub force_gain: f64,
    /// Acceleration along the axis per integrated force error [m/s² per N·s].
    pub force_integral_gain: f64,
    /// Speed towards the surface before contact [m/s].
    pub approach_speed: f64,
}

impl Default for HybridForceSettings {
    fn default() -> Self {
        let usual = HybridConfig::default();
        Self {
            force_scale: 2.0,
            velocity_scale: 0.01,
            gain_scale: 2.0,
            force_rate: usual.force_rate,
            force_gain: usual.force_gain,
            force_integral_gain: usual.force_integral_gain,
            approach_speed: usual.approach_speed,
        }
    }
}

impl HybridForceSettings {
    pub(super) fn check(&self) -> Result<(), EnvError> {
        Ok(check_ranges(
            "action.hybrid_force.",
            [
                ("force_scale", self.force_scale, [0.0, 40.0], "N"),
                ("velocity_scale", self.velocity_scale, [0.0, 0.5], "m/s"),
                ("gain_scale", self.gain_scale, [1.0, 10.0], ""),
                ("force_rate", self.force_rate, [0.1, 1e4], "N/s"),
                ("force_gain", self.force_gain, [0.0, 100.0], "m/s² per N"),
                (
                    "force_integral_gain",
                    self.force_integral_gain,
                    [0.0, 1e3],
                    "m/s² per N·s",
                ),
                ("approach_speed", self.approach_speed, [1e-4, 0.5], "m/s"),
            ],
        )?)
    }
}

/// The mode `hybrid_force`.
#[derive(Debug)]
pub struct HybridForceAction {
    controller: HybridForce,
    reads_sensor: bool,
    settings: HybridForceSettings,
    force: f64,
    velocity: f64,
}

impl HybridForceAction {
    /// # Errors
    /// [`EnvError::Sim`] if the scene has no arm, no probe or no force sensor.
    pub fn new(state: &SceneState, all: &ActionSettings) -> Result<Self, EnvError> {
        let settings = &all.hybrid_force;
        let config = HybridConfig {
            force_rate: settings.force_rate,
            force_gain: settings.force_gain,
            force_integral_gain: settings.force_integral_gain,
            approach_speed: settings.approach_speed,
            ..HybridConfig::default()
        };
        Ok(Self {
            controller: HybridForce::new(&state.physics, config)?,
            reads_sensor: all.reads_sensor(),
            settings: settings.clone(),
            force: 0.0,
            velocity: 0.0,
        })
    }
}

impl ActionMode for HybridForceAction {
    fn space(&self) -> BoxSpace {
        BoxSpace::default()
            .with("force [1]", -1.0, 1.0)
            .with("normal_velocity [1]", -1.0, 1.0)
            .in_frame("goal")
            .with("gain [1]", -1.0, 1.0)
    }

    fn reset(&mut self, state: &SceneState) {
        self.controller.reset(&state.physics);
        self.set_action(state, &[0.0; 3]);
    }

    fn set_action(&mut self, _state: &SceneState, action: &[f32]) {
        let gain = self.settings.gain_scale.powf(f64::from(action[2]));
        self.controller.config.force_gain = gain * self.settings.force_gain;
        self.controller.config.force_integral_gain = gain * self.settings.force_integral_gain;
        self.force = f64::from(action[0]) * self.settings.force_scale;
        self.velocity = f64::from(action[1]) * self.settings.velocity_scale;
    }

    fn control(&mut self, state: &mut SceneState) {
        let goal = &state.goal;
        let axis = goal.world_from_probe.z_axis();
        let target = HybridTarget {
            world_from_probe: goal.world_from_probe,
            twist: Twist {
                linear: goal.twist.linear + axis * self.velocity,
                angular: goal.twist.angular,
            },
            force: (goal.force + self.force).max(0.0),
        };
        self.controller.set_target(&state.physics, target);
        control_force(&mut self.controller, state, self.reads_sensor);
    }
}
