//! Pictures without a screen, through EGL: colours and metric depth from named cameras.

mod image;
mod release;
mod render_thread;

use std::sync::Arc;

use mujoco_rs::renderer::{MjRenderer, RendererError};
use mujoco_rs::wrappers::mj_model::MjModel;
use mujoco_rs::wrappers::mj_visualization::MjvCamera;

pub use image::Image;
use release::Release;
pub use render_thread::{RenderThread, ThreadRenderer};

use crate::names::{self, ObjectType};
use crate::render_state::RenderState;
use crate::{CompiledScene, Physics, SimError};

/// Largest width and height [pixels]; drivers abort for larger pictures.
pub const MAX_SIZE: u32 = 4096;

/// Debian packages that [`Renderer`] needs on a machine without a screen.
pub const PACKAGES: &str = "libegl1 libegl-mesa0 libgl1-mesa-dri";

/// Size and quality of the pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenderConfig {
    /// Width [pixels].
    pub width: u32,
    /// Height [pixels].
    pub height: u32,
    /// Samples per pixel (MSAA); 0 disables antialiasing.
    pub n_samples: u32,
    /// Width of the shadow map [pixels]; 0 disables shadows. Shadows take most of the time.
    pub shadow_size: u32,
    /// The scene is drawn this many times wider and higher, and each pixel is the mean of a block. MSAA smooths the edges of surfaces only;
    /// this also smooths the edges of shadows. 1 draws each pixel once. Pictures that would exceed [`MAX_SIZE`] are drawn at 1.
    pub oversampling: u32,
}

impl Default for RenderConfig {
    fn default() -> Self {
        Self {
            width: 640,
            height: 480,
            n_samples: 4,
            shadow_size: 4096,
            oversampling: 1,
        }
    }
}

impl RenderConfig {
    /// A picture for people, with smooth edges of surfaces and shadows.
    pub fn still(width: u32, height: u32) -> Self {
        Self {
            width,
            height,
            oversampling: 2,
            ..Self::default()
        }
    }

    /// No antialiasing and no shadows: about ten times as fast without a GPU.
    pub fn fast(width: u32, height: u32) -> Self {
        Self {
            width,
            height,
            n_samples: 0,
            shadow_size: 0,
            oversampling: 1,
        }
    }

    /// Factor by which the scene is drawn larger.
    fn factor(&self) -> u32 {
        let fits = |size: u32| size.saturating_mul(self.oversampling) <= MAX_SIZE;
        if fits(self.width) && fits(self.height) {
            self.oversampling.max(1)
        } else {
            1
        }
    }
}

/// Renders one scene, on the thread that created it.
#[derive(Debug)]
pub struct Renderer {
    inner: MjRenderer,
    /// Dropped after `inner`, whose context it releases.
    _release: Release,
    state: RenderState,
    config: RenderConfig,
}

impl Renderer {
    /// A renderer of a compiled scene.
    ///
    /// # Errors
    /// [`SimError::Graphics`] on a machine without OpenGL, naming the packages; [`SimError::PictureSize`].
    pub fn new(scene: &CompiledScene, config: RenderConfig) -> Result<Self, SimError> {
        Self::with_state(scene.visual_model(), RenderState::new(scene)?, config)
    }

    /// A renderer for physics that was created from a model alone.
    ///
    /// # Errors
    /// As [`Renderer::new`].
    pub fn of_model(model: &Arc<MjModel>, config: RenderConfig) -> Result<Self, SimError> {
        Self::with_state(model, RenderState::of_model(model)?, config)
    }

    fn with_state(
        model: &MjModel,
        state: RenderState,
        config: RenderConfig,
    ) -> Result<Self, SimError> {
        let allowed = 1..=MAX_SIZE;
        if !allowed.contains(&config.width) || !allowed.contains(&config.height) {
            return Err(SimError::PictureSize {
                width: config.width,
                height: config.height,
                largest: MAX_SIZE,
            });
        }
        // The picture buffer takes its size and quality from the model with which it is created.
        let mut sized = model.clone();
        let visual = sized.vis_mut();
        let (width, height) = (
            config.factor() * config.width,
            config.factor() * config.height,
        );
        visual.global.offwidth = width as i32;
        visual.global.offheight = height as i32;
        visual.quality.offsamples = config.n_samples as i32;
        visual.quality.shadowsize = config.shadow_size as i32;
        let inner = MjRenderer::builder()
            .width(width)
            .height(height)
            .rgb(true)
            .depth(true)
            .num_visual_internal_geom(1000)
            .build(&sized)
            .map_err(graphics)?;
        Ok(Self {
            inner,
            _release: Release,
            state,
            config,
        })
    }

    /// Draws what a camera sees.
    ///
    /// # Errors
    /// [`SimError::UnknownName`] for the camera, [`SimError::Graphics`] if OpenGL fails.
    pub fn render(&mut self, physics: &Physics, camera: &str) -> Result<Image, SimError> {
        self.state.follow(physics);
        draw(&mut self.inner, &mut self.state, self.config, camera)
    }

    /// Draws a state of the same scene that was created elsewhere, such as on another thread.
    ///
    /// # Errors
    /// As [`Renderer::render`].
    pub fn render_state(
        &mut self,
        state: &mut RenderState,
        camera: &str,
    ) -> Result<Image, SimError> {
        draw(&mut self.inner, state, self.config, camera)
    }
}

fn draw(
    renderer: &mut MjRenderer,
    state: &mut RenderState,
    config: RenderConfig,
    camera: &str,
) -> Result<Image, SimError> {
    let camera = names::find(state.data().model(), ObjectType::Camera, camera)?;
    renderer.set_camera(MjvCamera::new_fixed(camera));
    renderer.sync_data(state.data_mut()).map_err(graphics)?;
    renderer.render().map_err(graphics)?;
    let factor = config.factor();
    let image = Image {
        width: factor * config.width,
        height: factor * config.height,
        rgb: renderer.rgb_flat().unwrap_or_default().to_vec(),
        depth: renderer.depth_flat().unwrap_or_default().to_vec(),
    };
    Ok(if factor == 1 {
        image
    } else {
        image.reduced(factor)
    })
}

#[expect(clippy::needless_pass_by_value, reason = "the form that map_err takes")]
fn graphics(error: RendererError) -> SimError {
    let problem = match &error {
        RendererError::GlutinError(error) => error.to_string(),
        other => other.to_string(),
    };
    SimError::Graphics {
        problem,
        packages: PACKAGES,
    }
}
