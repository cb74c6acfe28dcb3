//! What an iteration tells: the row of the log.

use std::time::Duration;

use super::UpdateReport;
use super::episodes::EpisodeWindow;

/// Whether training goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// It does.
    Continue,
    /// It ends after this iteration.
    Stop,
}

/// Why training ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All timesteps are done.
    Finished,
    /// The observer asked for it; it can be resumed.
    Stopped,
}

/// One iteration of training.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Which iteration, from 1.
    pub iteration: usize,
    /// Iterations in all.
    pub n_iterations: usize,
    /// Steps of all environments so far.
    pub global_step: u64,
    /// Mean return of the last episodes; none before the first one ends.
    pub episodic_return: Option<f64>,
    /// Share of the last episodes that succeeded; none where the task does not tell.
    pub success: Option<f64>,
    /// Steps of all environments per second, since the process began to train.
    pub steps_per_second: f64,
    /// Time that the remaining iterations will take at this speed.
    pub remaining: Duration,
    /// Time of the rollout.
    pub rollout_time: Duration,
    /// Time of values, advantages and update.
    pub update_time: Duration,
    /// What the update did.
    pub update: UpdateReport,
    /// Every figure of the log with its name, in an order that stays; NaN: not known.
    pub scalars: Vec<(String, f64)>,
}

/// What the scalars are made of.
pub(super) struct ScalarSources<'a> {
    pub(super) episodes: &'a EpisodeWindow,
    pub(super) metrics: &'a [&'static str],
    pub(super) reward_terms: &'a [&'static str],
    pub(super) learning_rate: f64,
    pub(super) action_std: f64,
    pub(super) steps_per_second: f64,
    pub(super) update: UpdateReport,
    pub(super) explained_variance: f64,
    pub(super) rollout_time: Duration,
    pub(super) update_time: Duration,
}

impl ScalarSources<'_> {
    /// Names as CleanRL's; `episode/` are metrics of the task and `reward/` sums of its reward terms, means over the last episodes.
    pub(super) fn scalars(&self) -> Vec<(String, f64)> {
        let (episodes, policy) = (self.episodes, self.update.policy);
        let fixed = [
            (
                "charts/episodic_return",
                episodes.mean(|episode| episode.return_),
            ),
            (
                "charts/episodic_length",
                episodes.mean(|episode| episode.length),
            ),
            ("charts/n_episodes", episodes.n_episodes as f64),
            ("charts/n_diverged", episodes.n_diverged as f64),
            ("charts/learning_rate", self.learning_rate),
            ("charts/action_std", self.action_std),
            ("charts/SPS", self.steps_per_second),
            ("losses/value_loss", self.update.value_loss),
            ("losses/policy_loss", policy.loss),
            ("losses/entropy", policy.entropy),
            ("losses/old_approx_kl", policy.old_approx_kl),
            ("losses/approx_kl", policy.approx_kl),
            ("losses/clipfrac", policy.clipfrac),
            ("losses/explained_variance", self.explained_variance),
            ("losses/n_epochs", self.update.n_epochs as f64),
            ("losses/n_skipped", self.update.n_skipped as f64),
        ];
        let fixed = fixed.map(|(name, value)| (name.to_owned(), value));
        let metrics = self.metrics.iter().enumerate().map(|(i, name)| {
            let mean = episodes.mean(|episode| episode.metrics[i]);
            (format!("episode/{name}"), mean)
        });
        let terms = self.reward_terms.iter().enumerate().map(|(i, name)| {
            let mean = episodes.mean(|episode| episode.reward_terms[i]);
            (format!("reward/{name}"), mean)
        });
        let times = [
            ("time/rollout_s", self.rollout_time),
            ("time/update_s", self.update_time),
        ];
        let times = times.map(|(name, time)| (name.to_owned(), time.as_secs_f64()));
        fixed
            .into_iter()
            .chain(metrics)
            .chain(terms)
            .chain(times)
            .collect()
    }
}

/// Figures that depend on the clock and therefore differ between runs that are otherwise the same.
pub const CLOCK_SCALARS: [&str; 3] = ["charts/SPS", "time/rollout_s", "time/update_s"];
