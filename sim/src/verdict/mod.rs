//! Verdict on a run: limits on path, force, contact, tilt, joints and torques, and reasons in words.
//!
//! [`RunWatch`] sees every step of a run; [`Judge`] compares its figures with [`VerdictLimits`] and gives a [`Verdict`].

mod judge;
mod limits;
mod start;
mod watch;

use std::fmt;

use serde::Serialize;

pub use judge::{ForceFigures, Judge, PathFigures};
pub use limits::{LimitError, VerdictLimits};
pub use start::{Overlap, START_TOLERANCE, SkinAtRest, StartCheck, StartOverlap, check_start};
pub use watch::{JointLimit, LimitKind, OtherContact, RunWatch};

/// Whether a run met its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Every limit was met.
    Passed,
    /// At least one limit was not met.
    Failed,
}

/// The outcome of a run, with a reason for each limit that was not met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// `passed` without reasons, else `failed`.
    #[serde(rename = "verdict")]
    pub outcome: Outcome,
    /// Reasons in words, with figures and units.
    pub reasons: Vec<String>,
}

impl Verdict {
    /// Passed without reasons, else failed.
    pub fn of(reasons: Vec<String>) -> Self {
        let outcome = if reasons.is_empty() {
            Outcome::Passed
        } else {
            Outcome::Failed
        };
        Self { outcome, reasons }
    }

    /// Whether every limit was met.
    pub fn is_passed(&self) -> bool {
        self.outcome == Outcome::Passed
    }
}

impl Outcome {
    /// `passed` or `failed`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.outcome.name())?;
        if !self.reasons.is_empty() {
            write!(formatter, ": {}", self.reasons.join("; "))?;
        }
        Ok(())
    }
}
