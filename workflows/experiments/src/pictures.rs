//! Pictures of a running scene. Without OpenGL, only the pictures are missing.

use insonate_sim::names::{ObjectType, try_find};
use insonate_sim::render::{Image, RenderConfig, Renderer};
use insonate_sim::{CompiledScene, Physics, SimError};

use super::BModeFilm;

/// Cameras whose pictures an experiment keeps, if the scene has them.
const CAMERAS: &[&str] = &[
    "front",
    "side",
    "top",
    "close",
    "probe/camera",
    "robot/overview",
    "robot/instrument",
];

/// Pictures of an experiment.
#[derive(Debug)]
pub struct Pictures {
    config: Option<RenderConfig>,
    cameras: &'static [&'static str],
    /// Ultrasound during the experiment; only for a scan.
    pub b_mode: Option<BModeFilm>,
    /// Names of cameras and their pictures.
    pub frames: Vec<(String, Image)>,
    /// Error of a machine that cannot draw.
    pub problem: Option<SimError>,
}

impl Pictures {
    /// Takes pictures of a given size.
    pub fn sized(config: RenderConfig) -> Self {
        Self::of_cameras(CAMERAS, config)
    }

    /// Takes pictures with the given cameras, if the scene has them.
    pub fn of_cameras(cameras: &'static [&'static str], config: RenderConfig) -> Self {
        Self {
            config: Some(config),
            cameras,
            b_mode: None,
            frames: Vec::new(),
            problem: None,
        }
    }

    /// Takes no pictures.
    pub fn none() -> Self {
        Self {
            config: None,
            cameras: &[],
            b_mode: None,
            frames: Vec::new(),
            problem: None,
        }
    }

    /// Takes a picture with each camera.
    pub fn take(&mut self, scene: &CompiledScene, physics: &Physics) {
        let Some(config) = self.config else { return };
        let draw = || -> Result<Vec<(String, Image)>, SimError> {
            let mut renderer = Renderer::new(scene, config)?;
            let has = |camera: &&&str| {
                try_find(scene.visual_model(), ObjectType::Camera, camera).is_some()
            };
            let cameras = self.cameras.iter().filter(has);
            cameras
                .map(|&camera| Ok((camera.replace('/', "_"), renderer.render(physics, camera)?)))
                .collect()
        };
        match draw() {
            Ok(frames) => self.frames = frames,
            Err(problem) => self.problem = Some(problem),
        }
    }
}
