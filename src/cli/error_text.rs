//! Errors of the libraries in the words of the command line: the options that help.

use std::error::Error;

use insonate::experiments::{Advice, ExperimentError};
use insonate::learning::LearningError;

use super::Usage;

/// The text of an error or of one of its causes, with the options that help.
pub(super) fn worded(error: &(dyn Error + 'static)) -> String {
    if let Some(Usage(wrong)) = error.downcast_ref() {
        return worded(&**wrong);
    }
    let text = match error.downcast_ref() {
        Some(LearningError::Experiment(experiment)) => experiment_text(experiment),
        Some(learning) => learning_text(learning),
        None => error.downcast_ref().and_then(experiment_text),
    };
    text.unwrap_or_else(|| error.to_string())
}

/// `None` if no option helps.
fn learning_text(error: &LearningError) -> Option<String> {
    let hint = match error {
        LearningError::NoTask => {
            return Some("task: is missing: give it, or a --config that names it".to_owned());
        }
        LearningError::NoTaskOfPolicy => {
            return Some("task: is missing: give --task or a policy file".to_owned());
        }
        LearningError::Damaged { path, .. } => {
            return Some(format!(
                "{} is damaged: --overwrite the study",
                path.display()
            ));
        }
        LearningError::Differs { .. } => {
            "--resume keeps the settings of the training; omit it, or choose another --output"
        }
        LearningError::Exists { .. } => "--resume it, --overwrite it, or choose another --output",
        LearningError::OtherStudy { .. } => {
            "--resume keeps logs, steps and seed; or choose another --output"
        }
        LearningError::OtherLogs { .. } => "--resume keeps them; or choose another --output",
        LearningError::NoGamepadSupport => "build with `--features gamepad`",
        _ => return None,
    };
    Some(format!("{error}: {hint}"))
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
        ExperimentError::NoGpuSupport => {
            format!("{error}: rebuild with --features gpu, or use `cargo xtask run --full`")
        }
        _ => return None,
    })
}
