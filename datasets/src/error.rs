//! Errors of data sets.

use std::io;
use std::path::Path;

use insonate_files::FileError;

/// An error when a data set is read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// A file cannot be read.
    #[error("cannot read {file}: {source}")]
    Read {
        /// The file.
        file: String,
        /// Cause.
        source: io::Error,
    },
    /// The content of a file is invalid.
    #[error("{file} {problem}")]
    Invalid {
        /// The file.
        file: String,
        /// Problem, and the allowed values.
        problem: String,
    },
    /// A demonstration does not fit its data set, or is too large for its format.
    #[error("demonstration {index}: {problem}")]
    Misfit {
        /// Index of the demonstration, from 0.
        index: usize,
        /// Problem, and the allowed values.
        problem: String,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] FileError),
}

impl DatasetError {
    pub(crate) fn read(file: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Read {
            file: file.display().to_string(),
            source,
        }
    }

    pub(crate) fn invalid(file: &Path, problem: impl Into<String>) -> Self {
        Self::Invalid {
            file: file.display().to_string(),
            problem: problem.into(),
        }
    }
}
