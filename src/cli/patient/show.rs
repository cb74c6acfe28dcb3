//! `insonate patient show`.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use insonate::anatomy::{Patient, Tissues};
use insonate::report::PatientReport;

use super::tell;
use crate::cli::Usage;
use crate::cli::patient_args;
use crate::cli::progress_bar::Busy;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate patient show output/patient
  insonate patient show output/patient --json")]
pub(crate) struct Show {
    /// Folder of a patient, which insonate patient make wrote.
    folder: PathBuf,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let start = Instant::now();
        patient_args::check_folder(&self.folder)?;
        let busy = Busy::with("reading the patient")?;
        let patient = Patient::read(&self.folder).map_err(Usage::new)?;
        let findings = patient.findings(&Tissues::standard()?);
        drop(busy);
        let report = PatientReport {
            source: &patient.description.source,
            segmentation: &patient.labels,
            findings: &findings,
            patient: Some(&patient),
        };
        let place = format!("open: {}", self.folder.join("report.html").display());
        tell(&report, start.elapsed().as_secs_f64(), self.json, &place)
    }
}
