//! One environment's scanner: from a scene to lines of ultrasound.

use std::sync::Arc;

use insonate_models::torsos::Shape;
use insonate_sim::readings::{DeformedTorso, TissuePoints, torso_from_probe};
use insonate_ultrasound::measure::{ConfidenceSettings, confidence};
use insonate_ultrasound::phantom::Adult;
use insonate_ultrasound::transducer::Transducer;
use insonate_ultrasound::{BMode, Settings, View};

use super::settings::{Reading, UltrasoundSettings};
use crate::EnvError;
use crate::probe::{SceneModel, SceneState};

/// The patient from inside, shared by all environments of a task.
#[derive(Debug)]
pub struct Patient {
    adult: Adult,
}

impl Patient {
    /// The adult of a scene.
    ///
    /// # Errors
    /// [`EnvError::Config`] where the torso is no adult.
    pub fn of(scene: &SceneModel, seed: u64) -> Result<Arc<Self>, EnvError> {
        let torso = scene.scene.torso.as_ref().map(|torso| &torso.config);
        let torso = torso.filter(|config| config.shape == Shape::Adult);
        let torso = torso.ok_or_else(|| EnvError::Config {
            field: "observation.ultrasound.readings".to_owned(),
            problem: "needs scene.shape = \"adult\": other torsos have no organs".to_owned(),
        })?;
        let adult = Adult::new(&torso.patient.unwrap_or_default(), seed)?;
        Ok(Arc::new(Self { adult }))
    }
}

/// A scanner, and what it saw last.
#[derive(Debug)]
pub struct Scanner {
    patient: Arc<Patient>,
    transducer: Transducer,
    settings: Settings,
    readings: Vec<Reading>,
    b_mode: BMode,
    /// The torso's points at rest, and whose scene they are of.
    points: Option<(Arc<SceneModel>, TissuePoints)>,
    n_frames: u64,
    values: Vec<f32>,
}

impl Scanner {
    /// A scanner on the scene's probe.
    ///
    /// # Errors
    /// As [`UltrasoundSettings::check`].
    pub fn new(
        settings: &UltrasoundSettings,
        patient: Arc<Patient>,
        scene: &SceneState,
    ) -> Result<Self, EnvError> {
        settings.check()?;
        let transducer = scene.model.scene.probe.transducer;
        let scanner = settings.scanner(&transducer);
        Ok(Self {
            patient,
            readings: settings.readings()?,
            b_mode: BMode::new(&transducer, &scanner)?,
            transducer,
            settings: scanner,
            points: None,
            n_frames: 0,
            values: Vec::new(),
        })
    }

    /// Starts an episode; the torso is at rest.
    pub fn reset(&mut self, scene: &SceneState) {
        let points = TissuePoints::at_rest(&scene.physics, &scene.torso.world_from_rest);
        self.points = points.map(|points| (scene.model.clone(), points));
        self.n_frames = 0;
    }

    /// Makes a frame.
    ///
    /// # Errors
    /// [`EnvError::Config`] for a state that cannot be imaged.
    pub fn scan(&mut self, scene: &SceneState) -> Result<(), EnvError> {
        let Some((model, points)) = &self.points else {
            return Err(EnvError::Order("scan before the first reset"));
        };
        let origin = model.scene.torso_position;
        let moved = &scene.torso.world_from_rest;
        let pose = torso_from_probe(&scene.probe.world_from_probe, origin, moved);
        let torso = DeformedTorso::new(points, &scene.physics, origin, moved);
        let adult = &self.patient.adult;
        let deformation = torso.under(adult, &self.transducer, &pose, self.settings.depth)?;
        let view = View::new(adult, &deformation, &pose)?;
        let frame = self.b_mode.frame(&view, self.n_frames);
        self.n_frames += 1;
        self.values.clear();
        for reading in &self.readings {
            match reading {
                Reading::BMode => {
                    let black = -self.settings.gain as f32 - self.settings.dynamic_range as f32;
                    let grey = |level: &f32| {
                        ((level - black) / self.settings.dynamic_range as f32).clamp(0.0, 1.0)
                    };
                    self.values.extend(frame.envelope.iter().map(grey));
                }
                Reading::Labels => {
                    self.values
                        .extend(frame.labels.iter().map(|&label| f32::from(label)));
                }
                Reading::Confidence => {
                    let map = confidence(frame, &ConfidenceSettings::of(&self.settings))?;
                    self.values.extend(map.values);
                }
            }
        }
        Ok(())
    }

    /// The last readings, each of shape `[n_lines, n_samples]`.
    pub fn values(&self) -> &[f32] {
        &self.values
    }
}
