//! One environment's camera: from a scene to pixels.

use std::sync::Arc;

use insonate_sim::render::{Image, RenderConfig};
use insonate_sim::render_state::RenderState;

use super::settings::{CameraSettings, PixelKind};
use crate::EnvError;
use crate::probe::{RenderThread, SceneModel, SceneState};

/// Weights of red, green and blue in brightness (ITU-R BT.601).
const BRIGHTNESS: [f32; 3] = [0.299, 0.587, 0.114];

/// A camera, and the last picture that it took.
#[derive(Debug)]
pub struct Camera {
    render_thread: Arc<RenderThread>,
    name: String,
    config: RenderConfig,
    kind: PixelKind,
    max_depth: f32,
    /// What is drawn, and whose scene it is of; none while there is no picture yet.
    state: Option<(Arc<SceneModel>, RenderState)>,
    pixels: Vec<f32>,
}

impl Camera {
    /// A camera that is drawn by a thread, and a first one to see that it can.
    ///
    /// # Errors
    /// [`EnvError::Sim`]: no such camera, no OpenGL on this machine; as [`CameraSettings::check`].
    pub fn new(
        settings: &CameraSettings,
        render_thread: Arc<RenderThread>,
        scene: &SceneState,
    ) -> Result<Self, EnvError> {
        settings.check()?;
        let mut camera = Self {
            render_thread,
            name: settings.name.clone(),
            config: RenderConfig::fast(settings.width, settings.height),
            kind: settings.pixels()?,
            max_depth: settings.max_depth as f32,
            state: None,
            pixels: Vec::new(),
        };
        camera.shoot(scene)?;
        Ok(camera)
    }

    /// Takes a picture.
    ///
    /// # Errors
    /// As [`RenderThread::draw`].
    pub fn shoot(&mut self, scene: &SceneState) -> Result<(), EnvError> {
        let model = &scene.model;
        let mut state = match self.state.take() {
            Some((of, state)) if Arc::ptr_eq(&of, model) => state,
            _ => RenderState::new(&model.compiled)?,
        };
        state.follow(&scene.physics);
        let (state, image) = self
            .render_thread
            .draw(model, state, &self.name, self.config)?;
        self.state = Some((model.clone(), state));
        self.write_pixels(&image);
        Ok(())
    }

    /// The last picture, shape `[height, width, n_channels]`, 0 to 1.
    pub fn pixels(&self) -> &[f32] {
        &self.pixels
    }

    fn write_pixels(&mut self, image: &Image) {
        let full = f32::from(u8::MAX);
        self.pixels.clear();
        match self.kind {
            PixelKind::Rgb => {
                let shares = image.rgb.iter().map(|&value| f32::from(value) / full);
                self.pixels.extend(shares);
            }
            PixelKind::Grey => {
                let grey = image.rgb.chunks_exact(3).map(|pixel| {
                    let weighed = pixel.iter().zip(BRIGHTNESS);
                    let sum: f32 = weighed
                        .map(|(&value, share)| f32::from(value) * share)
                        .sum();
                    (sum / full).min(1.0)
                });
                self.pixels.extend(grey);
            }
            PixelKind::Depth => {
                let depth = image.depth.iter();
                let share = |&d: &f32| (d / self.max_depth).clamp(0.0, 1.0);
                self.pixels.extend(depth.map(share));
            }
        }
    }
}
