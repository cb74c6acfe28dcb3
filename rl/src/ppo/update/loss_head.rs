//! Common interface of actor and critic in an update.

use crate::network::AdamStep;

/// A network with its part of PPO's loss.
pub(super) trait LossHead {
    /// Computes the gradient of the loss over a minibatch and returns the square of its norm.
    fn compute_gradient(&mut self, rows: &[u32]) -> f64;
    /// Updates the parameters with the gradient.
    fn step(&mut self, step: AdamStep);
    /// Ends an epoch and returns its mean approximate KL divergence. Zero for the critic.
    fn end_epoch(&mut self) -> f64;
}
