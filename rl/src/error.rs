//! Errors of learning and of its files.

use std::io;
use std::path::{Path, PathBuf};

use insonate_envs::EnvError;
use insonate_files::FileError;

/// Errors of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RlError {
    /// An environment failed.
    #[error(transparent)]
    Env(#[from] EnvError),
    /// A number is out of range.
    #[error(transparent)]
    OutOfRange(#[from] insonate_settings::SettingError),
    /// A setting is invalid.
    #[error("{field}: {problem}")]
    Config {
        /// Name of the setting in [`PpoConfig`](crate::PpoConfig).
        field: &'static str,
        /// The problem, with the value and the allowed range.
        problem: String,
    },
    /// Learning produced values that are not finite. The weights are unchanged.
    #[error("iteration {iteration}: {problem}")]
    NotFinite {
        /// Iteration, from 1.
        iteration: usize,
        /// The quantity that is not finite, and a possible remedy.
        problem: String,
    },
    /// A file cannot be written. The previous file is kept.
    #[error(transparent)]
    Write(#[from] FileError),
    /// A file or folder cannot be read or created.
    #[error("{}: {action}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The failed operation, such as `cannot be read`.
        action: &'static str,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A file has invalid content.
    #[error("{}: {problem}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The problem with the file.
        problem: String,
    },
    /// A policy or checkpoint does not match the environments.
    #[error("the {what} does not fit {task}: {difference}")]
    Misfit {
        /// Kind of file: `policy` or `checkpoint`.
        what: &'static str,
        /// The environment's task.
        task: String,
        /// The first difference, and how to resolve it.
        difference: String,
    },
}

impl RlError {
    pub(crate) fn config(field: &'static str, problem: impl Into<String>) -> Self {
        Self::Config {
            field,
            problem: problem.into(),
        }
    }

    /// The error of a task without a script.
    pub(crate) fn no_script(task: &str) -> Self {
        Self::config("policy", format!("the task {task} has no scripted policy"))
    }

    pub(crate) fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            path: path.to_owned(),
            action,
            source,
        }
    }

    pub(crate) fn file(path: &Path, problem: impl Into<String>) -> Self {
        Self::File {
            path: path.to_owned(),
            problem: problem.into(),
        }
    }
}
