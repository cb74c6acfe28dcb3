//! Files of an imitation: losses, rounds and summary.

use std::path::Path;

use insonate_rl::imitation::{EpochLosses, Imitation, ImitationConfig};
use insonate_rl::run::POLICY;
use serde_json::{Value, json};

use super::{ImitationData, Round, RoundsPlan};

/// Counts, losses of the best epoch, settings and rounds of an imitation that read `data` and writes its policy into the folder `output`.
pub fn imitation_json(
    lesson: &ImitationData,
    learnt: &Imitation,
    config: &ImitationConfig,
    [data, output]: [&Path; 2],
    (plan, rounds): (&RoundsPlan, &[Round]),
) -> Value {
    let best = &learnt.losses[learnt.best_epoch - 1];
    let mut summary = json!({
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
    });
    if plan.n_rounds > 0 {
        summary["plan"] = json!(plan);
        summary["rounds"] = json!(rounds);
    }
    summary
}

/// One row per round; an unknown success rate and a missing validation are empty cells.
pub fn rounds_csv(rounds: &[Round]) -> String {
    let cell = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let rows = rounds.iter().map(|it| {
        format!(
            "{},{},{},{},{},{},{}\n",
            it.round,
            it.episodes,
            it.steps,
            it.expert_share,
            cell(it.success_rate),
            it.training_loss,
            cell(it.validation_loss)
        )
    });
    let head = "round,episodes,steps,expert_share,success_rate,training_loss,validation_loss\n";
    std::iter::once(head.to_owned()).chain(rows).collect()
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
