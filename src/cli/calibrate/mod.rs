//! `insonate calibrate`: recorded presses in, softness out.

mod kinematics;
mod log_reader;
mod options;
mod windows;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Arg, Args};
use insonate::calibration::map::Places;
use insonate::calibration::{Calibration, FitOptions, SiteCalibrations, models};
use insonate::experiments::{Progress, SceneFit, fit_scene, repeat_press};
use insonate::models::Scene;
use insonate::models::torsos::Softness;
use insonate::report::CalibrationReport;

use super::interrupt::{Interrupt, is_interruption};
use super::print;
use super::progress_bar::bar;
use super::scene_args::SceneArgs;
use crate::cli::output_folder::OverwriteArg;

pub(crate) use log_reader::logs_help;
pub use log_reader::{LogReader, RecordedPress};

#[derive(Debug, Args)]
#[command(
    mut_args(scene_option),
    after_help = "Examples:
  insonate calibrate press.csv
  insonate calibrate site1.csv site2.csv site3.csv --output output/calibrate --json
  insonate calibrate raw.csv --columns time=1,indentation=3,force=5 --units indentation=mm
  insonate calibrate robot.parquet --columns position=x:y:z,force=fx:fy:fz --rate 500 --episode 3
  insonate calibrate bag.mcap --columns position=/probe/pose.position,force=/ft_sensor/wrench.force
  insonate calibrate joints.csv --robot ur5e
  insonate calibrate bag.mcap --robot-file arm.xml --flange probe_tip
  insonate calibrate press.csv --model auto
  insonate calibrate press.csv --model kelvin-voigt --fit-offset --loss huber --bootstrap 500
  insonate calibrate press.csv --model hertz --tip sphere:0.02
  insonate calibrate press.csv --fit-scene --torso composite
  insonate calibrate site*.csv --map
  insonate scene --softness output/calibrate/softness.toml --output scene.xml

The folder holds report.html (open it in a browser), softness.toml (for scenes), result.json, and every plot as SVG and PNG."
)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of the command line"
)]
pub(crate) struct Calibrate {
    #[arg(required = true, value_name = "LOG", help = logs_help())]
    logs: Vec<PathBuf>,
    #[command(flatten)]
    reader: LogReader,
    /// Tune a torso until a simulated press along the recorded indentation measures the same; the scene's options say which.
    #[arg(long)]
    fit_scene: bool,
    /// Do not press a simulated torso with the softness that was found.
    #[arg(long, conflicts_with = "fit_scene")]
    no_simulation: bool,
    /// Map stiffness and damping over the skin, with intervals and the places to press next; needs four sites or more.
    #[arg(long)]
    map: bool,
    /// Where the sites are, for logs without a position in space: a CSV file with the columns log,x,y or log,x,y,z [m].
    #[arg(long, value_name = "FILE", requires = "map")]
    places: Option<PathBuf>,
    /// Folder for the report, softness.toml and plots.
    #[arg(long, short, value_name = "DIR", default_value = "output/calibrate")]
    output: PathBuf,
    #[command(flatten)]
    overwrite: OverwriteArg,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    scene: SceneArgs,
}

impl Calibrate {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        self.reader.check(&self.logs)?;
        let options = self.reader.fit_options()?;
        // What can be wrong with the folder is said before the work.
        let folder = self.overwrite.folder(&self.output, "calibrate")?;
        let robot = self.scene.named_robot()?;
        let robot = robot.as_ref().map(kinematics::of).transpose()?;
        let bar = bar(1000, "{msg:>17} [{bar:40}] {percent:>3} %  {elapsed}")?;
        let n = self.logs.len();
        let sites = self
            .reader
            .calibrate(&self.logs, robot.as_ref(), &mut |index| {
                bar.set_message(format!("log {} of {n}", index + 1));
                bar.set_position((1000 * index / n) as u64);
            })?;
        let maps = if self.map {
            let table = self.places.as_deref().map(Places::read).transpose()?;
            sites.maps(table.as_ref())?
        } else {
            Vec::new()
        };
        let mut report = CalibrationReport {
            maps,
            generator: concat!("insonate ", env!("CARGO_PKG_VERSION")).to_owned(),
            command: command_line(),
            sites,
            scene: None,
            repeated: None,
            interrupted: false,
        };
        let interrupt = Interrupt::listen()?;
        if self.fit_scene {
            bar.set_message("fitting the torso");
            let mut progress = |share: f64| {
                bar.set_position((1000.0 * share) as u64);
                interrupt.flow()
            };
            let scene = self.scene.build()?;
            match fit_torso(&scene, &report.sites, &options, &mut progress) {
                Err(error) if is_interruption(&error) => {}
                fitted => report.scene = Some(fitted?),
            }
        } else if let Some(softness) = pooled_softness(&report.sites)
            && !self.no_simulation
        {
            bar.set_message("pressing a torso");
            let mut progress = |share: f64| {
                bar.set_position((1000.0 * share) as u64);
                interrupt.flow()
            };
            let recorded = &report.sites.logs[0];
            let pressed = (self.scene.build()).and_then(|scene| {
                Ok(repeat_press(
                    &scene,
                    recorded,
                    softness,
                    &options,
                    &mut progress,
                )?)
            });
            match pressed {
                Ok(pressed) => report.repeated = Some(pressed),
                Err(error) if is_interruption(&error) => {}
                // The calibration stands without it.
                Err(error) => bar.suspend(|| {
                    eprintln!("note: the press was not repeated on a simulated torso: {error:#}");
                }),
            }
        }
        report.interrupted = interrupt.is_interrupted();
        bar.set_message("drawing");
        let files = report.files(&mut |share| bar.set_position((1000.0 * share) as u64))?;
        for (name, content) in &files {
            folder.write(name, content)?;
        }
        bar.finish_and_clear();
        if self.json {
            print(&serde_json::to_string_pretty(&report.json())?)?;
        } else {
            print(&format!(
                "{}\n\nreport: {}\n{}",
                report.text(),
                folder.path().join("report.html").display(),
                next_step(&report, &folder.path().join("softness.toml")),
            ))?;
        }
        if report.interrupted {
            let saved = format!("saved what was found in {}", folder.path().display());
            return Err(interrupt.error(saved).into());
        }
        match unusable(&report.sites) {
            Some(why) => anyhow::bail!("{why}"),
            None => Ok(()),
        }
    }
}

/// The options of the scene need `--fit-scene`, except those of the robot, whose kinematics a log may need.
fn scene_option(option: Arg) -> Arg {
    const ROBOT: [&str; 6] = [
        "robot",
        "robot_file",
        "flange",
        "robot_root",
        "package",
        "without_tool",
    ];
    let is_scene = option.get_help_heading() == Some("Scene");
    if is_scene && !ROBOT.contains(&option.get_id().as_str()) {
        option.requires("fit_scene")
    } else {
        option
    }
}

/// What to do with the file, in a line or two.
fn next_step(report: &CalibrationReport, softness: &Path) -> String {
    let file = softness.display();
    if report.softness().stiffness_and_damping().is_none() {
        let better = models::names_with(|kind| kind.gives_softness);
        return match models::by_name(report.sites.model()) {
            Some(kind) if kind.gives_softness => format!("{file} has no softness for a scene"),
            _ => format!(
                "{file} has not both stiffness and damping for a scene: --model {better} gives them"
            ),
        };
    }
    match &report.repeated {
        Some(press) if press.has_equal_stiffness() => {
            format!("this command now feels the same: insonate press --softness {file}")
        }
        Some(press) => format!(
            "for scenes: {file}; torso {} measures otherwise, see above: --fit-scene tunes it",
            press.torso
        ),
        None => format!("for scenes: {file}"),
    }
}

/// Why the logs give nothing that can be used: a law for scenes without both of its numbers, or a law without any.
fn unusable(sites: &SiteCalibrations) -> Option<String> {
    let for_scenes = models::by_name(sites.model()).is_some_and(|kind| kind.gives_softness);
    let identified = |log: &Calibration| log.fit.parameters.iter().any(|found| found.identifiable);
    if !for_scenes && sites.logs.iter().any(identified) {
        return None;
    }
    sites.no_softness.clone()
}

/// Tunes the scene's torso to the pooled softness, pressed along the first log's indentation.
fn fit_torso(
    scene: &Scene,
    sites: &SiteCalibrations,
    options: &FitOptions,
    progress: Progress<'_>,
) -> anyhow::Result<SceneFit> {
    let target = pooled_softness(sites).with_context(|| {
        format!(
            "--fit-scene needs stiffness and damping, which model {} and these logs do not give; \
             use --model {} and logs that identify both",
            sites.model(),
            models::names_with(|kind| kind.gives_softness)
        )
    })?;
    Ok(fit_scene(
        scene,
        &sites.logs[0],
        Some(target),
        options,
        progress,
    )?)
}

/// The pooled stiffness and damping, where the logs give both.
fn pooled_softness(sites: &SiteCalibrations) -> Option<Softness> {
    let mean = |name: &str| sites.pooled.parameter(name).map(|pooled| pooled.mean);
    let (stiffness, damping) = mean("stiffness").zip(mean("damping"))?;
    Some(Softness { stiffness, damping })
}

/// The command as it was given, for the report.
fn command_line() -> String {
    let words = std::env::args().skip(1).map(|word| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
        if !word.is_empty() && word.chars().all(is_plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    std::iter::once("insonate".to_owned())
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}
