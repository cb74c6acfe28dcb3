//! Tasks in which an arm moves a probe over a scene.
//!
//! A [`SceneModel`] is the constant compiled scene, a [`SceneState`] is its state in one environment, and a [`SceneSet`] holds
//! the scenes that all environments of a task share. A [`ProbeTask`] defines the task, and a [`ProbeEnvironment`] makes an
//! [`Env`](crate::Env) from it.

mod action_change;
mod batch;
mod contact_costs;
mod contact_limits;
mod contact_meter;
mod ends;
mod factory;
mod force_sensor;
mod goal;
mod held_force;
mod imaging;
mod model;
pub mod observation;
mod path;
mod robot_file;
mod rule;
mod scene_set;
mod scene_settings;
mod settings;
mod simulation;
mod skin_target;
mod state;
mod task;
mod tissue_settings;
mod torso;
mod touch;
mod tuned_torso;
mod wrench_measurement;
mod wrench_script;

pub use action_change::ActionChange;
pub use batch::{BatchTaskSpec, StateEntry, batch_factory};
pub use contact_costs::{ContactCosts, share};
pub use contact_limits::{ForceLimits, SuccessCriteria};
pub use contact_meter::{ContactMeter, ContactMetrics, ForceAxis, ForceMetrics};
pub use ends::{contact_lost, pressed_too_hard, too_far};
pub use factory::factory;
pub use force_sensor::ForceSensor;
pub use goal::Goal;
pub use held_force::HeldForce;
pub use imaging::ImagingTask;
pub use model::{NominalTorso, SceneModel, build_scene, resize_torso, scale_softness};
pub use observation::ObservationSettings;
pub use path::{PathProgress, StraightPath};
pub use rule::{Rule, judge_rules};
pub use scene_set::SceneSet;
pub use scene_settings::SceneSettings;
pub use settings::{ProbeTaskSettings, TimeSettings};
pub use simulation::{ProbeEnvironment, ProbeSimulation};
pub use skin_target::SkinTarget;
pub use state::{ProbeState, SceneState};
pub use task::ProbeTask;
pub use tissue_settings::TissueSettings;
pub use torso::TorsoFrame;
pub use touch::{CONTACT_SPEED, ContactPeak, FORCE_RATE};
pub use tuned_torso::tuned_torso;
pub use wrench_measurement::WrenchMeasurement;
pub use wrench_script::WrenchScript;
