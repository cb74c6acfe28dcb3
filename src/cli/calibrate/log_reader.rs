//! Reading and calibrating logs, as `calibrate` and `study` do.

use std::path::{Path, PathBuf};

use clap::Args;
use insonate::calibration::{
    CalibrationError, FitOptions, Log, SiteCalibrations, calibrate_sites, formats,
    formats::RobotKinematics,
};

use super::options::LogOptions;
use super::windows::Windows;

#[derive(Debug, Args)]
pub(crate) struct LogReader {
    #[command(flatten)]
    options: LogOptions,
    /// Windows and other settings for each log, as TOML: `[name] window = [0.3, 4.2], bias = 0.6` and also
    /// columns, units, orientation, force_frame, rate, surface, normal, sign and episode.
    #[arg(long, value_name = "FILE")]
    windows: Option<PathBuf>,
}

impl LogReader {
    /// How logs are fitted.
    pub(crate) fn fit_options(&self) -> Result<FitOptions, CalibrationError> {
        Ok(self.options.calibration()?.fit)
    }

    /// Fails where `--windows` cannot be read or names none of the logs, and for options that do not go together.
    pub(crate) fn check(&self, logs: &[PathBuf]) -> Result<(), CalibrationError> {
        self.windows()?.check_names(logs)?;
        self.options.calibration().map(|_| ())
    }

    /// Calibrates logs; `robot` gives the position of logs with joint positions, and `progress` is told the number of each before it is read.
    pub(crate) fn calibrate(
        &self,
        logs: &[PathBuf],
        robot: Option<&RobotKinematics>,
        progress: &mut dyn FnMut(usize),
    ) -> Result<SiteCalibrations, CalibrationError> {
        let windows = self.windows()?;
        let base = self.options.calibration()?;
        let logs = logs.iter().enumerate().map(|(index, path)| {
            progress(index);
            let prepare = windows.prepare_options(path, &base.prepare)?;
            Ok((self.read(path, robot, &windows)?, prepare))
        });
        calibrate_sites(logs, base.model, &base.fit)
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
