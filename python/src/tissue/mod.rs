//! Soft tissue: descriptions of bodies, tools, and worlds that step.

mod mls_mpm;
mod mpm_body;
mod shape;
mod soft_tissue;
mod tissue_body;
mod tool;
mod xpbd;
mod xpbd_body;

pub(crate) use mls_mpm::MlsMpm;
pub(crate) use mpm_body::MpmBody;
pub(crate) use shape::Shape;
pub(crate) use soft_tissue::SoftTissue;
pub(crate) use tissue_body::TissueBody;
pub(crate) use tool::Tool;
pub(crate) use xpbd::Xpbd;
pub(crate) use xpbd_body::{XpbdBody, xpbd_scene};

use insonate_tissue::{Material, TissueError};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Raised, Result, SimulationError, value_error};
use crate::settings;

impl From<TissueError> for Raised {
    fn from(error: TissueError) -> Self {
        let text = error.to_string();
        match error {
            TissueError::Diverged { .. } => SimulationError::new_err(text).into(),
            TissueError::Write(_) => PyOSError::new_err(text).into(),
            _ => value_error(text),
        }
    }
}

/// A material from fields by name; soft tissue of 20 kPa without fields.
fn material(fields: Option<&Bound<'_, PyDict>>) -> Result<Material> {
    match fields {
        None => Ok(Material::default()),
        Some(fields) => settings::described("material", fields),
    }
}
