//! Files of an imitation: losses and summary.

use std::path::Path;

use insonate_rl::imitation::{EpochLosses, Imitation, ImitationConfig};
use insonate_rl::run::POLICY;
use serde_json::{Value, json};

use super::ImitationData;

/// Counts, losses of the best epoch and settings of an imitation that read `data` and writes its policy into the folder `output`.
pub fn imitation_json(
    lesson: &ImitationData,
    learnt: &Imitation,
    config: &ImitationConfig,
    data: &Path,
    output: &Path,
) -> Value {
    let best = &learnt.losses[learnt.best_epoch - 1];
    json!({
        "task": lesson.factory.task,
        "data": data,
        "demonstrations": lesson.n_demonstrations,
        "steps": lesson.n_steps,
        "epochs": learnt.losses.len(),
        "best_epoch": learnt.best_epoch,
        "training_loss": best.training,
        "validation_loss": best.validation,
        "policy": output.join(POLICY),
        "config": config,
    })
}

/// One row per epoch; without validation its cell is empty.
pub fn losses_csv(losses: &[EpochLosses]) -> String {
    let rows = losses.iter().map(|it| {
        let validation = (!it.validation.is_nan()).then(|| it.validation.to_string());
        let validation = validation.unwrap_or_default();
        format!("{},{},{validation}\n", it.epoch, it.training)
    });
    std::iter::once("epoch,training_loss,validation_loss\n".to_owned())
        .chain(rows)
        .collect()
}
