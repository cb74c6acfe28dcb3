//! An update: epochs over minibatches, for actor and critic in step.
//!
//! Actor and critic share no parameters; they meet at the norm of their gradient together and at the end of an epoch.
//! So each may have a thread of its own, and the arithmetic is the same with one thread.

use std::thread;

use super::actor::ActorHalf;
use super::critic::CriticHalf;
use super::meeting::{Meeting, Side};
use super::shuffle::Shuffle;
use super::{Learner, PolicyStats, PpoConfig, Rollout};
use crate::network::AdamStep;

/// What an update did. Losses are means over its last epoch.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct UpdateReport {
    /// Figures of the policy.
    pub policy: PolicyStats,
    /// Mean loss of the value.
    pub value_loss: f64,
    /// Epochs run: fewer than asked for where the divergence passed its target.
    pub n_epochs: usize,
    /// Minibatches run.
    pub n_minibatches: usize,
    /// Minibatches whose gradient was not finite, and that changed nothing.
    pub n_skipped: usize,
}

/// One of the two learners.
pub(super) trait Half {
    /// Finds the gradient over some samples and returns the square of its norm.
    fn find_gradient(&mut self, rows: &[u32]) -> f64;
    /// Moves the parameters.
    fn step(&mut self, step: AdamStep);
    /// What the half says to whether the update goes on: the mean divergence of the epoch from the actor, zero from the critic.
    fn end_epoch(&mut self) -> f64;
}

/// What both halves go through.
#[derive(Clone, Copy)]
struct Plan<'a> {
    config: &'a PpoConfig,
    shuffle_seed: u64,
    learning_rate: f64,
}

/// Counts of what was done, the same in both halves.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Counts {
    epochs: usize,
    minibatches: usize,
    skipped: usize,
}

/// Updates actor and critic on a rollout, on two threads or one, to the same bits.
pub fn update(
    config: &PpoConfig,
    learning_rate: f64,
    rollout: &Rollout,
    shuffle_seed: u64,
    [actor, critic]: [&mut Learner; 2],
    n_threads: usize,
) -> UpdateReport {
    let plan = Plan {
        config,
        shuffle_seed,
        learning_rate,
    };
    let mut actor = ActorHalf::new(actor, rollout, config);
    let mut critic = CriticHalf::new(critic, rollout, config);
    let counts = match n_threads {
        0 | 1 => run_both(plan, &mut actor, &mut critic),
        _ => {
            let meeting = Meeting::default();
            let [actors, critics] = meeting.sides();
            thread::scope(|scope| {
                let critic = &mut critic;
                scope.spawn(move || run_half(plan, critic, critics));
                run_half(plan, &mut actor, actors)
            })
        }
    };
    UpdateReport {
        policy: actor.stats(),
        value_loss: critic.mean_loss(),
        n_epochs: counts.epochs,
        n_minibatches: counts.minibatches,
        n_skipped: counts.skipped,
    }
}

/// One half on its own thread; it meets the other at every minibatch and epoch.
fn run_half(plan: Plan<'_>, half: &mut impl Half, mut side: Side<'_>) -> Counts {
    let mut counts = Counts::default();
    let mut shuffle = plan.shuffle();
    for _ in 0..plan.config.update_epochs {
        for rows in shuffle
            .next_order()
            .chunks_exact(plan.config.minibatch_size())
        {
            let own = half.find_gradient(rows);
            let other = side.swap(own);
            if let Some(step) = plan.step(own + other, &mut counts) {
                half.step(step);
            }
        }
        let own = half.end_epoch();
        let other = side.swap(own);
        if plan.ends(own + other, &mut counts) {
            break;
        }
    }
    counts
}

/// Both halves on one thread, in turn.
fn run_both(plan: Plan<'_>, actor: &mut impl Half, critic: &mut impl Half) -> Counts {
    let mut counts = Counts::default();
    let mut shuffle = plan.shuffle();
    for _ in 0..plan.config.update_epochs {
        for rows in shuffle
            .next_order()
            .chunks_exact(plan.config.minibatch_size())
        {
            let squared_norm = actor.find_gradient(rows) + critic.find_gradient(rows);
            if let Some(step) = plan.step(squared_norm, &mut counts) {
                actor.step(step);
                critic.step(step);
            }
        }
        if plan.ends(actor.end_epoch() + critic.end_epoch(), &mut counts) {
            break;
        }
    }
    counts
}

impl Plan<'_> {
    /// The orders of the epochs.
    fn shuffle(&self) -> Shuffle {
        Shuffle::new(self.config.batch_size(), self.shuffle_seed)
    }

    /// (‖g‖²) => the step, with the gradient clipped to the largest norm; none where the gradient is not finite.
    fn step(&self, squared_norm: f64, counts: &mut Counts) -> Option<AdamStep> {
        counts.minibatches += 1;
        if !squared_norm.is_finite() {
            counts.skipped += 1;
            return None;
        }
        // As PyTorch's `clip_grad_norm_`.
        let scale = self.config.max_grad_norm / (squared_norm.sqrt() + 1e-6);
        Some(AdamStep {
            learning_rate: self.learning_rate,
            epsilon: self.config.adam_epsilon,
            gradient_scale: scale.min(1.0) as f32,
        })
    }

    /// Whether the epoch that ended with this mean divergence was the last one.
    fn ends(&self, approx_kl: f64, counts: &mut Counts) -> bool {
        counts.epochs += 1;
        self.config
            .target_kl
            .is_some_and(|target| approx_kl > target)
    }
}
