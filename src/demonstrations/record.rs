//! Records episodes of an expert.

use std::ops::ControlFlow;

use rand::Rng as _;
use rand_distr::StandardNormal;

use super::scene_cameras::SceneCameras;
use crate::datasets::{CameraInfo, DatasetInfo, DatasetWriter, Demonstration};
use crate::envs::{
    Autoreset, Env, EnvError, EnvSpec, EpisodeStatistics, ResetOptions, VecConfig, VecEnv, tasks,
};
use crate::evaluation::NamedPolicy;
use crate::rl::{Agent, action_rng};

/// Episodes that are tried for each one that is wanted, where failures are left out.
const MAX_TRIES: u64 = 20;

/// What is recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordPlan {
    /// Episodes in the data set.
    pub n_episodes: usize,
    /// Seed of the first episode; the others follow.
    pub seed: u64,
    /// Fixed random parameters.
    pub options: ResetOptions,
    /// Leaves out episodes that failed.
    pub successes_only: bool,
    /// Standard deviation of noise on what is done, in shares of half the range of an action; what the expert wanted is recorded
    /// (Laskey 2017, arXiv:1703.09327), so that imitators see how to come back.
    pub noise: f64,
    /// Cameras, all of one size.
    pub cameras: Vec<CameraInfo>,
}

/// What was recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Every episode that was run.
    pub episodes: Vec<EpisodeStatistics>,
    /// How many of them are in the data set.
    pub n_kept: usize,
    /// Steps in the data set.
    pub n_steps: usize,
    /// Whether the observer broke off.
    pub interrupted: bool,
}

/// What all demonstrations of an expert share.
pub fn dataset_info(expert: &NamedPolicy, spec: &EnvSpec, plan: &RecordPlan) -> DatasetInfo {
    let kind = tasks::by_name(expert.factory.task);
    DatasetInfo {
        task: expert.factory.task.to_owned(),
        description: kind.map_or_else(|_| String::new(), |kind| kind.summary.to_owned()),
        settings: expert.factory.settings.to_string(),
        expert: expert.name.clone(),
        insonate_version: env!("CARGO_PKG_VERSION").to_owned(),
        control_timestep: spec.control_timestep,
        observation_names: spec.observation_space.names.clone(),
        action_names: spec.action_space.names.clone(),
        cameras: plan.cameras.clone(),
    }
}

/// Runs episodes and writes them; `observer` gets the number of episodes in the data set after each step, and may break off: the
/// episode under way is then left out.
///
/// # Errors
/// As [`crate::rl::evaluate`]; of the data set; when no picture can be taken.
pub fn record(
    expert: &NamedPolicy,
    plan: &RecordPlan,
    writer: &mut DatasetWriter,
    observer: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> anyhow::Result<Recorded> {
    let config = VecConfig {
        autoreset: Autoreset::Disabled,
        n_threads: 1,
    };
    let mut recording = Recording {
        env: VecEnv::new(expert.factory.make_many(1)?, config)?,
        agent: expert.agent(),
        cameras: SceneCameras::new(&plan.cameras),
        plan,
    };
    let mut recorded = Recorded {
        episodes: Vec::new(),
        n_kept: 0,
        n_steps: 0,
        interrupted: false,
    };
    while recorded.n_kept < plan.n_episodes {
        let n_tried = recorded.episodes.len() as u64;
        if n_tried >= MAX_TRIES * plan.n_episodes as u64 {
            anyhow::bail!(
                "only {} of {n_tried} episodes succeeded: record failures too, or choose a better expert",
                recorded.n_kept
            );
        }
        let seed = plan.seed + n_tried;
        let n_kept = recorded.n_kept;
        let Some((demonstration, statistics)) =
            recording.episode(seed, &mut || observer(n_kept))?
        else {
            recorded.interrupted = true;
            break;
        };
        recorded.episodes.push(statistics);
        if plan.successes_only && demonstration.is_success == Some(false) {
            continue;
        }
        writer.push(&demonstration)?;
        recorded.n_kept += 1;
        recorded.n_steps += demonstration.len();
    }
    Ok(recorded)
}

struct Recording<'a> {
    env: VecEnv,
    agent: Agent,
    cameras: SceneCameras<'a>,
    plan: &'a RecordPlan,
}

impl Recording<'_> {
    /// One episode; none where it was broken off.
    fn episode(
        &mut self,
        seed: u64,
        observer: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> anyhow::Result<Option<(Demonstration, EpisodeStatistics)>> {
        let spec = self.env.spec().clone();
        let mut rng = action_rng(seed);
        self.env.reset_env(0, seed, &self.plan.options)?;
        self.cameras.begin(self.env.env(0))?;
        let mut demonstration = Demonstration {
            seed,
            frames: vec![Vec::new(); self.plan.cameras.len()],
            ..Demonstration::default()
        };
        let mut action = vec![0.0; spec.action_space.len()];
        loop {
            // (state) => observation, pictures
            self.see(&mut demonstration)?;
            demonstration.states.extend(state(self.env.env(0)));
            // (observation) => action
            self.agent.act(&mut self.env, [&mut rng], &mut action)?;
            demonstration.actions.extend_from_slice(&action);
            self.disturb(&spec, &mut rng, &mut action);
            // (action) => reward, next state
            let batch = self.env.step(&action)?;
            demonstration.rewards.push(batch.rewards[0] as f32);
            demonstration.is_terminated = batch.terminated[0];
            if let Some(ended) = batch.ended.first().cloned() {
                self.see(&mut demonstration)?;
                let success = spec.metrics.iter().position(|name| *name == "success");
                demonstration.is_success = success.map(|index| ended.metrics[index] > 0.5);
                return Ok(Some((demonstration, ended)));
            }
            if observer().is_break() {
                return Ok(None);
            }
        }
    }

    fn see(&mut self, demonstration: &mut Demonstration) -> anyhow::Result<()> {
        let observations = &self.env.batch().observations;
        demonstration.observations.extend_from_slice(observations);
        let env = self.env.env(0);
        self.cameras.take(env, &mut demonstration.frames)
    }

    /// Adds the plan's noise to an action.
    fn disturb(&self, spec: &EnvSpec, rng: &mut rand_chacha::ChaCha8Rng, action: &mut [f32]) {
        if self.plan.noise == 0.0 {
            return;
        }
        let space = &spec.action_space;
        for ((action, low), high) in action.iter_mut().zip(&space.low).zip(&space.high) {
            let half_range = 0.5 * (high - low);
            let scale = if half_range.is_finite() {
                half_range
            } else {
                1.0
            };
            let normal: f32 = rng.sample(StandardNormal);
            *action += self.plan.noise as f32 * scale * normal;
        }
        space.clip(action);
    }
}

/// MuJoCo's time, qpos and qvel; nothing without a scene.
fn state(env: &dyn Env) -> Vec<f64> {
    let Some((_, physics)) = env.scene() else {
        return Vec::new();
    };
    let mut state = vec![physics.time()];
    state.extend_from_slice(physics.qpos());
    state.extend_from_slice(physics.qvel());
    state
}

impl RecordPlan {
    /// Checks every field.
    ///
    /// # Errors
    /// [`EnvError::Config`].
    pub fn check(&self) -> Result<(), EnvError> {
        use crate::envs::settings::check_range;
        check_range("episodes", self.n_episodes as f64, 1.0, 100_000.0)?;
        check_range("noise", self.noise, 0.0, 1.0)
    }
}
