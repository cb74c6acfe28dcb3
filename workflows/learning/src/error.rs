//! Errors of learning.

use std::path::{Path, PathBuf};

use insonate_datasets::DatasetError;
use insonate_drawing::DrawingError;
use insonate_envs::EnvError;
use insonate_experiments::{ExperimentError, Interrupted};
use insonate_files::FileError;
use insonate_models::ModelError;
use insonate_rl::RlError;
use insonate_sim::SimError;

/// Reason why a training, an evaluation, a recording or a study cannot run or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearningError {
    /// A setting is invalid, or an environment failed.
    #[error(transparent)]
    Env(#[from] EnvError),
    /// Learning failed.
    #[error(transparent)]
    Rl(#[from] RlError),
    /// An experiment failed, or the caller interrupted.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A data set cannot be read or written.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// A plot or film cannot be drawn.
    #[error(transparent)]
    Drawing(#[from] DrawingError),
    /// A scene cannot be described.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A scene cannot be simulated or rendered.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// A table cannot be written.
    #[error("cannot write a table")]
    Table(#[from] csv::Error),
    /// A result cannot be written as JSON.
    #[error("cannot write the result as JSON")]
    Json(#[from] serde_json::Error),
    /// A log for viewers cannot be written.
    #[error("cannot write the log")]
    Log(#[from] insonate_datasets::mcap::LogError),
    /// A picture cannot be encoded.
    #[error("cannot encode a picture")]
    Picture(#[source] Box<image::ImageError>),
    /// An error with one of several policies.
    #[error("policy {name}")]
    Policy {
        /// Name of the policy.
        name: String,
        /// The error.
        source: Box<LearningError>,
    },
    /// An error with a torso of a study.
    #[error("torso {name}")]
    Torso {
        /// Kind of torso.
        name: &'static str,
        /// The error.
        source: Box<ExperimentError>,
    },
    /// Neither the caller nor a file names the task of a training.
    #[error("task: is missing: name it, or give settings that name it")]
    NoTask,
    /// Neither the caller nor a policy names the task of an evaluation.
    #[error("task: is missing: name it, or give a policy file")]
    NoTaskOfPolicy,
    /// A setting differs from that of the training that is resumed.
    #[error("{field}: is {here}, but {there} in the checkpoint")]
    Differs {
        /// Dotted name of the setting.
        field: String,
        /// Given value.
        here: String,
        /// Value in the checkpoint.
        there: String,
    },
    /// The folder holds another training or study.
    #[error("{} already exists from another {what}", path.display())]
    Exists {
        /// A file of the other one.
        path: PathBuf,
        /// Kind of run: `training`, `study` or `benchmark`.
        what: &'static str,
    },
    /// A setting differs from that of the study that is resumed.
    #[error("{} says {theirs}, but this study {ours}", path.display())]
    OtherStudy {
        /// Settings of the earlier study.
        path: PathBuf,
        /// Its line.
        theirs: String,
        /// Line of this study.
        ours: String,
    },
    /// The folder holds a benchmark of another suite.
    #[error("{} says {theirs}, but this suite {ours}", path.display())]
    OtherBenchmark {
        /// The earlier suite.
        path: PathBuf,
        /// Its line.
        theirs: String,
        /// Line of this suite.
        ours: String,
    },
    /// Settings cannot be written as TOML.
    #[error("cannot write the suite as TOML")]
    Toml(#[source] toml::ser::Error),
    /// A study is resumed with other logs.
    #[error("{} names other logs", path.display())]
    OtherLogs {
        /// Settings of the earlier study.
        path: PathBuf,
    },
    /// A file of a study is damaged.
    #[error("{} is damaged: {source}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A file or folder cannot be read or removed.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What failed: `read`, `remove` or `make`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// A table cannot be read.
    #[error("cannot read {}", path.display())]
    ReadTable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: csv::Error,
    },
    /// A file has invalid content.
    #[error("{} {problem}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The problem, such as `is not TOML`.
        problem: String,
    },
    /// A setting in a file is invalid.
    #[error("{}: {source}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// The setting and its problem.
        source: Box<EnvError>,
    },
    /// Stored settings are not TOML.
    #[error("{owner} has settings that cannot be read: {source}")]
    Settings {
        /// Owner of the settings, such as `the policy`.
        owner: String,
        /// What is wrong.
        source: Box<toml::de::Error>,
    },
    /// Policies cannot be compared.
    #[error("{0}")]
    Unpaired(String),
    /// Too few episodes of an expert succeed.
    #[error(
        "only {n_kept} of {n_tried} episodes were kept, as the others failed: ask for fewer recoveries, allow failures, or choose a better expert"
    )]
    TooFewSuccesses {
        /// Number of episodes in the data set.
        n_kept: usize,
        /// Number of recorded episodes.
        n_tried: u64,
    },
    /// A task without a scene has no cameras.
    #[error("{task} has no scene for a camera")]
    NoScene {
        /// The task.
        task: String,
    },
    /// A camera cannot be rendered.
    #[error(
        "no pictures of {camera} (Debian packages: {})",
        insonate_sim::render::PACKAGES
    )]
    NoPictures {
        /// The camera.
        camera: String,
        /// The cause.
        source: Box<SimError>,
    },
    /// The window or gamepad of a person cannot be opened.
    #[error("{0}")]
    Teleoperation(String),
    /// The program was built without gamepads.
    #[error("this insonate was built without gamepads")]
    NoGamepadSupport,
    /// The logs of a study do not give the softness of a torso.
    #[error(
        "a study needs stiffness and damping, which model {model} and {log} do not give; use the model {known} and logs that identify both"
    )]
    NoSoftness {
        /// The model.
        model: String,
        /// The first log.
        log: String,
        /// Models that give a softness.
        known: String,
    },
    /// A study without a log.
    #[error("no log is given")]
    NoLog,
}

impl From<image::ImageError> for LearningError {
    fn from(error: image::ImageError) -> Self {
        Self::Picture(Box::new(error))
    }
}

impl LearningError {
    /// An error of the operating system with a file or folder.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl Fn(std::io::Error) -> Self {
        move |source| Self::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }

    /// Stored settings that are not TOML.
    pub(crate) fn settings(owner: impl Into<String>) -> impl FnOnce(toml::de::Error) -> Self {
        move |source| Self::Settings {
            owner: owner.into(),
            source: Box::new(source),
        }
    }
}

impl From<Interrupted> for LearningError {
    fn from(interrupted: Interrupted) -> Self {
        Self::Experiment(interrupted.into())
    }
}
