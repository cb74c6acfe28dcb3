//! Epochs over minibatches, synchronised between actor and critic.
//!
//! Actor and critic share no parameters. They exchange the norm of the gradient of each minibatch and the divergence of each epoch.
//! Each can therefore run on its own thread, with the same arithmetic as on one thread.

use std::thread;

use super::exchange::{Exchange, Port};
use super::loss_head::LossHead;
use super::shuffle::Shuffle;
use crate::network::AdamStep;
use crate::ppo::PpoConfig;

/// Schedule of minibatches for both heads.
#[derive(Clone, Copy)]
pub(super) struct Epochs<'a> {
    pub(super) config: &'a PpoConfig,
    pub(super) shuffle_seed: u64,
    pub(super) learning_rate: f64,
}

/// Counts of an update, the same for both heads.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Counts {
    pub(super) epochs: usize,
    pub(super) minibatches: usize,
    pub(super) skipped: usize,
}

impl Epochs<'_> {
    /// Updates both heads on one thread or two, with bit-identical results.
    pub(super) fn run(
        self,
        actor: &mut (impl LossHead + Send),
        critic: &mut (impl LossHead + Send),
        n_threads: usize,
    ) -> Counts {
        if n_threads < 2 {
            return self.update(&mut InTurn(actor, critic));
        }
        let exchange = Exchange::default();
        let [actor_port, critic_port] = exchange.ports();
        thread::scope(|scope| {
            scope.spawn(move || self.update(&mut Exchanging(critic, critic_port)));
            self.update(&mut Exchanging(actor, actor_port))
        })
    }

    fn update(self, head: &mut impl LossHead) -> Counts {
        let mut counts = Counts::default();
        let mut shuffle = Shuffle::new(self.config.batch_size(), self.shuffle_seed);
        for _ in 0..self.config.update_epochs {
            let order = shuffle.next_order();
            for rows in order.chunks_exact(self.config.minibatch_size()) {
                counts.minibatches += 1;
                let squared_norm = head.compute_gradient(rows);
                if squared_norm.is_finite() {
                    head.step(self.adam_step(squared_norm));
                } else {
                    counts.skipped += 1;
                }
            }
            counts.epochs += 1;
            let approx_kl = head.end_epoch();
            if self.config.target_kl.is_some_and(|most| approx_kl > most) {
                break;
            }
        }
        counts
    }

    /// Parameters of the step, with the gradient clipped to the maximum norm, as PyTorch's `clip_grad_norm_`.
    fn adam_step(&self, squared_norm: f64) -> AdamStep {
        let scale = self.config.max_grad_norm / (squared_norm.sqrt() + 1e-6);
        AdamStep {
            learning_rate: self.learning_rate,
            epsilon: self.config.adam_epsilon,
            gradient_scale: scale.min(1.0) as f32,
        }
    }
}

/// Two heads on one thread.
pub(super) struct InTurn<'a, A, C>(pub(super) &'a mut A, pub(super) &'a mut C);

impl<A: LossHead, C: LossHead> LossHead for InTurn<'_, A, C> {
    fn compute_gradient(&mut self, rows: &[u32]) -> f64 {
        self.0.compute_gradient(rows) + self.1.compute_gradient(rows)
    }

    fn step(&mut self, step: AdamStep) {
        self.0.step(step);
        self.1.step(step);
    }

    fn end_epoch(&mut self) -> f64 {
        self.0.end_epoch() + self.1.end_epoch()
    }
}

/// One of two heads on separate threads. They sum their return values.
struct Exchanging<'a, H>(&'a mut H, Port<'a>);

impl<H: LossHead> LossHead for Exchanging<'_, H> {
    fn compute_gradient(&mut self, rows: &[u32]) -> f64 {
        let own = self.0.compute_gradient(rows);
        own + self.1.swap(own)
    }

    fn step(&mut self, step: AdamStep) {
        self.0.step(step);
    }

    fn end_epoch(&mut self) -> f64 {
        let own = self.0.end_epoch();
        own + self.1.swap(own)
    }
}
