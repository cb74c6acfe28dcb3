//! What a data set holds of a scene in addition to the observation: pictures, ultrasound and signals.

use std::sync::Mutex;

use insonate::demonstrations::{SceneSignals, UltrasoundFrames};
use insonate::learning::LearningError;
use insonate_envs::ultrasound::PictureSettings;
use insonate_sim::render::{RenderConfig, ThreadRenderer};
use numpy::{PyArray1, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::cameras;
use crate::environments::Environments;
use crate::error::{OrderError, Result};

/// Reads one environment as `insonate demonstrate` does.
#[pyclass(frozen, module = "insonate._insonate")]
pub(crate) struct SceneRecorder {
    cameras: Vec<String>,
    config: RenderConfig,
    /// Width and height of the ultrasound image [pixels].
    size: Option<usize>,
    parts: Mutex<Parts>,
}

struct Parts {
    renderer: Option<ThreadRenderer>,
    ultrasound: UltrasoundFrames,
    signals: SceneSignals,
}

/// Pictures of the cameras, the ultrasound image, and the numbers of each signal.
struct Seen {
    pictures: Vec<Vec<u8>>,
    ultrasound: Vec<u8>,
    signals: Vec<Vec<f32>>,
}

#[pymethods]
impl SceneRecorder {
    #[new]
    #[pyo3(signature = (environments, camera_names, camera_size, b_mode, seed))]
    fn new(
        py: Python<'_>,
        environments: &Bound<'_, Environments>,
        camera_names: Vec<String>,
        camera_size: (i64, i64),
        b_mode: Option<(usize, usize, usize, Option<f64>)>,
        seed: u64,
    ) -> Result<Self> {
        let config = RenderConfig::fast(
            cameras::side("width", camera_size.0)?,
            cameras::side("height", camera_size.1)?,
        );
        let settings = b_mode.map(|(size, lines, samples, depth)| PictureSettings {
            size,
            lines,
            samples,
            depth,
            seed,
            ..PictureSettings::default()
        });
        if let Some(settings) = &settings {
            settings.check()?;
        }
        let signals = environments
            .get()
            .with(py, |env| Ok::<_, LearningError>(SceneSignals::of(env)))?;
        Ok(Self {
            cameras: camera_names,
            config,
            size: settings.as_ref().map(|settings| settings.size),
            parts: Mutex::new(Parts {
                renderer: None,
                ultrasound: UltrasoundFrames::new(settings),
                signals,
            }),
        })
    }

    /// Names of the signals, and of the entries of each with units.
    #[getter]
    fn signals(&self) -> Result<Vec<(String, Vec<String>)>> {
        let parts = self.parts()?;
        let infos = parts.signals.infos().iter();
        Ok(infos
            .map(|signal| (signal.name.clone(), signal.entries.clone()))
            .collect())
    }

    /// Starts an episode whose environment was just reset. `organs` draws the patient's organs, unless the task has drawn them.
    fn begin(
        &self,
        py: Python<'_>,
        environments: &Bound<'_, Environments>,
        organs: u64,
    ) -> Result<()> {
        let mut parts = self.parts()?;
        let Parts {
            ultrasound,
            signals,
            ..
        } = &mut *parts;
        environments.get().with(py, |env| {
            ultrasound.begin(env, organs)?;
            signals.begin(env)
        })
    }

    /// Pictures by camera with `ultrasound`, `uint8` of shape `[height, width, 3]`, and signals by name, `float32`.
    fn take<'py>(
        &self,
        py: Python<'py>,
        environments: &Bound<'_, Environments>,
    ) -> Result<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
        let mut parts = self.parts()?;
        let Parts {
            renderer,
            ultrasound,
            signals,
        } = &mut *parts;
        let seen = environments.get().with(py, |env| {
            let mut seen = Seen {
                pictures: Vec::new(),
                ultrasound: Vec::new(),
                signals: vec![Vec::new(); signals.infos().len()],
            };
            signals.take(env, &mut seen.signals);
            for name in &self.cameras {
                let (scene, physics) = env.scene().ok_or_else(|| LearningError::NoScene {
                    task: env.spec().id.clone(),
                })?;
                let renderer = match &mut *renderer {
                    Some(renderer) => renderer,
                    none => none.insert(ThreadRenderer::start()?),
                };
                let image = renderer.render(scene, physics, name, self.config)?;
                seen.pictures.push(image.rgb);
            }
            ultrasound.take(env, &mut seen.ultrasound)?;
            Ok::<_, LearningError>(seen)
        })?;
        let pictures = PyDict::new(py);
        let shape = [self.config.height as usize, self.config.width as usize, 3];
        for (name, picture) in self.cameras.iter().zip(seen.pictures) {
            pictures.set_item(name, PyArray1::from_vec(py, picture).reshape(shape)?)?;
        }
        if let Some(size) = self.size {
            let picture = PyArray1::from_vec(py, seen.ultrasound).reshape([size, size, 3])?;
            pictures.set_item(insonate::demonstrations::ULTRASOUND, picture)?;
        }
        let numbers = PyDict::new(py);
        for (signal, values) in parts.signals.infos().iter().zip(seen.signals) {
            numbers.set_item(&signal.name, PyArray1::from_vec(py, values))?;
        }
        Ok((pictures, numbers))
    }
}

impl SceneRecorder {
    fn parts(&self) -> Result<std::sync::MutexGuard<'_, Parts>> {
        self.parts
            .try_lock()
            .map_err(|_| OrderError::new_err("another thread is using the recorder").into())
    }
}
