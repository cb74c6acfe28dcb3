//! `insonate render`.

use std::path::PathBuf;

use clap::Args;
use insonate::sim::render::{RenderConfig, Renderer};
use insonate::sim::{CompiledScene, Physics};
use insonate_settings::check_range;

use super::interrupt::Interrupt;
use super::progress_bar::Busy;
use super::scene_args::SceneArgs;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate render --camera front --output front.png
  insonate render --patient adult --patient-seed 3 --camera top --output patient.png
  insonate render --shape human --camera side --depth-output depth.png --picture-size 1280x960")]
pub(crate) struct Render {
    #[command(flatten)]
    scene: SceneArgs,
    /// Camera: front, side, top, close or probe/camera.
    #[arg(long, default_value = "front")]
    camera: String,
    /// Width and height [pixels].
    #[arg(long = "picture-size", alias = "size", value_name = "WxH", default_value = "960x720", value_parser = super::outcome::picture_size)]
    size: (u32, u32),
    /// Simulated time before the picture [s].
    #[arg(long, value_name = "S", default_value_t = 0.0)]
    after: f64,
    /// Colour picture (PNG).
    #[arg(long, short, value_name = "FILE", default_value = "scene.png")]
    output: PathBuf,
    /// Depth picture (16-bit PNG in millimetres).
    #[arg(long, value_name = "FILE")]
    depth_output: Option<PathBuf>,
}

impl Render {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        check_range("after", self.after, [0.0, 3600.0], "s")?;
        let _busy = Busy::with("drawing the scene")?;
        let compiled = CompiledScene::compile(&self.scene.build()?.to_mjcf()?)?;
        let mut physics = Physics::from_scene(&compiled)?;
        let interrupt = Interrupt::listen()?;
        while physics.time() < self.after && !interrupt.is_interrupted() {
            physics.step()?;
        }
        let interrupted = interrupt.is_interrupted();
        let (width, height) = self.size;
        let mut renderer = Renderer::new(&compiled, RenderConfig::still(width, height))?;
        let frame = renderer.render(&physics, &self.camera)?;
        frame.write_rgb(&self.output)?;
        if let Some(path) = &self.depth_output {
            frame.write_depth(path)?;
        }
        if interrupted {
            let (output, time) = (self.output.display(), physics.time());
            let saved = format!("saved {output}, which shows the scene at {time:.3} s");
            return Err(interrupt.error(saved).into());
        }
        Ok(())
    }
}
