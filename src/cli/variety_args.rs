//! The options of `insonate demonstrate` that make episodes differ, as recordings in a laboratory do.

use clap::Args;
use insonate::demonstrations::RecordPlan;

#[derive(Debug, Args)]
pub(crate) struct VarietyArgs {
    /// Discard episodes that failed.
    #[arg(long)]
    successes_only: bool,
    /// Record episodes that failed after the others, as the split failure; --episodes does not count them.
    #[arg(long, conflicts_with = "successes_only")]
    keep_failures: bool,
    /// Number of further episodes, the split recovery, which begin after a random action was held for 0.1 to 0.4 s.
    #[arg(long, value_name = "N", default_value_t = 0)]
    recovery: usize,
    /// Draw the wording of the instruction by the seed of each episode.
    #[arg(long)]
    vary_instruction: bool,
    /// Lag of the pictures behind the other numbers [s], rounded to steps.
    #[arg(long, value_name = "S", default_value_t = 0.0)]
    image_latency: f64,
    /// Share of pictures that are lost; a row then holds the one before.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    dropped_frames: f64,
}

impl VarietyArgs {
    pub(crate) fn apply(&self, plan: &mut RecordPlan) {
        plan.successes_only = self.successes_only;
        plan.keep_failures = self.keep_failures;
        plan.n_recoveries = self.recovery;
        plan.vary_instruction = self.vary_instruction;
        plan.image_latency = self.image_latency;
        plan.dropped_frames = self.dropped_frames;
    }

    /// The first option that an expert who does not repeat itself cannot have.
    pub(crate) fn repeating(&self) -> Option<&'static str> {
        [
            ("--keep-failures", self.keep_failures),
            ("--recovery", self.recovery > 0),
        ]
        .into_iter()
        .find_map(|(name, is_given)| is_given.then_some(name))
    }
}
