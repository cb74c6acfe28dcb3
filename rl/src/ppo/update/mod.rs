//! The update stage: epochs of minibatch gradient descent on the clipped losses.

mod epochs;
mod exchange;
mod loss_head;
mod losses;
mod policy_head;
mod shuffle;
mod value_head;

use std::time::Instant;

use rand::RngCore as _;

pub use losses::{PolicyLoss, mean_and_std, policy_loss, value_loss};
pub use policy_head::PolicyStats;

use super::{Constraint, Ppo, PpoConfig, RolloutBuffer};
use crate::RlError;
use crate::network::Learner;
use epochs::{Epochs, InTurn};
use policy_head::PolicyHead;
use value_head::{ValueHead, ValueTargets};

/// Statistics of an update. Losses are means over its last epoch.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct UpdateStats {
    /// Statistics of the policy.
    pub policy: PolicyStats,
    /// Mean value loss.
    pub value_loss: f64,
    /// Mean value loss of the cost critic. `None` without a cost limit.
    pub cost_value_loss: Option<f64>,
    /// Epochs run. Fewer than `update_epochs` if the KL divergence exceeded `target_kl`.
    pub n_epochs: usize,
    /// Minibatches run.
    pub n_minibatches: usize,
    /// Minibatches skipped because their gradient was not finite.
    pub n_skipped: usize,
}

/// Networks that an update trains.
#[derive(Debug)]
pub struct Learners<'a> {
    /// The policy.
    pub actor: &'a mut Learner,
    /// Critic of the reward.
    pub critic: &'a mut Learner,
    /// The cost limit with the critic of the cost and its targets.
    pub constraint: Option<&'a mut Constraint>,
}

/// Updates actor and critics on a rollout, on one thread or two, with bit-identical results.
pub fn update(
    config: &PpoConfig,
    learning_rate: f64,
    rollout: &RolloutBuffer,
    shuffle_seed: u64,
    Learners {
        actor,
        critic,
        constraint,
    }: Learners<'_>,
    n_threads: usize,
) -> UpdateStats {
    let epochs = Epochs {
        config,
        shuffle_seed,
        learning_rate,
    };
    let mut actor = PolicyHead::new(actor, rollout, config);
    let targets = ValueTargets {
        observations: &rollout.observations,
        values: &rollout.values,
        returns: &rollout.returns,
    };
    let mut critic = ValueHead::new(critic, targets, config);
    let (counts, cost_value_loss) = match constraint {
        None => (epochs.run(&mut actor, &mut critic, n_threads), None),
        Some(Constraint {
            critic: cost_critic,
            samples,
            ..
        }) => {
            let targets = ValueTargets {
                observations: &rollout.observations,
                values: &samples.values,
                returns: &samples.returns,
            };
            let mut costs = ValueHead::new(cost_critic, targets, config);
            let counts = epochs.run(&mut actor, &mut InTurn(&mut critic, &mut costs), n_threads);
            (counts, Some(costs.mean_loss()))
        }
    };
    UpdateStats {
        policy: actor.stats(),
        value_loss: critic.mean_loss(),
        cost_value_loss,
        n_epochs: counts.epochs,
        n_minibatches: counts.minibatches,
        n_skipped: counts.skipped,
    }
}

impl Ppo {
    /// (rollout) => better actor, better critic
    pub(super) fn update(&mut self, learning_rate: f64) -> Result<UpdateStats, RlError> {
        let (start, n_threads) = (Instant::now(), self.state.thread_tuner.n_threads());
        let is_warming_up = self.state.iteration <= self.config.critic_warmup;
        let actor = is_warming_up.then(|| self.actor.clone());
        let stats = update(
            &self.config,
            learning_rate,
            &self.rollout,
            self.shuffle_rng.next_u64(),
            Learners {
                actor: &mut self.actor,
                critic: &mut self.critic,
                constraint: self.constraint.as_mut(),
            },
            n_threads,
        );
        self.state.thread_tuner.record(n_threads, start.elapsed());
        // An untrained critic would destroy what the policy has learnt.
        if let Some(actor) = actor {
            self.actor = actor;
        }
        if stats.n_skipped == stats.n_minibatches {
            return Err(self.not_finite());
        }
        Ok(stats)
    }

    fn not_finite(&self) -> RlError {
        let rollout = &self.rollout;
        let arrays = [
            ("observations", &rollout.observations),
            ("rewards", &rollout.rewards),
            ("values", &rollout.values),
            ("advantages", &rollout.advantages),
            ("log probabilities", &rollout.log_probs),
        ];
        let has_infinite = |numbers: &[f32]| numbers.iter().any(|x| !x.is_finite());
        let first = arrays.iter().find(|(_, numbers)| has_infinite(numbers));
        let culprit = first.map_or("the gradient", |(name, _)| *name);
        RlError::NotFinite {
            iteration: self.state.iteration,
            problem: format!(
                "no minibatch had a finite gradient ({culprit} not finite); the weights are unchanged (a smaller learning_rate or \
                 norm_reward may help)"
            ),
        }
    }
}
