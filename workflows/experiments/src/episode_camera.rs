//! A camera that records an episode. Without OpenGL, only its pictures are missing.

use insonate_envs::{Env, EnvError};
use insonate_sim::names::{self, ObjectType};
use insonate_sim::render::{Image, RenderConfig, Renderer};
use insonate_sim::{CompiledScene, Physics, SimError};

use super::Playback;

/// Cameras in order of preference if none is named.
const PREFERRED: [&str; 3] = ["close", "side", "front"];

/// Takes frames for a film and one still picture.
#[derive(Debug)]
pub struct EpisodeCamera {
    config: RenderConfig,
    /// The camera, or several with commas in between, which are drawn side by side. `None` takes the first preferred camera of the scene.
    camera: Option<String>,
    playback: Playback,
    still_at: usize,
    renderer: Option<Renderer>,
    n_seen: usize,
    /// Frames with the index of the step after which they were taken. They are closer together than the film needs.
    taken: Vec<(usize, Image)>,
    /// Picture from the middle of the longest episode, or from the end of a shorter one.
    pub still: Option<Image>,
    /// Reason why there are no pictures or no further ones.
    pub problem: Option<SimError>,
    /// Whether the environment has a scene.
    pub has_scene: bool,
}

impl EpisodeCamera {
    /// Makes a camera with a picture size, the playback of the film, and the step of the still picture.
    pub fn new(
        config: RenderConfig,
        camera: Option<&str>,
        playback: Playback,
        still_at: usize,
    ) -> Self {
        Self {
            config,
            camera: camera.map(str::to_owned),
            playback,
            still_at,
            renderer: None,
            n_seen: 0,
            taken: Vec::new(),
            still: None,
            problem: None,
            has_scene: true,
        }
    }

    /// Checks that an environment's scene has the cameras. Several names have commas in between.
    ///
    /// # Errors
    /// [`EnvError::Config`] with a list of the scene's cameras.
    pub fn check(cameras: &str, env: &dyn Env) -> Result<(), EnvError> {
        match env.scene() {
            Some((scene, _)) => Self::check_scene(cameras, scene),
            None => Ok(()),
        }
    }

    /// Checks that a scene has the cameras. Several names have commas in between.
    ///
    /// # Errors
    /// [`EnvError::Config`] with a list of the scene's cameras.
    pub fn check_scene(cameras: &str, scene: &CompiledScene) -> Result<(), EnvError> {
        let model = scene.visual_model();
        let has = |camera: &str| names::try_find(model, ObjectType::Camera, camera).is_some();
        let Some(unknown) = cameras.split(',').map(str::trim).find(|name| !has(name)) else {
            return Ok(());
        };
        let known: Vec<&str> = names::all(model, ObjectType::Camera)
            .map(|(_, name)| name)
            .collect();
        Err(EnvError::Config {
            field: "camera".to_owned(),
            problem: format!("is {unknown:?}; it must be one of {}", known.join(", ")),
        })
    }

    /// Frames of the film of an episode with `n_steps` steps.
    pub fn frames(&self, n_steps: usize) -> Vec<&Image> {
        let stride = self.playback.stride(n_steps);
        let taken = self.taken.iter();
        taken
            .filter(|(index, _)| index.is_multiple_of(stride))
            .map(|(_, frame)| frame)
            .collect()
    }

    /// Records the environment. Call it after the reset and after each step.
    pub fn see(&mut self, env: &dyn Env) {
        let index = self.n_seen;
        self.n_seen += 1;
        let Some((scene, physics)) = env.scene() else {
            self.has_scene = false;
            return;
        };
        if self.problem.is_some() {
            return;
        }
        if let Err(problem) = self.take(scene, physics, index, env.end_reason().is_some()) {
            self.problem = Some(problem);
        }
    }

    fn take(
        &mut self,
        scene: &CompiledScene,
        physics: &Physics,
        index: usize,
        is_over: bool,
    ) -> Result<(), SimError> {
        let camera = match &self.camera {
            Some(camera) => camera.clone(),
            None => preferred(scene)?,
        };
        if self.renderer.is_none() {
            self.renderer = Some(Renderer::new(scene, self.config)?);
        }
        if let Some(renderer) = self
            .renderer
            .as_mut()
            .filter(|_| index.is_multiple_of(self.playback.stride(index)))
        {
            self.taken
                .push((index, side_by_side(renderer, physics, &camera)?));
        }
        if index == self.still_at || (is_over && self.still.is_none()) {
            let mut renderer = Renderer::new(scene, RenderConfig::still(1280, 960))?;
            self.still = Some(side_by_side(&mut renderer, physics, &camera)?);
        }
        Ok(())
    }
}

/// Pictures of several cameras side by side, from left to right. The names have commas in between.
fn side_by_side(
    renderer: &mut Renderer,
    physics: &Physics,
    cameras: &str,
) -> Result<Image, SimError> {
    let mut images = Vec::new();
    for camera in cameras.split(',') {
        images.push(renderer.render(physics, camera.trim())?);
    }
    let height = images.iter().map(|image| image.height).max().unwrap_or(0);
    let mut whole = Image {
        width: images.iter().map(|image| image.width).sum(),
        height,
        rgb: Vec::new(),
        depth: Vec::new(),
    };
    for row in 0..height as usize {
        for image in &images {
            let width = image.width as usize;
            let pixels = row * width..(row + 1) * width;
            whole
                .rgb
                .extend_from_slice(&image.rgb[3 * pixels.start..3 * pixels.end]);
            whole.depth.extend_from_slice(&image.depth[pixels]);
        }
    }
    Ok(whole)
}

/// The first preferred camera that a scene has.
fn preferred(scene: &CompiledScene) -> Result<String, SimError> {
    let model = scene.visual_model();
    let mut known = names::all(model, ObjectType::Camera).map(|(_, name)| name.to_owned());
    let first = known.next();
    let has = |name: &&str| names::try_find(model, ObjectType::Camera, name).is_some();
    let best = PREFERRED
        .iter()
        .copied()
        .find(|name| has(name))
        .map(str::to_owned);
    match best.or(first) {
        Some(camera) => Ok(camera),
        // The lookup makes the error that names the missing camera.
        None => {
            names::find(model, ObjectType::Camera, PREFERRED[0]).map(|_| PREFERRED[0].to_owned())
        }
    }
}
