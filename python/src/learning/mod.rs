//! Learning: evaluations, rollouts, trainings, demonstrations and imitation, as the commands of the same names.
//!
//! Each function returns its summary as JSON, its tables, and the exception that stopped it before its end, if one did.

pub(crate) mod demonstrate;
pub(crate) mod evaluate;
pub(crate) mod imitate;
pub(crate) mod rollout;
pub(crate) mod train;

use std::collections::BTreeMap;

use insonate_envs::ResetOptions;
use serde::Serialize;

use crate::error::{Result, SimulationError};

/// Random parameters that are fixed, by name.
type Fixed = BTreeMap<String, f64>;

fn reset_options(fix: Fixed) -> ResetOptions {
    ResetOptions { parameters: fix }
}

/// A summary as JSON.
pub(crate) fn json(summary: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string(summary);
    text.map_err(|error| SimulationError::new_err(error.to_string()).into())
}
