//! The learning-rate schedule.

use super::PpoConfig;

impl PpoConfig {
    /// Adam's step size in iteration `iteration`, counted from 1. With `anneal_lr` it decreases linearly and reaches zero
    /// after the last iteration.
    pub fn annealed_learning_rate(&self, iteration: usize) -> f64 {
        if !self.anneal_lr {
            return self.learning_rate;
        }
        let done = (iteration - 1) as f64 / self.n_iterations() as f64;
        (1.0 - done).max(0.0) * self.learning_rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_size_falls_linearly() {
        let mut config = PpoConfig {
            total_timesteps: 4 * 2048,
            learning_rate: 1.0,
            ..PpoConfig::default()
        };
        let rates: Vec<f64> = (1..=5).map(|i| config.annealed_learning_rate(i)).collect();
        assert_eq!(rates, [1.0, 0.75, 0.5, 0.25, 0.0]);
        config.anneal_lr = false;
        assert_eq!(config.annealed_learning_rate(4), 1.0);
    }
}
