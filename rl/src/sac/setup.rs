//! Setup of a training: networks, generators, environments.

use insonate_envs::VecEnv;

use super::critic::Critic;
use super::minibatch::Minibatch;
use super::squashed_gaussian::Drawn;
use super::{ReplayBuffer, Sac, SacConfig, Temperature};
use crate::RlError;
use crate::network::{Learner, Mlp, network_sizes};
use crate::policy::PolicyIdentity;
use crate::training::{SAMPLES, SharedSettings, TrainingState, WEIGHTS, check_env, stream};

/// Maximum size of a replay buffer [bytes]: it is stored in the checkpoint.
const MAX_BUFFER: usize = 1 << 30;

impl Sac {
    /// Creates a new training. `identity` is written into policy files. The environments must have
    /// [`Autoreset::SameStep`](insonate_envs::Autoreset::SameStep) and are reset here.
    ///
    /// # Errors
    /// [`RlError::Config`] if settings are invalid or do not fit the environments, or if actions have no bounds; [`RlError::Env`]
    /// from the reset.
    pub fn new(env: VecEnv, config: SacConfig, identity: PolicyIdentity) -> Result<Self, RlError> {
        config.check()?;
        check_env(&env, config.n_envs)?;
        check_spaces(&env, &config)?;
        let n_obs = env.spec().observation_space.len();
        let n_actions = env.spec().action_space.len();
        let mut weights = stream(config.seed, WEIGHTS);
        let mut network = |n_inputs: usize, n_outputs: usize| {
            let sizes = network_sizes(&config.hidden_sizes, n_inputs, n_outputs);
            let mut network = Mlp::new(&sizes, config.activation, 0);
            network.set_uniform(&mut weights);
            network
        };
        let actor = Learner::new(network(n_obs, 2 * n_actions));
        let (n, n_envs) = (config.batch_size, config.n_envs);
        let critics = [(); 2].map(|()| Critic::new(network(n_obs + n_actions, 1), n, n_actions));
        let settings = SharedSettings {
            seed: config.seed,
            norm_obs: config.norm_obs,
            clip_obs: config.clip_obs,
            episode_window: config.episode_window,
        };
        let state = TrainingState::new(env, identity, settings)?;
        let first = &state.env.batch().observations;
        let replay = ReplayBuffer::new(config.buffer_steps(), n_envs, n_actions, first);
        let target_entropy = config.target_entropy.unwrap_or(-(n_actions as f64));
        Ok(Self {
            state,
            actor,
            critics,
            temperature: Temperature::new(config.alpha, target_entropy),
            sample_rng: stream(config.seed, SAMPLES),
            n_updates: 0,
            minibatch: Minibatch::new(n, &replay),
            replay,
            explored: Drawn::new(n_envs, n_actions),
            drawn: Drawn::new(n, n_actions),
            next_drawn: Drawn::new(n, n_actions),
            pairs: Vec::new(),
            next_pairs: Vec::new(),
            drawn_pairs: Vec::new(),
            targets: vec![0.0; n],
            rows: (0..n as u32).collect(),
            n_threads: 1,
            config,
        })
    }
}

/// Fails if actions have no bounds or if the buffer is too large for a checkpoint.
fn check_spaces(env: &VecEnv, config: &SacConfig) -> Result<(), RlError> {
    let (spec, space) = (env.spec(), &env.spec().action_space);
    let mut bounds = space.low.iter().zip(&space.high);
    if let Some(i) = bounds.position(|(low, high)| !low.is_finite() || !high.is_finite()) {
        let problem = format!(
            "{} of {} has no bounds, but SAC needs bounded actions: use PPO",
            space.names[i], spec.id
        );
        return Err(RlError::config("action", problem));
    }
    let (n_obs, n_actions) = (spec.observation_space.len(), space.len());
    let n_bytes = ReplayBuffer::max_bytes(config.buffer_size, n_obs, n_actions);
    if n_bytes > MAX_BUFFER {
        let most = MAX_BUFFER / ReplayBuffer::max_bytes(1, n_obs, n_actions);
        let problem = format!(
            "is {}; it must be at most {most} with the {n_obs} observations of {}",
            config.buffer_size, spec.id
        );
        return Err(RlError::config("buffer_size", problem));
    }
    Ok(())
}
