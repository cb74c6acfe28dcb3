//! A scanner: frames of a phantom, or of the torso of a running scene.

use std::sync::{Mutex, PoisonError};

use insonate::experiments::{
    Hold, Pictures, PixelFigures, SettingsFigures, hold, legend, mean_intensity, middle_line,
};
use insonate::report::grey_picture;
use insonate::ultrasound::deformation::{Deformation, Indentation, Rigid};
use insonate::ultrasound::measure::{ConfidenceSettings, confidence};
use insonate::ultrasound::phantom::LesionFigures;
use insonate::ultrasound::transducer::Transducer;
use insonate::ultrasound::{BMode, Frame, Settings, View};
use insonate_sim::readings::DeformedTorso;
use nalgebra::Isometry3;
use numpy::{PyArray1, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::json;

use super::phantom::Phantom;
use super::transducer;
use crate::error::{Raised, Result, value_error};
use crate::experiments::limits_of;
use crate::geometry::{same_rotation, wxyz};
use crate::learning;
use crate::physics::Physics;
use crate::scene::Scene;
use crate::watch::Watch;

/// Time in contact: after it the force has settled [s].
const SECONDS: f64 = 1.5;

/// A transducer with settings.
#[pyclass(frozen, module = "insonate.ultrasound")]
pub(crate) struct Scanner {
    probe: Transducer,
    name: String,
    size: usize,
    settings: Settings,
    b_mode: Mutex<BMode>,
}

/// The tissue of a torso that a robot pressed.
#[pyclass(frozen, module = "insonate.ultrasound")]
pub(crate) struct PressedTorso {
    torso: DeformedTorso,
    pose: Isometry3<f64>,
}

#[pymethods]
impl Scanner {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    #[pyo3(signature = (probe="c5-2", *, lines=256, samples=1024, depth=None, size=768, seed=0, bare=false, controls=None))]
    fn new(
        probe: &str,
        lines: usize,
        samples: usize,
        depth: Option<f64>,
        size: usize,
        seed: u64,
        bare: bool,
        controls: Option<&Bound<'_, PyDict>>,
    ) -> Result<Self> {
        let transducer = transducer(probe)?;
        let usual = if bare {
            Settings::bare(&transducer)
        } else {
            Settings::of(&transducer)
        };
        let settings = Settings {
            n_lines: lines,
            n_samples: samples,
            depth: depth.unwrap_or(usual.depth),
            speckle_seed: seed,
            noise_seed: seed,
            ..usual
        };
        let controls = controls.map(super::controls::controls).transpose()?;
        let settings = controls
            .unwrap_or_default()
            .applied(settings, &transducer)?;
        if !(16..=4096).contains(&size) {
            return Err(value_error(format!(
                "size is {size}; it must be between 16 and 4096 pixels"
            )));
        }
        Ok(Self {
            b_mode: Mutex::new(BMode::new(&transducer, &settings)?),
            probe: transducer,
            name: probe.to_owned(),
            size,
            settings,
        })
    }

    /// A frame of a phantom from a pose in its frame.
    #[pyo3(signature = (phantom, position, quaternion, *, index, with_confidence, with_iq, with_measure=false))]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn frame_of_phantom<'py>(
        &self,
        py: Python<'py>,
        phantom: &Phantom,
        position: [f64; 3],
        quaternion: [f64; 4],
        index: u64,
        with_confidence: bool,
        with_iq: bool,
        with_measure: bool,
    ) -> Result<Bound<'py, PyDict>> {
        let pose = Isometry3::from_parts(position.into(), same_rotation(quaternion)?);
        let body = &phantom.body;
        let deformation: Box<dyn Deformation> = if body.has_skin() {
            let decay = Indentation::DECAY;
            let rigid = Rigid::default();
            let pressed = Indentation::new(rigid, body.imaged(), &self.probe, &pose, decay)?;
            Box::new(pressed)
        } else {
            Box::new(Rigid::default())
        };
        self.image(
            py,
            phantom,
            &*deformation,
            &pose,
            Wanted {
                index,
                with_confidence,
                with_iq,
                with_measure,
            },
        )
    }

    /// A frame of the torso of a running scene, whose patient is `phantom`, or else the scene's own, from the probe of the scene.
    #[pyo3(signature = (physics, phantom, *, index, with_confidence, with_iq))]
    fn frame_of_physics<'py>(
        &self,
        py: Python<'py>,
        physics: &Physics,
        phantom: Option<&Phantom>,
        index: u64,
        with_confidence: bool,
        with_iq: bool,
    ) -> Result<Bound<'py, PyDict>> {
        let (torso, pose) = physics.deformed_torso(py)?;
        let wanted = Wanted::of(index, with_confidence, with_iq);
        if let Some(phantom) = phantom {
            return self.of_torso(py, &torso, &pose, phantom, wanted);
        }
        let own = py.detach(|| Phantom::of_arguments(physics.arguments(), 0))?;
        self.of_torso(py, &torso, &pose, &own, wanted)
    }

    /// A frame of the torso that a robot pressed.
    #[pyo3(signature = (pressed, phantom, *, index, with_confidence, with_iq))]
    fn frame_of_pressed<'py>(
        &self,
        py: Python<'py>,
        pressed: &PressedTorso,
        phantom: &Phantom,
        index: u64,
        with_confidence: bool,
        with_iq: bool,
    ) -> Result<Bound<'py, PyDict>> {
        let wanted = Wanted::of(index, with_confidence, with_iq);
        self.of_torso(py, &pressed.torso, &pressed.pose, phantom, wanted)
    }

    /// Name of the probe.
    #[getter]
    fn probe(&self) -> &str {
        &self.name
    }

    /// Depth of the picture [m].
    #[getter]
    fn depth(&self) -> f64 {
        self.settings.depth
    }

    fn __repr__(&self) -> String {
        format!(
            "Scanner({:?}, lines={}, samples={}, depth={}, size={})",
            self.name,
            self.settings.n_lines,
            self.settings.n_samples,
            self.settings.depth,
            self.size
        )
    }
}

impl Scanner {
    fn of_torso<'py>(
        &self,
        py: Python<'py>,
        torso: &DeformedTorso,
        pose: &Isometry3<f64>,
        phantom: &Phantom,
        wanted: Wanted,
    ) -> Result<Bound<'py, PyDict>> {
        let body = &phantom.body;
        if !body.is_patient() {
            return Err(value_error(
                "the phantom of a scene must be a patient: Phantom.adult, Phantom.patient or Phantom.of_scene",
            ));
        }
        let deformation = torso.under(body.imaged(), &self.probe, pose, self.settings.depth)?;
        self.image(py, phantom, &deformation, pose, wanted)
    }

    /// Frame, picture, labels, and, if they are `wanted`, confidence, complex lines, and the figures of a block.
    fn image<'py>(
        &self,
        py: Python<'py>,
        phantom: &Phantom,
        deformation: &dyn Deformation,
        pose: &Isometry3<f64>,
        wanted: Wanted,
    ) -> Result<Bound<'py, PyDict>> {
        let imaged = phantom.body.imaged();
        let measure = phantom.measure.as_ref().filter(|_| wanted.with_measure);
        let (frame, pictures, iq, measured) = py.detach(|| {
            // The scanner stays valid even if another caller panicked.
            let mut b_mode = self.b_mode.lock().unwrap_or_else(PoisonError::into_inner);
            let view = View::new(imaged, deformation, pose)?;
            let frame = b_mode.frame(&view, wanted.index).clone();
            let iq = wanted.with_iq.then(|| b_mode.iq().values);
            let pictures = self.pictures(
                (&b_mode, &frame, pose),
                imaged.materials().len(),
                wanted.with_confidence,
            )?;
            let measured = measure.map(|it| it.figures(&self.probe, &self.settings, &frame));
            Ok::<_, Raised>((frame, pictures, iq, measured.transpose()?))
        })?;
        let mut figures = json!({
            "depth_m": self.settings.depth,
            "settings": SettingsFigures::of(&self.probe, &self.settings),
            "legend": legend(imaged),
            "contact_share": frame.contact_share(),
            "mean_intensity_db": mean_intensity(&frame),
            "middle_line": middle_line(&frame, imaged),
        });
        if !phantom.lesions.is_empty() {
            let listed = phantom.lesions.iter().filter_map(LesionFigures::of);
            figures["lesions"] =
                serde_json::to_value(listed.collect::<Vec<_>>()).unwrap_or_default();
        }
        let pixels = serde_json::to_value(&pictures.pixels).unwrap_or_default();
        let measured = serde_json::to_value(measured).unwrap_or_default();
        let further = [&pixels, &measured].map(serde_json::Value::as_object);
        for (name, figure) in further.into_iter().flatten().flatten() {
            figures[name] = figure.clone();
        }
        let all = PyDict::new(py);
        let in_beam = [frame.n_lines, frame.n_samples];
        let in_picture = [pictures.size[1], pictures.size[0]];
        all.set_item(
            "b_mode",
            PyArray1::from_slice(py, &pictures.grey).reshape(in_picture)?,
        )?;
        all.set_item(
            "labels",
            PyArray1::from_vec(py, pictures.labels).reshape(in_picture)?,
        )?;
        if let Some((values, mean)) = pictures.confidence {
            figures["confidence_mean"] = mean.into();
            all.set_item(
                "confidence",
                PyArray1::from_vec(py, values).reshape(in_picture)?,
            )?;
        }
        all.set_item(
            "png",
            PyBytes::new(py, &grey_picture(pictures.size[0], &pictures.grey)?),
        )?;
        all.set_item(
            "envelope",
            PyArray1::from_slice(py, &frame.envelope).reshape(in_beam)?,
        )?;
        all.set_item(
            "beam_labels",
            PyArray1::from_slice(py, &frame.labels).reshape(in_beam)?,
        )?;
        all.set_item("coupled", PyArray1::from_slice(py, &frame.coupled))?;
        if let Some(iq) = iq {
            let [n_lines, n_samples] = in_beam;
            all.set_item(
                "iq",
                PyArray1::from_vec(py, iq).reshape([n_lines, n_samples, 2])?,
            )?;
        }
        all.set_item("pixel_size", pictures.pixel)?;
        all.set_item("corner", (pictures.corner[0], pictures.corner[1]))?;
        all.set_item("sample_distance", frame.step)?;
        all.set_item(
            "pose",
            (
                pose.translation.vector.as_slice().to_vec(),
                wxyz(&pose.rotation),
            ),
        )?;
        all.set_item("summary", learning::json(&figures)?)?;
        Ok(all)
    }

    fn pictures(
        &self,
        (b_mode, frame, pose): (&BMode, &Frame, &Isometry3<f64>),
        n_materials: usize,
        with_confidence: bool,
    ) -> Result<PictureSet> {
        let converter = b_mode.scan_converter(self.size)?;
        let mut grey = Vec::new();
        converter.picture(frame, &mut grey);
        let confidence = if with_confidence {
            let found = confidence(frame, &ConfidenceSettings::of(&self.settings))?;
            Some((converter.values(&found.values, 0.0), found.mean()))
        } else {
            None
        };
        Ok(PictureSet {
            size: converter.size,
            pixel: converter.pixel,
            corner: converter.corner,
            pixels: PixelFigures::of(&converter, pose),
            labels: converter.labels(frame, n_materials as u8),
            grey,
            confidence,
        })
    }
}

/// What a frame is wanted with.
#[derive(Clone, Copy)]
struct Wanted {
    /// Number of the frame, which selects the noise.
    index: u64,
    with_confidence: bool,
    with_iq: bool,
    /// The figures of a test block.
    with_measure: bool,
}

impl Wanted {
    const fn of(index: u64, with_confidence: bool, with_iq: bool) -> Self {
        Self {
            index,
            with_confidence,
            with_iq,
            with_measure: false,
        }
    }
}

/// Pictures of a frame, row by row.
struct PictureSet {
    size: [usize; 2],
    pixel: f64,
    corner: [f64; 2],
    pixels: PixelFigures,
    grey: Vec<u8>,
    labels: Vec<u8>,
    /// Values, and their mean in beam space.
    confidence: Option<(Vec<f32>, f64)>,
}

/// Holds the probe of a scene on its torso. Returns the figures as JSON, the tissue, and the pose of the face in the torso's frame.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
#[pyo3(signature = (scene, *, site, rotation, force, max_force, limits, progress))]
pub(crate) fn hold_probe(
    py: Python<'_>,
    scene: Py<Scene>,
    site: [f64; 2],
    rotation: f64,
    force: f64,
    max_force: f64,
    limits: Vec<String>,
    progress: Option<Py<PyAny>>,
) -> Result<(String, PressedTorso)> {
    let wanted = Hold {
        site,
        rotation,
        force,
        seconds: SECONDS,
        max_force,
        limits: limits_of(&limits)?,
    };
    wanted.check()?;
    let scene = &scene.get().scene;
    let mut watch = Watch::new(progress);
    let held = py.detach(|| {
        hold(scene, &wanted, &mut Pictures::none(), &mut |share| {
            watch.look(share, String::new)
        })
    });
    if let Some(raised) = watch.into_raised() {
        return Err(raised.into());
    }
    let held = held?;
    let figures = json!({
        "scene": scene.name(),
        "verdict": held.verdict.outcome,
        "reasons": held.verdict.reasons,
        "force_n": held.force,
        "mean_force_n": held.force,
        "force_mae_n": held.force_mae,
        "peak_force_n": held.peak_force,
        "indentation_m": held.indentation,
        "depth_limit_m": held.depth_limit,
        "warnings": held.warnings,
    });
    let pressed = PressedTorso {
        torso: held.torso,
        pose: held.torso_from_probe,
    };
    Ok((learning::json(&figures)?, pressed))
}
