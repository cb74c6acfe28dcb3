//! Scanner of one environment: computes scanlines of a scene.

use std::sync::Arc;

use insonate_sim::readings::{DeformedTorso, TissuePoints};
use insonate_ultrasound::deformation::{Deformation, Indentation, Rigid};
use insonate_ultrasound::measure::{ConfidenceSettings, confidence};
use insonate_ultrasound::transducer::Transducer;
use insonate_ultrasound::{BMode, Frame, Settings, View};
use nalgebra::Isometry3;

use super::frame_assessment::visible_samples;
use super::settings::{Reading, UltrasoundSettings};
use super::{FrameAssessment, Patient};
use crate::EnvError;
use crate::probe::{SceneModel, SceneState};

/// A scanner and its last readings.
#[derive(Debug)]
pub struct Scanner {
    transducer: Transducer,
    settings: Settings,
    readings: Vec<Reading>,
    b_mode: BMode,
    /// The torso's points at rest, and the scene that they belong to.
    points: Option<(Arc<SceneModel>, TissuePoints)>,
    n_frames: u64,
    values: Vec<f32>,
}

impl Scanner {
    /// Creates a scanner on the scene's probe.
    ///
    /// # Errors
    /// Those of [`UltrasoundSettings::check`].
    pub fn new(settings: &UltrasoundSettings, scene: &SceneState) -> Result<Self, EnvError> {
        settings.check()?;
        let transducer = scene.model.scene.probe.transducer;
        let scanner = settings.scanner(&transducer)?;
        Ok(Self {
            readings: settings.readings()?,
            // Single-threaded, because environments already share the cores.
            b_mode: BMode::new(&transducer, &scanner)?.on_own_thread(),
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

    /// Computes a frame and passes it to a task.
    ///
    /// # Errors
    /// [`EnvError::Config`] if the state cannot be imaged.
    pub fn scan(
        &mut self,
        scene: &SceneState,
        assess: impl FnOnce(&FrameAssessment),
    ) -> Result<(), EnvError> {
        let (Some((model, points)), Some(patient)) = (&self.points, &scene.patient) else {
            return Err(EnvError::Order("scan before the first reset"));
        };
        let origin = model.scene.torso_position;
        let pose = scene.torso_from_probe();
        let torso =
            DeformedTorso::new(points, &scene.physics, origin, &scene.torso.world_from_rest);
        let adult = patient.phantom();
        let deformation = torso.under(adult, &self.transducer, &pose, self.settings.depth)?;
        self.n_frames += 1;
        self.image(patient, &deformation, &pose, self.n_frames - 1, assess)
    }

    /// Passes a frame of the torso at rest to a task. The indentation of the face is purely kinematic.
    ///
    /// # Errors
    /// Those of [`Scanner::scan`].
    pub fn scan_at_rest(
        &mut self,
        patient: &Patient,
        torso_from_probe: &Isometry3<f64>,
        assess: impl FnOnce(&FrameAssessment),
    ) -> Result<(), EnvError> {
        let decay = Indentation::DECAY;
        let pressed = Indentation::new(
            Rigid::default(),
            patient.phantom(),
            &self.transducer,
            torso_from_probe,
            decay,
        )?;
        self.image(patient, &pressed, torso_from_probe, 0, assess)
    }

    fn image(
        &mut self,
        patient: &Patient,
        deformation: &dyn Deformation,
        pose: &Isometry3<f64>,
        index: u64,
        assess: impl FnOnce(&FrameAssessment),
    ) -> Result<(), EnvError> {
        let view = View::new(patient.phantom(), deformation, pose)?;
        let frame = if self.readings.iter().any(|reading| reading.needs_echoes()) {
            self.b_mode.frame(&view, index)
        } else {
            self.b_mode.labels(&view)
        };
        self.values.clear();
        let mut confidence = 0.0;
        for reading in &self.readings {
            let first = self.values.len();
            read(*reading, frame, &self.settings, patient, &mut self.values)?;
            if *reading == Reading::Confidence {
                confidence = mean(&self.values[first..]);
            }
        }
        let frame = self.b_mode.last();
        assess(&FrameAssessment::new(
            &self.b_mode,
            &view,
            frame,
            patient,
            confidence,
        ));
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
            let map = settings.grey_map;
            values.extend(frame.envelope.iter().map(|level| map.grey(grey(level))));
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

fn mean(values: &[f32]) -> f64 {
    let sum: f64 = values.iter().map(|value| f64::from(*value)).sum();
    sum / values.len().max(1) as f64
}

/// Appends 1 for each sample at which an organ is seen, 0 otherwise.
fn organ(frame: &Frame, is_organ: &[bool], patient: &Patient, values: &mut Vec<f32>) {
    let lines = frame.labels.chunks_exact(frame.n_samples);
    for (labels, n_visible) in lines.zip(visible_samples(frame, patient)) {
        let samples = labels.iter().enumerate();
        values.extend(samples.map(|(sample, label)| {
            f32::from(u8::from(
                sample < n_visible && is_organ[usize::from(*label)],
            ))
        }));
    }
}
