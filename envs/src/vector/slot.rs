//! One environment of a vector: its stream of seeds, its current episode, and the result of its last reset or step.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use insonate_sim::verdict::Verdict;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::config::Autoreset;
use super::snapshot::{EnvSnapshot, EpisodeSnapshot};
use super::statistics::EpisodeStatistics;
use crate::{EndReason, Env, EnvError, ResetOptions, Step};

/// Maximum length that is reserved for the actions of an episode. A longer episode reallocates.
const MAX_RESERVED: usize = 1 << 18;

/// Time after which a replay pauses, so that its caller can look whether to go on.
const REPLAY_SLICE: Duration = Duration::from_millis(50);

/// State of an environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Never reset, or failed.
    Unready,
    /// The episode is running.
    Running,
    /// The episode is over.
    Over,
}

/// Command for this round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    /// Start the next episode of the environment's stream of seeds, with `next_options`.
    Reset,
    /// Apply `action`, or start the next episode if the last one is over.
    Step,
    /// Apply `action` up to the next step that a device must make; see [`crate::Lockstep::advance_part`].
    Part,
    /// Restore `snapshot`.
    Restore,
    /// Draw the parameters of an episode with `next_seed` and `next_options`; see [`crate::Staged`].
    Prepare,
    /// Place the robot for the goal of that episode.
    Start,
    /// Apply `action`, without reward and observation.
    Advance,
    /// Do nothing.
    Stay,
}

/// A slot, boxed so that threads exchange a pointer instead of a kilobyte.
pub(super) type BoxedSlot = Box<EnvSlot>;

/// Runs one environment, or all of a group that advances together. Results are the same as for single environments.
pub(super) fn run(slots: &mut [BoxedSlot], autoreset: Autoreset) {
    if slots.len() > 1 {
        for slot in &mut *slots {
            slot.begin_step();
        }
        if let Some(first) = slots.iter_mut().find(|slot| slot.has_begun) {
            first.guard(|slot| {
                if let Some(env) = slot.env.lockstep() {
                    env.advance_group();
                }
                Ok(())
            });
        }
    }
    for slot in slots {
        slot.run(autoreset);
    }
}

/// One environment with its data.
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
pub(super) struct EnvSlot {
    pub(super) env: Box<dyn Env>,
    pub(super) phase: Phase,
    pub(super) command: Command,
    /// Shape `[n_actions]`.
    pub(super) action: Vec<f32>,
    /// Options of the next commanded reset, and its seed in an environment of a batch task.
    pub(super) next_options: ResetOptions,
    pub(super) next_seed: u64,
    /// Whether the last round had a command for this environment that succeeded.
    pub(super) is_part: bool,
    /// Snapshot for the next restore, and whether the last restore was bit-identical.
    pub(super) snapshot: Option<EnvSnapshot>,
    /// Steps of the snapshot's episode that have been replayed. `None`: it has not begun.
    n_replayed: Option<usize>,
    pub(super) is_same: bool,
    /// Error of this round.
    pub(super) error: Option<EnvError>,
    /// Whether the step of this round has begun, and whether a device must make a part of it.
    pub(super) has_begun: bool,
    pub(super) waits_for_device: bool,

    // The stream of episode seeds: its seed, and the number of drawn seeds.
    pub(super) stream_seed: u64,
    pub(super) n_drawn: u64,
    seeder: ChaCha8Rng,

    // The current episode: sufficient to replay it.
    pub(super) episode_seed: u64,
    pub(super) options: ResetOptions,
    /// Shape `[length, n_actions]`.
    pub(super) actions: Vec<f32>,
    length: usize,
    return_: f64,
    sums: Vec<f64>,
    cost_sums: Vec<f64>,

    // The result of the last round.
    pub(super) observation: Vec<f32>,
    pub(super) final_observation: Vec<f32>,
    pub(super) has_final: bool,
    pub(super) step: Step,
    pub(super) reward_terms: Vec<f64>,
    pub(super) costs: Vec<f64>,
    pub(super) ended: Option<EpisodeStatistics>,

    /// Output buffer of the environment, so that the last valid observation is kept.
    scratch: Vec<f32>,
}

impl EnvSlot {
    pub(super) fn new(env: Box<dyn Env>, stream_seed: u64) -> Self {
        let spec = env.spec();
        let (n_obs, n_actions) = (spec.observation_space.len(), spec.action_space.len());
        let (n_terms, n_costs) = (spec.reward_terms.len(), spec.costs.len());
        let reserved = spec.max_episode_steps.unwrap_or(0) * n_actions;
        Self {
            phase: Phase::Unready,
            command: Command::Reset,
            action: vec![0.0; n_actions],
            next_seed: 0,
            next_options: ResetOptions::default(),
            is_part: false,
            snapshot: None,
            n_replayed: None,
            is_same: true,
            error: None,
            has_begun: false,
            waits_for_device: false,
            stream_seed,
            n_drawn: 0,
            seeder: ChaCha8Rng::seed_from_u64(stream_seed),
            episode_seed: 0,
            options: ResetOptions::default(),
            actions: Vec::with_capacity(reserved.min(MAX_RESERVED)),
            length: 0,
            return_: 0.0,
            sums: vec![0.0; n_terms],
            cost_sums: vec![0.0; n_costs],
            observation: vec![0.0; n_obs],
            final_observation: vec![0.0; n_obs],
            has_final: false,
            step: Step::default(),
            reward_terms: vec![0.0; n_terms],
            costs: vec![0.0; n_costs],
            ended: None,
            scratch: vec![0.0; n_obs],
            env,
        }
    }

    /// Restarts the stream of episode seeds after its first `n_drawn` seeds.
    pub(super) fn seed(&mut self, stream_seed: u64, n_drawn: u64) {
        self.stream_seed = stream_seed;
        self.n_drawn = n_drawn;
        self.seeder = ChaCha8Rng::seed_from_u64(stream_seed);
        // A seed takes two words of the generator.
        self.seeder.set_word_pos(2 * u128::from(n_drawn));
    }

    /// The state as plain data.
    pub(super) fn snapshot(&self) -> EnvSnapshot {
        let episode = (self.phase != Phase::Unready).then(|| EpisodeSnapshot {
            seed: self.episode_seed,
            parameters: self.options.parameters.clone(),
            actions: self.actions.clone(),
            observation: self.observation.clone(),
            reward: self.step.reward,
            terminated: self.step.terminated,
            truncated: self.step.truncated,
        });
        EnvSnapshot {
            stream_seed: self.stream_seed,
            n_drawn: self.n_drawn,
            episode,
        }
    }

    /// Checks that a snapshot is of the same kind of environment.
    pub(super) fn check_snapshot(&self, snapshot: &EnvSnapshot) -> Result<(), EnvError> {
        let Some(episode) = &snapshot.episode else {
            return Ok(());
        };
        let (n_obs, n_actions) = (self.observation.len(), self.action.len());
        let excess = episode.actions.len() % n_actions;
        EnvError::check_length("actions of the snapshot", excess, 0)?;
        let found = episode.observation.len();
        EnvError::check_length("observation of the snapshot", found, n_obs)
    }

    /// Begins the step of an environment that advances with a group. An error or panic is stored in `error` of this slot only.
    fn begin_step(&mut self) {
        if self.command != Command::Step || self.phase != Phase::Running {
            return;
        }
        self.guard(Self::begin_env);
    }

    fn begin_env(&mut self) -> Result<(), EnvError> {
        if let Some(env) = self.env.lockstep() {
            env.begin(&self.action, &mut self.scratch)?;
            self.has_begun = true;
        }
        Ok(())
    }

    /// Runs a part of the step.
    fn run_part(&mut self) -> Result<(), EnvError> {
        self.waits_for_device = false;
        if !self.has_begun {
            self.begin_env()?;
        }
        if let Some(env) = self.env.lockstep() {
            self.waits_for_device = env.advance_part();
        }
        Ok(())
    }

    /// Runs `command`, or the rest of it. Errors are handled as in [`Self::begin_step`].
    fn run(&mut self, autoreset: Autoreset) {
        self.is_part = false;
        if self.error.is_some() {
            return;
        }
        self.guard(|slot| match slot.command {
            Command::Reset => {
                let options = std::mem::take(&mut slot.next_options);
                slot.reset_from_stream(options)
            }
            Command::Step => slot.step(autoreset),
            Command::Part => slot.run_part(),
            Command::Restore => slot.restore(),
            Command::Prepare | Command::Start | Command::Advance => slot.run_stage(),
            Command::Stay => Ok(()),
        });
        self.is_part = self.error.is_none() && self.command != Command::Stay;
    }

    /// Runs the stage of `command` in an environment of a batch task.
    fn run_stage(&mut self) -> Result<(), EnvError> {
        self.has_begun = false;
        let env = self.env.staged();
        let env = env.expect("only environments of batch tasks get these commands");
        match self.command {
            Command::Prepare => env.prepare(self.next_seed, &self.next_options),
            Command::Start => env.start(),
            _ => env.advance(&self.action, &mut self.scratch),
        }
    }

    /// Ends the step of an environment of a batch task, which has judged it.
    pub(super) fn finish_step(&mut self) {
        self.guard(|slot| {
            let Some(env) = slot.env.staged() else {
                return Ok(());
            };
            let step = env.finish_step(&mut slot.scratch)?;
            slot.note_step(step);
            Ok(())
        });
    }

    /// Ends the reset of an environment of a batch task. The result of the last step is kept.
    pub(super) fn finish_reset(&mut self) {
        self.guard(|slot| {
            let Some(env) = slot.env.staged() else {
                return Ok(());
            };
            env.finish_reset(&mut slot.scratch)?;
            let options = std::mem::take(&mut slot.next_options);
            slot.note_begin(slot.next_seed, options)
        });
    }

    /// Checks an action and stores it for the next round. An action that a reset replaces is ignored.
    pub(super) fn take_action(
        &mut self,
        action: &[f32],
        autoreset: Autoreset,
    ) -> Result<(), EnvError> {
        self.command = Command::Step;
        match self.phase {
            Phase::Running => {}
            Phase::Over if autoreset != Autoreset::Disabled => return Ok(()),
            Phase::Over => {
                return Err(EnvError::Order(
                    "the episode is over and autoreset is disabled: reset it before its next step",
                ));
            }
            Phase::Unready => {
                return Err(EnvError::Order(
                    "a reset must come before the first step, and after a failure",
                ));
            }
        }
        self.env.spec().action_space.check("action", action)?;
        self.action.copy_from_slice(action);
        Ok(())
    }

    /// Starts an episode with a given seed.
    pub(super) fn run_reset(&mut self, seed: u64, options: &ResetOptions) {
        self.guard(|slot| {
            slot.begin(seed, options.clone())?;
            slot.clear_outcome();
            Ok(())
        });
    }

    fn guard(&mut self, job: impl FnOnce(&mut Self) -> Result<(), EnvError>) {
        // A slot that panicked is `Unready`: nothing is read from it before the next reset, which writes all of it.
        let outcome = catch_unwind(AssertUnwindSafe(|| job(self)));
        let outcome = outcome.unwrap_or_else(|payload| {
            let words = words_of(&*payload);
            Err(EnvError::Failed(format!("it panicked: {words}")))
        });
        self.error = outcome.err();
        if self.error.is_some() {
            (self.has_begun, self.waits_for_device) = (false, false);
            self.phase = Phase::Unready;
            self.ended = None;
        }
    }

    fn step(&mut self, autoreset: Autoreset) -> Result<(), EnvError> {
        if self.phase == Phase::Over {
            return self.reset_from_stream(ResetOptions::default());
        }
        self.advance()?;
        if self.phase == Phase::Over && autoreset == Autoreset::SameStep {
            self.keep_final();
            let seed = self.draw();
            self.begin(seed, ResetOptions::default())?;
        }
        Ok(())
    }

    /// Copies the last observation of an episode, before the next one begins in the same step.
    pub(super) fn keep_final(&mut self) {
        self.final_observation.copy_from_slice(&self.observation);
        self.has_final = true;
    }

    fn reset_from_stream(&mut self, options: ResetOptions) -> Result<(), EnvError> {
        let seed = self.draw();
        self.begin(seed, options)?;
        self.clear_outcome();
        Ok(())
    }

    /// Replays the episode of `snapshot` for a short time. Afterwards there is no snapshot if all of it has been replayed.
    fn restore(&mut self) -> Result<(), EnvError> {
        let Some(snapshot) = self.snapshot.take() else {
            return Ok(());
        };
        let Some(episode) = &snapshot.episode else {
            self.begin_restore(&snapshot);
            return Ok(());
        };
        if self.n_replayed.is_none() {
            self.begin_restore(&snapshot);
            let parameters = episode.parameters.clone();
            self.begin(episode.seed, ResetOptions { parameters })?;
        }
        let start = Instant::now();
        let n_actions = self.action.len();
        let first = self.n_replayed.unwrap_or(0);
        self.n_replayed = Some(first);
        for action in episode.actions.chunks_exact(n_actions).skip(first) {
            if start.elapsed() > REPLAY_SLICE {
                self.snapshot = Some(snapshot);
                return Ok(());
            }
            self.action.copy_from_slice(action);
            self.advance()?;
            self.n_replayed = self.n_replayed.map(|n| n + 1);
        }
        self.finish_restore(episode);
        Ok(())
    }

    /// Commands a restore.
    pub(super) fn command_restore(&mut self, snapshot: EnvSnapshot) {
        self.command = Command::Restore;
        self.snapshot = Some(snapshot);
        self.n_replayed = None;
    }

    /// Gives up a restore: the environment must be reset.
    pub(super) fn abandon(&mut self) {
        self.snapshot = None;
        self.error = None;
        self.phase = Phase::Unready;
        self.ended = None;
    }

    /// Takes over the stream of seeds of a snapshot.
    pub(super) fn begin_restore(&mut self, snapshot: &EnvSnapshot) {
        self.seed(snapshot.stream_seed, snapshot.n_drawn);
        self.clear_outcome();
        self.is_same = true;
        self.phase = Phase::Unready;
    }

    /// Compares the replayed episode with the snapshot, and takes over the result of its last step.
    pub(super) fn finish_restore(&mut self, episode: &EpisodeSnapshot) {
        self.clear_outcome();
        self.step = Step {
            reward: episode.reward,
            terminated: episode.terminated,
            truncated: episode.truncated,
        };
        let pairs = self.observation.iter().zip(&episode.observation);
        self.is_same = pairs
            .map(|(a, b)| (a.to_bits(), b.to_bits()))
            .all(|(a, b)| a == b);
    }

    /// The next seed of the stream.
    pub(super) fn draw(&mut self) -> u64 {
        self.n_drawn += 1;
        self.seeder.next_u64()
    }

    pub(super) fn clear_outcome(&mut self) {
        self.step = Step::default();
        self.reward_terms.fill(0.0);
        self.costs.fill(0.0);
        self.ended = None;
        self.has_final = false;
    }

    /// Starts an episode. The result of the last step is kept.
    fn begin(&mut self, seed: u64, options: ResetOptions) -> Result<(), EnvError> {
        self.env.reset(seed, &options, &mut self.scratch)?;
        self.note_begin(seed, options)
    }

    /// Notes the start of an episode, whose first observation is in `scratch`.
    fn note_begin(&mut self, seed: u64, options: ResetOptions) -> Result<(), EnvError> {
        if let Some(what) = self.bad_observation() {
            return Err(EnvError::Failed(format!("after a reset, {what}")));
        }
        self.observation.copy_from_slice(&self.scratch);
        (self.episode_seed, self.options) = (seed, options);
        self.actions.clear();
        (self.length, self.return_) = (0, 0.0);
        self.sums.fill(0.0);
        self.cost_sums.fill(0.0);
        self.phase = Phase::Running;
        Ok(())
    }

    /// One step of the current episode.
    fn advance(&mut self) -> Result<(), EnvError> {
        let begun = std::mem::take(&mut self.has_begun);
        let step = match self.env.lockstep().filter(|_| begun) {
            Some(env) => env.finish(&mut self.scratch)?,
            None => self.env.step(&self.action, &mut self.scratch)?,
        };
        self.note_step(step);
        Ok(())
    }

    /// Notes the result of a step, whose observation is in `scratch`.
    fn note_step(&mut self, step: Step) {
        self.has_final = false;
        self.step = step;
        self.reward_terms.copy_from_slice(self.env.reward_terms());
        self.costs.copy_from_slice(self.env.costs());
        self.actions.extend_from_slice(&self.action);
        self.length += 1;
        let poison = self
            .bad_reward()
            .or_else(|| self.bad_cost())
            .or_else(|| self.bad_observation());
        if poison.is_some() {
            self.step = Step {
                reward: 0.0,
                terminated: true,
                truncated: false,
            };
            self.reward_terms.fill(0.0);
            self.costs.fill(0.0);
        } else {
            self.observation.copy_from_slice(&self.scratch);
        }
        self.return_ += self.step.reward;
        for (sum, term) in self.sums.iter_mut().zip(&self.reward_terms) {
            *sum += term;
        }
        for (sum, cost) in self.cost_sums.iter_mut().zip(&self.costs) {
            *sum += cost;
        }
        if self.step.is_over() {
            self.end(poison);
        }
    }

    fn end(&mut self, poison: Option<String>) {
        self.phase = Phase::Over;
        let unknown = if self.step.terminated {
            EndReason::Task("terminated".into())
        } else {
            EndReason::TimeLimit
        };
        let poisoned = poison.map(|what| (Verdict::of(vec![what.clone()]), what));
        let (reason, verdict) = match poisoned {
            Some((failed, what)) => (EndReason::Diverged(what), Some(failed)),
            None => (self.env.end_reason().unwrap_or(unknown), self.env.verdict()),
        };
        let mut metrics = vec![f64::NAN; self.env.spec().metrics.len()];
        self.env.metrics(&mut metrics);
        self.ended = Some(EpisodeStatistics {
            env_idx: 0,
            seed: self.episode_seed,
            return_: self.return_,
            length: self.length,
            reason,
            verdict,
            metrics,
            parameters: self.env.parameters().to_vec(),
            reward_terms: self.sums.clone(),
            costs: self.cost_sums.clone(),
        });
    }

    /// Describes an invalid value in the last reward.
    fn bad_reward(&self) -> Option<String> {
        if !is_fine(self.step.reward) {
            return Some(format!("the reward is {}", self.step.reward));
        }
        let index = self.reward_terms.iter().position(|term| !is_fine(*term))?;
        let name = self.env.spec().reward_terms[index];
        let value = self.reward_terms[index];
        Some(format!("the reward term {name} is {value}"))
    }

    /// Describes an invalid value in the last costs.
    fn bad_cost(&self) -> Option<String> {
        let is_bad = |cost: &f64| !is_fine(*cost) || *cost < 0.0;
        let index = self.costs.iter().position(is_bad)?;
        let name = self.env.spec().costs[index];
        let value = self.costs[index];
        Some(format!("the cost {name} is {value}"))
    }

    /// Describes the first invalid number of the last observation.
    fn bad_observation(&self) -> Option<String> {
        let index = self.scratch.iter().position(|value| !value.is_finite())?;
        let name = &self.env.spec().observation_space.names[index];
        let value = self.scratch[index];
        Some(format!("observation[{index}] ({name}) is {value}"))
    }
}

fn is_fine(value: f64) -> bool {
    (value as f32).is_finite()
}

fn words_of(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "without words".to_owned())
}
