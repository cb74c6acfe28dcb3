//! Errors of this crate. Divergence of a simulation is not an error: it ends the episode.

use insonate_models::ModelError;
use insonate_settings::{SettingError, UnknownName};

/// Errors of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnvError {
    /// A slice of the wrong length.
    #[error("{what} has {found} numbers, but {expected} are needed")]
    Length {
        /// Kind of data, such as `action`.
        what: &'static str,
        /// Required length.
        expected: usize,
        /// Given length.
        found: usize,
    },
    /// A value is NaN or infinite.
    #[error("{what}[{index}] ({name}) is {value}")]
    NotFinite {
        /// Kind of data, such as `action`.
        what: &'static str,
        /// Index of the entry.
        index: usize,
        /// Name of the entry.
        name: String,
        /// Value of the entry.
        value: f32,
    },
    /// A value is outside its bounds.
    #[error(
        "{what}[{index}] ({name}) is {value}, out of bounds; it must be between {low} and {high}"
    )]
    OutOfBounds {
        /// Kind of data, such as `action`.
        what: &'static str,
        /// Index of the entry.
        index: usize,
        /// Name of the entry.
        name: String,
        /// Value of the entry.
        value: f32,
        /// Lower bound.
        low: f32,
        /// Upper bound.
        high: f32,
    },
    /// An error of one environment of a vector.
    #[error("env {env_idx}: {source}")]
    At {
        /// Index of the environment.
        env_idx: usize,
        /// Error of the environment.
        source: Box<EnvError>,
    },
    /// An environment broke its contract or panicked, or a thread could not be started.
    #[error("the environment failed: {0}")]
    Failed(String),
    /// A call out of order, such as a step before the first reset.
    #[error("{0}")]
    Order(&'static str),
    /// A name is not in a registry.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// A number is out of range.
    #[error(transparent)]
    OutOfRange(#[from] SettingError),
    /// A setting is invalid.
    #[error("{field}: {problem}")]
    Config {
        /// Dotted name of the setting.
        field: String,
        /// The problem, with the value and the allowed range.
        problem: String,
    },
    /// The scene cannot be described.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A made patient cannot be read, or lacks what a task needs.
    #[error(transparent)]
    Anatomy(#[from] insonate_anatomy::AnatomyError),
    /// The scene cannot be simulated.
    #[error(transparent)]
    Sim(#[from] insonate_sim::SimError),
    /// The robot overlaps another body at the start of an episode.
    #[error("reset: {0}")]
    Start(#[from] insonate_sim::verdict::StartOverlap),
    /// Error of the rod solver.
    #[error(transparent)]
    Continuum(#[from] insonate_continuum::ContinuumError),
    /// Error of the tissue solver.
    #[error(transparent)]
    Tissue(#[from] insonate_tissue::TissueError),
    /// Error of a task that another program defines.
    #[error("{0}")]
    Task(Box<dyn std::error::Error + Send + Sync>),
}

impl EnvError {
    /// Checks that `found` equals `expected`.
    ///
    /// # Errors
    /// [`EnvError::Length`].
    pub fn check_length(what: &'static str, found: usize, expected: usize) -> Result<(), Self> {
        if found == expected {
            return Ok(());
        }
        Err(Self::Length {
            what,
            expected,
            found,
        })
    }

    /// An error of a description; an unknown name is an error of the settings.
    pub fn of_name(error: ModelError) -> Self {
        match error {
            ModelError::Unknown(unknown) => unknown.into(),
            other => other.into(),
        }
    }

    /// Creates the error for a name that is not among `known`.
    pub fn unknown(kind: &'static str, name: &str, known: &[&str]) -> Self {
        UnknownName::new(kind, name, known).into()
    }
}
