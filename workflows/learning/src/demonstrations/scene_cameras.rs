//! Cameras of a scene that are recorded in demonstrations.

use insonate_datasets::CameraInfo;
use insonate_envs::Env;
use insonate_sim::render::{RenderConfig, Renderer};

use crate::LearningError;

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
    pub(super) fn begin(&mut self, env: &dyn Env) -> Result<(), LearningError> {
        let Some(camera) = self.cameras.first() else {
            return Ok(());
        };
        let (scene, _) = env.scene().ok_or_else(|| LearningError::NoScene {
            task: env.spec().id.clone(),
        })?;
        let config = RenderConfig::fast(camera.width, camera.height);
        let renderer = Renderer::new(scene, config);
        self.renderer = Some(renderer.map_err(|source| LearningError::NoPictures {
            camera: camera.name.clone(),
            source: Box::new(source),
        })?);
        Ok(())
    }

    /// Appends a picture of each camera.
    pub(super) fn take(
        &mut self,
        env: &dyn Env,
        frames: &mut [Vec<u8>],
    ) -> Result<(), LearningError> {
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
