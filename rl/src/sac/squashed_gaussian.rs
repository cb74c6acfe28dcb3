//! The policy's distribution: a Gaussian with state-dependent mean μ and ln σ, squashed by tanh (Haarnoja 2018, Appendix C).
//!
//! $u = \mu + \sigma \epsilon$, $a = \tanh u$, and
//!
//! $$ \ln \pi(a|s) = \sum_i \ln \mathcal{N}(u_i; \mu_i, \sigma_i) - \ln(1 - \tanh^2 u_i) $$
//!
//! The correction is computed as $2 (\ln 2 - u - \ln(1 + e^{-2u}))$, which keeps its precision where tanh is near 1.

use std::f32::consts::{LN_2, TAU};

use rand::Rng;
use rand_distr::StandardNormal;

use crate::network::Learner;

/// Clipping range of ln σ, as in Stable-Baselines3.
const LOG_STD: [f32; 2] = [-20.0, 2.0];

/// Writes a, shape `[n_actions]`, for the network's outputs μ and ln σ, shape `[2, n_actions]`, and ε, shape `[n_actions]`. Returns
/// ln π(a|s).
pub fn squash(heads: &[f32], noise: &[f32], action: &mut [f32]) -> f32 {
    let (means, log_stds) = heads.split_at(noise.len());
    let mut log_prob = 0.0;
    for (i, action) in action.iter_mut().enumerate() {
        let log_std = clip(log_stds[i]);
        let u = means[i] + log_std.exp() * noise[i];
        *action = u.tanh();
        log_prob -= 0.5 * (noise[i] * noise[i] + TAU.ln()) + log_std;
        log_prob -= 2.0 * (LN_2 - u - softplus(-2.0 * u));
    }
    log_prob
}

/// Writes the gradient with respect to μ and ln σ, shape `[2, n_actions]`, of a loss with the gradients `by_action` with
/// respect to a, shape
/// `[n_actions]`, and `by_log_prob` with respect to ln π. Heads, noise and action are the same as in [`squash`].
pub fn squash_gradient(
    [heads, noise, action]: [&[f32]; 3],
    by_action: &[f32],
    by_log_prob: f32,
    by_heads: &mut [f32],
) {
    let n_actions = noise.len();
    let (by_means, by_log_stds) = by_heads.split_at_mut(n_actions);
    for i in 0..n_actions {
        let raw = heads[n_actions + i];
        let log_std = clip(raw);
        // da/du = 1 − a² and d(−ln(1 − tanh² u))/du = 2a.
        let by_u = by_action[i] * (1.0 - action[i] * action[i]) + by_log_prob * 2.0 * action[i];
        by_means[i] = by_u;
        // du/d ln σ = σ ε. The gradient is zero where ln σ is clipped.
        by_log_stds[i] = if raw == log_std {
            by_u * log_std.exp() * noise[i] - by_log_prob
        } else {
            0.0
        };
    }
}

/// Clips ln σ. NaN stays NaN.
fn clip(log_std: f32) -> f32 {
    log_std.clamp(LOG_STD[0], LOG_STD[1])
}

/// ln(1 + eˣ).
fn softplus(x: f32) -> f32 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// Actions drawn from the policy for many observations.
#[derive(Debug, Clone)]
pub(super) struct Drawn {
    n_actions: usize,
    /// ε, shape `[n, n_actions]`.
    pub(super) noise: Vec<f32>,
    /// a, shape `[n, n_actions]`.
    pub(super) actions: Vec<f32>,
    /// ln π(a|s), shape `[n]`.
    pub(super) log_probs: Vec<f32>,
}

impl Drawn {
    pub(super) fn new(n: usize, n_actions: usize) -> Self {
        Self {
            n_actions,
            noise: vec![0.0; n * n_actions],
            actions: vec![0.0; n * n_actions],
            log_probs: vec![0.0; n],
        }
    }

    /// (actor, observations) => a ~ π, ln π
    pub(super) fn draw(&mut self, actor: &mut Learner, observations: &[f32], rng: &mut impl Rng) {
        let n_actions = self.n_actions;
        actor.evaluate(observations, |row, heads| {
            let own = row * n_actions..(row + 1) * n_actions;
            let noise = &mut self.noise[own.clone()];
            noise.fill_with(|| rng.sample(StandardNormal));
            self.log_probs[row] = squash(heads, noise, &mut self.actions[own]);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_density_of_the_action_integrates_to_one() {
        // One action; midpoint rule over a in (−1, 1), with ε computed from a.
        for (mean, log_std) in [(0.0_f32, -0.5_f32), (0.7, 0.2), (-1.5, -1.0)] {
            let n = 200_000;
            let sum: f64 = (0..n)
                .map(|i| {
                    let a = -1.0 + (f64::from(i) + 0.5) * 2.0 / f64::from(n);
                    let noise = ((a.atanh() - f64::from(mean)) / f64::from(log_std).exp()) as f32;
                    let log_prob = squash(&[mean, log_std], &[noise], &mut [0.0]);
                    f64::from(log_prob).exp() * 2.0 / f64::from(n)
                })
                .sum();
            assert!((sum - 1.0).abs() < 1e-4, "{mean}, {log_std}: {sum}");
        }
    }

    #[test]
    fn a_density_is_as_computed_by_hand_and_finite_at_the_bounds() {
        let mut action = [0.0; 2];
        // u = 0.5 and −1: ln N = −½ ε² − ln σ − 0.9189385, corrections ln(1 − tanh²).
        let log_prob = squash(&[0.0, -1.0, LN_2, 0.0], &[0.25, 0.0], &mut action);
        let correction = |u: f64| (1.0 - u.tanh().powi(2)).ln();
        let expected = -0.5 * 0.0625
            - std::f64::consts::LN_2
            - 2.0 * 0.918_938_533
            - correction(0.5)
            - correction(-1.0);
        assert!((f64::from(log_prob) - expected).abs() < 1e-6, "{log_prob}");
        assert_eq!(action, [0.5_f32.tanh(), (-1.0_f32).tanh()]);
        // ln(1 − tanh² 50) = 2 ln 2 − 100, where 1 − tanh² is 0 in single precision.
        let far = squash(&[50.0, 0.0], &[0.0], &mut action[..1]);
        assert!(
            (far - (-0.918_938_5 - 2.0 * LN_2 + 100.0)).abs() < 1e-4,
            "{far}"
        );
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        let (noise, weights, by_log_prob) = ([0.8, -1.3], [0.4, -0.9], 0.3);
        // The last ln σ is clipped.
        let heads = [0.2_f32, -0.6, -0.7, 2.5];
        let loss = |heads: &[f32]| {
            let mut action = [0.0; 2];
            let log_prob = squash(heads, &noise, &mut action);
            let sum: f32 = action.iter().zip(weights).map(|(a, w)| a * w).sum();
            f64::from(sum + by_log_prob * log_prob)
        };
        let (mut action, mut by_heads) = ([0.0; 2], [0.0; 4]);
        squash(&heads, &noise, &mut action);
        squash_gradient(
            [&heads, &noise, &action],
            &weights,
            by_log_prob,
            &mut by_heads,
        );
        for i in 0..4 {
            let at = |step: f32| {
                let mut heads = heads;
                heads[i] += step;
                loss(&heads)
            };
            let slope = (at(1e-2) - at(-1e-2)) / 2e-2;
            assert!(
                (slope - f64::from(by_heads[i])).abs() < 2e-3,
                "{i}: {slope}, {}",
                by_heads[i]
            );
        }
    }
}
