//! Recording of an expert's episodes.

use std::ops::ControlFlow;

use insonate_datasets::{CameraInfo, DatasetInfo, DatasetWriter, Demonstration};
use insonate_envs::ultrasound::PictureSettings;
use insonate_envs::{
    Autoreset, Env, EnvError, EnvSpec, EpisodeStatistics, ResetOptions, VecConfig, VecEnv, tasks,
};
use insonate_rl::{Agent, action_rng};
use insonate_settings::check_range;
use rand::Rng as _;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::rig::rig;
use super::scene_cameras::SceneCameras;
use super::signals::SceneSignals;
use super::ultrasound_frames::{self, UltrasoundFrames};
use crate::LearningError;
use crate::evaluation::NamedPolicy;

/// Maximum number of episodes run per recorded episode if failures are discarded.
const MAX_TRIES: u64 = 20;

/// Settings of a recording.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordPlan {
    /// Number of episodes in the data set.
    pub n_episodes: usize,
    /// Seed of the first episode; each further episode uses the next seed.
    pub seed: u64,
    /// Random parameters that are fixed.
    pub options: ResetOptions,
    /// Discards failed episodes.
    pub successes_only: bool,
    /// Standard deviation of the noise on the executed action, as a share of half the action's range. The data set holds the
    /// action of the expert without noise (Laskey 2017, arXiv:1703.09327), so that imitators learn to recover.
    pub noise: f64,
    /// Cameras; all have the same picture size.
    pub cameras: Vec<CameraInfo>,
    /// Ultrasound, which needs an adult's torso; `None` records none.
    pub ultrasound: Option<PictureSettings>,
}

/// Result of a recording.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// All episodes that ended and were not discarded by the expert.
    pub episodes: Vec<EpisodeStatistics>,
    /// Seeds of the episodes in the data set that failed their verdict, with the reasons.
    pub failed: Vec<(u64, Vec<String>)>,
    /// Number of episodes in the data set.
    pub n_kept: usize,
    /// Number of steps in the data set.
    pub n_steps: usize,
    /// Number of episodes that the expert discarded.
    pub n_discarded: u64,
    /// Whether the observer or the expert interrupted the recording.
    pub interrupted: bool,
}

impl Recorded {
    /// Whether the task gives its episodes a verdict.
    pub fn is_judged(&self) -> bool {
        let mut episodes = self.episodes.iter();
        episodes.any(|episode| episode.verdict.is_some())
    }
}

/// Metadata that all demonstrations of an expert in an environment of its task share.
pub fn dataset_info(expert: &NamedPolicy, env: &dyn Env, plan: &RecordPlan) -> DatasetInfo {
    let spec = env.spec();
    let ultrasound = plan.ultrasound.iter().map(ultrasound_frames::camera);
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
        cameras: plan.cameras.iter().cloned().chain(ultrasound).collect(),
        signals: SceneSignals::of(env).infos().to_vec(),
        rig: rig(env, plan),
    }
}

/// Decision of the expert about the current episode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Continue, and keep the episode at its end.
    Go,
    /// Discard the episode and start the next one.
    Discard,
    /// Discard the episode and end the recording.
    Quit,
}

/// An expert that acts and decides which episodes are kept.
pub trait Demonstrator {
    /// Called before the first action of an episode. `n_kept` is the number of episodes in the data set.
    ///
    /// # Errors
    /// If the environment cannot be shown.
    fn begin(&mut self, _env: &dyn Env, _n_kept: usize) -> Result<Choice, LearningError> {
        Ok(Choice::Go)
    }

    /// Writes the action for the current state.
    ///
    /// # Errors
    /// The errors of [`Agent::act`]; an error if the environment cannot be shown.
    fn act(
        &mut self,
        env: &mut VecEnv,
        rng: &mut ChaCha8Rng,
        action: &mut [f32],
    ) -> Result<Choice, LearningError>;

    /// Called after the last action of an episode.
    ///
    /// # Errors
    /// If the environment cannot be shown.
    fn judge(
        &mut self,
        _env: &dyn Env,
        _is_success: Option<bool>,
    ) -> Result<Choice, LearningError> {
        Ok(Choice::Go)
    }
}

impl Demonstrator for Agent {
    fn act(
        &mut self,
        env: &mut VecEnv,
        rng: &mut ChaCha8Rng,
        action: &mut [f32],
    ) -> Result<Choice, LearningError> {
        Self::act(self, env, [rng], action)?;
        Ok(Choice::Go)
    }
}

/// Runs episodes and writes them to a data set. `observer` receives the number of episodes in the data set after each step and
/// may interrupt; the current episode is then discarded.
///
/// # Errors
/// The errors of [`insonate_rl::evaluate`], of the data set and of rendering.
pub fn record(
    expert: &NamedPolicy,
    demonstrator: &mut dyn Demonstrator,
    plan: &RecordPlan,
    writer: &mut DatasetWriter,
    observer: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Recorded, LearningError> {
    let config = VecConfig {
        autoreset: Autoreset::Disabled,
        n_threads: 1,
    };
    let env = VecEnv::new(expert.factory.make_many(1)?, config)?;
    let mut recording = Recording {
        signals: SceneSignals::of(env.env(0)),
        env,
        demonstrator,
        ultrasound: UltrasoundFrames::new(plan.ultrasound.as_ref()),
        cameras: SceneCameras::new(&plan.cameras),
        plan,
    };
    let mut recorded = Recorded {
        episodes: Vec::new(),
        failed: Vec::new(),
        n_kept: 0,
        n_steps: 0,
        n_discarded: 0,
        interrupted: false,
    };
    while recorded.n_kept < plan.n_episodes {
        let n_tried = recorded.episodes.len() as u64;
        if n_tried >= MAX_TRIES * plan.n_episodes as u64 {
            return Err(LearningError::TooFewSuccesses {
                n_kept: recorded.n_kept,
                n_tried,
            });
        }
        let seed = plan.seed + n_tried + recorded.n_discarded;
        let n_kept = recorded.n_kept;
        let (demonstration, statistics) =
            match recording.episode(seed, n_kept, &mut || observer(n_kept))? {
                Outcome::Over(demonstration, statistics) => (demonstration, statistics),
                Outcome::Discarded => {
                    recorded.n_discarded += 1;
                    continue;
                }
                Outcome::Quit => {
                    recorded.interrupted = true;
                    break;
                }
            };
        let (seed, verdict) = (statistics.seed, statistics.verdict.clone());
        recorded.episodes.push(statistics);
        if plan.successes_only && demonstration.is_success == Some(false) {
            continue;
        }
        writer.push(&demonstration)?;
        if let Some(verdict) = verdict.filter(|verdict| !verdict.is_passed()) {
            recorded.failed.push((seed, verdict.reasons));
        }
        recorded.n_kept += 1;
        recorded.n_steps += demonstration.len();
    }
    Ok(recorded)
}

/// Outcome of an episode.
enum Outcome {
    Over(Box<Demonstration>, EpisodeStatistics),
    Discarded,
    Quit,
}

impl Outcome {
    /// Outcome of a choice; `None` if the episode continues.
    fn of(choice: Choice) -> Option<Self> {
        match choice {
            Choice::Go => None,
            Choice::Discard => Some(Self::Discarded),
            Choice::Quit => Some(Self::Quit),
        }
    }
}

struct Recording<'a> {
    env: VecEnv,
    demonstrator: &'a mut dyn Demonstrator,
    cameras: SceneCameras<'a>,
    ultrasound: UltrasoundFrames<'a>,
    signals: SceneSignals,
    plan: &'a RecordPlan,
}

impl Recording<'_> {
    /// Runs one episode.
    fn episode(
        &mut self,
        seed: u64,
        n_kept: usize,
        observer: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Outcome, LearningError> {
        let spec = self.env.spec().clone();
        let mut rng = action_rng(seed);
        self.env.reset_env(0, seed, &self.plan.options)?;
        self.cameras.begin(self.env.env(0))?;
        self.ultrasound.begin(self.env.env(0), seed)?;
        self.signals.begin(self.env.env(0))?;
        let begun = self.demonstrator.begin(self.env.env(0), n_kept)?;
        if let Some(outcome) = Outcome::of(begun) {
            return Ok(outcome);
        }
        let mut demonstration = Demonstration {
            seed,
            frames: vec![Vec::new(); self.plan.n_cameras()],
            signals: vec![Vec::new(); self.signals.infos().len()],
            ..Demonstration::default()
        };
        let mut action = vec![0.0; spec.action_space.len()];
        loop {
            // (state) => observation, pictures
            self.see(&mut demonstration)?;
            demonstration.states.extend(state(self.env.env(0)));
            // (observation) => action
            let choice = self
                .demonstrator
                .act(&mut self.env, &mut rng, &mut action)?;
            if let Some(outcome) = Outcome::of(choice) {
                return Ok(outcome);
            }
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
                let choice = self
                    .demonstrator
                    .judge(self.env.env(0), demonstration.is_success)?;
                let demonstration = Box::new(demonstration);
                return Ok(Outcome::of(choice).unwrap_or(Outcome::Over(demonstration, ended)));
            }
            if observer().is_break() {
                return Ok(Outcome::Quit);
            }
        }
    }

    fn see(&mut self, demonstration: &mut Demonstration) -> Result<(), LearningError> {
        let observations = &self.env.batch().observations;
        demonstration.observations.extend_from_slice(observations);
        let env = self.env.env(0);
        self.signals.take(env, &mut demonstration.signals);
        self.cameras.take(env, &mut demonstration.frames)?;
        match demonstration.frames.last_mut() {
            Some(frames) if self.plan.ultrasound.is_some() => self.ultrasound.take(env, frames),
            _ => Ok(()),
        }
    }

    /// Adds the plan's noise to an action.
    fn disturb(&self, spec: &EnvSpec, rng: &mut ChaCha8Rng, action: &mut [f32]) {
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

/// MuJoCo's time, qpos and qvel; empty without a scene.
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
    /// Number of cameras in the data set, with ultrasound as the last one.
    fn n_cameras(&self) -> usize {
        self.cameras.len() + usize::from(self.ultrasound.is_some())
    }

    /// Checks every field.
    ///
    /// # Errors
    /// [`EnvError::OutOfRange`].
    pub fn check(&self) -> Result<(), EnvError> {
        check_range("episodes", self.n_episodes as f64, [1.0, 100_000.0], "")?;
        if let Some(ultrasound) = &self.ultrasound {
            ultrasound.check()?;
        }
        Ok(check_range("noise", self.noise, [0.0, 1.0], "")?)
    }
}
