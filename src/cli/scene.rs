//! `insonate scene`: write MJCF.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;

use super::scene_args::SceneArgs;
use insonate::experiments::write_file;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate scene --robot panda --torso fast --output scene.xml
  insonate scene --shape human --stiffness 900 --damping 12 > scene.xml
  insonate scene --softness output/calibrate/softness.toml --output scene.xml
  insonate scene --robot-file arm.xml --flange tool0 --output scene.xml")]
pub(crate) struct SceneCommand {
    #[command(flatten)]
    scene: SceneArgs,
    /// File to write; standard output without it.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl SceneCommand {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let xml = self.scene.build()?.to_mjcf()?.to_xml()?;
        match &self.output {
            Some(path) => write_file(path, xml.as_bytes())?,
            None => std::io::stdout().lock().write_all(xml.as_bytes())?,
        }
        Ok(())
    }
}
