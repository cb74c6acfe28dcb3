//! Changes of the probe's pose: operational-space control with robosuite's semantics (Zhu et al. 2020, arXiv:2009.12293).

use insonate_settings::check_ranges;
use insonate_sim::controllers::{Controller as _, OscPose, OscPoseConfig, OscTarget};
use serde::{Deserialize, Serialize};

use super::mode::ActionMode;
use crate::probe::SceneState;
use crate::{BoxSpace, EnvError};

/// Names of a pose's axes in the world frame.
pub(super) const AXES: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// Settings of the mode `osc_pose`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OscPoseSettings {
    /// Axes that actions move, a subset of `x y z rx ry rz`, in the world frame. The others are held at their start values.
    pub axes: Vec<String>,
    /// Translation at a full-scale action [m].
    pub position_scale: f64,
    /// Rotation at a full-scale action [rad].
    pub orientation_scale: f64,
    /// Stiffness per unit of task inertia [1/s²]. robosuite: 150; the thesis: 300.
    pub stiffness: f64,
    /// Ratio of damping to critical damping.
    pub damping_ratio: f64,
}

impl Default for OscPoseSettings {
    fn default() -> Self {
        Self {
            axes: AXES.map(str::to_owned).to_vec(),
            position_scale: 0.05,
            orientation_scale: 0.5,
            stiffness: 300.0,
            damping_ratio: 1.0,
        }
    }
}

impl OscPoseSettings {
    pub(super) fn check(&self) -> Result<(), EnvError> {
        check_axes("action.osc_pose.axes", &self.axes)?;
        Ok(check_ranges(
            "action.osc_pose.",
            [
                ("position_scale", self.position_scale, [1e-5, 1.0], "m"),
                (
                    "orientation_scale",
                    self.orientation_scale,
                    [1e-4, 3.2],
                    "rad",
                ),
                ("stiffness", self.stiffness, [0.0, 5000.0], "1/s²"),
                ("damping_ratio", self.damping_ratio, [0.0, 10.0], ""),
            ],
        )?)
    }
}

/// Checks that the axes are a subset of [`AXES`] without duplicates.
pub(super) fn check_axes(field: &str, axes: &[String]) -> Result<(), EnvError> {
    let known = axes.iter().all(|axis| AXES.contains(&axis.as_str()));
    let twice = (0..axes.len()).any(|i| axes[..i].contains(&axes[i]));
    if known && !twice && !axes.is_empty() {
        return Ok(());
    }
    Err(EnvError::Config {
        field: field.to_owned(),
        problem: format!(
            "is {axes:?}; it must be a subset of {} without duplicates",
            AXES.join(", ")
        ),
    })
}

/// The mode `osc_pose`.
#[derive(Debug)]
pub struct OscPoseAction {
    controller: OscPose,
    axes: Vec<usize>,
    names: Vec<String>,
}

impl OscPoseAction {
    /// # Errors
    /// [`EnvError::Sim`] if the scene has no arm or no probe.
    pub fn new(state: &SceneState, settings: &OscPoseSettings) -> Result<Self, EnvError> {
        let config = OscPoseConfig {
            stiffness: [settings.stiffness; 6],
            damping_ratio: [settings.damping_ratio; 6],
            position_scale: settings.position_scale,
            orientation_scale: settings.orientation_scale,
            ..OscPoseConfig::default()
        };
        let place = |axis: &String| AXES.iter().position(|known| known == axis);
        Ok(Self {
            controller: OscPose::new(&state.physics, config)?,
            axes: settings.axes.iter().filter_map(place).collect(),
            names: settings.axes.clone(),
        })
    }
}

impl ActionMode for OscPoseAction {
    fn space(&self) -> BoxSpace {
        let mut space = BoxSpace::default();
        for name in &self.names {
            space.push(format!("delta_{name} [1]"), -1.0, 1.0);
        }
        space.in_frame("world")
    }

    fn reset(&mut self, state: &SceneState) {
        self.controller.reset(&state.physics);
    }

    fn set_action(&mut self, state: &SceneState, action: &[f32]) {
        let mut delta = [0.0; 6];
        for (&axis, &share) in self.axes.iter().zip(action) {
            delta[axis] = f64::from(share);
        }
        let held = *self.controller.goal();
        self.controller
            .set_target(&state.physics, OscTarget::Delta(delta));
        // Axes that no action moves keep their goal; otherwise they would creep under load.
        let mut goal = *self.controller.goal();
        for axis in (0..3).filter(|axis| !self.axes.contains(axis)) {
            goal.position[axis] = held.position[axis];
        }
        if self.axes.iter().all(|&axis| axis < 3) {
            goal.rotation = held.rotation;
        }
        self.controller
            .set_target(&state.physics, OscTarget::Pose(goal));
    }

    fn control(&mut self, state: &mut SceneState) {
        self.controller.control(&mut state.physics);
    }
}
