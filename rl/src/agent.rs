//! Agents: sources of actions for environments.

use insonate_envs::VecEnv;
use rand_chacha::ChaCha8Rng;

use crate::{Policy, RlError};

/// Source of actions.
#[derive(Debug)]
pub enum Agent {
    /// The mean action of a policy.
    Policy(Box<Policy>),
    /// Zero actions, clipped to the bounds.
    Zero,
    /// Uniformly random actions within the bounds.
    Random,
    /// The task's scripted policy.
    Scripted,
}

impl Agent {
    /// Writes the actions for the environments' current observations, shape `[n_envs, n_actions]`. `rngs` holds one generator per
    /// environment for random actions.
    ///
    /// # Errors
    /// [`RlError::Config`] if the task has no scripted policy.
    pub fn act<'a>(
        &mut self,
        env: &mut VecEnv,
        rngs: impl IntoIterator<Item = &'a mut ChaCha8Rng>,
        actions: &mut [f32],
    ) -> Result<(), RlError> {
        if let Self::Scripted = self
            && !env.scripted_actions(actions)
        {
            return Err(RlError::no_script(&env.spec().id));
        }
        let space = &env.spec().action_space;
        match self {
            Self::Scripted => {}
            Self::Policy(policy) => policy.act(&env.batch().observations, actions),
            Self::Zero => {
                actions.fill(0.0);
                for action in actions.chunks_exact_mut(space.len()) {
                    space.clip(action);
                }
            }
            Self::Random => {
                for (rng, action) in rngs.into_iter().zip(actions.chunks_exact_mut(space.len())) {
                    space.sample(rng, action);
                }
            }
        }
        Ok(())
    }
}
