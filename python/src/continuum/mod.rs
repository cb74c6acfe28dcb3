//! Continuum robots: rods, their actuation, lumens and simulation.

mod actuation;
mod lumen;
mod rod_config;
mod rod_state;
mod section;
mod simulation;
mod step_report;

pub(crate) use actuation::Actuation;
pub(crate) use lumen::Lumen;
pub(crate) use rod_config::RodConfig;
pub(crate) use rod_state::RodState;
pub(crate) use section::Section;
pub(crate) use simulation::Simulation;
pub(crate) use step_report::StepReport;

use insonate_continuum::ContinuumError;

use crate::error::{Raised, SimulationError, value_error};

impl From<ContinuumError> for Raised {
    fn from(error: ContinuumError) -> Self {
        let text = error.to_string();
        match error {
            ContinuumError::Folded { .. } | ContinuumError::Diverged => {
                SimulationError::new_err(text).into()
            }
            _ => value_error(text),
        }
    }
}
