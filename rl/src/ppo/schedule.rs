//! The step size over the iterations.

use super::PpoConfig;

/// Adam's step size in iteration `iteration`, counted from 1: falls in a line from the start to zero after the last one.
pub fn learning_rate(config: &PpoConfig, iteration: usize) -> f64 {
    if !config.anneal_lr {
        return config.learning_rate;
    }
    let done = (iteration - 1) as f64 / config.n_iterations() as f64;
    (1.0 - done).max(0.0) * config.learning_rate
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_size_falls_in_a_line() {
        let mut config = PpoConfig {
            total_timesteps: 4 * 2048,
            learning_rate: 1.0,
            ..PpoConfig::default()
        };
        let rates: Vec<f64> = (1..=5).map(|i| learning_rate(&config, i)).collect();
        assert_eq!(rates, [1.0, 0.75, 0.5, 0.25, 0.0]);
        config.anneal_lr = false;
        assert_eq!(learning_rate(&config, 4), 1.0);
    }
}
