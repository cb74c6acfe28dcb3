//! Actions of one range for all.

use crate::{Env, EnvError, EnvSpec, Step};

/// Takes actions in `[low, high]` and stretches them to the bounds of the environment.
#[derive(Debug, Clone)]
pub struct RescaleAction<E> {
    env: E,
    spec: EnvSpec,
    low: f32,
    high: f32,
    stretched: Vec<f32>,
}

impl<E: Env> RescaleAction<E> {
    /// Rescales actions from `[low, high]`.
    ///
    /// # Errors
    /// [`EnvError::Config`] unless `low < high`, and where the environment's own bounds are not finite.
    pub fn new(env: E, low: f32, high: f32) -> Result<Self, EnvError> {
        let refuse = |problem: String| EnvError::Config {
            field: "rescale_action".to_owned(),
            problem,
        };
        if !(low.is_finite() && high.is_finite() && low < high) {
            return Err(refuse(format!("needs low < high, not {low} and {high}")));
        }
        let mut spec = env.spec().clone();
        let space = &mut spec.action_space;
        let bounds = space.low.iter().chain(&space.high);
        if let Some(bound) = bounds.into_iter().find(|bound| !bound.is_finite()) {
            return Err(refuse(format!(
                "{} has an action bound of {bound}",
                spec.id
            )));
        }
        space.low.fill(low);
        space.high.fill(high);
        Ok(Self {
            stretched: vec![0.0; spec.action_space.len()],
            env,
            spec,
            low,
            high,
        })
    }
}

impl<E: Env> Env for RescaleAction<E> {
    fn spec(&self) -> &EnvSpec {
        &self.spec
    }

    fn step(&mut self, action: &[f32], observation: &mut [f32]) -> Result<Step, EnvError> {
        self.spec.action_space.check("action", action)?;
        let space = &self.env.spec().action_space;
        for (i, stretched) in self.stretched.iter_mut().enumerate() {
            let share = (action[i] - self.low) / (self.high - self.low);
            *stretched = space.low[i] + share * (space.high[i] - space.low[i]);
        }
        // Rounding may step over a bound.
        space.clip(&mut self.stretched);
        self.env.step(&self.stretched, observation)
    }

    fn scripted_action(&mut self, action: &mut [f32]) -> bool {
        let has_policy = self.env.scripted_action(action);
        let space = &self.env.spec().action_space;
        for (i, action) in action.iter_mut().enumerate() {
            let share = (*action - space.low[i]) / (space.high[i] - space.low[i]);
            *action = self.low + share * (self.high - self.low);
        }
        self.spec.action_space.clip(action);
        has_policy
    }

    forward!(reset, reward_terms, metrics, parameters, end_reason, scene);
}
