//! The last stage of an iteration: metrics for observers and logs.

use std::time::Duration;

use super::Ppo;
use super::gae::explained_variance;
use super::update::UpdateStats;
use crate::training::{Progress, episode_charts, episode_cost, episode_means};

impl Ppo {
    /// (episodes, update, times) => progress
    pub(super) fn progress(
        &mut self,
        update: &UpdateStats,
        learning_rate: f64,
        times: [Duration; 2],
    ) -> Progress {
        let (n_iterations, batch_size) = (self.config.n_iterations(), self.config.batch_size());
        let mut progress = self.state.progress(n_iterations, batch_size, times);
        let (episodes, spec) = (&self.state.episodes, self.state.env.spec());
        self.distribution.set(self.actor.free());
        let std = &self.distribution.std;
        let action_std = std.iter().map(|std| f64::from(*std)).sum::<f64>() / std.len() as f64;
        let policy = &update.policy;
        progress.add(episode_charts(episodes));
        progress.add([
            ("charts/learning_rate", learning_rate),
            ("charts/action_std", action_std),
            ("charts/SPS", progress.steps_per_second),
            ("losses/value_loss", update.value_loss),
            ("losses/policy_loss", policy.loss),
            ("losses/entropy", policy.entropy),
            ("losses/old_approx_kl", policy.old_approx_kl),
            ("losses/approx_kl", policy.approx_kl),
            ("losses/clipfrac", policy.clipfrac),
            (
                "losses/explained_variance",
                explained_variance(&self.rollout.values, &self.rollout.returns),
            ),
            ("losses/n_epochs", update.n_epochs as f64),
            ("losses/n_skipped", update.n_skipped as f64),
        ]);
        progress.add(episode_cost(episodes, spec));
        if let Some(constraint) = &self.constraint {
            progress.add([
                ("charts/cost_limit", constraint.multiplier.limit),
                ("charts/multiplier", constraint.multiplier.value),
                (
                    "losses/cost_value_loss",
                    update.cost_value_loss.unwrap_or(f64::NAN),
                ),
            ]);
        }
        progress.scalars.extend(episode_means(episodes, spec));
        progress.add_times();
        progress
    }
}
