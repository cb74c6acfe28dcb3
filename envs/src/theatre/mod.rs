//! Surgery on soft tissue: an organ, an instrument in it, and a task to do with both.
//!
//! A [`Theatre`] is what all environments of a blueprint share: settings, and the organ as it hangs at rest under gravity. An
//! [`Operation`] is one copy of that organ with an instrument; a [`Procedure`] says what to do with it, and a
//! [`TissueEnvironment`] makes an [`Env`](crate::Env) of a procedure.
//!
//! The organ is stepped by the project's own XPBD solver; MuJoCo only draws it (`picture`), and only when somebody looks.

mod environment;
mod operation;
mod organ;
mod picture;
mod settings;

pub use environment::{Description, Procedure, TissueEnvironment};
pub use operation::Operation;
pub use organ::{Organ, Spot, Theatre};
pub use settings::{
    InstrumentSettings, ObservationSettings, OrganSettings, TimeSettings, TissueSettings,
};
