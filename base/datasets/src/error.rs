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
    /// This build does not have the library of a format.
    #[error(
        "{file}: this build of insonate does not have {contents}: build it with the feature `{feature}`, as `cargo build --release` and `cargo xtask run --full` do"
    )]
    NotBuilt {
        /// The file or folder.
        file: String,
        /// Contents of such a file.
        contents: &'static str,
        /// Feature of the package `insonate`.
        feature: &'static str,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] FileError),
}

impl DatasetError {
    #[cfg(any(feature = "lerobot", feature = "robomimic"))]
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

    /// The error for robomimic's HDF5 files without their feature.
    #[cfg(not(feature = "robomimic"))]
    pub(crate) fn no_robomimic(file: &Path) -> Self {
        Self::NotBuilt {
            file: file.display().to_string(),
            contents: "robomimic's format",
            feature: "hdf5",
        }
    }

    /// The error for LeRobot's Parquet files without their feature.
    #[cfg(not(feature = "lerobot"))]
    pub(crate) fn no_lerobot(file: &Path) -> Self {
        Self::NotBuilt {
            file: file.display().to_string(),
            contents: "LeRobot's format",
            feature: "parquet",
        }
    }
}
