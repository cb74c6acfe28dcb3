//! PPO under a limit on the cost of an episode: PPO-Lagrangian (Ray, Achiam & Amodei 2019, "Benchmarking Safe Exploration in Deep
//! Reinforcement Learning", section 5).
//!
//! For $\max_\pi \min_{\lambda \ge 0} J_R(\pi) - \lambda (J_C(\pi) - d)$ the policy maximises
//! $\hat{A} = (\hat{A}_R - \lambda \hat{A}_C) / (1 + \lambda)$, and the multiplier follows
//! $\lambda \leftarrow \max(0, \lambda + \eta (J_C - d))$: gradient ascent with projection. $J_C$ is the mean cost of the episodes that
//! ended in the rollout, $d$ is `cost_limit`, and $\eta$ is `multiplier_lr`.
//! The paper uses Adam instead of plain steps, and softplus instead of the projection. Plain steps need no state in addition to λ, and are
//! the integral term of a PID controller of the cost (Stooke, Achiam & Abbeel 2020, arXiv:2007.03964).
//! The paper also normalises $\hat{A}_R$ alone to a standard deviation of 1, so that the optimal λ grows without bound while exploration
//! decreases. Here only the combined advantage is normalised, in each minibatch.

use super::Ppo;

/// The Lagrange multiplier λ of a limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Multiplier {
    /// λ, at least 0.
    pub value: f64,
    /// d.
    pub limit: f64,
    /// η.
    pub learning_rate: f64,
}

impl Multiplier {
    /// Creates a multiplier with λ = 0.
    pub fn new(limit: f64, learning_rate: f64) -> Self {
        Self {
            value: 0.0,
            limit,
            learning_rate,
        }
    }

    /// Updates λ for the mean cost of episodes. NaN (no episode has ended) changes nothing.
    pub fn update(&mut self, mean_cost: f64) {
        let next = self.value + self.learning_rate * (mean_cost - self.limit);
        if !next.is_nan() {
            self.value = next.max(0.0);
        }
    }

    /// Replaces advantages of the reward by combined advantages of reward and cost. Both have shape `[n]`.
    pub fn combine(&self, advantages: &mut [f32], cost_advantages: &[f32]) {
        let lambda = self.value as f32;
        for (advantage, cost) in advantages.iter_mut().zip(cost_advantages) {
            *advantage = (*advantage - lambda * cost) / (1.0 + lambda);
        }
    }
}

impl Ppo {
    /// (costs, limit) => multiplier; (advantages of reward and cost, multiplier) => advantages
    pub(super) fn apply_limit(&mut self) {
        let Some(constraint) = &mut self.constraint else {
            return;
        };
        // During warm-up the policy does not learn and cannot react to λ.
        if self.state.iteration > self.config.critic_warmup {
            constraint.multiplier.update(constraint.samples.mean_cost());
        }
        let costs = &constraint.samples.advantages;
        constraint
            .multiplier
            .combine(&mut self.rollout.advantages, costs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rises_above_the_limit_falls_below_and_stays_at_zero() {
        let mut multiplier = Multiplier::new(1.0, 0.5);
        multiplier.update(3.0);
        assert_eq!(multiplier.value, 1.0);
        multiplier.update(2.0);
        assert_eq!(multiplier.value, 1.5);
        multiplier.update(f64::NAN);
        multiplier.update(1.0);
        assert_eq!(multiplier.value, 1.5);
        multiplier.update(0.5);
        assert_eq!(multiplier.value, 1.25);
        multiplier.update(-10.0);
        assert_eq!(multiplier.value, 0.0);
    }

    #[test]
    fn advantages_weigh_costs_by_the_multiplier() {
        let (gains, costs) = ([-1.0, 0.0, 1.0], [-0.5, 0.0, 0.5]);
        let mut multiplier = Multiplier::new(1.0, 0.5);
        let combined = |multiplier: &Multiplier| {
            let mut advantages = gains;
            multiplier.combine(&mut advantages, &costs);
            advantages
        };
        assert_eq!(combined(&multiplier), gains);
        multiplier.value = 1.0;
        assert_eq!(combined(&multiplier), [-0.25, 0.0, 0.25]);
        multiplier.value = 3.0;
        assert_eq!(combined(&multiplier), [0.125, 0.0, -0.125]);
    }
}
