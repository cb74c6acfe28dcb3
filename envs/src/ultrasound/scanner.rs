//! One environment's scanner: from a scene to lines of ultrasound.

use std::sync::Arc;

use insonate_sim::readings::{DeformedTorso, TissuePoints};
use insonate_ultrasound::measure::{ConfidenceSettings, confidence};
use insonate_ultrasound::transducer::Transducer;
use insonate_ultrasound::{BMode, Frame, Settings, View};

use super::Patient;
use super::settings::{Reading, UltrasoundSettings};
use crate::EnvError;
use crate::probe::{SceneModel, SceneState};

/// A scanner, and what it saw last.
#[derive(Debug)]
pub struct Scanner {
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
    pub fn new(settings: &UltrasoundSettings, scene: &SceneState) -> Result<Self, EnvError> {
        settings.check()?;
        let transducer = scene.model.scene.probe.transducer;
        let scanner = settings.scanner(&transducer);
        Ok(Self {
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
        let (Some((model, points)), Some(patient)) = (&self.points, &scene.patient) else {
            return Err(EnvError::Order("scan before the first reset"));
        };
        let origin = model.scene.torso_position;
        let pose = scene.torso_from_probe();
        let torso =
            DeformedTorso::new(points, &scene.physics, origin, &scene.torso.world_from_rest);
        let adult = patient.adult();
        let deformation = torso.under(adult, &self.transducer, &pose, self.settings.depth)?;
        let view = View::new(adult, &deformation, &pose)?;
        let frame = if self.readings.iter().any(|reading| reading.needs_echoes()) {
            self.b_mode.frame(&view, self.n_frames)
        } else {
            self.b_mode.labels(&view)
        };
        self.n_frames += 1;
        self.values.clear();
        for reading in &self.readings {
            read(*reading, frame, &self.settings, patient, &mut self.values)?;
        }
        Ok(())
    }

    /// The last readings, each of shape `[n_lines, n_samples]`.
    pub fn values(&self) -> &[f32] {
        &self.values
    }
}

/// Appends a reading of a frame.
fn read(
    reading: Reading,
    frame: &Frame,
    settings: &Settings,
    patient: &Patient,
    values: &mut Vec<f32>,
) -> Result<(), EnvError> {
    match reading {
        Reading::BMode => {
            let black = -settings.gain as f32 - settings.dynamic_range as f32;
            let grey =
                |level: &f32| ((level - black) / settings.dynamic_range as f32).clamp(0.0, 1.0);
            values.extend(frame.envelope.iter().map(grey));
        }
        Reading::Labels => values.extend(frame.labels.iter().map(|&label| f32::from(label))),
        Reading::Confidence => {
            let map = confidence(frame, &ConfidenceSettings::of(settings))?;
            values.extend(map.values);
        }
        Reading::Liver => organ(frame, &patient.materials_of("liver"), patient, values),
        Reading::Kidney => organ(frame, &patient.materials_of("kidney"), patient, values),
    }
    Ok(())
}

/// Appends 1 for each sample at which an organ is seen, and 0 for the others.
fn organ(frame: &Frame, is_organ: &[bool], patient: &Patient, values: &mut Vec<f32>) {
    let is_opaque = patient.casts_shadow();
    let lines = frame.labels.chunks_exact(frame.n_samples);
    for (labels, is_coupled) in lines.zip(&frame.coupled) {
        let mut is_lit = *is_coupled;
        values.extend(labels.iter().map(|label| {
            is_lit &= !is_opaque[usize::from(*label)];
            f32::from(u8::from(is_lit && is_organ[usize::from(*label)]))
        }));
    }
}
