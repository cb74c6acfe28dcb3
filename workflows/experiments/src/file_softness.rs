//! A softness file on the torso of a scene: what `--softness` of the command line and `Scene(softness=…)` of the Python package do.

use std::path::{Path, PathBuf};

use insonate_calibration::CalibrationError;
use insonate_calibration::softness::SoftnessFile;
use insonate_envs::probe::tuned_torso;
use insonate_models::torsos::{self, Softness, TorsoConfig};
use insonate_models::{ModelError, Scene, TunedTorso};

use super::softness_field;

/// The softness of one kind of torso in a file.
#[derive(Debug)]
pub struct FileSoftness {
    path: PathBuf,
    file: SoftnessFile,
    torso: TunedTorso,
    /// Whether the file has an entry for the kind of torso; else the softness is the pooled one.
    has_entry: bool,
}

/// Why a softness file does not give a torso its softness.
#[derive(Debug, thiserror::Error)]
pub enum SoftnessError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] CalibrationError),
    /// The file has not both stiffness and damping.
    #[error("{file} {problem}")]
    Missing {
        /// The file.
        file: String,
        /// What is missing.
        problem: String,
    },
    /// The torso cannot have the numbers of the file.
    #[error("{place}: {source}")]
    Torso {
        /// File and entry.
        place: String,
        /// What is wrong with them.
        source: ModelError,
    },
    /// The file has a map, and the softness of the torso cannot vary over its skin.
    #[error(
        "{file} has a map of stiffness, and the softness of a {torso} torso cannot vary over its skin"
    )]
    NoField {
        /// The file.
        file: String,
        /// Kind of torso.
        torso: &'static str,
    },
    /// The map does not lie on the torso.
    #[error("{file}: map.stiffness: {problem}")]
    Misplaced {
        /// The file.
        file: String,
        /// Where it lies.
        problem: String,
    },
    /// The torso cannot have the softness of the map.
    #[error("{file}: map.stiffness: {source}")]
    Field {
        /// The file.
        file: String,
        /// What is wrong with it.
        source: ModelError,
    },
}

impl FileSoftness {
    /// Reads the softness of a kind of torso.
    ///
    /// # Errors
    /// [`SoftnessError::Read`]; [`SoftnessError::Missing`] without an entry for the torso, and without both pooled numbers.
    pub fn read(path: &Path, torso: &str) -> Result<Self, SoftnessError> {
        Self::of(SoftnessFile::read(path)?, path, torso)
    }

    /// The softness of a kind of torso in the text of a file, whose name messages show.
    ///
    /// # Errors
    /// Those of [`FileSoftness::read`].
    pub fn parse(text: &str, path: &Path, torso: &str) -> Result<Self, SoftnessError> {
        let shown = path.display().to_string();
        Self::of(SoftnessFile::parse(text, &shown)?, path, torso)
    }

    fn of(file: SoftnessFile, path: &Path, torso: &str) -> Result<Self, SoftnessError> {
        let entry = file.scene.get(torso).map(tuned_torso);
        let has_entry = entry.is_some();
        let torso = match (entry, file.stiffness_and_damping()) {
            (Some(tuned), _) => tuned,
            (None, Some([stiffness, damping])) => TunedTorso {
                softness: Softness { stiffness, damping },
                ..TunedTorso::default()
            },
            (None, None) => {
                return Err(SoftnessError::Missing {
                    file: path.display().to_string(),
                    problem: file.missing_softness(),
                });
            }
        };
        Ok(Self {
            path: path.to_owned(),
            file,
            torso,
            has_entry,
        })
    }

    /// The tuned torso, with its lattice unless the caller gives one.
    pub fn torso(&self, gives_lattice: bool) -> TunedTorso {
        TunedTorso {
            gives_lattice,
            ..self.torso.clone()
        }
    }

    /// The file as text, which [`FileSoftness::parse`] reads.
    pub fn to_toml(&self) -> String {
        self.file.to_toml()
    }

    /// An error of a configuration, with the place in the file.
    pub fn problem(&self, torso: &str, source: ModelError) -> SoftnessError {
        let shown = self.path.display();
        let place = if self.has_entry {
            format!("{shown}: scene.{torso}")
        } else {
            shown.to_string()
        };
        SoftnessError::Torso { place, source }
    }

    /// Which entry of the file the configuration has taken, and how it differs from the torso that was tuned.
    pub fn notes(&self, torso: &str, config: &TorsoConfig) -> Vec<String> {
        let shown = self.path.display();
        let Softness { stiffness, damping } = config.softness;
        if !self.has_entry {
            return vec![format!(
                "torso {torso} takes the pooled softness of {shown}: stiffness {stiffness} N/m, damping {damping} N·s/m; \
                 what a press of it measures may differ, `insonate calibrate --fit-scene` tunes it"
            )];
        }
        let taken = format!(
            "torso {torso} takes its softness from [scene.{torso}] of {shown}: stiffness {stiffness} N/m, damping {damping} N·s/m"
        );
        let difference = self.torso.difference(config);
        std::iter::once(taken).chain(difference).collect()
    }

    /// Lets the softness of the scene's torso vary as the file's map of stiffness does. Returns a note about it; none without a map.
    ///
    /// `origin` is the origin of the frame of the logs behind the map, in the world [m]; the axes are parallel.
    ///
    /// # Errors
    /// [`SoftnessError::NoField`], [`SoftnessError::Misplaced`], [`SoftnessError::Field`].
    pub fn apply_map(
        &self,
        scene: &mut Scene,
        origin: [f64; 3],
    ) -> Result<Option<String>, SoftnessError> {
        let file = self.path.display().to_string();
        let Some(torso) = &scene.torso else {
            return Ok(None);
        };
        let maps = &self.file.map;
        let Some(map) = maps.get("stiffness") else {
            return Ok((!maps.is_empty()).then(|| {
                format!(
                    "{file} has maps of {}, but none of stiffness; torso {} has one softness",
                    maps.keys().cloned().collect::<Vec<_>>().join(" and "),
                    torso.name
                )
            }));
        };
        let unknown = |source| SoftnessError::Field {
            file: file.clone(),
            source,
        };
        let kind = torsos::by_name(torso.name).map_err(unknown)?;
        if !kind.takes_field {
            return Err(SoftnessError::NoField {
                file,
                torso: kind.name,
            });
        }
        let reference = self.file.pooled.get("stiffness").map_or_else(
            || {
                let values: Vec<f64> = map.value.iter().flatten().copied().collect();
                values.iter().sum::<f64>() / values.len() as f64
            },
            |entry| entry.mean,
        );
        let field = softness_field::of_map(map, reference, scene, origin).map_err(|problem| {
            SoftnessError::Misplaced {
                file: file.clone(),
                problem,
            }
        })?;
        let factors = field.factor.iter().flatten().copied();
        let [low, high] = factors.fold([f64::INFINITY, 0.0], |[low, high]: [f64; 2], factor| {
            [low.min(factor), high.max(factor)]
        });
        let config = TorsoConfig {
            field: Some(field),
            ..torso.config.clone()
        };
        let note = format!(
            "the softness of torso {} varies over the skin as [map.stiffness] of {file}: {low:.2} to {high:.2} times the pooled one, damping in the same ratio",
            torso.name
        );
        scene.torso = Some((kind.build)(&config).map_err(unknown)?);
        Ok(Some(note))
    }
}
