//! Settings of ultrasound observations: readings and resolution.

use insonate_settings::check_range;
use insonate_ultrasound::transducer::Transducer;
use insonate_ultrasound::{Settings, UltrasoundError};
use serde::{Deserialize, Serialize};

use super::ScannerControls;
use crate::{BoxSpace, EnvError, GroupKind, ObservationGroup};

/// Maximum number of lines and samples: an observation has a named number for each sample.
const MAX_SIDE: f64 = 256.0;
/// Fewer than for images for people: with few lines the difference is not visible, and scatterers take most of the time.
const SCATTERERS_PER_CELL: f64 = 3.0;

/// Settings of ultrasound observations: readings and resolution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UltrasoundSettings {
    /// `b_mode`, `labels`, `confidence`, `liver`, `kidney`. Empty: no ultrasound.
    pub readings: Vec<String>,
    /// Number of scanlines.
    pub lines: usize,
    /// Number of samples per line.
    pub samples: usize,
    /// Imaging depth [m].
    pub depth: f64,
    /// Seed of the patient's organs and of the speckle.
    pub seed: u64,
    /// Controls of the scanner.
    pub controls: ScannerControls,
}

impl Default for UltrasoundSettings {
    fn default() -> Self {
        Self {
            readings: Vec::new(),
            lines: 32,
            samples: 64,
            depth: 0.12,
            seed: 0,
            controls: ScannerControls::default(),
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
    /// Confidence of each sample (Karamalis 2012), 0 to 1.
    Confidence,
    /// 1 where the line sees liver: it is in contact, with neither bone nor gas before the sample; as in a perfect segmentation.
    Liver,
    /// 1 where the line sees a kidney, as for `Liver`.
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

    /// Whether the reading needs echoes in addition to labels.
    pub(super) fn needs_echoes(self) -> bool {
        matches!(self, Self::BMode | Self::Confidence)
    }
}

impl UltrasoundSettings {
    /// Whether ultrasound is observed.
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

    /// Checks the settings.
    ///
    /// # Errors
    /// [`EnvError::OutOfRange`], [`EnvError::Unknown`], [`EnvError::Config`].
    pub fn check(&self) -> Result<(), EnvError> {
        let sides = [("lines", self.lines, 2.0), ("samples", self.samples, 16.0)];
        for (field, side, least) in sides {
            let field = format!("observation.ultrasound.{field}");
            check_range(&field, side as f64, [least, MAX_SIDE], "pixels")?;
        }
        check_range("observation.ultrasound.depth", self.depth, [0.01, 0.3], "m")?;
        let readings = self.readings()?;
        if (1..readings.len()).any(|i| readings[..i].contains(&readings[i])) {
            return Err(config("readings", "contains a reading twice".to_owned()));
        }
        self.check_controls(&readings)
    }

    /// Refuses controls that no reading depends on.
    fn check_controls(&self, readings: &[Reading]) -> Result<(), EnvError> {
        let usual = ScannerControls::default();
        let own = &self.controls;
        let is_set = *own != usual;
        if is_set && !readings.iter().any(|reading| reading.needs_echoes()) {
            return Err(config(
                "controls",
                "have no effect without the reading b_mode or confidence".to_owned(),
            ));
        }
        if own.grey_map != usual.grey_map && !readings.contains(&Reading::BMode) {
            return Err(config(
                "controls.grey_map",
                "has no effect without the reading b_mode".to_owned(),
            ));
        }
        own.controls().map(drop)
    }

    /// Settings of a scanner with this probe.
    ///
    /// # Errors
    /// [`EnvError::Config`]: controls are out of range, or the probe cannot do what they say.
    pub(super) fn scanner(&self, transducer: &Transducer) -> Result<Settings, EnvError> {
        let usual = Settings {
            n_lines: self.lines,
            n_samples: self.samples,
            depth: self.depth,
            speckle_seed: self.seed,
            noise_seed: self.seed,
            scatterers_per_cell: SCATTERERS_PER_CELL,
            ..Settings::of(transducer)
        };
        Ok(self.controls.controls()?.applied(usual, transducer)?)
    }

    /// The entries as one group per reading, each of shape `[lines, samples, 1]`. Empty without readings.
    ///
    /// # Errors
    /// Those of [`UltrasoundSettings::readings`].
    pub fn groups(&self) -> Result<Vec<ObservationGroup>, EnvError> {
        let shape = [self.lines, self.samples, 1];
        let group =
            |reading: Reading| ObservationGroup::image(reading.name(), shape, GroupKind::Image);
        Ok(self.readings()?.into_iter().map(group).collect())
    }

    /// The entries: for each reading its lines, and for each line its samples from the face down. Empty without readings.
    ///
    /// # Errors
    /// Those of [`UltrasoundSettings::readings`].
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
