//! Reading and calibrating logs, as `calibrate` and `study` do.

use std::path::{Path, PathBuf};

use clap::{Args, Parser};
use insonate::calibration::{
    CalibrationError, FitOptions, Log, SiteCalibrations, calibrate_sites, formats,
    formats::{Format, RobotKinematics},
};
use insonate::models::robots::Robot;

use super::kinematics;
use super::options::LogOptions;
use super::windows::Windows;

/// How recorded presses are read, prepared and fitted.
#[derive(Debug, Args)]
pub struct LogReader {
    #[command(flatten)]
    options: LogOptions,
    /// Windows and other settings for each log, as TOML: `[name] window = [0.3, 4.2], bias = 0.6` and also
    /// columns, units, orientation, force_frame, rate, surface, normal, sign and episode.
    #[arg(long, value_name = "FILE")]
    windows: Option<PathBuf>,
}

/// Help of the argument that names the logs.
pub(crate) fn logs_help() -> String {
    let endings = Format::ALL.map(|format| format!(".{}", format.endings()[0]));
    let [others @ .., last] = &endings;
    let others = others.join(", ");
    format!("Recorded presses: {others} or {last}; each is one site")
}

/// The options alone, without a command.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct Words {
    #[command(flatten)]
    reader: LogReader,
}

/// A recorded press.
#[derive(Clone, Debug)]
pub enum RecordedPress {
    /// A file, which is read when it is calibrated.
    File(PathBuf),
    /// A log in memory.
    Log(Box<Log>),
}

impl RecordedPress {
    /// The file, or the name of the log.
    fn path(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Log(log) => Path::new(&log.source.file),
        }
    }
}

impl LogReader {
    /// The options of `insonate calibrate` that say how logs are read, prepared and fitted, as words: `["--bias", "0.6"]`.
    ///
    /// # Errors
    /// What is wrong with the words, in one line.
    pub fn of_words(words: &[String]) -> Result<Self, String> {
        let parsed = Words::try_parse_from(words);
        parsed.map(|words| words.reader).map_err(|error| {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            line.trim_start_matches("error: ").to_owned()
        })
    }

    /// Calibrates recorded presses. `robot` gives the position of logs with joint positions; `progress` gets the number of each log
    /// before it is read.
    ///
    /// # Errors
    /// [`CalibrationError`] for options that do not go together, and for logs that cannot be read or calibrated.
    pub fn calibrate_presses(
        &self,
        presses: &[RecordedPress],
        robot: Option<&RobotKinematics>,
        progress: &mut dyn FnMut(usize),
    ) -> Result<SiteCalibrations, CalibrationError> {
        let windows = self.windows()?;
        let names: Vec<PathBuf> = presses
            .iter()
            .map(|press| press.path().to_owned())
            .collect();
        windows.check_names(&names)?;
        let base = self.options.calibration()?;
        let logs = presses.iter().enumerate().map(|(index, press)| {
            progress(index);
            let prepare = windows.prepare_options(press.path(), &base.prepare)?;
            let log = match press {
                RecordedPress::File(path) => self.read(path, robot, &windows)?,
                RecordedPress::Log(log) => {
                    self.options.check_log(log)?;
                    Log::clone(log)
                }
            };
            Ok((log, prepare))
        });
        calibrate_sites(logs, base.model, &base.fit)
    }

    /// Forward kinematics of a robot, for logs with joint positions.
    ///
    /// # Errors
    /// A robot without a flange, or one that does not compile, in words.
    pub fn kinematics(robot: &Robot) -> Result<RobotKinematics, String> {
        kinematics::of(robot).map_err(|error| format!("{error:#}"))
    }

    /// How logs are fitted.
    ///
    /// # Errors
    /// [`CalibrationError`] for options that do not go together.
    pub fn fit_options(&self) -> Result<FitOptions, CalibrationError> {
        Ok(self.options.calibration()?.fit)
    }

    /// Fails where `--windows` cannot be read or names none of the logs, and for options that do not go together.
    pub(crate) fn check(&self, logs: &[PathBuf]) -> Result<(), CalibrationError> {
        self.windows()?.check_names(logs)?;
        self.options.calibration().map(|_| ())
    }

    /// Calibrates files.
    pub(crate) fn calibrate(
        &self,
        logs: &[PathBuf],
        robot: Option<&RobotKinematics>,
        progress: &mut dyn FnMut(usize),
    ) -> Result<SiteCalibrations, CalibrationError> {
        let presses: Vec<RecordedPress> = logs.iter().cloned().map(RecordedPress::File).collect();
        self.calibrate_presses(&presses, robot, progress)
    }

    fn windows(&self) -> Result<Windows, CalibrationError> {
        match &self.windows {
            Some(path) => Windows::read(path),
            None => Ok(Windows::default()),
        }
    }

    fn read(
        &self,
        path: &Path,
        robot: Option<&RobotKinematics>,
        windows: &Windows,
    ) -> Result<Log, CalibrationError> {
        let mut options = self.options.read_options();
        options.robot = robot.cloned();
        if let Some(own) = windows.of(path) {
            own.apply_to_reading(&mut options)?;
        }
        let log = formats::read(path, &options)?;
        self.options.check_log(&log)?;
        Ok(log)
    }
}
