//! Cameras of a scene that are recorded in demonstrations.

use anyhow::Context as _;
use insonate_datasets::CameraInfo;
use insonate_envs::Env;
use insonate_sim::render::{PACKAGES, RenderConfig, Renderer};

/// Takes the pictures of an episode.
#[derive(Debug)]
pub(super) struct SceneCameras<'a> {
    cameras: &'a [CameraInfo],
    /// Renderer for the common picture size; `None` before the first picture of an episode.
    renderer: Option<Renderer>,
}

impl<'a> SceneCameras<'a> {
    pub(super) fn new(cameras: &'a [CameraInfo]) -> Self {
        Self {
            cameras,
            renderer: None,
        }
    }

    /// Starts an episode. Its scene may differ from the previous one.
    pub(super) fn begin(&mut self, env: &dyn Env) -> anyhow::Result<()> {
        let Some(camera) = self.cameras.first() else {
            return Ok(());
        };
        let (scene, _) = env
            .scene()
            .with_context(|| format!("{} has no scene for a camera", env.spec().id))?;
        let config = RenderConfig::fast(camera.width, camera.height);
        let renderer = Renderer::new(scene, config);
        self.renderer = Some(renderer.with_context(|| {
            format!(
                "no pictures of {} (Debian packages: {PACKAGES})",
                camera.name
            )
        })?);
        Ok(())
    }

    /// Appends a picture of each camera.
    pub(super) fn take(&mut self, env: &dyn Env, frames: &mut [Vec<u8>]) -> anyhow::Result<()> {
        let (Some(renderer), Some((_, physics))) = (&mut self.renderer, env.scene()) else {
            return Ok(());
        };
        for (camera, frames) in self.cameras.iter().zip(frames) {
            let image = renderer.render(physics, &camera.name)?;
            frames.extend_from_slice(&image.rgb);
        }
        Ok(())
    }
}
