//! Settings of behaviour cloning.

use insonate_settings::check_ranges;
use serde::{Deserialize, Serialize};

use crate::RlError;
use crate::network::{Activation, LINE};
use crate::training::check_counts;

/// Settings of behaviour cloning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImitationConfig {
    /// Passes over the training samples.
    pub epochs: usize,
    /// Minibatch size.
    pub batch_size: usize,
    /// Initial step size of Adam. It decreases linearly to zero.
    pub learning_rate: f64,
    /// Clipping range of normalised observations.
    pub clip_obs: f64,
    /// Widths of the hidden layers.
    pub hidden_sizes: Vec<usize>,
    /// Channels of the convolutions over images, multiples of 16. Empty: pixels enter the hidden layers as they are.
    pub convolutions: Vec<usize>,
    /// Activation of the hidden layers.
    pub activation: Activation,
    /// Seed of the initial weights and of the sample order.
    pub seed: u64,
}

impl Default for ImitationConfig {
    fn default() -> Self {
        Self {
            epochs: 100,
            batch_size: 128,
            learning_rate: 1e-3,
            clip_obs: 10.0,
            hidden_sizes: vec![64, 64],
            convolutions: Vec::new(),
            activation: Activation::Tanh,
            seed: 1,
        }
    }
}

impl ImitationConfig {
    /// Checks every setting.
    ///
    /// # Errors
    /// [`RlError::OutOfRange`] or [`RlError::Config`] for the first invalid setting.
    pub fn check(&self) -> Result<(), RlError> {
        let above_zero = f64::MIN_POSITIVE;
        let counts = [
            ("epochs", self.epochs, 1, 1 << 20),
            ("batch_size", self.batch_size, 1, 1 << 20),
            ("the length of hidden_sizes", self.hidden_sizes.len(), 0, 16),
            ("the length of convolutions", self.convolutions.len(), 0, 8),
        ];
        let widths = self.hidden_sizes.iter();
        let widths = widths.map(|width| ("hidden_sizes", *width, 1, 8192));
        let channels = self.convolutions.iter();
        let channels = channels.map(|n| ("convolutions", *n, LINE, 512));
        check_counts(counts.into_iter().chain(widths).chain(channels))?;
        if let Some(n) = self.convolutions.iter().find(|n| !n.is_multiple_of(LINE)) {
            let problem = format!("has {n} channels; it must be a multiple of {LINE}");
            return Err(RlError::config("convolutions", problem));
        }
        let ranges = [
            ("learning_rate", self.learning_rate, [above_zero, 1.0], ""),
            ("clip_obs", self.clip_obs, [above_zero, 1e12], ""),
        ];
        Ok(check_ranges("", ranges)?)
    }

    /// Step size of an epoch, counted from 1.
    pub(super) fn annealed_learning_rate(&self, epoch: usize) -> f64 {
        self.learning_rate * (1.0 - (epoch - 1) as f64 / self.epochs as f64)
    }
}
