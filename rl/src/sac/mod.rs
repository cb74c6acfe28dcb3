//! Soft actor-critic with twin critics and an adapted temperature (Haarnoja 2018, arXiv:1812.05905), in the order of
//! Stable-Baselines3.
//!
//! `Sac::update` lists the stages; each stage has its own file.
//! Equations are numbered as in the paper.
//! Termination and truncation are distinguished (see [`ReplayBuffer`]).
//! The same seed gives the same bits on any number of threads.

mod collect;
mod config;
mod critic;
mod minibatch;
mod progress;
mod replay_buffer;
mod setup;
mod squashed_gaussian;
mod temperature;
mod update;

use std::path::Path;
use std::time::{Duration, Instant};

use rand_chacha::ChaCha8Rng;

pub use config::SacConfig;
pub use critic::{Critic, CriticStats};
pub use replay_buffer::{Outcome, ReplayBuffer, Transition};
pub use squashed_gaussian::{squash, squash_gradient};
pub use temperature::Temperature;
pub use update::UpdateStats;

use crate::RlError;
use crate::algorithm::Algorithm;
use crate::network::{Learner, Mlp};
use crate::policy::Policy;
use crate::training::{Progress, ThreadTuner, TrainingState};
use minibatch::Minibatch;
use progress::Losses;
use squashed_gaussian::Drawn;

/// Training of a policy.
pub struct Sac {
    pub(crate) config: SacConfig,
    pub(crate) state: TrainingState,

    // Learned parameters and statistics.
    /// Outputs μ and ln σ of each action.
    pub(crate) actor: Learner,
    pub(crate) critics: [Critic; 2],
    pub(crate) temperature: Temperature,

    pub(crate) replay: ReplayBuffer,
    pub(crate) sample_rng: ChaCha8Rng,
    /// Gradient steps completed.
    pub(crate) n_updates: u64,

    // Buffers.
    minibatch: Minibatch,
    /// Actions for the environments.
    explored: Drawn,
    /// Actions of the policy for s and s' of the minibatch.
    drawn: Drawn,
    next_drawn: Drawn,
    /// (s, a), (s', a') and (s, a of the policy), shape `[batch_size, n_obs + n_actions]`.
    pairs: Vec<f32>,
    next_pairs: Vec<f32>,
    drawn_pairs: Vec<f32>,
    /// y, shape `[batch_size]`.
    targets: Vec<f32>,
    /// Indices of all rows of a minibatch.
    rows: Vec<u32>,
    /// Number of threads for the updates of this iteration.
    n_threads: usize,
}

impl Sac {
    /// Runs one gradient step.
    fn update(&mut self) -> UpdateStats {
        self.n_updates += 1;

        // (replay buffer) => minibatch
        self.sample_minibatch();

        // (actor, minibatch) => a ~ π for s and s'
        self.draw_actions();

        // (rewards, target critics, α) => y
        self.compute_targets();

        // (minibatch, y) => better critics, their gradients at the policy's actions, target critics
        let critics = self.update_critics();

        // (gradients of the critics, α) => better actor
        let (actor_loss, is_finite) = self.update_actor();

        // (ln π, target entropy) => α
        let (entropy, alpha_loss) = self.update_temperature();

        UpdateStats {
            critics,
            actor_loss,
            entropy,
            alpha_loss,
            is_skipped: !is_finite || critics.iter().any(|critic| critic.is_skipped),
        }
    }

    fn check_finite(&self, losses: &Losses) -> Result<(), RlError> {
        if losses.n == 0 || losses.n_skipped < losses.n {
            return Ok(());
        }
        Err(RlError::NotFinite {
            iteration: self.state.iteration,
            problem: "no gradient was finite: smaller policy_lr and q_lr, or observations and rewards that are finite, may help"
                .to_owned(),
        })
    }

    /// The actor's network without the outputs for ln σ.
    fn mean_network(&self) -> Mlp {
        let (actor, n_actions) = (&self.actor.network, self.replay.n_actions);
        let layers = actor.layers();
        let hidden = layers[..layers.len() - 1].iter();
        let mut sizes = vec![self.replay.n_obs];
        sizes.extend(hidden.map(|layer| layer.n_outputs));
        sizes.push(n_actions);
        let mut mean = Mlp::new(&sizes, actor.activation(), 0);
        for index in 0..layers.len() {
            let (weights, bias) = actor.layer(index);
            let n_outputs = sizes[index + 1];
            mean.set_layer(
                index,
                &weights[..n_outputs * sizes[index]],
                &bias[..n_outputs],
            );
        }
        mean
    }

    /// Settings.
    pub fn config(&self) -> &SacConfig {
        &self.config
    }

    /// The replay buffer.
    pub fn replay(&self) -> &ReplayBuffer {
        &self.replay
    }

    /// Fixes the number of threads of an update (1 or 2), even if the other choice is faster. It has no effect on results.
    pub fn fix_update_threads(&mut self, n_threads: usize) {
        self.state.thread_tuner = ThreadTuner::fixed(n_threads.clamp(1, 2));
    }
}

impl Algorithm for Sac {
    fn state(&self) -> &TrainingState {
        &self.state
    }

    fn state_mut(&mut self) -> &mut TrainingState {
        &mut self.state
    }

    fn n_iterations(&self) -> usize {
        self.config.n_iterations()
    }

    /// `n_steps` of each environment, with the gradient steps that are due after each step.
    fn iterate_interruptible(
        &mut self,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Progress>, RlError> {
        self.n_threads = self.state.thread_tuner.n_threads();
        let mut losses = Losses::default();
        let mut times = [Duration::ZERO; 2];
        for _ in 0..self.config.n_steps {
            let start = Instant::now();
            // (policy, environments) => steps in the replay buffer
            if !self.collect_step(stop)? {
                return Ok(None);
            }
            times[0] += start.elapsed();
            while self.n_updates < self.config.n_updates(self.state.global_step) {
                losses.add(&self.update());
            }
            times[1] += start.elapsed();
        }
        times[1] = times[1].saturating_sub(times[0]);
        self.state.iteration += 1;
        self.check_finite(&losses)?;
        if losses.n > 0 {
            let time = times[1].div_f64(losses.n as f64);
            self.state.thread_tuner.record(self.n_threads, time);
        }
        // (episodes, losses, times) => progress
        Ok(Some(self.progress(&losses, times)))
    }

    /// The mean of the Gaussian, squashed.
    fn policy(&self) -> Policy {
        let mut policy = self.state.policy(self.mean_network());
        policy.squash = true;
        policy
    }

    /// Always fails: a policy has no values of actions, and a policy of another algorithm has no state-dependent σ.
    fn warm_start(&mut self, _: &Policy) -> Result<(), RlError> {
        let problem = "SAC cannot begin with a policy, because its critics do not know it: use PPO";
        Err(RlError::config("from", problem))
    }

    fn save(&self, path: &Path) -> Result<(), RlError> {
        self.save_checkpoint(path)
    }

    fn set_total_timesteps(&mut self, total_timesteps: usize) -> Result<(), RlError> {
        let config = SacConfig {
            total_timesteps,
            ..self.config.clone()
        };
        config.check()?;
        self.config = config;
        Ok(())
    }
}

impl std::fmt::Debug for Sac {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sac")
            .field("config", &self.config)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}
