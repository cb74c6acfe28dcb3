//! Camera of one environment: renders a scene to pixels.

use std::sync::Arc;

use insonate_sim::render::{Image, RenderConfig, RenderThread, ThreadRenderer};

use super::settings::{CameraSettings, PixelKind};
use crate::EnvError;
use crate::probe::SceneState;

/// Weights of red, green and blue in the brightness (ITU-R BT.601).
const BRIGHTNESS: [f32; 3] = [0.299, 0.587, 0.114];

/// A camera with its last image.
#[derive(Debug)]
pub struct Camera {
    renderer: ThreadRenderer,
    name: String,
    config: RenderConfig,
    kind: PixelKind,
    max_depth: f32,
    pixels: Vec<f32>,
}

impl Camera {
    /// Creates a camera that is rendered by a thread, and renders a first image as a check.
    ///
    /// # Errors
    /// [`EnvError::Sim`] if the camera does not exist or OpenGL is not available; those of [`CameraSettings::check`].
    pub fn new(
        settings: &CameraSettings,
        render_thread: Arc<RenderThread>,
        scene: &SceneState,
    ) -> Result<Self, EnvError> {
        settings.check()?;
        let mut camera = Self {
            renderer: ThreadRenderer::new(render_thread),
            name: settings.name.clone(),
            config: RenderConfig::fast(settings.width, settings.height),
            kind: settings.pixels()?,
            max_depth: settings.max_depth as f32,
            pixels: Vec::new(),
        };
        camera.shoot(scene)?;
        Ok(camera)
    }

    /// Renders an image.
    ///
    /// # Errors
    /// Those of [`ThreadRenderer::render`].
    pub fn shoot(&mut self, scene: &SceneState) -> Result<(), EnvError> {
        let (compiled, physics) = (&scene.model.compiled, &scene.physics);
        let image = self
            .renderer
            .render(compiled, physics, &self.name, self.config)?;
        self.write_pixels(&image);
        Ok(())
    }

    /// The last image, shape `[height, width, n_channels]`, 0 to 1.
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
