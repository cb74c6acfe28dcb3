//! Sensors that err.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use crate::{Env, EnvError, ResetOptions, Step};

/// Which stream of the generator serves the noise: not the one that environments draw their episodes from.
const STREAM: u64 = 0x6e6f_6973_6500;

/// Adds to each observed number a normal error of each step, and one that stays for the episode.
///
/// The sum is moved into the bounds of the observation space, which stay as they are.
#[derive(Debug, Clone)]
pub struct ObservationNoise<E> {
    env: E,
    std: Vec<f32>,
    bias_std: Vec<f32>,
    stream: u64,
    rng: ChaCha8Rng,
    bias: Vec<f32>,
}

impl<E: Env> ObservationNoise<E> {
    /// Noise with a standard deviation for each entry, in its unit, shape `[n_obs]`: of each step's error, and of the episode's bias.
    ///
    /// # Errors
    /// [`EnvError::Length`]; [`EnvError::Config`] for a standard deviation that is negative or not finite.
    pub fn new(env: E, std: Vec<f32>, bias_std: Vec<f32>) -> Result<Self, EnvError> {
        let space = &env.spec().observation_space;
        for (what, values) in [("std", &std), ("bias_std", &bias_std)] {
            EnvError::check_length(what, values.len(), space.len())?;
            let bad = |value: &f32| !value.is_finite() || *value < 0.0;
            if let Some(index) = values.iter().position(bad) {
                return Err(EnvError::Config {
                    field: format!("{what}[{index}] ({})", space.names[index]),
                    problem: format!("is {}, but must be finite and 0 or more", values[index]),
                });
            }
        }
        Ok(Self {
            bias: vec![0.0; std.len()],
            rng: ChaCha8Rng::seed_from_u64(0),
            stream: STREAM,
            env,
            std,
            bias_std,
        })
    }

    /// The same noise for every entry.
    ///
    /// # Errors
    /// As [`ObservationNoise::new`].
    pub fn uniform(env: E, std: f32, bias_std: f32) -> Result<Self, EnvError> {
        let n_obs = env.spec().observation_space.len();
        Self::new(env, vec![std; n_obs], vec![bias_std; n_obs])
    }

    /// Draws from another stream; two of these wrappers around one environment need different ones, or their errors are the same.
    #[must_use]
    pub fn with_stream(mut self, stream: u64) -> Self {
        self.stream = STREAM ^ stream;
        self
    }

    fn disturb(&mut self, observation: &mut [f32]) {
        for (i, value) in observation.iter_mut().enumerate() {
            // Drawn even where it is multiplied by zero, so that the other entries keep their errors.
            let error: f32 = self.rng.sample(StandardNormal);
            *value += self.bias[i] + self.std[i] * error;
        }
        self.env.spec().observation_space.clip(observation);
    }
}

impl<E: Env> Env for ObservationNoise<E> {
    fn reset(
        &mut self,
        seed: u64,
        options: &ResetOptions,
        observation: &mut [f32],
    ) -> Result<(), EnvError> {
        self.env.reset(seed, options, observation)?;
        self.rng = ChaCha8Rng::seed_from_u64(seed);
        self.rng.set_stream(self.stream);
        for (bias, std) in self.bias.iter_mut().zip(&self.bias_std) {
            *bias = std * self.rng.sample::<f32, _>(StandardNormal);
        }
        self.disturb(observation);
        Ok(())
    }

    fn step(&mut self, action: &[f32], observation: &mut [f32]) -> Result<Step, EnvError> {
        let step = self.env.step(action, observation)?;
        self.disturb(observation);
        Ok(step)
    }

    forward!(
        spec,
        reward_terms,
        metrics,
        parameters,
        end_reason,
        scripted_action,
        scene
    );
}
