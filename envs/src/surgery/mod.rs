//! Surgery on soft tissue: an organ, an instrument in it, and a task.
//!
//! A [`SurgeryModel`] is shared by all environments of a task: settings, and the organ at rest under gravity. A
//! [`SurgeryState`] is one copy of that organ with an instrument. A [`SurgeryTask`] defines the task, and a [`SurgeryEnvironment`] makes
//! an [`Env`](crate::Env) from it.
//!
//! An arm that holds the instrument (`psm_arm`) moves first in each step, against the tissue's wrench of the previous step. The instrument
//! follows its tip. The project's XPBD solver steps the organs of up to sixteen environments at once. MuJoCo only renders (`scene`, `look`,
//! `view`), on demand.

mod factory;
mod look;
mod model;
mod organ;
mod psm_arm;
mod scene;
mod settings;
mod simulation;
mod state;
mod task;
mod view;
mod worlds;

pub use factory::factory;
pub use model::SurgeryModel;
pub use organ::{MaterialPoint, Organ};
pub use settings::{
    InstrumentSettings, OrganSettings, SurgeryObservationSettings, SurgeryRobot,
    SurgerySceneSettings, SurgerySettings, SurgeryTimeSettings,
};
pub use simulation::{SurgeryEnvironment, SurgerySimulation};
pub use state::SurgeryState;
pub use task::{SurgeryTask, SurgeryTaskSpec};
