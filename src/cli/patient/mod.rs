//! `insonate patient`: patients that are made of segmentations.

mod demo;
mod make;
mod show;

use clap::{Args, Subcommand};
use insonate::report::PatientReport;

use super::print;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate patient demo --output output/demo-ct
  insonate patient make output/demo-ct --output output/patient
  insonate patient show output/patient
  insonate image --patient output/patient --site -0.09,0.03 --output output/view")]
pub(crate) struct PatientCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a patient of a segmentation of your own: skin, organs, bones, labels and a report.
    Make(make::Make),
    /// Show what a patient's folder holds, and whether it was made as a body lies.
    Show(show::Show),
    /// Write a synthetic segmentation of the adult, in the layout of TotalSegmentator.
    Demo(demo::Demo),
}

impl PatientCommand {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        match &self.command {
            Command::Make(command) => command.run(),
            Command::Show(command) => command.run(),
            Command::Demo(command) => command.run(),
        }
    }
}

/// Prints a report with the time that it took [s]; `place` is where its files are.
fn tell(
    report: &PatientReport<'_>,
    seconds: f64,
    is_json: bool,
    place: &str,
) -> anyhow::Result<()> {
    if is_json {
        let mut json = report.json();
        json["seconds"] = seconds.into();
        return print(&serde_json::to_string_pretty(&json)?);
    }
    print(&format!("{}\n{place}", report.text()))
}
