//! What actor and critic have in common in an update.

use crate::network::AdamStep;

/// A network with its part of PPO's loss.
pub(super) trait LossHead {
    /// Computes the gradient of the loss over a minibatch and returns the square of its norm.
    fn compute_gradient(&mut self, rows: &[u32]) -> f64;
    /// Moves the parameters against the gradient.
    fn step(&mut self, step: AdamStep);
    /// Ends an epoch and returns its mean approximate KL divergence; zero from the critic, which has no part in it.
    fn end_epoch(&mut self) -> f64;
}
