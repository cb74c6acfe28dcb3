//! Reads `softness.toml`: limited in size, strict, with every number checked.

use std::io::Read as _;
use std::path::Path;

use super::{FORMAT, SoftnessFile};
use crate::CalibrationError;

/// Maximum size of the file [bytes].
const MAX_SIZE: u64 = 1 << 20;

impl SoftnessFile {
    /// Reads a file.
    ///
    /// # Errors
    /// [`CalibrationError::Read`] and [`CalibrationError::Format`], naming the file and the key.
    pub fn read(path: &Path) -> Result<Self, CalibrationError> {
        let file = path.display().to_string();
        let mut bytes = Vec::new();
        std::fs::File::open(path)
            .and_then(|opened| opened.take(MAX_SIZE + 1).read_to_end(&mut bytes))
            .map_err(|source| CalibrationError::Read {
                file: file.clone(),
                source,
            })?;
        let problem = |problem: &str| CalibrationError::Format {
            file: file.clone(),
            place: String::new(),
            problem: problem.to_owned(),
        };
        if bytes.len() as u64 > MAX_SIZE {
            return Err(problem(
                "larger than 1 MiB; give the softness.toml that `insonate calibrate` writes",
            ));
        }
        let text = String::from_utf8(bytes).map_err(|_| {
            problem("not a text file; give the softness.toml that `insonate calibrate` writes")
        })?;
        Self::parse(&text, &file)
    }

    /// Reads the contents of a file; `file` is its name for messages.
    ///
    /// # Errors
    /// [`CalibrationError::Format`], naming the line or the key.
    pub fn parse(text: &str, file: &str) -> Result<Self, CalibrationError> {
        let parsed: Self = toml::from_str(text).map_err(|error| {
            let line = error
                .span()
                .and_then(|span| text.get(..span.start))
                .map(|before| before.matches('\n').count() + 1);
            CalibrationError::Format {
                file: file.to_owned(),
                place: line.map_or(String::new(), |line| format!(", line {line}")),
                problem: error.message().replace('\n', " "),
            }
        })?;
        parsed.check().map_err(|problem| CalibrationError::Format {
            file: file.to_owned(),
            place: String::new(),
            problem,
        })?;
        Ok(parsed)
    }

    /// Fails if a number is out of range; the error names the key.
    fn check(&self) -> Result<(), String> {
        if self.format != FORMAT {
            return Err(format!(
                "format = {} is unknown to this version, which reads format {FORMAT}",
                self.format
            ));
        }
        for (name, entry) in &self.pooled {
            let key = |field: &str| format!("pooled.{name}.{field}");
            check_unit(name, &entry.unit)?;
            if is_softness(name) {
                positive(&key("mean"), entry.mean)?;
            } else {
                finite(&key("mean"), entry.mean)?;
            }
            if let Some(sd) = entry.sd.filter(|sd| !(sd.is_finite() && *sd >= 0.0)) {
                return Err(format!("{} is {sd}; it must be at least 0", key("sd")));
            }
            ordered(&key("ci95"), entry.ci95)?;
            ordered(&key("range"), entry.range)?;
            ordered(&key("randomisation"), entry.randomisation)?;
            let lowest = entry.randomisation.map_or(1.0, |[low, _]| low);
            if is_softness(name) {
                positive(&key("randomisation"), lowest)?;
            }
        }
        if let Some(ratio) = &self.ratio {
            positive("ratio.value", ratio.value)?;
            ordered("ratio.ci95", Some(ratio.ci95))?;
        }
        if let Some(mujoco) = &self.mujoco {
            positive("mujoco.mass", mujoco.mass)?;
            for value in mujoco.solref {
                positive("the negative of mujoco.solref", -value)?;
            }
        }
        for (name, entry) in &self.map {
            let problem = entry.check();
            problem.map_err(|problem| format!("map.{name}.{problem}"))?;
        }
        for (torso, entry) in &self.scene {
            positive(&format!("scene.{torso}.stiffness"), entry.stiffness)?;
            positive(&format!("scene.{torso}.damping"), entry.damping)?;
            for (name, value) in &entry.parameters {
                finite(&format!("scene.{torso}.parameters.{name}"), *value)?;
            }
        }
        Ok(())
    }
}

/// Whether a scene needs this parameter, which then must be positive.
fn is_softness(name: &str) -> bool {
    matches!(name, "stiffness" | "damping")
}

/// Units in the file are informative; a unit other than ours would be misread.
fn check_unit(name: &str, unit: &str) -> Result<(), String> {
    let ours = match name {
        "stiffness" => "N/m",
        "damping" => "N·s/m",
        _ => return Ok(()),
    };
    if unit.is_empty() || unit == ours {
        Ok(())
    } else {
        Err(format!(
            "pooled.{name}.unit = {unit:?} is not understood: numbers are in {ours}"
        ))
    }
}

fn positive(key: &str, value: f64) -> Result<(), String> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(format!(
            "{key} is {value}; it must be a finite number above 0"
        ))
    }
}

fn finite(key: &str, value: f64) -> Result<(), String> {
    if value.is_finite() {
        Ok(())
    } else {
        Err(format!("{key} is {value}; it must be a finite number"))
    }
}

fn ordered(key: &str, interval: Option<[f64; 2]>) -> Result<(), String> {
    match interval {
        // Also refuses NaN.
        Some([low, high]) if !matches!(low.partial_cmp(&high), Some(o) if o.is_le()) => Err(
            format!("{key} is [{low}, {high}]; it must be [low, high] with low at most high"),
        ),
        _ => Ok(()),
    }
}
