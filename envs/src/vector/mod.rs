//! Vectors of environments that step together on all cores, with Gymnasium's vector semantics.
//!
//! (actions `[n_envs, n_actions]`) => observations `[n_envs, n_obs]`, rewards, ends: see [`Batch`].
//! Buffers are allocated once. Environment `i` has its own stream of episode seeds, started with `seed + i`, so results are
//! bit-identical on any number of threads.

mod batch;
mod config;
mod pool;
mod slot;
mod snapshot;
mod stages;
mod statistics;

use std::thread;

pub use batch::Batch;
pub use config::{Autoreset, Start, VecConfig};
pub use snapshot::{EnvSnapshot, EpisodeSnapshot};
pub use statistics::EpisodeStatistics;

use crate::{Env, EnvError, EnvSpec, Lockstep, ResetOptions};
use pool::Pool;
use slot::{BoxedSlot, Command, EnvSlot, Phase};

/// Many environments of the same kind.
pub struct VecEnv {
    spec: EnvSpec,
    config: VecConfig,
    slots: Vec<BoxedSlot>,
    pool: Pool,
    /// Numbers of environments that share a batch task, in order. Empty for other tasks.
    batch_sizes: Vec<usize>,
    /// Whether a device makes steps of many environments at once.
    has_parts: bool,
    batch: Batch,
}

impl VecEnv {
    /// Creates a vector of environments. It must be reset before the first step.
    ///
    /// # Errors
    /// [`EnvError::Config`] if there are no environments, if they differ, or if one has no actions; [`EnvError::Failed`] if the
    /// operating system cannot start a thread.
    pub fn new(mut envs: Vec<Box<dyn Env>>, config: VecConfig) -> Result<Self, EnvError> {
        let spec = shared_spec(&envs)?;
        let groups = group_sizes(&mut envs);
        let batch_sizes = stages::batch_sizes(&mut envs)?;
        let n_envs = envs.len();
        let mut parts = envs.iter_mut().filter_map(|env| env.lockstep());
        let has_parts = parts.any(Lockstep::has_parts);
        let n_threads = match config.n_threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            n_threads => n_threads,
        };
        let n_workers = n_threads.min(groups.len()) - 1;
        let pool = Pool::new(&groups, n_workers, config.autoreset)
            .map_err(|error| EnvError::Failed(format!("cannot start a thread: {error}")))?;
        let slots = envs.into_iter().enumerate();
        Ok(Self {
            config,
            slots: slots
                .map(|(env_idx, env)| Box::new(EnvSlot::new(env, env_idx as u64)))
                .collect(),
            pool,
            batch_sizes,
            has_parts,
            batch: Batch::new(n_envs, &spec),
            spec,
        })
    }

    /// Spec of each environment.
    pub fn spec(&self) -> &EnvSpec {
        &self.spec
    }

    /// Number of environments.
    pub fn n_envs(&self) -> usize {
        self.slots.len()
    }

    /// Number of threads that step, including the caller's.
    pub fn n_threads(&self) -> usize {
        self.pool.n_workers() + 1
    }

    /// Settings of the vector.
    pub fn config(&self) -> &VecConfig {
        &self.config
    }

    /// Result of the last reset or step.
    pub fn batch(&self) -> &Batch {
        &self.batch
    }

    /// Read access to one environment.
    ///
    /// # Panics
    /// If the index is not less than the number of environments.
    pub fn env(&self, env_idx: usize) -> &dyn Env {
        &*self.slots[env_idx].env
    }

    /// Starts an episode in every environment.
    ///
    /// With a seed, environment `i` restarts its stream of episode seeds with `seed + i`. Without a seed, it draws the next
    /// one of its stream, which starts with `i` if no seed was ever given. The options apply to these episodes only, as in Gymnasium.
    ///
    /// # Errors
    /// [`EnvError::At`] with the first environment that failed; the others are reset.
    pub fn reset(&mut self, seed: Option<u64>, options: &ResetOptions) -> Result<&Batch, EnvError> {
        let seeds = (0..self.n_envs() as u64).map(|env_idx| seed.map(|s| s.wrapping_add(env_idx)));
        let starts: Vec<Start> = seeds.map(Start::Reset).collect();
        self.reset_each(&starts, options)
    }

    /// Starts an episode in some environments. The others continue, and their rows of the batch are unchanged, except for `ended`.
    ///
    /// # Errors
    /// Those of [`VecEnv::reset`]; [`EnvError::Length`] unless there is one start per environment.
    pub fn reset_each(
        &mut self,
        starts: &[Start],
        options: &ResetOptions,
    ) -> Result<&Batch, EnvError> {
        EnvError::check_length("starts", starts.len(), self.n_envs())?;
        for (slot, start) in self.slots.iter_mut().zip(starts) {
            let Start::Reset(seed) = start else {
                slot.command = Command::Stay;
                continue;
            };
            if let Some(seed) = seed {
                slot.seed(*seed, 0);
            }
            slot.command = Command::Reset;
            slot.next_options.clone_from(options);
        }
        if self.is_staged() {
            self.reset_in_stages(starts, options)?;
        } else {
            self.run()?;
        }
        Ok(&self.batch)
    }

    /// Starts an episode with a given seed in one environment and writes its row of the batch. The environment's stream of
    /// seeds is unchanged.
    ///
    /// # Errors
    /// [`EnvError::At`] if the environment fails; [`EnvError::Config`] if the index is not less than the number of environments.
    pub fn reset_env(
        &mut self,
        env_idx: usize,
        episode_seed: u64,
        options: &ResetOptions,
    ) -> Result<(), EnvError> {
        let n_envs = self.n_envs();
        if env_idx >= n_envs {
            return Err(EnvError::Config {
                field: "env_idx".into(),
                problem: format!("{env_idx} is too large: there are {n_envs} environments"),
            });
        }
        if self.is_staged() {
            self.reset_env_in_stages(env_idx, episode_seed, options)?;
        } else {
            self.slots[env_idx].run_reset(episode_seed, options);
        }
        let slot = &mut self.slots[env_idx];
        if let Some(source) = slot.error.take() {
            return Err(at(env_idx, source));
        }
        self.batch.take(env_idx, slot);
        Ok(())
    }

    /// Applies an action in every environment, shape `[n_envs, n_actions]`.
    ///
    /// All actions are checked before any environment moves, except those that [`Autoreset::NextStep`] ignores.
    ///
    /// # Errors
    /// [`EnvError::Length`] for the number of actions. [`EnvError::At`] with the first environment whose action is NaN, infinite or out
    /// of bounds, or that must be reset: no environment has moved then. [`EnvError::At`] with the first environment that
    /// failed or panicked: it must be reset; the others have completed the step.
    pub fn step(&mut self, actions: &[f32]) -> Result<&Batch, EnvError> {
        self.step_interruptible(actions, &mut || false)?;
        Ok(&self.batch)
    }

    /// As [`VecEnv::step`], but stops between two environments if `stop` returns true. Returns whether all have completed the
    /// step. Otherwise only some have, and the batch is the previous one: continue with a reset or a restored snapshot.
    ///
    /// # Errors
    /// Those of [`VecEnv::step`].
    pub fn step_interruptible(
        &mut self,
        actions: &[f32],
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<bool, EnvError> {
        let n_actions = self.spec.action_space.len();
        EnvError::check_length("actions", actions.len(), self.n_envs() * n_actions)?;
        let rows = actions.chunks_exact(n_actions);
        for (env_idx, (slot, row)) in self.slots.iter_mut().zip(rows).enumerate() {
            slot.take_action(row, self.config.autoreset)
                .map_err(|source| at(env_idx, source))?;
        }
        if self.has_parts && !self.advance_in_parts(stop) {
            return Ok(false);
        }
        let is_whole = if self.is_staged() {
            self.step_in_stages(stop)?
        } else {
            self.pool.run(&mut self.slots, stop)
        };
        if is_whole {
            self.collect()?;
        }
        Ok(is_whole)
    }

    /// Writes the action of the task's scripted policy for each environment, shape `[n_envs, n_actions]`. Returns `false` if there is none.
    ///
    /// # Panics
    /// If the buffer has another length.
    pub fn scripted_actions(&mut self, actions: &mut [f32]) -> bool {
        let n_actions = self.spec.action_space.len();
        assert_eq!(
            actions.len(),
            self.n_envs() * n_actions,
            "one row for each env"
        );
        if self.is_staged() {
            return self.script(actions);
        }
        let rows = actions.chunks_exact_mut(n_actions).zip(&mut self.slots);
        rows.fold(true, |all, (row, slot)| {
            slot.env.scripted_action(row) && all
        })
    }

    /// The state of every environment as plain data.
    pub fn snapshot(&self) -> Vec<EnvSnapshot> {
        self.slots.iter().map(|slot| slot.snapshot()).collect()
    }

    /// Restores a snapshot by replaying each episode, on all threads, and writes the batch of its last step, without `ended`, terms and
    /// final observations. Returns the number of environments that differ from the snapshot in any bit: zero on the machine that took it.
    ///
    /// # Errors
    /// [`EnvError::Length`] if the snapshots are of another vector; [`EnvError::At`] with the first environment that cannot be replayed.
    pub fn restore(&mut self, snapshots: &[EnvSnapshot]) -> Result<usize, EnvError> {
        let restored = self.restore_interruptible(snapshots, &mut || false)?;
        Ok(restored.unwrap_or_default())
    }

    /// As [`VecEnv::restore`], but stops soon after `stop` returns true. `None`: it stopped, and all environments must be reset or restored.
    ///
    /// # Errors
    /// Those of [`VecEnv::restore`].
    pub fn restore_interruptible(
        &mut self,
        snapshots: &[EnvSnapshot],
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Option<usize>, EnvError> {
        EnvError::check_length("snapshots", snapshots.len(), self.n_envs())?;
        for (env_idx, (slot, snapshot)) in self.slots.iter().zip(snapshots).enumerate() {
            slot.check_snapshot(snapshot)
                .map_err(|source| at(env_idx, source))?;
        }
        let is_whole = if self.is_staged() {
            self.restore_in_stages(snapshots, stop)?
        } else {
            self.replay(snapshots, stop)
        };
        if !is_whole {
            self.slots.iter_mut().for_each(|slot| slot.abandon());
            return Ok(None);
        }
        self.collect()?;
        let differing = self.slots.iter().filter(|slot| !slot.is_same);
        Ok(Some(differing.count()))
    }

    /// Replays snapshots until all are replayed or have failed. Returns `false` if `stop` ended it.
    fn replay(&mut self, snapshots: &[EnvSnapshot], stop: &mut dyn FnMut() -> bool) -> bool {
        for (slot, snapshot) in self.slots.iter_mut().zip(snapshots) {
            slot.command_restore(snapshot.clone());
        }
        while self.slots.iter().any(|slot| slot.snapshot.is_some()) {
            if !self.pool.run(&mut self.slots, stop) {
                return false;
            }
        }
        true
    }

    /// Advances the environments part by part: in each round a device makes the steps of all. Returns `false` if `stop` ended it.
    fn advance_in_parts(&mut self, stop: &mut dyn FnMut() -> bool) -> bool {
        for slot in &mut self.slots {
            slot.waits_for_device = slot.phase == Phase::Running;
        }
        while self.slots.iter().any(|slot| slot.waits_for_device) {
            for slot in &mut self.slots {
                slot.command = if slot.waits_for_device {
                    Command::Part
                } else {
                    Command::Stay
                };
            }
            if !self.pool.run(&mut self.slots, stop) {
                self.slots
                    .iter_mut()
                    .for_each(|slot| slot.has_begun = false);
                return false;
            }
        }
        for slot in &mut self.slots {
            slot.command = Command::Step;
        }
        true
    }

    /// Runs the command of each slot.
    fn run(&mut self) -> Result<(), EnvError> {
        self.pool.run(&mut self.slots, &mut || false);
        self.collect()
    }

    /// (slots) => batch, or the first error
    fn collect(&mut self) -> Result<(), EnvError> {
        self.batch.ended.clear();
        let mut first_error = None;
        for (env_idx, slot) in self.slots.iter_mut().enumerate() {
            match slot.error.take() {
                Some(source) if first_error.is_none() => first_error = Some(at(env_idx, source)),
                Some(_) => {}
                None => self.batch.take(env_idx, slot),
            }
        }
        first_error.map_or(Ok(()), Err)
    }
}

impl std::fmt::Debug for VecEnv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VecEnv")
            .field("id", &self.spec.id)
            .field("n_envs", &self.n_envs())
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

fn shared_spec(envs: &[Box<dyn Env>]) -> Result<EnvSpec, EnvError> {
    let wrong = |problem: String| EnvError::Config {
        field: "envs".into(),
        problem,
    };
    let first = envs
        .first()
        .ok_or_else(|| wrong("a vector needs at least one environment".into()))?;
    let spec = first.spec();
    if spec.action_space.is_empty() {
        return Err(wrong(format!("{} has no actions", spec.id)));
    }
    if let Some(other) = envs.iter().position(|env| env.spec() != spec) {
        return Err(wrong(format!(
            "env {other} ({}) is not of the same kind as env 0 ({})",
            envs[other].spec().id,
            spec.id
        )));
    }
    Ok(spec.clone())
}

/// Sizes of the groups that advance together. An environment that advances alone is a group of one.
fn group_sizes(envs: &mut [Box<dyn Env>]) -> Vec<usize> {
    let groups: Vec<Option<usize>> = envs
        .iter_mut()
        .map(|env| env.lockstep().map(Lockstep::group))
        .collect();
    let is_same = |a: &Option<usize>, b: &Option<usize>| a.is_some() && a == b;
    groups.chunk_by(is_same).map(<[_]>::len).collect()
}

fn at(env_idx: usize, source: EnvError) -> EnvError {
    EnvError::At {
        env_idx,
        source: Box::new(source),
    }
}
