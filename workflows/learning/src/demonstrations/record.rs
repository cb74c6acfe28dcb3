//! Recording of an expert's episodes.

use std::ops::ControlFlow;

use insonate_datasets::{DatasetInfo, DatasetWriter, Demonstration, EpisodeKind};
use insonate_envs::{Autoreset, Env, EnvSpec, EpisodeStatistics, VecConfig, VecEnv, tasks};
use insonate_rl::{Agent, action_rng};
use rand::Rng as _;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::disturbance::Disturbance;
use super::record_plan::RecordPlan;
use super::rig::rig;
use super::scene_cameras::SceneCameras;
use super::signals::SceneSignals;
use super::ultrasound_frames::{self, UltrasoundFrames};
use super::{picture_defects, wordings};
use crate::LearningError;
use crate::evaluation::NamedPolicy;

/// Maximum number of episodes run per recorded episode if failures are not among them.
const MAX_TRIES: u64 = 20;

/// Result of a recording.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recorded {
    /// All ordinary episodes that ended and were not discarded by the expert.
    pub episodes: Vec<EpisodeStatistics>,
    /// Seeds of the episodes in the data set that failed their verdict, with the reasons; those that are kept as failures are among them.
    pub failed: Vec<(u64, Vec<String>)>,
    /// Seeds of the episodes that ended with an error, with the error. They are not in the data set.
    pub dropped: Vec<(u64, String)>,
    /// Kinds with fewer episodes than wanted, because too many attempts failed.
    pub missing: Vec<Shortfall>,
    /// Number of episodes in the data set.
    pub n_kept: usize,
    /// Number of recoveries in the data set.
    pub n_recoveries: usize,
    /// Number of episodes in the data set that are kept as failures.
    pub n_failures: usize,
    /// Number of steps in the data set.
    pub n_steps: usize,
    /// Number of episodes that the expert discarded.
    pub n_discarded: u64,
    /// Whether the observer or the expert interrupted the recording.
    pub interrupted: bool,
}

/// A kind of episodes with fewer than wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shortfall {
    /// The kind.
    pub kind: EpisodeKind,
    /// Number of episodes wanted.
    pub n_wanted: usize,
    /// Number of episodes in the data set.
    pub n_kept: usize,
    /// Number of attempts.
    pub n_tried: u64,
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
        image_latency: plan.latency_steps(spec) as f64 * spec.control_timestep,
        dropped_frames: plan.dropped_frames,
        action_noise: plan.noise,
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
/// may interrupt; the current episode is then discarded. An episode that ends with an error is dropped if another one is in the data set.
///
/// # Errors
/// The errors of [`insonate_rl::evaluate`], of the data set and of rendering; [`LearningError::TooFewSuccesses`] if every attempt failed.
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
    let spec = env.spec().clone();
    let recording = Recording {
        signals: SceneSignals::of(env.env(0)),
        info: dataset_info(expert, env.env(0), plan),
        spec,
        env,
        demonstrator,
        ultrasound: UltrasoundFrames::new(plan.ultrasound.clone()),
        cameras: SceneCameras::new(&plan.cameras),
        plan,
    };
    let mut collection = Collection {
        recording,
        writer,
        observer,
        recorded: Recorded::default(),
        seed: plan.seed,
        failures: Vec::new(),
    };
    collection.collect(EpisodeKind::Ordinary, plan.n_episodes)?;
    collection.collect(EpisodeKind::Recovery, plan.n_recoveries)?;
    collection.repeat_failures()?;
    let recorded = collection.recorded;
    match recorded.missing.first() {
        Some(missing) if recorded.n_kept == 0 => Err(LearningError::TooFewSuccesses {
            n_kept: 0,
            n_tried: missing.n_tried,
        }),
        _ => Ok(recorded),
    }
}

/// A data set during recording.
struct Collection<'a> {
    recording: Recording<'a>,
    writer: &'a mut DatasetWriter,
    observer: &'a mut dyn FnMut(usize) -> ControlFlow<()>,
    recorded: Recorded,
    /// Seed of the next episode.
    seed: u64,
    /// Seeds and beginnings of the episodes to record as failures, with the reasons of their verdict.
    failures: Vec<(u64, EpisodeKind, Vec<String>)>,
}

impl Collection<'_> {
    /// Records a number of episodes of a kind.
    fn collect(&mut self, kind: EpisodeKind, n_wanted: usize) -> Result<(), LearningError> {
        let plan = self.recording.plan;
        let (mut n_kept, mut n_tried) = (0, 0);
        while n_kept < n_wanted && !self.recorded.interrupted {
            if n_tried >= MAX_TRIES * n_wanted as u64 {
                self.recorded.missing.push(Shortfall {
                    kind,
                    n_wanted,
                    n_kept,
                    n_tried,
                });
                break;
            }
            let seed = self.seed;
            self.seed += 1;
            let (demonstration, statistics) = match self.run(seed, kind)? {
                Outcome::Over(demonstration, statistics) => (demonstration, statistics),
                Outcome::Discarded => {
                    self.recorded.n_discarded += 1;
                    continue;
                }
                Outcome::EndedEarly => {
                    n_tried += 1;
                    continue;
                }
                Outcome::Quit => {
                    self.recorded.interrupted = true;
                    break;
                }
            };
            n_tried += 1;
            let verdict = statistics.verdict.clone();
            let verdict = verdict.filter(|verdict| !verdict.is_passed());
            let has_failed = demonstration.is_success == Some(false);
            if kind == EpisodeKind::Ordinary {
                self.recorded.episodes.push(statistics);
            }
            if plan.keep_failures && (has_failed || verdict.is_some()) {
                let reasons = verdict.map(|verdict| verdict.reasons).unwrap_or_default();
                self.failures.push((seed, kind, reasons));
                continue;
            }
            let is_recovery = kind == EpisodeKind::Recovery;
            if has_failed && (plan.successes_only || is_recovery) {
                continue;
            }
            self.push(&demonstration)?;
            self.recorded.n_recoveries += usize::from(is_recovery);
            if let Some(verdict) = verdict {
                self.recorded.failed.push((seed, verdict.reasons));
            }
            n_kept += 1;
        }
        Ok(())
    }

    /// Runs the failed episodes again, which gives the same ones, and records them after the others. An interruption leaves them out.
    fn repeat_failures(&mut self) -> Result<(), LearningError> {
        for (seed, kind, reasons) in std::mem::take(&mut self.failures) {
            if self.recorded.interrupted {
                break;
            }
            match self.run(seed, kind)? {
                Outcome::Over(mut demonstration, _) => {
                    demonstration.kind = EpisodeKind::Failure;
                    self.push(&demonstration)?;
                    self.recorded.n_failures += 1;
                    if !reasons.is_empty() {
                        self.recorded.failed.push((seed, reasons));
                    }
                }
                Outcome::Quit => self.recorded.interrupted = true,
                Outcome::Discarded | Outcome::EndedEarly => {}
            }
        }
        Ok(())
    }

    fn run(&mut self, seed: u64, kind: EpisodeKind) -> Result<Outcome, LearningError> {
        let n_kept = self.recorded.n_kept;
        let observer = &mut self.observer;
        let outcome = self
            .recording
            .episode(seed, kind, n_kept, &mut || observer(n_kept));
        match outcome {
            // Without another episode, settings or expert are wrong, and not this episode.
            Err(error @ (LearningError::Env(_) | LearningError::Rl(_) | LearningError::Sim(_)))
                if n_kept > 0 =>
            {
                self.recorded.dropped.push((seed, error.to_string()));
                Ok(Outcome::EndedEarly)
            }
            other => other,
        }
    }

    fn push(&mut self, demonstration: &Demonstration) -> Result<(), LearningError> {
        self.writer.push(demonstration)?;
        self.recorded.n_kept += 1;
        self.recorded.n_steps += demonstration.len();
        Ok(())
    }
}

/// Outcome of an episode.
enum Outcome {
    Over(Box<Demonstration>, EpisodeStatistics),
    Discarded,
    /// Over before the disturbance was, or by an error.
    EndedEarly,
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
    ultrasound: UltrasoundFrames,
    signals: SceneSignals,
    info: DatasetInfo,
    spec: EnvSpec,
    plan: &'a RecordPlan,
}

impl Recording<'_> {
    /// Runs one episode. A recovery begins with a disturbance.
    fn episode(
        &mut self,
        seed: u64,
        kind: EpisodeKind,
        n_kept: usize,
        observer: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Outcome, LearningError> {
        let mut rng = action_rng(seed);
        self.env.reset_env(0, seed, &self.plan.options)?;
        self.cameras.begin(self.env.env(0))?;
        self.ultrasound.begin(self.env.env(0), seed)?;
        self.signals.begin(self.env.env(0))?;
        let begun = self.demonstrator.begin(self.env.env(0), n_kept)?;
        if let Some(outcome) = Outcome::of(begun) {
            return Ok(outcome);
        }
        if kind == EpisodeKind::Recovery
            && let Some(outcome) = self.lead_away(seed, &mut rng, observer)?
        {
            return Ok(outcome);
        }
        let mut demonstration = Demonstration {
            seed,
            kind,
            instruction: self.instruction(seed),
            frames: vec![Vec::new(); self.plan.n_cameras()],
            signals: vec![Vec::new(); self.signals.infos().len()],
            ..Demonstration::default()
        };
        let mut action = vec![0.0; self.spec.action_space.len()];
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
            self.disturb(&mut rng, &mut action);
            // (action) => reward, next state
            let batch = self.env.step(&action)?;
            demonstration.rewards.push(batch.rewards[0] as f32);
            demonstration.is_terminated = batch.terminated[0];
            if let Some(ended) = batch.ended.first().cloned() {
                self.see(&mut demonstration)?;
                let success = self.spec.metrics.iter().position(|name| *name == "success");
                demonstration.is_success = success.map(|index| ended.metrics[index] > 0.5);
                let choice = self
                    .demonstrator
                    .judge(self.env.env(0), demonstration.is_success)?;
                self.spoil(&mut demonstration);
                let demonstration = Box::new(demonstration);
                return Ok(Outcome::of(choice).unwrap_or(Outcome::Over(demonstration, ended)));
            }
            if observer().is_break() {
                return Ok(Outcome::Quit);
            }
        }
    }

    /// Lets the expert act for a while and then holds a random action. Returns how the episode ended, if it did.
    fn lead_away(
        &mut self,
        seed: u64,
        rng: &mut ChaCha8Rng,
        observer: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Outcome>, LearningError> {
        let disturbance = Disturbance::draw(&self.spec, seed);
        let mut action = vec![0.0; self.spec.action_space.len()];
        for step in 0..disturbance.n_before + disturbance.n_held {
            // The expert also sees the steps in which it has no effect, as it may have a state.
            let choice = self.demonstrator.act(&mut self.env, rng, &mut action)?;
            if let Some(outcome) = Outcome::of(choice) {
                return Ok(Some(outcome));
            }
            if step >= disturbance.n_before {
                action.copy_from_slice(&disturbance.action);
            }
            if !self.env.step(&action)?.ended.is_empty() {
                return Ok(Some(Outcome::EndedEarly));
            }
            if observer().is_break() {
                return Ok(Some(Outcome::Quit));
            }
        }
        Ok(None)
    }

    /// The task in words; empty for the data set's own description.
    fn instruction(&self, seed: u64) -> String {
        if !self.plan.vary_instruction {
            return String::new();
        }
        wordings::wording(&self.info.task, &self.info.description, seed)
    }

    /// Gives the pictures their defects.
    fn spoil(&self, demonstration: &mut Demonstration) {
        let (frames, cameras) = (&mut demonstration.frames, &self.info.cameras);
        let share = self.plan.dropped_frames;
        if share > 0.0 {
            picture_defects::drop_frames(frames, cameras, share, demonstration.seed);
        }
        let n_steps = self.plan.latency_steps(&self.spec);
        picture_defects::delay(frames, cameras, n_steps);
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
    fn disturb(&self, rng: &mut ChaCha8Rng, action: &mut [f32]) {
        if self.plan.noise == 0.0 {
            return;
        }
        let space = &self.spec.action_space;
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
