//! Diagonal Gaussian action distribution whose standard deviation does not depend on the state.

use std::f32::consts::TAU;

/// ln √(2π).
fn log_root_tau() -> f32 {
    0.5 * TAU.ln()
}

/// The distribution around a mean that is given with each sample. Arrays have shape `[n_actions]`.
#[derive(Debug, Clone, Default)]
pub struct DiagGaussian {
    /// σ.
    pub std: Vec<f32>,
    /// 1 / σ.
    pub inverse_std: Vec<f32>,
    /// −Σ (ln σ + ln √(2π)).
    log_normalizer: f32,
    /// Σ (½ + ln √(2π) + ln σ); it does not depend on the state.
    pub entropy: f32,
}

impl DiagGaussian {
    /// Sets σ from ln σ.
    pub fn set(&mut self, log_std: &[f32]) {
        self.std.clear();
        self.std.extend(log_std.iter().map(|log_std| log_std.exp()));
        self.inverse_std.clear();
        self.inverse_std
            .extend(log_std.iter().map(|log_std| (-log_std).exp()));
        self.log_normalizer = -log_std
            .iter()
            .map(|log_std| log_std + log_root_tau())
            .sum::<f32>();
        self.entropy = 0.5 * log_std.len() as f32 - self.log_normalizer;
    }

    /// ln p(u) for the mean `mean`, both of shape `[n_actions]`.
    pub fn log_prob(&self, u: &[f32], mean: &[f32]) -> f32 {
        let squares = u.iter().zip(mean).zip(&self.inverse_std);
        let sum: f32 = squares
            .map(|((u, mean), inverse)| ((u - mean) * inverse).powi(2))
            .sum();
        self.log_normalizer - 0.5 * sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::LN_2;

    #[test]
    fn density_and_entropy_are_as_computed_by_hand() {
        let mut distribution = DiagGaussian::default();
        distribution.set(&[0.0, LN_2]);
        // −½(1² + 0.5²) − ln 2 − 2·0.9189385
        let log_prob = distribution.log_prob(&[1.0, 2.0], &[0.0, 1.0]);
        assert!(
            (log_prob - (-0.625 - LN_2 - 1.837_877_1)).abs() < 1e-6,
            "{log_prob}"
        );
        // 2·(0.5 + 0.9189385) + ln 2
        assert!((distribution.entropy - (2.837_877 + LN_2)).abs() < 1e-6);
        assert!((distribution.std[1] - 2.0).abs() < 1e-6);
    }
}
