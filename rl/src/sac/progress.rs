//! The last stage of an iteration: metrics for observers and logs.

use std::time::Duration;

use super::{Sac, UpdateStats};
use crate::training::{Progress, episode_charts, episode_cost, episode_means};

/// Sums over the gradient steps of an iteration.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Losses {
    pub(super) n: usize,
    pub(super) n_skipped: usize,
    /// Values and losses of the critics, actor loss, entropy, loss of the temperature.
    sums: [f64; 7],
}

impl Losses {
    pub(super) fn add(&mut self, stats: &UpdateStats) {
        self.n += 1;
        self.n_skipped += usize::from(stats.is_skipped);
        let [first, second] = stats.critics;
        let figures = [
            first.value,
            second.value,
            first.loss,
            second.loss,
            stats.actor_loss,
            stats.entropy,
            stats.alpha_loss,
        ];
        for (sum, figure) in self.sums.iter_mut().zip(figures) {
            *sum += figure;
        }
    }
}

impl Sac {
    /// (episodes, losses, times) => progress
    pub(super) fn progress(&mut self, losses: &Losses, times: [Duration; 2]) -> Progress {
        let (n_iterations, batch_size) = (self.config.n_iterations(), self.config.iteration_size());
        let mut progress = self.state.progress(n_iterations, batch_size, times);
        let (episodes, spec) = (&self.state.episodes, self.state.env.spec());
        let [
            value_1,
            value_2,
            loss_1,
            loss_2,
            actor_loss,
            entropy,
            alpha_loss,
        ] = losses.sums.map(|sum| sum / losses.n as f64);
        progress.add(episode_charts(episodes));
        progress.add([
            ("charts/n_updates", self.n_updates as f64),
            ("charts/replay_buffer", self.replay.len() as f64),
            ("charts/SPS", progress.steps_per_second),
            ("losses/qf1_values", value_1),
            ("losses/qf2_values", value_2),
            ("losses/qf1_loss", loss_1),
            ("losses/qf2_loss", loss_2),
            ("losses/qf_loss", 0.5 * (loss_1 + loss_2)),
            ("losses/actor_loss", actor_loss),
            ("losses/alpha", f64::from(self.temperature.alpha())),
            ("losses/alpha_loss", alpha_loss),
            ("losses/entropy", entropy),
            ("losses/n_skipped", losses.n_skipped as f64),
        ]);
        progress.add(episode_cost(episodes, spec));
        progress.scalars.extend(episode_means(episodes, spec));
        progress.add_times();
        progress
    }
}
