//! Choices and notes collected during preparation.

use crate::{CalibrationError, PreparationChoice};

/// Choices and notes of one log.
#[derive(Clone, Debug)]
pub(super) struct Findings {
    /// Name of the log, for messages.
    pub(super) log: String,
    /// Choices, in order of execution.
    pub(super) choices: Vec<PreparationChoice>,
    /// Notes, in order of execution.
    pub(super) notes: Vec<String>,
}

impl Findings {
    pub(super) fn new(log: String) -> Self {
        Self {
            log,
            choices: Vec::new(),
            notes: Vec::new(),
        }
    }

    pub(super) fn choose(&mut self, what: &'static str, value: String, how: impl Into<String>) {
        self.choices.push(PreparationChoice {
            what,
            value,
            how: how.into(),
        });
    }

    pub(super) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// An error about the log's contents.
    pub(super) fn refuse(&self, problem: impl Into<String>) -> CalibrationError {
        CalibrationError::Log {
            log: self.log.clone(),
            problem: problem.into(),
        }
    }
}
