//! Errors of logs and fits, with what the user needs to fix them.

use insonate_tables::TableError;

/// Errors of this crate.
#[derive(Debug, thiserror::Error)]
pub enum CalibrationError {
    /// A log cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A file cannot be opened or read.
    #[error("cannot read {file}")]
    Read {
        /// The file.
        file: String,
        /// The cause.
        source: std::io::Error,
    },
    /// A file violates its format.
    #[error("{file}{place}: {problem}")]
    Format {
        /// The file.
        file: String,
        /// Position in the file: empty, or text such as `, row 12, column "force"` (rows count from 1, a header is
        /// row 1).
        place: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// An option is invalid (wrong usage).
    #[error("{option}: {problem}")]
    Option {
        /// The option as the command line spells it, such as `--columns`.
        option: &'static str,
        /// What is wrong, with the value and what is allowed.
        problem: String,
    },
    /// The contents of a log cannot be used.
    #[error("{log}: {problem}")]
    Log {
        /// The log's name.
        log: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// A model cannot be fitted to a log.
    #[error("{log}: {model} cannot be fitted: {problem}")]
    Fit {
        /// The log's name.
        log: String,
        /// The model.
        model: &'static str,
        /// What is wrong, and what to do.
        problem: String,
    },
}

impl CalibrationError {
    /// An error for an invalid option (wrong usage).
    pub fn option(option: &'static str, problem: impl Into<String>) -> Self {
        Self::Option {
            option,
            problem: problem.into(),
        }
    }

    /// Whether an option is invalid (wrong usage).
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::Option { .. } | Self::Table(TableError::Option { .. })
        )
    }
}
