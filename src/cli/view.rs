//! `insonate view`.

use clap::Args;
use insonate::sim::controllers::{Controller as _, JointImpedance, JointImpedanceConfig};
use insonate::sim::viewer::Viewer;
use insonate::sim::{CompiledScene, Physics};

use super::scene_args::SceneArgs;

#[derive(Debug, Args)]
#[command(after_help = "Example:
  cargo run --release --features viewer -- view --shape human --breathing-rate 0.25")]
pub(crate) struct View {
    #[command(flatten)]
    scene: SceneArgs,
}

impl View {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let compiled = CompiledScene::compile(&self.scene.build()?.to_mjcf()?)?;
        let mut physics = Physics::from_scene(&compiled)?;
        let mut hold = JointImpedance::new(&physics, JointImpedanceConfig::default())?;
        let mut viewer = Viewer::new(&compiled)?;
        Ok(viewer.run(&mut physics, |physics| hold.control(physics))?)
    }
}
