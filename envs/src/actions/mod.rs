//! Action modes: they convert an action into joint torques. Each has a file and is listed in [`ALL`]. Actions are normalised to -1 to 1.

mod hybrid_force;
mod hybrid_motion;
mod impedance;
mod joint_velocity;
mod mode;
mod osc_pose;

use insonate_sim::controllers::{Controller as _, HybridForce};
use serde::{Deserialize, Serialize};

pub use hybrid_force::{HybridForceAction, HybridForceSettings};
pub use hybrid_motion::{HybridMotionAction, HybridMotionSettings};
pub use impedance::{ImpedanceAction, ImpedanceMode, ImpedanceSettings};
pub use joint_velocity::{JointVelocityAction, JointVelocitySettings};
pub use mode::ActionMode;
pub use osc_pose::{OscPoseAction, OscPoseSettings};

use crate::EnvError;
use crate::probe::SceneState;

/// Registry entry of an action mode.
pub struct ActionModeKind {
    /// Name, a value of `action.mode`.
    pub name: &'static str,
    /// One-line summary of the actions.
    pub summary: &'static str,
    make: MakeMode,
}

type MakeMode = fn(&SceneState, &ActionSettings) -> Result<Box<dyn ActionMode>, EnvError>;

/// All modes.
pub const ALL: &[ActionModeKind] = &[
    ActionModeKind {
        name: "osc_pose",
        summary: "changes of the probe's pose, as robosuite's OSC_POSE",
        make: |state, all| Ok(Box::new(OscPoseAction::new(state, &all.osc_pose)?)),
    },
    ActionModeKind {
        name: "tracking",
        summary: "stiffness of six axes around the task's goal (the thesis' tracking)",
        make: |state, all| impedance(state, all, ImpedanceMode::Tracking),
    },
    ActionModeKind {
        name: "variable_z",
        summary: "stiffness of six axes, and depth along the probe's axis (the thesis' variable_z)",
        make: |state, all| impedance(state, all, ImpedanceMode::VariableZ),
    },
    ActionModeKind {
        name: "wrench",
        summary: "force and torque on the probe in addition to a spring towards the goal (the thesis' wrench)",
        make: |state, all| impedance(state, all, ImpedanceMode::Wrench),
    },
    ActionModeKind {
        name: "joint_velocity",
        summary: "velocities of the joints",
        make: |state, all| {
            Ok(Box::new(JointVelocityAction::new(
                state,
                &all.joint_velocity,
            )?))
        },
    },
    ActionModeKind {
        name: "hybrid_force",
        summary: "corrections of the scripted hybrid force controller; zero is that controller",
        make: |state, all| Ok(Box::new(HybridForceAction::new(state, all)?)),
    },
    ActionModeKind {
        name: "hybrid_motion",
        summary: "velocities over the skin and rotations of the probe at a controlled force; zero holds the pose",
        make: |state, all| Ok(Box::new(HybridMotionAction::new(state, all)?)),
    },
];

fn impedance(
    state: &SceneState,
    all: &ActionSettings,
    mode: ImpedanceMode,
) -> Result<Box<dyn ActionMode>, EnvError> {
    Ok(Box::new(ImpedanceAction::new(state, &all.impedance, mode)?))
}

/// Runs a hybrid controller for a physics step, with the true force or that of the force sensor.
fn control_force(controller: &mut HybridForce, state: &mut SceneState, reads_sensor: bool) {
    if reads_sensor {
        let axis = state.probe.world_from_probe.z_axis();
        let force = state.sensor.force(&axis);
        controller.control_with(&mut state.physics, force);
    } else {
        controller.control(&mut state.physics);
    }
}

/// Values of `action.force_feedback`.
const FORCE_FEEDBACKS: [&str; 2] = ["exact", "sensor"];

fn exact_force() -> String {
    FORCE_FEEDBACKS[0].to_owned()
}

/// Settings of actions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionSettings {
    /// Name of a mode in [`ALL`].
    pub mode: String,
    /// Force that the controllers of `hybrid_force` and `hybrid_motion` read in each physics step: `exact`, or `sensor` with the
    /// episode's delay, bias, drift and noise.
    #[serde(default = "exact_force")]
    pub force_feedback: String,
    /// Settings of `osc_pose`.
    pub osc_pose: OscPoseSettings,
    /// Settings of `tracking`, `variable_z` and `wrench`.
    pub impedance: ImpedanceSettings,
    /// Settings of `joint_velocity`.
    pub joint_velocity: JointVelocitySettings,
    /// Settings of `hybrid_force`.
    pub hybrid_force: HybridForceSettings,
    /// Settings of `hybrid_motion`.
    #[serde(default)]
    pub hybrid_motion: HybridMotionSettings,
}

impl Default for ActionSettings {
    fn default() -> Self {
        Self {
            mode: "osc_pose".to_owned(),
            force_feedback: exact_force(),
            osc_pose: OscPoseSettings::default(),
            impedance: ImpedanceSettings::default(),
            joint_velocity: JointVelocitySettings::default(),
            hybrid_force: HybridForceSettings::default(),
            hybrid_motion: HybridMotionSettings::default(),
        }
    }
}

impl ActionSettings {
    /// Default settings with another mode.
    pub fn of_mode(mode: &str) -> Self {
        Self {
            mode: mode.to_owned(),
            ..Self::default()
        }
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// [`EnvError::Config`]; [`EnvError::Unknown`] for the mode.
    pub fn check(&self) -> Result<(), EnvError> {
        self.kind()?;
        if !FORCE_FEEDBACKS.contains(&self.force_feedback.as_str()) {
            return Err(EnvError::unknown(
                "action.force_feedback",
                &self.force_feedback,
                &FORCE_FEEDBACKS,
            ));
        }
        self.osc_pose.check()?;
        self.impedance.check()?;
        self.joint_velocity.check()?;
        self.hybrid_force.check()?;
        self.hybrid_motion.check()
    }

    /// Whether a controller reads the force sensor in place of the true force.
    pub fn reads_sensor(&self) -> bool {
        self.force_feedback == "sensor"
    }

    /// Creates the mode for a scene.
    ///
    /// # Errors
    /// Those of [`ActionSettings::check`]; [`EnvError::Sim`] if the scene lacks a part that the controller needs.
    pub fn make(&self, state: &SceneState) -> Result<Box<dyn ActionMode>, EnvError> {
        self.check()?;
        (self.kind()?.make)(state, self)
    }

    fn kind(&self) -> Result<&'static ActionModeKind, EnvError> {
        ALL.iter()
            .find(|kind| kind.name == self.mode)
            .ok_or_else(|| {
                let known: Vec<&str> = ALL.iter().map(|kind| kind.name).collect();
                EnvError::unknown("action mode", &self.mode, &known)
            })
    }
}
