//! A spring and damper towards the task's goal. The action sets its stiffness, depth or wrench: the thesis' modes `tracking`,
//! `variable_z` and `wrench` (Jakobsen 2021).
//!
//! Axes are those of the goal: x along the array, z from the probe into the tissue. Damping follows stiffness (critical damping).

use insonate_settings::{check_interval, check_ranges};
use insonate_sim::controllers::{
    Controller as _, OscPose, OscPoseConfig, OscTarget, StiffnessFrame,
};
use insonate_sim::{Pose, Twist, Wrench};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::mode::ActionMode;
use super::osc_pose::AXES;
use crate::probe::SceneState;
use crate::{BoxSpace, EnvError};

/// Stiffness along the probe's axis in `wrench` [1/s²]: some hundredths of a newton at a centimetre, required by the damping.
const AXIAL_STIFFNESS: f64 = 1.0;

/// Settings of the modes `tracking`, `variable_z` and `wrench`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImpedanceSettings {
    /// Stiffness per unit of task inertia at actions of -1 and 1 in `tracking` and `variable_z` [1/s²]. The thesis: 0 to 500.
    pub stiffness: [f64; 2],
    /// Stiffness across the probe's axis and of the orientation in `wrench` [1/s²].
    pub held_stiffness: f64,
    /// Damping of motion along the probe's axis in `wrench`, where there is no spring [1/s].
    pub axial_damping: f64,
    /// Ratio of damping to critical damping.
    pub damping_ratio: f64,
    /// Depth of the goal under the skin [m] in `tracking`, and in `variable_z` at the action 0. The spring presses towards this depth.
    pub depth: f64,
    /// Change of that depth at a full-scale action in `variable_z` [m].
    pub depth_scale: f64,
    /// Force at a full-scale action in `wrench` [N]. The thesis: 10.
    pub force_scale: f64,
    /// Torque at a full-scale action in `wrench` [N·m].
    pub torque_scale: f64,
    /// Axes of the wrench that actions set in `wrench`, a subset of `x y z rx ry rz`.
    pub axes: Vec<String>,
}

impl Default for ImpedanceSettings {
    fn default() -> Self {
        Self {
            stiffness: [0.0, 500.0],
            held_stiffness: 600.0,
            axial_damping: 10.0,
            damping_ratio: 1.0,
            depth: 0.01,
            depth_scale: 0.01,
            force_scale: 10.0,
            torque_scale: 1.0,
            axes: AXES.map(str::to_owned).to_vec(),
        }
    }
}

impl ImpedanceSettings {
    pub(super) fn check(&self) -> Result<(), EnvError> {
        check_interval(
            "action.impedance.stiffness",
            self.stiffness,
            [0.0, 5000.0],
            "1/s²",
        )?;
        check_ranges(
            "action.impedance.",
            [
                ("held_stiffness", self.held_stiffness, [0.0, 5000.0], "1/s²"),
                ("axial_damping", self.axial_damping, [0.0, 500.0], "1/s"),
                ("damping_ratio", self.damping_ratio, [0.0, 10.0], ""),
                ("depth", self.depth, [0.0, 0.2], "m"),
                ("depth_scale", self.depth_scale, [0.0, 0.2], "m"),
                ("force_scale", self.force_scale, [0.0, 100.0], "N"),
                ("torque_scale", self.torque_scale, [0.0, 50.0], "N·m"),
            ],
        )?;
        super::osc_pose::check_axes("action.impedance.axes", &self.axes)
    }
}

/// Quantities that an action sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImpedanceMode {
    /// Six stiffnesses.
    Tracking,
    /// Six stiffnesses and the depth.
    VariableZ,
    /// A wrench. The stiffness is constant, and zero along the probe's axis.
    Wrench,
}

/// The modes `tracking`, `variable_z` and `wrench`.
#[derive(Debug)]
pub struct ImpedanceAction {
    mode: ImpedanceMode,
    controller: OscPose,
    settings: ImpedanceSettings,
    /// Indices of the wrench's axes that actions set.
    axes: Vec<usize>,
    depth: f64,
    wrench: [f64; 6],
}

impl ImpedanceAction {
    /// # Errors
    /// [`EnvError::Sim`] if the scene has no arm or no probe.
    pub fn new(
        state: &SceneState,
        settings: &ImpedanceSettings,
        mode: ImpedanceMode,
    ) -> Result<Self, EnvError> {
        let held = settings.held_stiffness;
        let config = OscPoseConfig {
            stiffness: [held; 6],
            damping_ratio: [settings.damping_ratio; 6],
            stiffness_frame: StiffnessFrame::Goal,
            ..OscPoseConfig::default()
        };
        let place = |axis: &String| AXES.iter().position(|known| known == axis);
        let mut action = Self {
            mode,
            controller: OscPose::new(&state.physics, config)?,
            settings: settings.clone(),
            axes: settings.axes.iter().filter_map(place).collect(),
            depth: 0.0,
            wrench: [0.0; 6],
        };
        action.reset(state);
        Ok(action)
    }
}

impl ActionMode for ImpedanceAction {
    fn space(&self) -> BoxSpace {
        let mut space = BoxSpace::default();
        if self.mode == ImpedanceMode::Wrench {
            for &axis in &self.axes {
                space.push(format!("wrench_{} [1]", AXES[axis]), -1.0, 1.0);
            }
            return space.in_frame("goal");
        }
        for axis in AXES {
            space.push(format!("stiffness_{axis} [1]"), -1.0, 1.0);
        }
        if self.mode == ImpedanceMode::VariableZ {
            space.push("depth [1]", -1.0, 1.0);
        }
        space.in_frame("goal")
    }

    fn reset(&mut self, state: &SceneState) {
        self.controller.reset(&state.physics);
        self.wrench = [0.0; 6];
        self.depth = 0.0;
        if self.mode == ImpedanceMode::Wrench {
            let config = &mut self.controller.config;
            config.stiffness[2] = AXIAL_STIFFNESS;
            // The controller's damping is 2 ζ √k.
            config.damping_ratio[2] = 0.5 * self.settings.axial_damping / AXIAL_STIFFNESS.sqrt();
        }
    }

    fn set_action(&mut self, _state: &SceneState, action: &[f32]) {
        let share = |i: usize| f64::from(action[i]);
        if self.mode == ImpedanceMode::Wrench {
            for (i, &axis) in self.axes.iter().enumerate() {
                let scale = if axis < 3 {
                    self.settings.force_scale
                } else {
                    self.settings.torque_scale
                };
                self.wrench[axis] = scale * share(i);
            }
            return;
        }
        let [low, high] = self.settings.stiffness;
        let stiffness = |i: usize| low + (high - low) * 0.5 * (share(i) + 1.0);
        self.controller.config.stiffness = std::array::from_fn(stiffness);
        self.depth = self.settings.depth;
        if self.mode == ImpedanceMode::VariableZ {
            self.depth += self.settings.depth_scale * share(6);
        }
    }

    fn control(&mut self, state: &mut SceneState) {
        let goal = &state.goal;
        let Pose { position, rotation } = goal.world_from_probe;
        let [fx, fy, fz, tx, ty, tz] = self.wrench;
        self.controller.feed_forward = Wrench {
            force: rotation * Vector3::new(fx, fy, fz),
            torque: rotation * Vector3::new(tx, ty, tz),
        };
        self.controller.goal_twist = Twist {
            linear: goal.twist.linear,
            angular: goal.twist.angular,
        };
        let pose = Pose {
            position: position + goal.world_from_probe.z_axis() * self.depth,
            rotation,
        };
        self.controller
            .set_target(&state.physics, OscTarget::Pose(pose));
        self.controller.control(&mut state.physics);
    }
}
