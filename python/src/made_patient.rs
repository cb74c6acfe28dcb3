//! The made patient of a scene: the folder that `insonate patient make` wrote.

use std::fmt::{self, Debug, Formatter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use insonate::experiments::OwnPatient;
use insonate_models::torsos::Shape;
use serde::{Deserialize, Serialize};

use crate::error::{Result, value_error};

/// A made patient, which is read when the scene is built.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MadePatient {
    pub(crate) folder: PathBuf,
    #[serde(skip)]
    read: Option<Arc<OwnPatient>>,
}

impl Debug for MadePatient {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.folder, out)
    }
}

impl PartialEq for MadePatient {
    fn eq(&self, other: &Self) -> bool {
        self.folder == other.folder
    }
}

impl MadePatient {
    /// What was read.
    pub(crate) fn patient(&self) -> Option<&OwnPatient> {
        self.read.as_deref()
    }

    /// Reads the folder.
    fn read(folder: &Path) -> Result<Self> {
        Ok(Self {
            folder: folder.to_owned(),
            read: Some(Arc::new(own_patient(folder)?)),
        })
    }
}

/// The patient of a folder.
pub(crate) fn own_patient(folder: &Path) -> Result<OwnPatient> {
    if !insonate::anatomy::Patient::is_in(folder) {
        return Err(value_error(format!(
            "patient: {} has no patient.toml; `insonate patient make` writes the folder of a patient",
            folder.display()
        )));
    }
    let own = OwnPatient::read(folder);
    own.map_err(|error| value_error(format!("patient: {}: {error}", folder.display())))
}

/// Name of the shape, and the made patient if the word is a folder; `adult` is another word for the shape `adult`.
pub(crate) fn shape_of(
    shape: Option<&str>,
    patient: Option<&Path>,
) -> Result<(String, Option<MadePatient>)> {
    let adult = Shape::Adult.name();
    let Some(patient) = patient else {
        return Ok((shape.unwrap_or(Shape::default().name()).to_owned(), None));
    };
    if let Some(shape) = shape.filter(|shape| *shape != adult) {
        return Err(value_error(format!(
            "a patient has the shape adult, but shape is {shape:?}; leave out one of them"
        )));
    }
    let is_adult = patient == Path::new(adult);
    // A single word may be a misspelt one.
    if !is_adult && patient.components().count() == 1 && !patient.exists() {
        return Err(value_error(format!(
            "patient is {:?}; it must be adult, or a folder that `insonate patient make` wrote",
            patient.display().to_string()
        )));
    }
    let made = (!is_adult)
        .then(|| MadePatient::read(patient))
        .transpose()?;
    Ok((adult.to_owned(), made))
}
