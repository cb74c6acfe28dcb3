//! Errors of reading a robot's file.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use insonate_models::ModelError;

use crate::SimError;

/// Errors of reading a robot's file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RobotFileError {
    /// The file is malformed or has unsupported content.
    #[error("{}: {element}: {problem}", file.display())]
    Refused {
        /// The file.
        file: PathBuf,
        /// The element or attribute.
        element: String,
        /// What is wrong with it.
        problem: String,
    },
    /// libmujoco is missing or has another version.
    #[error(transparent)]
    Simulation(#[from] SimError),
    /// The MJCF is rejected.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl RobotFileError {
    pub(super) fn refused(file: &Path, element: impl Into<String>, problem: impl Display) -> Self {
        Self::Refused {
            file: file.to_owned(),
            element: element.into(),
            problem: problem.to_string(),
        }
    }

    /// An error in a staged copy, reported for the user's file.
    pub(super) fn staged(file: &Path, copy: &Path, error: &ModelError) -> Self {
        let text = error.to_string();
        let copy = copy.display().to_string();
        let problem = text.strip_prefix(&format!("{copy}: ")).unwrap_or(&text);
        Self::refused(file, "as MJCF", problem.replace(&copy, "the file"))
    }
}
