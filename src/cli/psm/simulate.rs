//! `insonate psm simulate`.

use std::path::PathBuf;

use clap::Args;
use insonate::experiments::psm::{PsmPalpation, PsmPalpationSummary, palpate};
use insonate::models::robots::psm::{Instrument, PsmConfig, configured};
use insonate::report::psm_force_plot;

use super::instrument;
use crate::cli::Usage;
use crate::cli::outcome::RunOutputArgs;
use crate::cli::torso_args::TorsoArgs;
use insonate::models::torsos::Device;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate psm simulate --torso fast --output output/palpation
  insonate psm simulate --torso xpbd --depth 0.015 --press-rate 0.3 --json
  insonate psm simulate --instrument fenestrated-grasper --sweep 0.03 --duration 12

The tool is held by a Cartesian impedance about the remote centre, goes down and up again, and sways across the torso.
rms_force_error_n compares the force on the tip that yaw, pitch and insertion motors show (momentum observer, identified friction)
with that of the contacts. The folder holds log.csv (200 Hz, motor coordinates), scene.xml, summary.json, a plot and pictures.")]
pub(crate) struct Simulate {
    #[command(flatten)]
    torso: TorsoArgs,
    /// Instrument: large-needle-driver or fenestrated-grasper.
    #[arg(long, value_name = "NAME", default_value = "large-needle-driver", value_parser = instrument)]
    instrument: Instrument,
    /// Depth of the tool below the skin at rest [m].
    #[arg(long, value_name = "M", default_value_t = PsmPalpation::default().depth)]
    depth: f64,
    /// Presses per second [Hz].
    #[arg(long = "press-rate", alias = "rate", value_name = "HZ", default_value_t = PsmPalpation::default().rate)]
    rate: f64,
    /// Distance across the torso while pressing [m].
    #[arg(long, value_name = "M", default_value_t = PsmPalpation::default().sweep)]
    sweep: f64,
    /// Simulated time [s].
    #[arg(long, value_name = "S", default_value_t = PsmPalpation::default().duration)]
    duration: f64,
    /// Folder for log, scene, plot and pictures.
    #[arg(long, short, value_name = "DIR", default_value = "output/psm-simulate")]
    output: PathBuf,
    #[command(flatten)]
    outcome: RunOutputArgs,
}

impl Simulate {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let plan = PsmPalpation {
            depth: self.depth,
            rate: self.rate,
            sweep: self.sweep,
            duration: self.duration,
        };
        plan.check().map_err(Usage::new)?;
        let robot = configured(PsmConfig {
            instrument: self.instrument,
            ..PsmConfig::default()
        });
        let mut scene = self
            .torso
            .scene(robot, &self.torso.person()?, Device::Cpu)?;
        self.torso.shorten_step(&mut scene)?;
        let run = self
            .outcome
            .start(&scene, &self.output, "psm simulate", "palpating")?;
        let (mut pictures, mut progress) = run.observers();
        let (record, summary) = palpate(&scene, &plan, &mut pictures, &mut progress)?;
        let json = serde_json::to_value(&summary)?;
        let mut files = vec![
            ("log.csv".to_owned(), record.to_csv().into_bytes()),
            (
                "summary.json".to_owned(),
                format!("{}\n", serde_json::to_string_pretty(&json)?).into_bytes(),
            ),
        ];
        if !summary.interrupted {
            let title = format!("force on the instrument's tip, {}", summary.scene);
            files.extend(psm_force_plot("force", &title, &record)?.files());
        }
        run.finish_files(&files, &json, &lines(&summary), &pictures)
    }
}

fn lines(summary: &PsmPalpationSummary) -> Vec<String> {
    vec![
        format!("force, greatest          {:.2} N", summary.peak_force_n),
        format!("force, rms               {:.2} N", summary.rms_force_n),
        format!(
            "error of its estimate    {:.3} N rms",
            summary.rms_force_error_n
        ),
        format!(
            "in contact               {:.0} % of the time",
            1e2 * summary.contact_ratio
        ),
        format!(
            "remote centre, greatest  {:.2e} mm",
            1e3 * summary.rcm_error_max_m
        ),
    ]
}
