//! The torso of a scene for a scanner outside of the simulation, on any thread.

use std::sync::Arc;

use insonate_models::Scene;
use insonate_sim::readings::{DeformedTorso, ProbeFrame, TissuePoints, torso_from_probe};
use insonate_sim::{Physics, Pose};
use insonate_ultrasound::transducer::Transducer;
use nalgebra::Isometry3;

use super::Patient;
use crate::{EnvError, OwnPatient};

/// A scene with a torso, and its state.
#[derive(Debug, Clone, Copy)]
pub struct TorsoScene<'a> {
    /// Description of the scene.
    pub scene: &'a Scene,
    /// State of the scene.
    pub physics: &'a Physics,
    /// Motion of the torso from its compiled pose.
    pub world_from_rest: Pose,
    /// The patient whom the task observes with ultrasound; `None` if it observes none.
    pub patient: Option<&'a Arc<Patient>>,
    /// The made patient of the scene; `None` without one.
    pub made: Option<&'a Arc<OwnPatient>>,
}

/// A torso at the start of an episode, with its patient.
#[derive(Debug)]
pub struct TorsoAtRest {
    patient: Arc<Patient>,
    points: TissuePoints,
    probe: ProbeFrame,
    transducer: Transducer,
    /// Origin of the torso's frame at rest, in world [m].
    origin: [f64; 3],
}

impl TorsoAtRest {
    /// The torso of a scene that has just been reset. The organs are those of the task's patient or of the made one, else of `seed`.
    ///
    /// # Errors
    /// [`EnvError::Config`] if the torso is not an adult; [`EnvError::Sim`] if the scene has no probe.
    pub fn new(torso: &TorsoScene, seed: u64) -> Result<Self, EnvError> {
        let patient = match (torso.patient, torso.made) {
            (Some(patient), _) => Arc::clone(patient),
            (None, Some(made)) => Patient::made(made.clone(), torso.scene.probe.transducer)?,
            (None, None) => Patient::of(torso.scene, seed)?,
        };
        let points = TissuePoints::at_rest(torso.physics, &torso.world_from_rest);
        Ok(Self {
            patient,
            points: points.ok_or_else(Patient::without_organs)?,
            probe: ProbeFrame::new(torso.physics.model())?,
            transducer: torso.scene.probe.transducer,
            origin: torso.scene.torso_position,
        })
    }

    /// The transducer of the probe.
    pub fn transducer(&self) -> &Transducer {
        &self.transducer
    }

    /// Copies what a scanner needs of the current state. The scene must be that of [`TorsoAtRest::new`].
    pub fn view(&self, torso: &TorsoScene) -> TorsoView {
        let (physics, moved) = (torso.physics, &torso.world_from_rest);
        let world_from_probe = self.probe.world_from_probe(physics);
        TorsoView {
            patient: Arc::clone(&self.patient),
            tissue: DeformedTorso::new(&self.points, physics, self.origin, moved),
            torso_from_probe: torso_from_probe(&world_from_probe, self.origin, moved),
            world_from_probe,
            transducer: self.transducer,
        }
    }
}

/// The tissue, the organs and the probe at one moment.
#[derive(Debug, Clone)]
pub struct TorsoView {
    /// The patient.
    pub patient: Arc<Patient>,
    /// The deformed tissue.
    pub tissue: DeformedTorso,
    /// Pose of the probe's face in the frame of the torso at rest.
    pub torso_from_probe: Isometry3<f64>,
    /// Pose of the probe's face.
    pub world_from_probe: Pose,
    /// The probe's transducer.
    pub transducer: Transducer,
}
