//! `insonate psm track`.

use std::path::PathBuf;

use clap::Args;
use insonate::experiments::psm::{self, PsmController, PsmTrack, PsmTrackSummary, PsmTrajectory};
use insonate::models::robots::psm::Instrument;
use insonate::report::psm_track_plot;
use insonate_settings::check_range;

use super::{instrument, joints, named, seven};
use crate::cli::Usage;
use crate::cli::outcome::RunOutputArgs;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate psm track --trajectory spiral --controller computed-torque --output output/spiral
  insonate psm track --trajectory line --no-counterweight --json
  insonate psm track --trajectory excitation-1 --output output/train
  insonate psm identify output/train/log.csv --test output/test/log.csv --rate 200 --coordinates motor

The folder holds log.csv (200 Hz; q, dq and tau in motor coordinates, as identify reads it), scene.xml, summary.json, a plot and pictures.

rms_torque_difference compares the torques that move the simulated bodies with those of the identified model, which always has its
counterweight. Friction acts in the simulation; what it took is read from each step and taken off, as the paper's figures are without.
excitation-1 to 4 run without the limits of the joints: the fourth draws the instrument 3 cm further out than the arm can.")]
pub(crate) struct Track {
    /// Motion: line, spiral, excitation-1, excitation-2, excitation-3 or excitation-4.
    #[arg(long, value_name = "NAME", default_value = "spiral", value_parser = |name: &str| named(&PsmTrajectory::ALL, name))]
    trajectory: PsmTrajectory,
    /// Control law: pd, computed-torque or impedance.
    #[arg(long, value_name = "NAME", default_value = "computed-torque", value_parser = |name: &str| named(&PsmController::ALL, name))]
    controller: PsmController,
    /// Simulate the arm without its counterweight.
    #[arg(long)]
    no_counterweight: bool,
    /// Instrument: large-needle-driver or fenestrated-grasper.
    #[arg(long, value_name = "NAME", default_value = "large-needle-driver", value_parser = instrument)]
    instrument: Instrument,
    /// Simulated time [s] [default: 10; excitation: 30]
    #[arg(long, value_name = "S")]
    duration: Option<f64>,
    /// Folder for log, scene, plot and pictures.
    #[arg(long, short, value_name = "DIR", default_value = "output/psm-track")]
    output: PathBuf,
    #[command(flatten)]
    outcome: RunOutputArgs,
}

impl Track {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let duration = self.duration.unwrap_or_else(|| self.trajectory.duration());
        let longest = self.trajectory.longest();
        check_range(
            "duration",
            duration,
            [0.1, longest],
            "s, and at most 10 s for line",
        )
        .map_err(Usage::new)?;
        let plan = PsmTrack {
            trajectory: self.trajectory,
            controller: self.controller,
            instrument: self.instrument,
            counterweight: !self.no_counterweight,
            duration,
        };
        let run = self
            .outcome
            .start(&plan.scene(), &self.output, "psm track", "tracking")?;
        let (mut pictures, mut progress) = run.observers();
        let (record, summary) = psm::track(&plan, &mut pictures, &mut progress)?;
        let json = serde_json::to_value(&summary)?;
        let mut files = vec![
            ("log.csv".to_owned(), record.to_csv().into_bytes()),
            (
                "summary.json".to_owned(),
                format!("{}\n", serde_json::to_string_pretty(&json)?).into_bytes(),
            ),
        ];
        if !summary.interrupted {
            let without = if plan.counterweight {
                ""
            } else {
                ", without counterweight"
            };
            let title = format!(
                "PSM, {}, {}{without}",
                summary.trajectory, summary.controller
            );
            files.extend(psm_track_plot("track", &title, &record)?.files());
        }
        run.finish_files(&files, &json, &lines(&summary), &pictures)
    }
}

fn lines(summary: &PsmTrackSummary) -> Vec<String> {
    vec![
        joints(),
        seven("torque difference, rms", &summary.rms_torque_difference),
        seven("torque, rms", &summary.rms_torque),
        seven("error, rms", &summary.rms_error_rad_or_m),
        String::new(),
        format!(
            "tip error, rms           {:.3} mm",
            1e3 * summary.rms_tip_error_m
        ),
        format!(
            "remote centre, greatest  {:.2e} mm",
            1e3 * summary.rcm_error_max_m
        ),
        format!(
            "motors at their limit    {:.1} % of the time",
            1e2 * summary.saturated_share
        ),
    ]
}
