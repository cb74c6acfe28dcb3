//! Surgery on soft tissue: an organ, an instrument in it, and a task to do with both.
//!
//! A [`SurgeryModel`] is what all environments of a task share: settings, and the organ as it hangs at rest under gravity. A
//! [`SurgeryState`] is one copy of that organ with an instrument; a [`SurgeryTask`] says what to do with it, and a
//! [`SurgeryEnvironment`] makes an [`Env`](crate::Env) of it.
//!
//! An arm that carries the instrument (`psm_arm`) moves first in each step, against the tissue's wrench of the last one, and the instrument
//! goes where its tip arrives. The organ is stepped by the project's own XPBD solver, sixteen environments at once; MuJoCo only draws it (`scene`, `look`,
//! `view`), and only when somebody looks.

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
