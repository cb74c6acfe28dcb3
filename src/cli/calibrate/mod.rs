//! `insonate calibrate`: recorded presses in, softness out.

mod options;
mod scene;
mod windows;

use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use insonate::calibration::{
    Calibration, CalibrationError, CalibrationOptions, Log, ModelChoice, MovingMass, calibrate,
    formats, models, pool,
};
use insonate::experiments::OutputFolder;
use insonate::report::{CalibratedLog, Report};

use super::print;
use super::scene_args::SceneArgs;
use options::LogOptions;
use windows::Windows;

#[derive(Debug, Args)]
#[command(
    mut_group("SceneArgs", |group| group.requires("fit_scene")),
    after_help = "Examples:
  insonate calibrate press.csv
  insonate calibrate site1.csv site2.csv site3.csv --output output/calibrate --json
  insonate calibrate raw.csv --columns time=1,indentation=3,force=5 --units indentation=mm
  insonate calibrate robot.parquet --columns position=x:y:z,force=fx:fy:fz --rate 500 --episode 3
  insonate calibrate press.csv --model auto
  insonate calibrate press.csv --model kelvin-voigt --fit-offset --loss huber --bootstrap 500
  insonate calibrate press.csv --model hertz --tip sphere:0.02
  insonate calibrate press.csv --fit-scene --torso composite
  insonate scene --softness output/calibrate/softness.toml --output scene.xml

The folder holds report.html (open it in a browser), softness.toml (for scenes), result.json, and every plot as SVG and PNG."
)]
pub(crate) struct Calibrate {
    /// Recorded presses: .csv, .npy, .npz or .parquet; each is one site.
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    #[command(flatten)]
    options: LogOptions,
    /// Windows and other settings for each log, as TOML: `[name] window = [0.3, 4.2], bias = 0.6` and also
    /// columns, units, rate, surface, normal, sign and episode.
    #[arg(long, value_name = "FILE")]
    windows: Option<PathBuf>,
    /// Tune a torso until a simulated press along the recorded indentation measures the same; the scene's options say which.
    #[arg(long)]
    fit_scene: bool,
    /// Folder for the report, softness.toml and plots.
    #[arg(long, short, value_name = "DIR", default_value = "output/calibrate")]
    output: PathBuf,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    scene: SceneArgs,
}

impl Calibrate {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let windows = match &self.windows {
            Some(path) => Windows::read(path)?,
            None => Windows::default(),
        };
        windows.check_names(&self.logs)?;
        let base = self.options.calibration()?;
        // What can be wrong with the folder is said before the work.
        anyhow::ensure!(
            !self.output.exists() || self.output.is_dir(),
            "cannot create the folder {}: there is a file of that name",
            self.output.display()
        );
        let bar = progress_bar()?;
        let mut logs = Vec::new();
        for (index, path) in self.logs.iter().enumerate() {
            bar.set_message(format!("log {} of {}", index + 1, self.logs.len()));
            logs.push(self.calibrate_one(path, &windows, &base)?);
            bar.set_position((1000 * (index + 1) / self.logs.len()) as u64);
        }
        let mut notes = Vec::new();
        if base.model == ModelChoice::Auto && logs.len() > 1 {
            notes.extend(self.agree(&mut logs, &windows, &base)?);
        }
        let fits: Vec<_> = logs.iter().map(|log| &log.calibration.fit).collect();
        let pooled = pool(&fits);
        let mass = match base.fit.mass {
            MovingMass::Known(mass) => Some(mass),
            MovingMass::Fitted => pooled.parameter("mass").map(|spread| spread.mean),
            MovingMass::Unknown => None,
        };
        let mut report = Report {
            generator: concat!("insonate ", env!("CARGO_PKG_VERSION")).to_owned(),
            command: command_line(),
            logs,
            pooled,
            mass,
            exponents: base.fit.exponents,
            notes,
            scene: None,
        };
        if self.fit_scene {
            bar.set_message("fitting the torso");
            let options = options_for(&self.logs[0], &windows, &base)?;
            let mut progress = |share: f64| bar.set_position((1000.0 * share) as u64);
            let outcome = scene::fit(&self.scene.build()?, &report, &options, &mut progress)?;
            report.scene = Some(outcome);
        }
        bar.set_message("drawing");
        let files = report.files(&mut |share| bar.set_position((1000.0 * share) as u64))?;
        let folder = OutputFolder::create(&self.output)?;
        for (name, content) in &files {
            folder.write(name, content)?;
        }
        bar.finish_and_clear();
        if self.json {
            return print(&serde_json::to_string_pretty(&report.json())?);
        }
        let softness = folder.path().join("softness.toml");
        let for_scenes = if report.softness().stiffness_and_damping().is_some() {
            format!("for scenes: {}", softness.display())
        } else {
            format!(
                "{} has not both stiffness and damping for a scene: {}",
                softness.display(),
                match report.softness().model.as_str() {
                    "divided" | "kelvin-voigt" => "the logs do not tell them apart, see above",
                    _ => "--model divided or kelvin-voigt gives them",
                }
            )
        };
        print(&format!(
            "{}\n\nreport: {}\n{for_scenes}",
            report.text(),
            folder.path().join("report.html").display(),
        ))
    }

    fn read(&self, path: &Path, windows: &Windows) -> anyhow::Result<Log> {
        let mut options = self.options.read_options();
        if let Some(own) = windows.of(path) {
            own.apply_to_reading(&mut options)?;
        }
        let log = formats::read(path, &options)?;
        self.options.check_log(&log)?;
        Ok(log)
    }

    fn calibrate_one(
        &self,
        path: &Path,
        windows: &Windows,
        base: &CalibrationOptions,
    ) -> anyhow::Result<CalibratedLog> {
        let options = options_for(path, windows, base)?;
        let log = self.read(path, windows)?;
        let calibration = calibrate(&log, &options)?;
        Ok(CalibratedLog {
            source: log.source,
            calibration,
        })
    }

    /// Brings logs for which different models were chosen to the one with the least sum of the criterion.
    fn agree(
        &self,
        logs: &mut [CalibratedLog],
        windows: &Windows,
        base: &CalibrationOptions,
    ) -> anyhow::Result<Option<String>> {
        let chosen = |log: &CalibratedLog| log.calibration.fit.model;
        if logs.iter().all(|log| chosen(log) == chosen(&logs[0])) {
            return Ok(None);
        }
        let Some(common) = common_model(logs) else {
            anyhow::bail!(
                "--model auto finds no model that every log supports; name one with --model, or calibrate the logs one by one"
            );
        };
        for (log, path) in logs.iter_mut().zip(&self.logs) {
            if log.calibration.fit.model != common {
                let mut options = options_for(path, windows, base)?;
                options.model = ModelChoice::Named(common);
                let again = calibrate(&self.read(path, windows)?, &options)?;
                log.calibration = Calibration {
                    selection: log.calibration.selection.take(),
                    ..again
                };
            }
        }
        Ok(Some(format!(
            "the logs taken one by one prefer different models; {common} has the least sum of BIC over all and was fitted to every log"
        )))
    }
}

/// The options of one log: those of the command line, unless the windows' file says otherwise.
fn options_for(
    path: &Path,
    windows: &Windows,
    base: &CalibrationOptions,
) -> anyhow::Result<CalibrationOptions> {
    let mut options = base.clone();
    if let Some(own) = windows.of(path) {
        own.apply(&mut options.prepare)?;
    }
    Ok(options)
}

/// The model that no log rules out with the least sum of Schwarz' criterion.
fn common_model(logs: &[CalibratedLog]) -> Option<&'static str> {
    let total = |model: &str| -> Option<f64> {
        logs.iter()
            .map(|log| {
                let selection = log.calibration.selection.as_ref()?;
                let candidate = selection.candidates.iter().find(|c| c.model == model)?;
                Some(candidate.bic).filter(|bic| bic.is_finite() && candidate.ruled_out.is_empty())
            })
            .sum()
    };
    models::ALL
        .iter()
        .filter_map(|kind| Some((kind.name, total(kind.name)?)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(name, _)| name)
}

/// Hidden by itself where standard error is no terminal.
fn progress_bar() -> anyhow::Result<ProgressBar> {
    let bar = ProgressBar::new(1000);
    let style = ProgressStyle::with_template("{msg:>17} [{bar:40}] {percent:>3} %  {elapsed}")?;
    bar.set_style(style.progress_chars("=> "));
    Ok(bar)
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

/// Wrong usage of an option.
fn misuse(option: &'static str, problem: impl Into<String>) -> CalibrationError {
    CalibrationError::Option {
        option,
        problem: problem.into(),
    }
}
