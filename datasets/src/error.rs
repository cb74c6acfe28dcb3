//! Errors of data sets.

use std::io;
use std::path::Path;

use insonate_files::FileError;

/// A data set that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// A file cannot be read.
    #[error("cannot read {file}: {source}")]
    Read {
        /// The file.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// A file is not what it should be.
    #[error("{file} {problem}")]
    Invalid {
        /// The file.
        file: String,
        /// What is wrong, and what is allowed.
        problem: String,
    },
    /// A demonstration does not fit its data set, or is too large for its format.
    #[error("demonstration {index}: {problem}")]
    Misfit {
        /// Which one, from 0.
        index: usize,
        /// What is wrong, and what is allowed.
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
