//! What can go wrong in learning and with its files.

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
    /// An invalid setting.
    #[error("{field}: {problem}")]
    Config {
        /// Name of the setting in [`PpoConfig`](crate::PpoConfig).
        field: &'static str,
        /// What is wrong, with the value and what is allowed.
        problem: String,
    },
    /// Learning gave numbers that are not finite; the weights are unchanged.
    #[error("iteration {iteration}: {problem}")]
    NotFinite {
        /// Iteration, from 1.
        iteration: usize,
        /// What was not finite, and what may help.
        problem: String,
    },
    /// A file that could not be written; what was there before is kept.
    #[error(transparent)]
    Write(#[from] FileError),
    /// A file or folder that could not be read or made.
    #[error("{}: {action}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried, such as `cannot be read`.
        action: &'static str,
        /// What the operating system says.
        source: io::Error,
    },
    /// A file with wrong content.
    #[error("{}: {problem}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A policy or checkpoint for other environments.
    #[error("the {what} does not fit {task}: {difference}")]
    Misfit {
        /// What does not fit: `policy` or `checkpoint`.
        what: &'static str,
        /// The environment's task.
        task: String,
        /// The first difference, and what to do.
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
