//! Proximal policy optimisation (Schulman 2017, arXiv:1707.06347), in the order of CleanRL's `ppo_continuous_action`.
//!
//! One iteration is [`Ppo::iterate`]: rollout, values, advantages, update, report.
//! Termination and truncation are kept apart (see [`gae`]).
//! The same seed gives the same bits on any number of threads.

mod actor;
mod collect;
mod config;
mod critic;
mod episodes;
mod gae;
mod gaussian;
mod learner;
mod losses;
mod meeting;
mod pace;
mod progress;
mod rollout;
mod schedule;
mod shuffle;
mod update;

use std::time::{Duration, Instant};

use insonate_envs::{Autoreset, ResetOptions, VecEnv};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub use actor::PolicyStats;
pub use config::PpoConfig;
pub use episodes::{EpisodeRecord, EpisodeWindow};
pub use gae::{Bootstrap, GaeInputs, explained_variance, gae, next_values};
pub use gaussian::Spread;
pub use learner::Learner;
pub use losses::{PolicyLoss, mean_and_std, policy_loss, value_loss};
pub use progress::{CLOCK_SCALARS, Control, Outcome, Progress};
pub use rollout::Rollout;
pub use schedule::learning_rate;
pub use update::{UpdateReport, update};

use crate::RlError;
use crate::network::Mlp;
use crate::normalization::{ObservationNormalizer, RewardNormalizer, RunningMoments};
use crate::policy::{ActionScale, PolicyIdentity};
use pace::Pace;
use progress::ScalarSources;

/// Training of a policy.
pub struct Ppo {
    pub(crate) config: PpoConfig,
    pub(crate) identity: PolicyIdentity,
    pub(crate) env: VecEnv,
    pub(crate) action_scale: ActionScale,

    // What is learned.
    pub(crate) actor: Learner,
    pub(crate) critic: Learner,
    pub(crate) observation_normalizer: ObservationNormalizer,
    pub(crate) reward_normalizer: RewardNormalizer,

    // Where training stands.
    pub(crate) exploration_rng: ChaCha8Rng,
    pub(crate) shuffle_rng: ChaCha8Rng,
    pub(crate) episodes: EpisodeWindow,
    pub(crate) iteration: usize,
    pub(crate) global_step: u64,

    // Memory that is used again.
    rollout: Rollout,
    spread: Spread,
    /// Observations that the next actions are for, normalised, shape `[n_envs, n_obs]`.
    observations: Vec<f32>,
    actions: Vec<f32>,

    /// Environments that a checkpoint did not bring back to the same bits.
    pub(crate) n_inexact_envs: usize,
    pace: Pace,
    /// Time that this process has spent in iterations, and steps done in it.
    clock: (Duration, u64),
}

/// Streams of the generators that a seed gives; a task's episodes have streams of their own.
const WEIGHTS: u64 = 0;
const EXPLORATION: u64 = 1;
const SHUFFLE: u64 = 2;
const ENVIRONMENTS: u64 = 3;

impl Ppo {
    /// Training from the start; `identity` is written into policy files. The environments must reset in the same step
    /// ([`Autoreset::SameStep`]) and are reset here.
    ///
    /// # Errors
    /// [`RlError::Config`] for settings that cannot be or do not fit the environments; [`RlError::Env`] from the reset.
    pub fn new(
        mut env: VecEnv,
        config: PpoConfig,
        identity: PolicyIdentity,
    ) -> Result<Self, RlError> {
        check_env(&env, &config)?;
        let stream = |stream: u64| {
            let mut rng = ChaCha8Rng::seed_from_u64(config.seed);
            rng.set_stream(stream);
            rng
        };
        let (n_obs, n_actions) = sizes(&env);
        let [actor, critic] = networks(&config, n_obs, n_actions, &mut stream(WEIGHTS));
        env.reset(
            Some(stream(ENVIRONMENTS).next_u64()),
            &ResetOptions::default(),
        )?;
        let mut ppo = Self {
            action_scale: ActionScale::new(&env.spec().action_space),
            observation_normalizer: ObservationNormalizer::new(
                RunningMoments::new(n_obs),
                config.clip_obs,
            ),
            reward_normalizer: RewardNormalizer::new(
                config.n_envs,
                config.discount,
                config.clip_reward,
            ),
            actor: Learner::new(actor),
            critic: Learner::new(critic),
            exploration_rng: stream(EXPLORATION),
            shuffle_rng: stream(SHUFFLE),
            episodes: EpisodeWindow::new(config.episode_window),
            iteration: 0,
            global_step: 0,
            rollout: Rollout::new(config.n_steps, config.n_envs, n_obs, n_actions),
            spread: Spread::default(),
            observations: vec![0.0; config.n_envs * n_obs],
            actions: vec![0.0; config.n_envs * n_actions],
            n_inexact_envs: 0,
            pace: Pace::new(env.n_threads().min(2)),
            clock: (Duration::ZERO, 0),
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

    /// Settings.
    pub fn config(&self) -> &PpoConfig {
        &self.config
    }

    /// The environments.
    pub fn env(&self) -> &VecEnv {
        &self.env
    }

    /// Task and settings, as in policy files.
    pub fn identity(&self) -> &PolicyIdentity {
        &self.identity
    }

    /// The samples of the last iteration.
    pub fn rollout(&self) -> &Rollout {
        &self.rollout
    }

    /// Iterations done.
    pub fn iteration(&self) -> usize {
        self.iteration
    }

    /// Steps of all environments done.
    pub fn global_step(&self) -> u64 {
        self.global_step
    }

    /// Environments whose episodes, replayed from a checkpoint, came to other numbers than those it holds: training goes on from there, but
    /// not to the same bits. None on the machine that wrote it, with the same version and settings.
    pub fn n_inexact_envs(&self) -> usize {
        self.n_inexact_envs
    }

    /// Whether all timesteps are done.
    pub fn is_finished(&self) -> bool {
        self.iteration >= self.config.n_iterations()
    }

    /// Changes for how many timesteps to train; with `anneal_lr` the step size follows the new end from the next iteration on.
    ///
    /// # Errors
    /// [`RlError::Config`] for zero.
    pub fn set_total_timesteps(&mut self, total_timesteps: usize) -> Result<(), RlError> {
        let config = PpoConfig {
            total_timesteps,
            ..self.config.clone()
        };
        config.check()?;
        self.config = config;
        Ok(())
    }

    /// Most threads of an update: 1 or 2; without effect on results.
    pub fn set_update_threads(&mut self, n_threads: usize) {
        self.pace = Pace::new(n_threads.clamp(1, 2));
    }

    /// Iterates until all timesteps are done or the observer stops it.
    ///
    /// # Errors
    /// As [`Ppo::iterate`].
    pub fn train(
        &mut self,
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Outcome, RlError> {
        while !self.is_finished() {
            if observer(&self.iterate()?) == Control::Stop {
                return Ok(Outcome::Stopped);
            }
        }
        Ok(Outcome::Finished)
    }

    /// One iteration.
    ///
    /// # Errors
    /// [`RlError::Env`] when an environment fails; [`RlError::NotFinite`] when no minibatch had a finite gradient, in which case the
    /// weights are those before.
    pub fn iterate(&mut self) -> Result<Progress, RlError> {
        let start = Instant::now();
        self.iteration += 1;
        let learning_rate = learning_rate(&self.config, self.iteration);

        // (policy, environments) => observations, actions, rewards, ends
        self.collect()?;
        let rollout_time = start.elapsed();

        // (critic, observations) => values
        self.find_values();

        // (rewards, values, ends) => advantages, returns
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

        // (samples) => better actor, better critic
        let shuffle_seed = self.shuffle_rng.next_u64();
        let (update_start, n_threads) = (Instant::now(), self.pace.n_threads());
        let report = update(
            &self.config,
            learning_rate,
            &self.rollout,
            shuffle_seed,
            [&mut self.actor, &mut self.critic],
            n_threads,
        );
        self.pace.note(n_threads, update_start.elapsed());
        if report.n_skipped == report.n_minibatches {
            return Err(self.not_finite());
        }
        let update_time = start.elapsed().saturating_sub(rollout_time);
        Ok(self.report(report, learning_rate, [rollout_time, update_time]))
    }

    /// (critic, observations) => values, and values of the states that steps led to
    fn find_values(&mut self) {
        let rollout = &mut self.rollout;
        let values = &mut rollout.values;
        self.critic
            .evaluate(&rollout.observations, |row, value| values[row] = value[0]);
        let mut last_values = vec![0.0; rollout.n_envs];
        self.critic
            .evaluate(&self.observations, |row, value| last_values[row] = value[0]);
        let (ends, truncated_ends) = (&mut rollout.ends, &rollout.truncated_ends);
        self.critic
            .evaluate(&rollout.final_observations, |row, value| {
                ends[truncated_ends[row]].value = value[0];
            });
        next_values(
            &rollout.values,
            &last_values,
            rollout.ends.iter().copied(),
            &mut rollout.next_values,
        );
    }

    fn report(
        &mut self,
        update: UpdateReport,
        learning_rate: f64,
        [rollout_time, update_time]: [Duration; 2],
    ) -> Progress {
        self.clock.0 += rollout_time + update_time;
        self.clock.1 += self.config.batch_size() as u64;
        let steps_per_second = self.clock.1 as f64 / self.clock.0.as_secs_f64().max(1e-9);
        let n_iterations = self.config.n_iterations();
        let n_left = n_iterations.saturating_sub(self.iteration) * self.config.batch_size();
        let spec = self.env.spec();
        self.spread.set(self.actor.free());
        let std = &self.spread.std;
        let scalars = ScalarSources {
            episodes: &self.episodes,
            metrics: &spec.metrics,
            reward_terms: &spec.reward_terms,
            learning_rate,
            action_std: std.iter().map(|std| f64::from(*std)).sum::<f64>() / std.len() as f64,
            steps_per_second,
            update,
            explained_variance: explained_variance(&self.rollout.values, &self.rollout.returns),
            rollout_time,
            update_time,
        }
        .scalars();
        let known = |value: f64| (!value.is_nan()).then_some(value);
        let success = spec.metrics.iter().position(|name| *name == "success");
        Progress {
            iteration: self.iteration,
            n_iterations,
            global_step: self.global_step,
            episodic_return: known(self.episodes.mean(|episode| episode.return_)),
            success: success.and_then(|i| known(self.episodes.mean(|episode| episode.metrics[i]))),
            steps_per_second,
            remaining: Duration::from_secs_f64(n_left as f64 / steps_per_second),
            rollout_time,
            update_time,
            update,
            scalars,
        }
    }

    fn not_finite(&self) -> RlError {
        let rollout = &self.rollout;
        let arrays = [
            ("observations", &rollout.observations),
            ("rewards", &rollout.rewards),
            ("values", &rollout.values),
            ("advantages", &rollout.advantages),
            ("log probabilities", &rollout.log_probs),
        ];
        let first = arrays
            .iter()
            .find(|(_, numbers)| numbers.iter().any(|x| !x.is_finite()));
        let culprit = first.map_or("the gradient", |(name, _)| *name);
        RlError::NotFinite {
            iteration: self.iteration,
            what: format!(
                "no minibatch had a finite gradient: {culprit} are not finite; the weights were left as they were (a smaller \
                 learning_rate or norm_reward may help)"
            ),
        }
    }
}

impl std::fmt::Debug for Ppo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ppo")
            .field("config", &self.config)
            .field("identity", &self.identity)
            .field("env", &self.env)
            .field("iteration", &self.iteration)
            .finish_non_exhaustive()
    }
}

/// Numbers in an observation and in an action.
fn sizes(env: &VecEnv) -> (usize, usize) {
    let spec = env.spec();
    (spec.observation_space.len(), spec.action_space.len())
}

/// Inputs, hidden layers and outputs of a network.
pub(crate) fn network_sizes(config: &PpoConfig, n_obs: usize, n_outputs: usize) -> Vec<usize> {
    let hidden = config.hidden_sizes.iter().copied();
    std::iter::once(n_obs)
        .chain(hidden)
        .chain([n_outputs])
        .collect()
}

/// Actor, with a log standard deviation for each action as free parameters, and critic.
fn networks(config: &PpoConfig, n_obs: usize, n_actions: usize, rng: &mut ChaCha8Rng) -> [Mlp; 2] {
    let sizes = |n_outputs: usize| network_sizes(config, n_obs, n_outputs);
    let mut actor = Mlp::new(&sizes(n_actions), config.activation, n_actions);
    actor.set_orthogonal(0.01, rng);
    let log_std = actor.free();
    actor.parameters_mut()[log_std].fill(config.log_std_init as f32);
    let mut critic = Mlp::new(&sizes(1), config.activation, 0);
    critic.set_orthogonal(1.0, rng);
    [actor, critic]
}

fn check_env(env: &VecEnv, config: &PpoConfig) -> Result<(), RlError> {
    config.check()?;
    let wrong = |field, problem| Err(RlError::Config { field, problem });
    if env.n_envs() != config.n_envs {
        let problem = format!(
            "{} in the settings, {} were made",
            config.n_envs,
            env.n_envs()
        );
        return wrong("n_envs", problem);
    }
    if env.config().autoreset != Autoreset::SameStep {
        let problem = "training needs environments that reset in the same step".to_owned();
        return wrong("autoreset", problem);
    }
    if env.spec().observation_space.is_empty() {
        return wrong("observation", format!("{} observes nothing", env.spec().id));
    }
    Ok(())
}
