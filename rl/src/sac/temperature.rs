//! The temperature α, the weight of the entropy relative to the reward (Haarnoja 2018, §5).

use crate::network::{Adam, AdamStep, AlignedBuffer, LINE};

/// α with its optimiser.
#[derive(Debug, Clone)]
pub struct Temperature {
    /// ln α is the first entry; Adam works on whole cache lines.
    log_alpha: AlignedBuffer,
    adam: Adam,
    target_entropy: f64,
}

impl Temperature {
    /// Creates a temperature for a target entropy.
    pub fn new(alpha: f64, target_entropy: f64) -> Self {
        let mut log_alpha = AlignedBuffer::zeros(LINE);
        log_alpha[0] = alpha.ln() as f32;
        Self {
            log_alpha,
            adam: Adam::new(LINE),
            target_entropy,
        }
    }

    /// α.
    pub fn alpha(&self) -> f32 {
        self.log_alpha[0].exp()
    }

    /// One step along the gradient of ln α (H − H̄) with respect to ln α, where H is the entropy of the policy. Returns that loss.
    ///
    /// Eq. 18 has α instead of ln α. As in Stable-Baselines3, the step size then does not depend on the size of α.
    pub fn learn(&mut self, entropy: f64, step: AdamStep) -> f64 {
        let mut gradient = AlignedBuffer::zeros(LINE);
        let excess = entropy - self.target_entropy;
        gradient[0] = excess as f32;
        let loss = f64::from(self.log_alpha[0]) * excess;
        self.adam.step(&mut self.log_alpha, &gradient, step);
        loss
    }

    pub(crate) fn log_alpha(&self) -> f32 {
        self.log_alpha[0]
    }

    pub(crate) fn adam(&self) -> &Adam {
        &self.adam
    }

    /// Restores ln α and its Adam state (moments and number of steps).
    pub(crate) fn restore(&mut self, log_alpha: f32, moments: [f32; 2], n_steps: u64) {
        self.log_alpha[0] = log_alpha;
        self.adam.first_moment[0] = moments[0];
        self.adam.second_moment[0] = moments[1];
        self.adam.n_steps = n_steps;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_little_entropy_raises_the_temperature_and_too_much_lowers_it() {
        let step = AdamStep {
            learning_rate: 0.01,
            epsilon: 1e-8,
            gradient_scale: 1.0,
        };
        for (entropy, expected) in [(-3.0, 0.51_f32), (-1.0, 0.49)] {
            let mut temperature = Temperature::new(0.5, -2.0);
            // The magnitude of Adam's first step is the step size; its sign is opposite to the gradient's.
            let loss = temperature.learn(entropy, step);
            assert!((loss - 0.5_f64.ln() * (entropy + 2.0)).abs() < 1e-6);
            let change = (temperature.alpha() / 0.5).ln();
            assert!((change - (expected / 0.5).ln().signum() * 0.01).abs() < 1e-5);
        }
    }
}
