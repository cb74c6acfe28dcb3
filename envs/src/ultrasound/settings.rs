//! Which readings of ultrasound are observed, and how fine.

use insonate_ultrasound::transducer::Transducer;
use insonate_ultrasound::{Settings, UltrasoundError};
use serde::{Deserialize, Serialize};

use crate::settings::check_range;
use crate::{BoxSpace, EnvError};

/// Most lines and samples: an observation has a named number for each.
const MAX_SIDE: f64 = 256.0;
/// Fewer than a picture for people has: on few lines nobody counts them, and they take most of the time.
const SCATTERERS_PER_CELL: f64 = 3.0;

/// Which readings of ultrasound are observed, and how fine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UltrasoundSettings {
    /// `b_mode`, `labels`, `confidence`, `liver`, `kidney`; none: nothing is imaged.
    pub readings: Vec<String>,
    /// Lines of sight.
    pub lines: usize,
    /// Samples of each line.
    pub samples: usize,
    /// Depth that is seen [m].
    pub depth: f64,
    /// Seed of the patient's organs and of the speckle.
    pub seed: u64,
}

impl Default for UltrasoundSettings {
    fn default() -> Self {
        Self {
            readings: Vec::new(),
            lines: 32,
            samples: 64,
            depth: 0.12,
            seed: 0,
        }
    }
}

/// A reading in beam space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// Grey level, 0 black to 1 white.
    BMode,
    /// Number of the material.
    Labels,
    /// How far each sample can be trusted (Karamalis 2012), 0 to 1.
    Confidence,
    /// 1 where the line sees liver: it touches, and neither bone nor gas lies before; as a perfect segmentation shows it.
    Liver,
    /// The same of a kidney.
    Kidney,
}

impl Reading {
    const ALL: [(&'static str, Self); 5] = [
        ("b_mode", Self::BMode),
        ("labels", Self::Labels),
        ("confidence", Self::Confidence),
        ("liver", Self::Liver),
        ("kidney", Self::Kidney),
    ];

    fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, reading)| *reading == self);
        found.map_or("", |(name, _)| name)
    }

    fn most(self) -> f32 {
        match self {
            Self::BMode | Self::Confidence | Self::Liver | Self::Kidney => 1.0,
            Self::Labels => f32::from(u8::MAX),
        }
    }

    /// Whether labels alone are not enough.
    pub(super) fn needs_echoes(self) -> bool {
        matches!(self, Self::BMode | Self::Confidence)
    }
}

impl UltrasoundSettings {
    /// Whether anything is imaged.
    pub fn is_on(&self) -> bool {
        !self.readings.is_empty()
    }

    /// The readings.
    ///
    /// # Errors
    /// [`EnvError::Unknown`].
    pub fn readings(&self) -> Result<Vec<Reading>, EnvError> {
        let known = Reading::ALL.map(|(name, _)| name);
        let find = |wanted: &String| {
            let found = Reading::ALL.iter().find(|(name, _)| name == wanted);
            found
                .map(|(_, reading)| *reading)
                .ok_or_else(|| EnvError::unknown("reading of ultrasound", wanted, &known))
        };
        self.readings.iter().map(find).collect()
    }

    /// Fails for invalid settings.
    ///
    /// # Errors
    /// [`EnvError::Config`], [`EnvError::Unknown`].
    pub fn check(&self) -> Result<(), EnvError> {
        let sides = [("lines", self.lines, 2.0), ("samples", self.samples, 16.0)];
        for (field, side, least) in sides {
            let field = format!("observation.ultrasound.{field}");
            check_range(&field, side as f64, least, MAX_SIDE)?;
        }
        check_range("observation.ultrasound.depth", self.depth, 0.01, 0.3)?;
        let readings = self.readings()?;
        if (1..readings.len()).any(|i| readings[..i].contains(&readings[i])) {
            return Err(config("readings", "names one twice".to_owned()));
        }
        Ok(())
    }

    /// A scanner's settings with this probe.
    pub(super) fn scanner(&self, transducer: &Transducer) -> Settings {
        Settings {
            n_lines: self.lines,
            n_samples: self.samples,
            depth: self.depth,
            speckle_seed: self.seed,
            noise_seed: self.seed,
            scatterers_per_cell: SCATTERERS_PER_CELL,
            ..Settings::of(transducer)
        }
    }

    /// The entries: readings, of each the lines, of each the samples from the face down; none without readings.
    ///
    /// # Errors
    /// As [`UltrasoundSettings::readings`].
    pub fn space(&self) -> Result<BoxSpace, EnvError> {
        let mut space = BoxSpace::default();
        for reading in self.readings()? {
            let name = reading.name();
            for line in 0..self.lines {
                for sample in 0..self.samples {
                    space.push(format!("{name}_{line}_{sample} [1]"), 0.0, reading.most());
                }
            }
        }
        Ok(space.in_frame("probe"))
    }
}

fn config(field: &str, problem: String) -> EnvError {
    EnvError::Config {
        field: format!("observation.ultrasound.{field}"),
        problem,
    }
}

impl From<UltrasoundError> for EnvError {
    fn from(error: UltrasoundError) -> Self {
        Self::Config {
            field: "observation.ultrasound".to_owned(),
            problem: error.to_string(),
        }
    }
}
