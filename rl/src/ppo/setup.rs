//! Setup of a training: networks, generators, environments.

use insonate_envs::VecEnv;
use rand_chacha::ChaCha8Rng;

use super::{Constraint, DiagGaussian, Ppo, PpoConfig, RolloutBuffer};
use crate::RlError;
use crate::network::{Learner, Mlp, network_sizes};
use crate::normalization::RewardNormalizer;
use crate::policy::PolicyIdentity;
use crate::training::{SAMPLES, SharedSettings, TrainingState, WEIGHTS, check_env, stream};

impl Ppo {
    /// Creates a new training. `identity` is written into policy files. The environments must have [`Autoreset::SameStep`] and are reset
    /// here.
    ///
    /// # Errors
    /// [`RlError::Config`] if settings are invalid or do not fit the environments; [`RlError::Env`] from the reset.
    pub fn new(env: VecEnv, config: PpoConfig, identity: PolicyIdentity) -> Result<Self, RlError> {
        config.check()?;
        check_env(&env, config.n_envs)?;
        let n_obs = env.spec().observation_space.len();
        let n_actions = env.spec().action_space.len();
        let mut weights = stream(config.seed, WEIGHTS);
        let [actor, critic] = networks(&config, n_obs, n_actions, &mut weights);
        let cost_critic = critic_network(&config, n_obs, &mut weights);
        let constraint = Constraint::of(&config, env.spec(), cost_critic)?;
        let (n_steps, n_envs) = (config.n_steps, config.n_envs);
        let settings = SharedSettings {
            seed: config.seed,
            norm_obs: config.norm_obs,
            clip_obs: config.clip_obs,
            episode_window: config.episode_window,
        };
        Ok(Self {
            state: TrainingState::new(env, identity, settings)?,
            reward_normalizer: RewardNormalizer::new(n_envs, config.discount, config.clip_reward),
            actor: Learner::new(actor),
            critic: Learner::new(critic),
            constraint,
            shuffle_rng: stream(config.seed, SAMPLES),
            rollout: RolloutBuffer::new(n_steps, n_envs, n_obs, n_actions),
            distribution: DiagGaussian::default(),
            config,
        })
    }
}

/// Actor and critic. The actor has a log standard deviation for each action as free parameters.
fn networks(config: &PpoConfig, n_obs: usize, n_actions: usize, rng: &mut ChaCha8Rng) -> [Mlp; 2] {
    let sizes = network_sizes(&config.hidden_sizes, n_obs, n_actions);
    let mut actor = Mlp::new(&sizes, config.activation, n_actions);
    actor.set_orthogonal(0.01, rng);
    let log_std = actor.free();
    actor.parameters_mut()[log_std].fill(config.log_std_init as f32);
    [actor, critic_network(config, n_obs, rng)]
}

fn critic_network(config: &PpoConfig, n_obs: usize, rng: &mut ChaCha8Rng) -> Mlp {
    let sizes = network_sizes(&config.hidden_sizes, n_obs, 1);
    let mut critic = Mlp::new(&sizes, config.activation, 0);
    critic.set_orthogonal(1.0, rng);
    critic
}
