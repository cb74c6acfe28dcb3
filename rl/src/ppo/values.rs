//! The value stage: evaluates the critics on all observations of the rollout.

use super::Ppo;
use super::gae::next_values;

impl Ppo {
    /// (critics, observations) => values, next values
    pub(super) fn evaluate_values(&mut self) {
        let (rollout, critic) = (&mut self.rollout, &mut self.critic);
        let values = &mut rollout.values;
        critic.evaluate(&rollout.observations, |row, value| values[row] = value[0]);
        let mut last_values = vec![0.0; rollout.n_envs];
        critic.evaluate(&self.state.observations, |row, value| {
            last_values[row] = value[0];
        });
        let (ends, truncated_ends) = (&mut rollout.ends, &rollout.truncated_ends);
        critic.evaluate(&rollout.final_observations, |row, value| {
            ends[truncated_ends[row]].value = value[0];
        });
        next_values(
            &rollout.values,
            &last_values,
            rollout.ends.iter().copied(),
            &mut rollout.next_values,
        );
        if let Some(constraint) = &mut self.constraint {
            constraint.evaluate(rollout, &self.state.observations, &self.config);
        }
    }
}
