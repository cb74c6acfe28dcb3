//! State that trainings by every algorithm have: environments, observations, counts and recent episodes.

use insonate_envs::{ResetOptions, VecEnv};
use rand::RngCore as _;
use rand_chacha::ChaCha8Rng;

use super::{Counts, EpisodeWindow, Progress, StepClock, ThreadTuner, stream};
use crate::RlError;
use crate::network::Mlp;
use crate::normalization::{ObservationNormalizer, RunningMoments};
use crate::policy::{ActionScale, Policy, PolicyIdentity};

/// Random streams derived from the seed. Algorithms use stream 2 for their samples.
pub(crate) const WEIGHTS: u64 = 0;
const EXPLORATION: u64 = 1;
pub(crate) const SAMPLES: u64 = 2;
const ENVIRONMENTS: u64 = 3;

/// Settings that every algorithm has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SharedSettings {
    pub(crate) seed: u64,
    pub(crate) norm_obs: bool,
    pub(crate) clip_obs: f64,
    pub(crate) episode_window: usize,
}

/// State that every algorithm has.
pub struct TrainingState {
    pub(crate) settings: SharedSettings,
    pub(crate) identity: PolicyIdentity,
    pub(crate) env: VecEnv,
    pub(crate) action_scale: ActionScale,
    pub(crate) observation_normalizer: ObservationNormalizer,
    pub(crate) exploration_rng: ChaCha8Rng,
    pub(crate) episodes: EpisodeWindow,
    pub(crate) iteration: usize,
    pub(crate) global_step: u64,
    /// Normalised observations for the next actions, shape `[n_envs, n_obs]`.
    pub(crate) observations: Vec<f32>,
    /// Actions of the last step, shape `[n_envs, n_actions]`.
    pub(crate) actions: Vec<f32>,
    /// Environments that a checkpoint did not restore bit-identically.
    pub(crate) n_unreproduced_envs: usize,
    pub(crate) thread_tuner: ThreadTuner,
    clock: StepClock,
}

impl TrainingState {
    /// The state before the first iteration. The environments are reset here.
    ///
    /// # Errors
    /// [`RlError::Env`] from the reset.
    pub(crate) fn new(
        mut env: VecEnv,
        identity: PolicyIdentity,
        settings: SharedSettings,
    ) -> Result<Self, RlError> {
        let seed = stream(settings.seed, ENVIRONMENTS).next_u64();
        env.reset(Some(seed), &ResetOptions::default())?;
        let (n_envs, spec) = (env.n_envs(), env.spec());
        let (n_obs, n_actions) = (spec.observation_space.len(), spec.action_space.len());
        let moments = RunningMoments::new(n_obs);
        let mut state = Self {
            action_scale: ActionScale::new(&spec.action_space),
            observation_normalizer: ObservationNormalizer::new(moments, settings.clip_obs),
            exploration_rng: stream(settings.seed, EXPLORATION),
            episodes: EpisodeWindow::new(settings.episode_window),
            iteration: 0,
            global_step: 0,
            observations: vec![0.0; n_envs * n_obs],
            actions: vec![0.0; n_envs * n_actions],
            n_unreproduced_envs: 0,
            thread_tuner: ThreadTuner::new(env.n_threads().min(2)),
            clock: StepClock::default(),
            settings,
            identity,
            env,
        };
        state.take_observations();
        Ok(state)
    }

    /// Steps the environments with `actions`. `false` if `stop` interrupted it, which is checked between two environments because they may
    /// be slow.
    ///
    /// # Errors
    /// [`RlError::Env`] if an environment fails.
    pub(crate) fn step(&mut self, stop: &dyn Fn() -> bool) -> Result<bool, RlError> {
        let is_complete = self.env.step_interruptible(&self.actions, &mut || stop())?;
        if is_complete {
            self.global_step += self.env.n_envs() as u64;
        }
        Ok(is_complete)
    }

    /// (ends, next observations) => episodes, normalised observations
    pub(crate) fn finish_step(&mut self) {
        for ended in &self.env.batch().ended {
            self.episodes.push(ended);
        }
        self.take_observations();
    }

    /// Updates the moments of the observations and normalises the current ones.
    fn take_observations(&mut self) {
        if self.settings.norm_obs {
            self.observation_normalizer
                .update(&self.env.batch().observations);
        }
        self.observe();
    }

    /// Normalises the current observations of the environments.
    pub(crate) fn observe(&mut self) {
        let raw = &self.env.batch().observations;
        if self.settings.norm_obs {
            self.observation_normalizer
                .normalize(raw, &mut self.observations);
        } else {
            self.observations.copy_from_slice(raw);
        }
    }

    /// Replaces the moments of the observations.
    pub(crate) fn set_moments(&mut self, moments: RunningMoments) {
        self.observation_normalizer = ObservationNormalizer::new(moments, self.settings.clip_obs);
    }

    /// The policy with this network.
    pub(crate) fn policy(&self, network: Mlp) -> Policy {
        let (spec, normalizer) = (self.env.spec(), &self.observation_normalizer);
        let mut policy = Policy::new(
            [spec.observation_space.clone(), spec.action_space.clone()],
            network,
            self.settings.norm_obs.then(|| normalizer.clone()),
        );
        policy.identity = self.identity.clone();
        policy.seed = self.settings.seed;
        policy.n_trained_steps = self.global_step;
        policy
    }

    /// The metrics of an iteration that all algorithms share. `times`: of rollout and update.
    pub(crate) fn progress(
        &mut self,
        n_iterations: usize,
        batch_size: usize,
        times: [std::time::Duration; 2],
    ) -> Progress {
        let counts = Counts {
            iteration: self.iteration,
            n_iterations,
            global_step: self.global_step,
            batch_size,
        };
        let (episodes, spec) = (&self.episodes, self.env.spec());
        Progress::new(counts, &mut self.clock, times, episodes, spec)
    }
}

impl std::fmt::Debug for TrainingState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TrainingState")
            .field("identity", &self.identity)
            .field("env", &self.env)
            .field("iteration", &self.iteration)
            .field("global_step", &self.global_step)
            .finish_non_exhaustive()
    }
}
