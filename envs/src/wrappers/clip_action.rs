//! Actions of any size.

use crate::{Env, EnvError, EnvSpec, Step};

/// Takes any finite action and moves it into the bounds of the environment.
#[derive(Debug, Clone)]
pub struct ClipAction<E> {
    env: E,
    spec: EnvSpec,
    clipped: Vec<f32>,
}

impl<E: Env> ClipAction<E> {
    /// Clips actions.
    pub fn new(env: E) -> Self {
        let mut spec = env.spec().clone();
        spec.action_space.low.fill(f32::NEG_INFINITY);
        spec.action_space.high.fill(f32::INFINITY);
        Self {
            clipped: vec![0.0; spec.action_space.len()],
            env,
            spec,
        }
    }
}

impl<E: Env> Env for ClipAction<E> {
    fn spec(&self) -> &EnvSpec {
        &self.spec
    }

    fn step(&mut self, action: &[f32], observation: &mut [f32]) -> Result<Step, EnvError> {
        self.spec.action_space.check("action", action)?;
        self.clipped.copy_from_slice(action);
        self.env.spec().action_space.clip(&mut self.clipped);
        self.env.step(&self.clipped, observation)
    }

    forward!(
        reset,
        reward_terms,
        metrics,
        parameters,
        end_reason,
        scripted_action,
        scene
    );
}
