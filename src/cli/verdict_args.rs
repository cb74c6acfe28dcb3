//! Limits of the verdict, and how a command ends that did not keep them.

use clap::Args;
use insonate::sim::verdict::{Verdict, VerdictLimits};

use super::Usage;

#[derive(Debug, Args)]
#[command(next_help_heading = "Verdict")]
pub(crate) struct VerdictArgs {
    #[arg(long, value_name = "NAME=VALUE", action = clap::ArgAction::Append, help = help())]
    limit: Vec<String>,
}

impl VerdictArgs {
    /// Whether no limit was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.limit.is_empty()
    }

    /// The limits that the run must keep.
    pub(crate) fn limits(&self) -> Result<VerdictLimits, Usage> {
        let mut limits = VerdictLimits::default();
        for given in &self.limit {
            limits = limits.with(given).map_err(Usage::new)?;
        }
        Ok(limits)
    }
}

fn help() -> String {
    let limits: Vec<String> = VerdictLimits::default()
        .named()
        .into_iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    format!(
        "Limit that the run must keep to pass; repeatable. Pairs are a share of the force and at least [N] [defaults: {}]",
        limits.join(", ")
    )
}

/// A run that did not keep its limits: exit status 1, after everything was written.
pub(crate) fn ending(verdict: &Verdict, what: &'static str) -> anyhow::Result<()> {
    if verdict.is_passed() {
        return Ok(());
    }
    Err(FailedVerdict {
        what,
        reasons: verdict.reasons.join("; "),
    }
    .into())
}

/// What ran to its end and is no result.
#[derive(Debug, thiserror::Error)]
#[error("{what} failed: {reasons}")]
struct FailedVerdict {
    what: &'static str,
    reasons: String,
}
