//! Setup of a training: networks, generators, environments.

use insonate_envs::{ResetOptions, VecEnv};
use rand::RngCore as _;
use rand_chacha::ChaCha8Rng;

use super::{Constraint, DiagGaussian, Ppo, PpoConfig, RolloutBuffer};
use crate::RlError;
use crate::network::{Learner, Mlp, network_sizes};
use crate::normalization::{ObservationNormalizer, RewardNormalizer, RunningMoments};
use crate::policy::{ActionScale, PolicyIdentity};
use crate::training::{EpisodeWindow, StepClock, ThreadTuner, check_env, stream};

/// Random streams derived from the seed.
const WEIGHTS: u64 = 0;
const EXPLORATION: u64 = 1;
const SHUFFLE: u64 = 2;
const ENVIRONMENTS: u64 = 3;

impl Ppo {
    /// Creates a new training. `identity` is written into policy files. The environments must have [`Autoreset::SameStep`] and are reset
    /// here.
    ///
    /// # Errors
    /// [`RlError::Config`] if settings are invalid or do not fit the environments; [`RlError::Env`] from the reset.
    pub fn new(
        mut env: VecEnv,
        config: PpoConfig,
        identity: PolicyIdentity,
    ) -> Result<Self, RlError> {
        config.check()?;
        check_env(&env, config.n_envs)?;
        let stream = |index: u64| stream(config.seed, index);
        let n_obs = env.spec().observation_space.len();
        let n_actions = env.spec().action_space.len();
        let mut weights = stream(WEIGHTS);
        let [actor, critic] = networks(&config, n_obs, n_actions, &mut weights);
        let cost_critic = critic_network(&config, n_obs, &mut weights);
        let constraint = Constraint::of(&config, env.spec(), cost_critic)?;
        let seed = stream(ENVIRONMENTS).next_u64();
        env.reset(Some(seed), &ResetOptions::default())?;
        let (n_steps, n_envs) = (config.n_steps, config.n_envs);
        let moments = RunningMoments::new(n_obs);
        let mut ppo = Self {
            action_scale: ActionScale::new(&env.spec().action_space),
            observation_normalizer: ObservationNormalizer::new(moments, config.clip_obs),
            reward_normalizer: RewardNormalizer::new(n_envs, config.discount, config.clip_reward),
            actor: Learner::new(actor),
            critic: Learner::new(critic),
            constraint,
            exploration_rng: stream(EXPLORATION),
            shuffle_rng: stream(SHUFFLE),
            episodes: EpisodeWindow::new(config.episode_window),
            iteration: 0,
            global_step: 0,
            rollout: RolloutBuffer::new(n_steps, n_envs, n_obs, n_actions),
            distribution: DiagGaussian::default(),
            observations: vec![0.0; n_envs * n_obs],
            actions: vec![0.0; n_envs * n_actions],
            n_unreproduced_envs: 0,
            thread_tuner: ThreadTuner::new(env.n_threads().min(2)),
            clock: StepClock::default(),
            env,
            config,
            identity,
        };
        if ppo.config.norm_obs {
            ppo.observation_normalizer
                .update(&ppo.env.batch().observations);
        }
        ppo.observe();
        Ok(ppo)
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
