//! Experiments with the da Vinci PSM: [`track`] a motion and compare torques with the identified model, [`palpate`] a torso with
//! the instrument and estimate the force on its tip, or command the arm while it runs ([`LivePsm`]).

mod live;
mod palpate;
mod record;
mod track;

pub use live::{LivePsm, PsmReading};
pub use palpate::{PsmPalpation, PsmPalpationSummary, palpate};
pub use record::{PsmRecord, PsmSample};
pub use track::{PsmController, PsmTrack, PsmTrackSummary, PsmTrajectory, track};
