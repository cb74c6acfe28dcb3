//! The internal anatomy of the patient: the procedural adult's organs, or the labels of a made patient.

use std::sync::{Arc, OnceLock};

use insonate_models::Scene;
use insonate_models::torsos::TorsoConfig;
use insonate_ultrasound::material::Material;
use insonate_ultrasound::phantom::{Adult, LabelVolume, Phantom, SoftOrgan, SurfacePoint};
use insonate_ultrasound::transducer::Transducer;
use nalgebra::Isometry3;

use crate::{EnvError, OwnPatient};

/// The internal anatomy of the patient, shared by all environments of a task.
#[derive(Debug)]
pub struct Patient {
    anatomy: Anatomy,
}

#[derive(Debug)]
enum Anatomy {
    Adult(Box<Adult>),
    Made(Box<Made>),
}

/// A made patient under a probe.
#[derive(Debug)]
struct Made {
    own: Arc<OwnPatient>,
    labels: Arc<LabelVolume>,
    transducer: Transducer,
    /// Places from which the liver is seen, found on first use.
    liver_windows: OnceLock<Vec<[f64; 2]>>,
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
        Ok(Arc::new(Self {
            anatomy: Anatomy::Adult(Box::new(adult)),
        }))
    }

    /// A made patient under a probe.
    ///
    /// # Errors
    /// [`EnvError::Config`]: a material of the patient is unknown.
    pub fn made(own: Arc<OwnPatient>, transducer: Transducer) -> Result<Arc<Self>, EnvError> {
        let labels = own.shared_phantom()?;
        let made = Made {
            own,
            labels,
            transducer,
            liver_windows: OnceLock::new(),
        };
        Ok(Arc::new(Self {
            anatomy: Anatomy::Made(Box::new(made)),
        }))
    }

    /// The error of a scene whose torso has no organs.
    pub(super) fn without_organs() -> EnvError {
        EnvError::Config {
            field: "observation.ultrasound.readings".to_owned(),
            problem: "needs scene.shape = \"adult\": other torsos have no organs".to_owned(),
        }
    }

    /// The same adult with the organs of another seed; `None` for a made patient.
    pub fn with_organs(&self, seed: u64) -> Option<Arc<Self>> {
        let Anatomy::Adult(adult) = &self.anatomy else {
            return None;
        };
        let anatomy = Anatomy::Adult(Box::new(adult.with_organs(seed)));
        Some(Arc::new(Self { anatomy }))
    }

    /// Organs and layers, in the torso's frame at rest.
    pub fn phantom(&self) -> &dyn Phantom {
        match &self.anatomy {
            Anatomy::Adult(adult) => &**adult,
            Anatomy::Made(made) => &*made.labels,
        }
    }

    /// Pose of the probe for the liver–kidney view, in the torso's frame at rest; see [`Adult::liver_kidney_view`].
    ///
    /// # Errors
    /// [`EnvError::Config`]: the organs do not define such a view, or the patient does not have them.
    pub fn liver_kidney_view(&self) -> Result<Isometry3<f64>, EnvError> {
        match &self.anatomy {
            Anatomy::Adult(adult) => Ok(adult.liver_kidney_view()?),
            Anatomy::Made(made) => made.own.liver_kidney_view(),
        }
    }

    /// Points of an organ's surface at rest: of the adult `n` for each of its ellipsoids, of a made patient `n`.
    ///
    /// # Errors
    /// [`EnvError::Config`]: `n` is outside of 16 to 65536, or the patient does not have the organ.
    pub fn surface(&self, organ: SoftOrgan, n: usize) -> Result<Vec<SurfacePoint>, EnvError> {
        match &self.anatomy {
            Anatomy::Adult(adult) => Ok(adult.surface(organ, n)?),
            Anatomy::Made(made) => {
                let class = match organ {
                    SoftOrgan::Liver => "liver",
                    SoftOrgan::RightKidney => "kidney_right",
                };
                made.own.surface(class, n)
            }
        }
    }

    /// Pose of a probe on the front; see [`Adult::probe_pose`].
    ///
    /// # Errors
    /// [`EnvError::Config`]: there is no skin.
    pub fn probe_pose(
        &self,
        site: [f64; 2],
        rotation: f64,
        indentation: f64,
    ) -> Result<Isometry3<f64>, EnvError> {
        Ok(match &self.anatomy {
            Anatomy::Adult(adult) => adult.probe_pose(site, rotation, indentation)?,
            Anatomy::Made(made) => made.labels.probe_pose(site, rotation, indentation)?,
        })
    }

    /// Places from which a made patient's liver is seen, in the torso's frame [m]; `None` for an adult.
    ///
    /// # Errors
    /// [`EnvError::Config`]: the patient has no liver, or no place sees it.
    pub fn liver_windows(&self) -> Result<Option<&[[f64; 2]]>, EnvError> {
        let Anatomy::Made(made) = &self.anatomy else {
            return Ok(None);
        };
        if let Some(found) = made.liver_windows.get() {
            return Ok(Some(found));
        }
        let found = made.own.places("liver", &made.transducer)?;
        Ok(Some(made.liver_windows.get_or_init(|| found)))
    }

    /// For each material, whether its name begins with `organ`, such as `kidney`.
    pub(super) fn materials_of(&self, organ: &str) -> Vec<bool> {
        let is_of = |material: &Material| material.name.starts_with(organ);
        self.phantom().materials().iter().map(is_of).collect()
    }

    /// For each material, whether it casts a shadow (bone and gas).
    pub(super) fn casts_shadow(&self) -> Vec<bool> {
        let is_opaque = |material: &Material| material.is_gas() || material.is_bone();
        self.phantom().materials().iter().map(is_opaque).collect()
    }
}
