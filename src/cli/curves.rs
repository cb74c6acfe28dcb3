//! `insonate curves`: learning curves of several trainings in one picture.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use insonate::files;
use insonate::report::learning_curve;
use insonate::training::History;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate curves output/sweep/seed-1 output/sweep/seed-2 --output docs/pictures/sweep_curve.svg
  insonate curves output/sweep/seed-* --title 'probe-sweep, five seeds' --output curve.png")]
pub(crate) struct Curves {
    /// Folders of trainings of the same task.
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Picture file, .svg or .png.
    #[arg(long, short, value_name = "FILE", default_value = "learning_curve.svg")]
    output: PathBuf,
    /// Title of the picture [default: the folders' names].
    #[arg(long)]
    title: Option<String>,
}

impl Curves {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let mut histories = Vec::new();
        for folder in &self.folders {
            histories.push(History::read(folder)?);
        }
        let names: Vec<String> = self
            .folders
            .iter()
            .map(|folder| folder.display().to_string())
            .collect();
        let title = self.title.clone().unwrap_or_else(|| names.join(", "));
        let picture = learning_curve("curve", &title, &histories)?;
        let ending = self
            .output
            .extension()
            .unwrap_or_default()
            .to_string_lossy()
            .to_lowercase();
        let [svg, png] = picture.files();
        match ending.as_str() {
            "svg" => Ok(files::write(&self.output, &svg.1)?),
            "png" => Ok(files::write(&self.output, &png.1)?),
            _ => Err(insonate::envs::EnvError::Config {
                field: "output".to_owned(),
                problem: format!("{} must end in .svg or .png", self.output.display()),
            })
            .context("curves"),
        }
    }
}
