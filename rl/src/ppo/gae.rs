//! Generalised advantage estimation (Schulman 2016, Eqs. 11–16) that distinguishes termination and truncation.
//!
//! δₜ = rₜ + γ V(s'ₜ) − V(sₜ), Âₜ = δₜ + γ λ Âₜ₊₁ within an episode.
//! s'ₜ is the state after the step. Its value is zero if the task terminated. If a time limit truncated the episode, it is the value of the
//! last observation of that episode, not of the first observation of the next one.

use super::Ppo;

impl Ppo {
    /// (rewards, values, ends) => advantages, returns
    pub(super) fn compute_advantages(&mut self) {
        let (rollout, config) = (&mut self.rollout, &self.config);
        gae(
            GaeInputs {
                n_envs: rollout.n_envs,
                rewards: &rollout.rewards,
                values: &rollout.values,
                next_values: &rollout.next_values,
                is_over: &rollout.is_over,
                discount: config.discount,
                gae_lambda: config.gae_lambda,
            },
            &mut rollout.advantages,
            &mut rollout.returns,
        );
    }
}

/// Inputs of [`gae`]; arrays of shape `[n_steps, n_envs]`.
#[derive(Debug, Clone, Copy)]
pub struct GaeInputs<'a> {
    /// Number of environments.
    pub n_envs: usize,
    /// Rewards.
    pub rewards: &'a [f32],
    /// V(sₜ).
    pub values: &'a [f32],
    /// V(s'ₜ), from [`next_values`].
    pub next_values: &'a [f32],
    /// Whether the episode ended with the step (terminated or truncated).
    pub is_over: &'a [bool],
    /// γ.
    pub discount: f64,
    /// λ.
    pub gae_lambda: f64,
}

/// Writes the advantages and the returns Âₜ + V(sₜ), both of shape `[n_steps, n_envs]`.
///
/// # Panics
/// If the arrays have different shapes.
pub fn gae(inputs: GaeInputs<'_>, advantages: &mut [f32], returns: &mut [f32]) {
    let n = inputs.rewards.len();
    let n_values = [inputs.values.len(), inputs.next_values.len()];
    assert_eq!(n_values, [n; 2], "arrays have one shape");
    assert_eq!(inputs.is_over.len(), n, "arrays have one shape");
    let discount = inputs.discount as f32;
    let decay = (inputs.discount * inputs.gae_lambda) as f32;
    for i in (0..n).rev() {
        let delta = inputs.rewards[i] + discount * inputs.next_values[i] - inputs.values[i];
        let later = match advantages.get(i + inputs.n_envs) {
            Some(later) if !inputs.is_over[i] => *later,
            _ => 0.0,
        };
        advantages[i] = delta + decay * later;
        returns[i] = advantages[i] + inputs.values[i];
    }
}

/// V(s'ₜ) for an episode that ended with step t.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bootstrap {
    /// Index into `[n_steps, n_envs]`.
    pub index: usize,
    /// V of the last observation if the episode was truncated, zero if it terminated.
    pub value: f32,
}

impl Bootstrap {
    /// The same end with the value zero, as after a termination.
    pub(super) fn of_zero(self) -> Self {
        Self { value: 0.0, ..self }
    }
}

/// Writes V(s'ₜ), shape `[n_steps, n_envs]`: the values of the next step. `last_values`, shape `[n_envs]`, follow the last step, and
/// `bootstraps` apply where episodes ended.
pub fn next_values(
    values: &[f32],
    last_values: &[f32],
    bootstraps: impl IntoIterator<Item = Bootstrap>,
    next_values: &mut [f32],
) {
    let n_envs = last_values.len();
    let n_within = values.len() - n_envs;
    next_values[..n_within].copy_from_slice(&values[n_envs..]);
    next_values[n_within..].copy_from_slice(last_values);
    for Bootstrap { index, value } in bootstraps {
        next_values[index] = value;
    }
}

/// 1 − Var(returns − values) / Var(returns). NaN if the returns are constant.
pub fn explained_variance(values: &[f32], returns: &[f32]) -> f64 {
    let errors = returns.iter().zip(values).map(|(r, v)| f64::from(r - v));
    let total = variance(returns.iter().map(|r| f64::from(*r)));
    if total == 0.0 {
        return f64::NAN;
    }
    1.0 - variance(errors) / total
}

fn variance(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
    let n = numbers.clone().count() as f64;
    let mean = numbers.clone().sum::<f64>() / n;
    numbers.map(|x| (x - mean).powi(2)).sum::<f64>() / n
}
