//! `--windows FILE`: what differs from log to log, as the thesis had it in its code.
//!
//! ```toml
//! [upper_right]          # a log's name, with or without ending
//! window = [0.33, 4.22]  # s
//! bias = -0.645          # N, or "auto", "none"
//! ```

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use insonate::calibration::formats::ReadOptions;
use insonate::calibration::{CalibrationError, ForceFrame, PrepareOptions};
use serde::Deserialize;

use super::options;

/// No such file is larger [bytes].
const MAX_SIZE: u64 = 1 << 20;

/// Settings by log.
#[derive(Debug, Default)]
pub(super) struct Windows {
    by_name: BTreeMap<String, LogWindow>,
}

/// Settings of one log.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LogWindow {
    window: Option<[f64; 2]>,
    bias: Option<NumberOrWord>,
    columns: Option<String>,
    units: Option<String>,
    rate: Option<f64>,
    episode: Option<i64>,
    surface: Option<f64>,
    normal: Option<[f64; 3]>,
    sign: Option<String>,
    orientation: Option<String>,
    force_frame: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a force in N, \"auto\" or \"none\"")]
enum NumberOrWord {
    Number(f64),
    Word(String),
}

impl Windows {
    /// Reads the file.
    pub(super) fn read(path: &Path) -> Result<Self, CalibrationError> {
        let file = path.display().to_string();
        let mut text = String::new();
        std::fs::File::open(path)
            .and_then(|opened| opened.take(MAX_SIZE + 1).read_to_string(&mut text))
            .map_err(|source| CalibrationError::Read {
                file: file.clone(),
                source,
            })?;
        let refuse = |place: String, problem: String| CalibrationError::Format {
            file: file.clone(),
            place,
            problem,
        };
        if text.len() as u64 > MAX_SIZE {
            return Err(refuse(String::new(), "larger than 1 MiB".to_owned()));
        }
        let by_name: BTreeMap<String, LogWindow> = toml::from_str(&text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map(|before| before.matches('\n').count() + 1);
            refuse(
                line.map_or(String::new(), |line| format!(", line {line}")),
                error.message().replace('\n', " "),
            )
        })?;
        let windows = Self { by_name };
        // Every entry is tried once, so that a mistake is found also in those of later logs.
        for (name, entry) in &windows.by_name {
            let tried = entry
                .apply(&mut PrepareOptions::default())
                .and_then(|()| entry.apply_to_reading(&mut ReadOptions::default()));
            tried.map_err(|error| refuse(format!(", [{name}]"), error.to_string()))?;
        }
        Ok(windows)
    }

    /// Fails for an entry that no log has.
    pub(super) fn check_names(&self, logs: &[PathBuf]) -> Result<(), CalibrationError> {
        let is_used = |name: &str| logs.iter().any(|log| names(log).iter().any(|n| n == name));
        match self.by_name.keys().find(|name| !is_used(name)) {
            Some(name) => Err(CalibrationError::option(
                "--windows",
                format!("has an entry [{name}], but no log of that name is given"),
            )),
            None => Ok(()),
        }
    }

    /// How to prepare a log: as all of them, unless the file says otherwise.
    pub(super) fn prepare_options(
        &self,
        log: &Path,
        base: &PrepareOptions,
    ) -> Result<PrepareOptions, CalibrationError> {
        let mut options = base.clone();
        if let Some(own) = self.of(log) {
            own.apply(&mut options)?;
        }
        Ok(options)
    }

    /// The settings of a log.
    pub(super) fn of(&self, log: &Path) -> Option<&LogWindow> {
        names(log).iter().find_map(|name| self.by_name.get(name))
    }
}

/// A log's path, file name and name without ending.
fn names(log: &Path) -> Vec<String> {
    let text = |part: Option<&std::ffi::OsStr>| part.map(|p| p.to_string_lossy().into_owned());
    [
        Some(log.display().to_string()),
        text(log.file_name()),
        text(log.file_stem()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

impl LogWindow {
    pub(super) fn apply(&self, options: &mut PrepareOptions) -> Result<(), CalibrationError> {
        let refuse = |key: &str, problem: String| {
            CalibrationError::option("--windows", format!("{key}: {problem}"))
        };
        if let Some([start, end]) = self.window {
            let window = options::window(&format!("{start},{end}"));
            options.window = Some(window.map_err(|problem| refuse("window", problem))?);
        }
        if let Some(bias) = &self.bias {
            let text = match bias {
                NumberOrWord::Number(number) => number.to_string(),
                NumberOrWord::Word(word) => word.clone(),
            };
            options.bias = options::bias(&text).map_err(|problem| refuse("bias", problem))?;
        }
        if let Some(surface) = self.surface {
            let surface = options::finite(&surface.to_string());
            options.surface = Some(surface.map_err(|problem| refuse("surface", problem))?);
        }
        if let Some([x, y, z]) = self.normal {
            let normal = options::normal(&format!("{x},{y},{z}"));
            options.normal = Some(normal.map_err(|problem| refuse("normal", problem))?);
        }
        if let Some(sign) = &self.sign {
            options.sign = options::sign(sign).map_err(|problem| refuse("sign", problem))?;
        }
        if let Some(frame) = self.force_frame()? {
            options.force_frame = frame;
        }
        Ok(())
    }

    pub(super) fn apply_to_reading(
        &self,
        options: &mut ReadOptions,
    ) -> Result<(), CalibrationError> {
        let refuse = |key: &str, problem: String| {
            CalibrationError::option("--windows", format!("{key}: {problem}"))
        };
        if let Some(text) = &self.columns {
            let columns = options::columns(text).map_err(|problem| refuse("columns", problem))?;
            options.columns = Some(columns);
        }
        if let Some(text) = &self.units {
            options.units = options::units(text).map_err(|problem| refuse("units", problem))?;
        }
        if let Some(rate) = self.rate {
            let rate = options::positive(&rate.to_string());
            options.rate = Some(rate.map_err(|problem| refuse("rate", problem))?);
        }
        if let Some(kind) = &self.orientation {
            let kind = options::orientation(kind);
            options.orientation = Some(kind.map_err(|problem| refuse("orientation", problem))?);
        }
        if let Some(frame) = self.force_frame()? {
            options.force_frame = frame;
        }
        options.episode = self.episode.or(options.episode);
        Ok(())
    }

    fn force_frame(&self) -> Result<Option<ForceFrame>, CalibrationError> {
        let frame = self.force_frame.as_deref().map(options::force_frame);
        frame.transpose().map_err(|problem| {
            CalibrationError::option("--windows", format!("force_frame: {problem}"))
        })
    }
}
