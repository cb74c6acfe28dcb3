//! The last stage of an iteration: figures for observers and logs.

use std::time::Duration;

use super::gae::explained_variance;
use super::update::UpdateStats;
use super::{EpisodeRecord, Ppo};

/// One iteration of training.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Iteration, from 1.
    pub iteration: usize,
    /// Iterations in all.
    pub n_iterations: usize,
    /// Steps of all environments so far.
    pub global_step: u64,
    /// Mean return of the last episodes; none before the first one ends.
    pub episodic_return: Option<f64>,
    /// Success rate of the last episodes; none where the task has no such metric.
    pub success: Option<f64>,
    /// Steps of all environments per second, since the process began to train.
    pub steps_per_second: f64,
    /// Estimated time of the remaining iterations.
    pub remaining: Duration,
    /// Time of the rollout.
    pub rollout_time: Duration,
    /// Time of values, advantages and update.
    pub update_time: Duration,
    /// What the update did.
    pub update: UpdateStats,
    /// Every logged figure with CleanRL's name, in a fixed order; NaN: not known. `episode/` are the task's metrics and `reward/` the sums
    /// of its reward terms, `cost/` those of its costs, means over the last episodes.
    pub scalars: Vec<(String, f64)>,
}

impl Ppo {
    /// (episodes, update, times) => progress
    pub(super) fn progress(
        &mut self,
        update: UpdateStats,
        learning_rate: f64,
        [rollout_time, update_time]: [Duration; 2],
    ) -> Progress {
        let batch_size = self.config.batch_size();
        self.clock.0 += rollout_time + update_time;
        self.clock.1 += batch_size as u64;
        let steps_per_second = self.clock.1 as f64 / self.clock.0.as_secs_f64().max(1e-9);
        let n_iterations = self.config.n_iterations();
        let n_left = n_iterations.saturating_sub(self.iteration) * batch_size;
        let known = |value: f64| (!value.is_nan()).then_some(value);
        let mut metrics = self.env.spec().metrics.iter();
        let success = metrics.position(|name| *name == "success");
        let mut progress = Progress {
            iteration: self.iteration,
            n_iterations,
            global_step: self.global_step,
            episodic_return: known(self.episodes.mean(|episode| episode.return_)),
            success: success.and_then(|i| known(self.episodes.mean(|episode| episode.metrics[i]))),
            steps_per_second,
            remaining: Duration::from_secs_f64(n_left as f64 / steps_per_second),
            rollout_time,
            update_time,
            update,
            scalars: Vec::new(),
        };
        progress.scalars = self.scalars(&progress, learning_rate);
        progress
    }

    fn scalars(&mut self, progress: &Progress, learning_rate: f64) -> Vec<(String, f64)> {
        self.distribution.set(self.actor.free());
        let std = &self.distribution.std;
        let action_std = std.iter().map(|std| f64::from(*std)).sum::<f64>() / std.len() as f64;
        let (episodes, spec) = (&self.episodes, self.env.spec());
        let (update, policy) = (&progress.update, &progress.update.policy);
        let mean_return = episodes.mean(|episode| episode.return_);
        let mean_length = episodes.mean(|episode| episode.length);
        let explained_variance = explained_variance(&self.rollout.values, &self.rollout.returns);
        let fixed = [
            ("charts/episodic_return", mean_return),
            ("charts/episodic_length", mean_length),
            ("charts/n_episodes", episodes.n_episodes as f64),
            ("charts/n_diverged", episodes.n_diverged as f64),
            ("charts/learning_rate", learning_rate),
            ("charts/action_std", action_std),
            ("charts/SPS", progress.steps_per_second),
            ("losses/value_loss", update.value_loss),
            ("losses/policy_loss", policy.loss),
            ("losses/entropy", policy.entropy),
            ("losses/old_approx_kl", policy.old_approx_kl),
            ("losses/approx_kl", policy.approx_kl),
            ("losses/clipfrac", policy.clipfrac),
            ("losses/explained_variance", explained_variance),
            ("losses/n_epochs", update.n_epochs as f64),
            ("losses/n_skipped", update.n_skipped as f64),
        ];
        let times = [
            ("time/rollout_s", progress.rollout_time.as_secs_f64()),
            ("time/update_s", progress.update_time.as_secs_f64()),
        ];
        let metrics = spec.metrics.iter().enumerate().map(|(i, name)| {
            let mean = episodes.mean(|episode| episode.metrics[i]);
            (format!("episode/{name}"), mean)
        });
        let terms = spec.reward_terms.iter().enumerate().map(|(i, name)| {
            let mean = episodes.mean(|episode| episode.reward_terms[i]);
            (format!("reward/{name}"), mean)
        });
        let costs = spec.costs.iter().enumerate().map(|(i, name)| {
            let mean = episodes.mean(|episode| episode.costs[i]);
            (format!("cost/{name}"), mean)
        });
        let cost = (!spec.costs.is_empty())
            .then(|| ("charts/episodic_cost", episodes.mean(EpisodeRecord::cost)));
        let limited = self.constraint.iter().flat_map(|constraint| {
            [
                ("charts/cost_limit", constraint.multiplier.limit),
                ("charts/multiplier", constraint.multiplier.value),
                (
                    "losses/cost_value_loss",
                    update.cost_value_loss.unwrap_or(f64::NAN),
                ),
            ]
        });
        let owned = |(name, value): (&str, f64)| (name.to_owned(), value);
        let fixed = fixed.into_iter().chain(cost).chain(limited).map(owned);
        let times = times.into_iter().map(owned);
        let means = metrics.chain(terms).chain(costs);
        fixed.chain(means).chain(times).collect()
    }
}
