//! `insonate scene`: write MJCF.

use std::path::PathBuf;

use clap::Args;

use super::progress_bar::Busy;
use super::scene_args::SceneArgs;
use insonate::files;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate scene --robot panda --torso fast --output scene.xml
  insonate scene --shape human --stiffness 900 --damping 12 > scene.xml
  insonate scene --softness output/calibrate/softness.toml --output scene.xml
  insonate scene --robot-file arm.xml --flange tool0 --output scene.xml")]
pub(crate) struct SceneCommand {
    #[command(flatten)]
    scene: SceneArgs,
    /// File to write; -: standard output.
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

impl SceneCommand {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let busy = Busy::with("building the scene")?;
        let xml = self.scene.build()?.to_mjcf()?.to_xml()?;
        insonate::sim::compile(&xml)?; // what MuJoCo refuses is not written
        drop(busy);
        Ok(files::write(&self.output, xml.as_bytes())?)
    }
}
