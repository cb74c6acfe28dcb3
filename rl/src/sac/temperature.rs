//! The temperature α, which weighs entropy against reward (Haarnoja 2018, §5).

use crate::network::{Adam, AdamStep, AlignedBuffer, LINE};

/// α with its optimiser.
#[derive(Debug, Clone)]
pub struct Temperature {
    /// ln α in the first place; Adam steps whole lines.
    log_alpha: AlignedBuffer,
    adam: Adam,
    target_entropy: f64,
}

impl Temperature {
    /// A temperature that keeps an entropy.
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

    /// One step against the gradient of ln α (H − H̄) by ln α, where H is the entropy of the policy; returns that loss.
    ///
    /// Eq. 18 has α where this has ln α, as Stable-Baselines3 does: the step is then as large for a small α as for a large one.
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

    /// Continues from ln α and its Adam: moments and steps.
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
            // Adam's first step is the step size against the sign of the gradient.
            let loss = temperature.learn(entropy, step);
            assert!((loss - 0.5_f64.ln() * (entropy + 2.0)).abs() < 1e-6);
            let change = (temperature.alpha() / 0.5).ln();
            assert!((change - (expected / 0.5).ln().signum() * 0.01).abs() < 1e-5);
        }
    }
}
