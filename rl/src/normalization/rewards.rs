//! Rewards divided by the running standard deviation of the discounted return, as Gymnasium's `NormalizeReward`, then clipped.
//!
//! Unlike Gymnasium's, the return restarts at zero after every end of an episode, also after a time limit.

use super::RunningMoments;

/// Added to the variance to avoid a division by zero if all rewards are zero.
const EPSILON: f64 = 1e-8;

/// `r / √(Var(R) + ε)`, clipped to ±`clip`, with R ← γ R + r in each environment.
#[derive(Debug, Clone, PartialEq)]
pub struct RewardNormalizer {
    /// Moments of R.
    pub moments: RunningMoments,
    /// R of each environment's current episode, shape `[n_envs]`.
    pub returns: Vec<f64>,
    discount: f64,
    clip: f64,
}

impl RewardNormalizer {
    /// Creates a normaliser for the given number of environments.
    pub fn new(n_envs: usize, discount: f64, clip: f64) -> Self {
        Self {
            moments: RunningMoments::new(1),
            returns: vec![0.0; n_envs],
            discount,
            clip,
        }
    }

    /// Updates the moments with the rewards of a step and writes the normalised rewards; all of shape `[n_envs]`.
    pub fn normalize(
        &mut self,
        rewards: &[f32],
        is_over: impl Fn(usize) -> bool,
        normalized: &mut [f32],
    ) {
        for (return_, reward) in self.returns.iter_mut().zip(rewards) {
            *return_ = *return_ * self.discount + f64::from(*reward);
        }
        self.moments.update_batch(&self.returns);
        let scale = 1.0 / (self.moments.var[0] + EPSILON).sqrt();
        for (env_idx, (reward, normalized)) in rewards.iter().zip(normalized).enumerate() {
            *normalized = (f64::from(*reward) * scale).clamp(-self.clip, self.clip) as f32;
            if is_over(env_idx) {
                self.returns[env_idx] = 0.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewards_are_divided_by_the_spread_of_returns() {
        let mut normalizer = RewardNormalizer::new(2, 0.5, 10.0);
        normalizer.moments.count = 0.0;
        let mut normalized = [0.0; 2];
        // R = 1, 3: variance 1. The second episode ends.
        normalizer.normalize(&[1.0, 3.0], |env_idx| env_idx == 1, &mut normalized);
        assert_eq!(normalizer.returns, [1.0, 0.0]);
        assert!((normalized[0] - 1.0).abs() < 1e-6 && (normalized[1] - 3.0).abs() < 1e-6);
        // R = 0.5·1 + 2 = 2.5 and 0 + 1 = 1: the mean of 1, 3, 2.5, 1 is 1.875 and the variance 0.796875.
        normalizer.normalize(&[2.0, 1.0], |_| false, &mut normalized);
        assert_eq!(normalizer.returns, [2.5, 1.0]);
        let expected = 2.0 / 0.796_875_f64.sqrt();
        assert!((f64::from(normalized[0]) - expected).abs() < 1e-6);
    }

    #[test]
    fn large_rewards_are_cut() {
        let mut normalizer = RewardNormalizer::new(1, 0.9, 10.0);
        let mut normalized = [0.0];
        for reward in [0.001, -1e30] {
            normalizer.normalize(&[reward], |_| true, &mut normalized);
        }
        assert!(normalized[0] >= -10.0 && normalized[0] < 0.0);
    }
}
