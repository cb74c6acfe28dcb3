//! Ways to turn an action into joint torques: one file each, listed in [`ALL`]. Entries are shares of full scale, -1 to 1.

mod hybrid_force;
mod impedance;
mod joint_velocity;
mod osc_pose;

use serde::{Deserialize, Serialize};

pub use hybrid_force::{HybridForceAction, HybridForceSettings};
pub use impedance::{ImpedanceAction, ImpedanceMode, ImpedanceSettings};
pub use joint_velocity::{JointVelocityAction, JointVelocitySettings};
pub use osc_pose::{OscPoseAction, OscPoseSettings};

use crate::probe::SceneState;
use crate::{BoxSpace, EnvError};

/// Turns actions into torques.
pub trait ActionMode: Send {
    /// What an action is.
    fn space(&self) -> BoxSpace;

    /// Forgets the past; the state has just been placed.
    fn reset(&mut self, state: &SceneState);

    /// Takes an action, once per control step.
    fn set_action(&mut self, state: &SceneState, action: &[f32]);

    /// Writes torques, once per physics step; the state's goal and feelings are those of now.
    fn control(&mut self, state: &mut SceneState);
}

/// Every mode with what it does.
pub const ALL: &[(&str, &str)] = &[
    (
        "osc_pose",
        "changes of the probe's pose, as robosuite's OSC_POSE",
    ),
    (
        "tracking",
        "stiffness of six axes about the task's goal (the thesis' tracking)",
    ),
    (
        "variable_z",
        "stiffness of six axes, and depth along the probe's axis (the thesis' variable_z)",
    ),
    (
        "wrench",
        "force and torque on the probe beside a spring towards the goal (the thesis' wrench)",
    ),
    ("joint_velocity", "velocities of the joints"),
    (
        "hybrid_force",
        "corrections of the scripted hybrid force controller; zero is that controller",
    ),
];

/// How actions act.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionSettings {
    /// One of `osc_pose`, `tracking`, `variable_z`, `wrench`, `joint_velocity`, `hybrid_force`.
    pub mode: String,
    /// Settings of `osc_pose`.
    pub osc_pose: OscPoseSettings,
    /// Settings of `tracking`, `variable_z` and `wrench`.
    pub impedance: ImpedanceSettings,
    /// Settings of `joint_velocity`.
    pub joint_velocity: JointVelocitySettings,
    /// Settings of `hybrid_force`.
    pub hybrid_force: HybridForceSettings,
}

impl Default for ActionSettings {
    fn default() -> Self {
        Self {
            mode: "osc_pose".to_owned(),
            osc_pose: OscPoseSettings::default(),
            impedance: ImpedanceSettings::default(),
            joint_velocity: JointVelocitySettings::default(),
            hybrid_force: HybridForceSettings::default(),
        }
    }
}

impl ActionSettings {
    /// The default settings in another mode.
    pub fn of_mode(mode: &str) -> Self {
        Self {
            mode: mode.to_owned(),
            ..Self::default()
        }
    }

    /// Fails for settings that cannot be.
    ///
    /// # Errors
    /// [`EnvError::Config`], [`EnvError::Unknown`] for the mode.
    pub fn check(&self) -> Result<(), EnvError> {
        let known: Vec<&str> = ALL.iter().map(|(name, _)| *name).collect();
        if !known.contains(&self.mode.as_str()) {
            return Err(EnvError::unknown("action mode", &self.mode, &known));
        }
        self.osc_pose.check()?;
        self.impedance.check()?;
        self.joint_velocity.check()?;
        self.hybrid_force.check()
    }

    /// An action of the mode for a state.
    ///
    /// # Errors
    /// [`EnvError::Unknown`] for the mode, [`EnvError::Sim`] where the scene lacks what the controller needs.
    pub fn make(&self, state: &SceneState) -> Result<Box<dyn ActionMode>, EnvError> {
        self.check()?;
        let impedance = |mode| ImpedanceAction::new(state, &self.impedance, mode);
        Ok(match self.mode.as_str() {
            "tracking" => Box::new(impedance(ImpedanceMode::Tracking)?),
            "variable_z" => Box::new(impedance(ImpedanceMode::VariableZ)?),
            "wrench" => Box::new(impedance(ImpedanceMode::Wrench)?),
            "joint_velocity" => Box::new(JointVelocityAction::new(state, &self.joint_velocity)?),
            "hybrid_force" => Box::new(HybridForceAction::new(state, &self.hybrid_force)?),
            _ => Box::new(OscPoseAction::new(state, &self.osc_pose)?),
        })
    }
}
