//! Errors of the libraries in the words of the command line: the options that help.

use std::error::Error;

use insonate::experiments::{Advice, ExperimentError};

use super::Usage;

/// The text of an error or of one of its causes, with the options that help.
pub(super) fn worded(error: &(dyn Error + 'static)) -> String {
    if let Some(Usage(wrong)) = error.downcast_ref() {
        return worded(&**wrong);
    }
    let experiment = error.downcast_ref::<ExperimentError>();
    experiment
        .and_then(experiment_text)
        .unwrap_or_else(|| error.to_string())
}

/// `None` if no option helps.
fn experiment_text(error: &ExperimentError) -> Option<String> {
    Some(match error {
        ExperimentError::Advised {
            error,
            advice: Advice::Base([x, y, z]),
        } => format!("{error}; it works with --robot-position {x},{y},{z}"),
        ExperimentError::NoProbe { .. } => format!("{error}; see insonate psm --help"),
        ExperimentError::NoOrgans => format!("{error}; choose --patient adult"),
        ExperimentError::NoGpuSupport => format!("{error}: rebuild with --features gpu"),
        _ => return None,
    })
}
