//! The internal anatomy of the patient.

use std::sync::Arc;

use insonate_models::Scene;
use insonate_models::torsos::TorsoConfig;
use insonate_ultrasound::material::Material;
use insonate_ultrasound::phantom::{Adult, Phantom as _};

use crate::EnvError;

/// The internal anatomy of the patient, shared by all environments of a task.
#[derive(Debug)]
pub struct Patient {
    adult: Adult,
}

impl Patient {
    /// The adult of a scene, with the organs of a seed.
    ///
    /// # Errors
    /// [`EnvError::Config`] if the torso is not an adult.
    pub fn of(scene: &Scene, seed: u64) -> Result<Arc<Self>, EnvError> {
        let torso = scene.torso.as_ref().map(|torso| &torso.config);
        let physique = torso.and_then(TorsoConfig::physique);
        let adult = Adult::new(&physique.ok_or_else(Self::without_organs)?, seed)?;
        Ok(Arc::new(Self { adult }))
    }

    /// The error of a scene whose torso has no organs.
    pub(super) fn without_organs() -> EnvError {
        EnvError::Config {
            field: "observation.ultrasound.readings".to_owned(),
            problem: "needs scene.shape = \"adult\": other torsos have no organs".to_owned(),
        }
    }

    /// The same adult with the organs of another seed.
    #[must_use]
    pub fn with_organs(&self, seed: u64) -> Arc<Self> {
        let adult = self.adult.with_organs(seed);
        Arc::new(Self { adult })
    }

    /// Organs and layers, in the torso's frame at rest.
    pub fn adult(&self) -> &Adult {
        &self.adult
    }

    /// For each material, whether its name begins with `organ`, such as `kidney`.
    pub(super) fn materials_of(&self, organ: &str) -> Vec<bool> {
        let is_of = |material: &Material| material.name.starts_with(organ);
        self.adult.materials().iter().map(is_of).collect()
    }

    /// For each material, whether it casts a shadow (bone and gas).
    pub(super) fn casts_shadow(&self) -> Vec<bool> {
        let is_opaque = |material: &Material| material.is_gas() || material.is_bone();
        self.adult.materials().iter().map(is_opaque).collect()
    }
}
