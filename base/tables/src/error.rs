//! Errors of logs, with what the user needs to fix them.

/// Errors of this crate.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// A file cannot be opened or read.
    #[error("cannot read {file}")]
    Read {
        /// The file.
        file: String,
        /// The cause.
        source: std::io::Error,
    },
    /// A file violates its format, or this build does not read its format.
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
}

impl TableError {
    /// An error for an invalid option (wrong usage).
    pub fn option(option: &'static str, problem: impl Into<String>) -> Self {
        Self::Option {
            option,
            problem: problem.into(),
        }
    }
}
