//! Errors of this crate. A simulation that diverges is none: it ends its episode.

/// Errors of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnvError {
    /// A slice of the wrong length.
    #[error("{what} has {found} numbers, but {expected} are needed")]
    Length {
        /// What was given, such as `action`.
        what: &'static str,
        /// Numbers needed.
        expected: usize,
        /// Numbers given.
        found: usize,
    },
    /// NaN or infinity.
    #[error("{what}[{index}] ({name}) is {value}")]
    NotFinite {
        /// What was given, such as `action`.
        what: &'static str,
        /// Which entry.
        index: usize,
        /// Its name.
        name: String,
        /// Its value.
        value: f32,
    },
    /// A number outside its bounds.
    #[error("{what}[{index}] ({name}) = {value} is out of bounds: {low} to {high}")]
    OutOfBounds {
        /// What was given, such as `action`.
        what: &'static str,
        /// Which entry.
        index: usize,
        /// Its name.
        name: String,
        /// Its value.
        value: f32,
        /// Lower bound.
        low: f32,
        /// Upper bound.
        high: f32,
    },
    /// The error of one environment of a vector.
    #[error("env {env_idx}: {source}")]
    At {
        /// Which environment.
        env_idx: usize,
        /// Its error.
        source: Box<EnvError>,
    },
    /// An environment that broke its contract or panicked, or no thread to run in.
    #[error("the environment failed: {0}")]
    Failed(String),
    /// A call out of order, such as a step before the first reset.
    #[error("{0}")]
    Order(&'static str),
    /// No such thing in a registry.
    #[error("there is no {kind} {name:?}{}; choose one of {known}", did_you_mean(near.as_deref()))]
    Unknown {
        /// What was looked for, such as `task`.
        kind: &'static str,
        /// The unknown name.
        name: String,
        /// The name that looks most alike.
        near: Option<String>,
        /// The known names.
        known: String,
    },
    /// An invalid setting.
    #[error("{field}: {problem}")]
    Config {
        /// Dotted name of the setting.
        field: String,
        /// What is wrong, with the value and what is allowed.
        problem: String,
    },
    /// The scene could not be described.
    #[error(transparent)]
    Model(#[from] insonate_models::ModelError),
    /// The scene could not be simulated.
    #[error(transparent)]
    Sim(#[from] insonate_sim::SimError),
    /// The robot starts an episode inside something.
    #[error("reset: {0}")]
    Start(#[from] insonate_sim::verdict::StartOverlap),
    /// The solver of rods refuses something.
    #[error(transparent)]
    Continuum(#[from] insonate_continuum::ContinuumError),
    /// The solver of tissue refuses something.
    #[error(transparent)]
    Tissue(#[from] insonate_tissue::TissueError),
}

fn did_you_mean(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!(", did you mean {near:?}?"))
}

impl EnvError {
    /// Fails unless `found` is `expected`.
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

    /// The error for a name that is not among `known`.
    pub fn unknown(kind: &'static str, name: &str, known: &[&str]) -> Self {
        let near = known
            .iter()
            .map(|known| (strsim::jaro_winkler(name, known), known))
            .filter(|(likeness, _)| *likeness > 0.75)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, known)| (*known).to_owned());
        Self::Unknown {
            kind,
            name: name.to_owned(),
            near,
            known: known.join(", "),
        }
    }
}
