//! Many environments that step together on all cores, with Gymnasium's vector semantics.
//!
//! (actions `[n_envs, n_actions]`) => observations `[n_envs, n_obs]`, rewards, ends: see [`Batch`].
//! Buffers are allocated once. Environment `i` has its own stream of episode seeds, begun with `seed + i`, so results are the same
//! bits on any number of threads.

mod batch;
mod config;
mod pool;
mod slot;
mod snapshot;

use std::thread;

pub use batch::{Batch, EpisodeStatistics};
pub use config::{Autoreset, VecConfig};
pub use snapshot::{EnvSnapshot, EpisodeSnapshot};

use crate::{Env, EnvError, EnvSpec, ResetOptions};
use pool::Pool;
use slot::{Command, Parcel, Slot};

/// Many environments of the same kind.
pub struct VecEnv {
    spec: EnvSpec,
    config: VecConfig,
    /// Empty between [`VecEnv::send`] and [`VecEnv::recv`], while the pool has them.
    slots: Vec<Parcel>,
    n_envs: usize,
    pool: Pool,
    batch: Batch,
}

impl VecEnv {
    /// A vector of environments, which must be reset before the first step.
    ///
    /// # Errors
    /// [`EnvError::Config`] without environments, with different ones, or with one that takes no action; [`EnvError::Failed`] when the
    /// operating system gives no thread.
    pub fn new(envs: Vec<Box<dyn Env>>, config: VecConfig) -> Result<Self, EnvError> {
        let spec = shared_spec(&envs)?;
        let n_envs = envs.len();
        let n_threads = match config.n_threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            n_threads => n_threads,
        };
        let pool = Pool::new(n_envs, n_threads.min(n_envs) - 1, config.autoreset)
            .map_err(|error| EnvError::Failed(format!("no thread to step in: {error}")))?;
        let slots = envs.into_iter().enumerate();
        Ok(Self {
            config,
            slots: slots
                .map(|(env_idx, env)| Box::new(Slot::new(env, env_idx as u64)))
                .collect(),
            n_envs,
            pool,
            batch: Batch::new(n_envs, &spec),
            spec,
        })
    }

    /// What each environment is.
    pub fn spec(&self) -> &EnvSpec {
        &self.spec
    }

    /// Number of environments.
    pub fn n_envs(&self) -> usize {
        self.n_envs
    }

    /// Number of threads that step, the caller's among them.
    pub fn n_threads(&self) -> usize {
        self.pool.n_workers() + 1
    }

    /// How it behaves.
    pub fn config(&self) -> &VecConfig {
        &self.config
    }

    /// The outcome of the last reset or step.
    pub fn batch(&self) -> &Batch {
        &self.batch
    }

    /// One environment, to read from it.
    ///
    /// # Panics
    /// Between [`VecEnv::send`] and [`VecEnv::recv`], and for an index beyond the number of environments.
    pub fn env(&self, env_idx: usize) -> &dyn Env {
        assert!(!self.is_pending(), "recv comes before env");
        &*self.slots[env_idx].env
    }

    /// Begins an episode in every environment.
    ///
    /// With a seed, environment `i` begins its stream of episode seeds with `seed + i`; without, it draws the next one of its stream,
    /// which began with `i` where no seed was ever given. The options hold for these episodes only, as in Gymnasium.
    ///
    /// # Errors
    /// [`EnvError::At`] with the first environment that failed; the others are reset. [`EnvError::Order`] between send and recv.
    pub fn reset(&mut self, seed: Option<u64>, options: &ResetOptions) -> Result<&Batch, EnvError> {
        self.forbid_pending()?;
        for (env_idx, slot) in self.slots.iter_mut().enumerate() {
            if let Some(seed) = seed {
                slot.seed(seed.wrapping_add(env_idx as u64), 0);
            }
            slot.command = Command::Reset;
            slot.next_options.clone_from(options);
        }
        self.run()?;
        Ok(&self.batch)
    }

    /// Begins an episode where `mask` says so, shape `[n_envs]`, each with the next seed of its stream; the others rest, and their rows
    /// keep what they hold. As `reset` with Gymnasium's option `reset_mask`.
    ///
    /// # Errors
    /// [`EnvError::Length`] for the mask; as [`VecEnv::reset`].
    pub fn reset_where(
        &mut self,
        mask: &[bool],
        options: &ResetOptions,
    ) -> Result<&Batch, EnvError> {
        self.forbid_pending()?;
        EnvError::check_length("mask", mask.len(), self.n_envs)?;
        for (slot, &chosen) in self.slots.iter_mut().zip(mask) {
            slot.command = Command::Rest;
            if chosen {
                slot.command = Command::Reset;
                slot.next_options.clone_from(options);
            }
        }
        self.run()?;
        Ok(&self.batch)
    }

    /// Begins one certain episode in one environment, whose own stream of seeds stays where it is, and writes its row of the batch.
    ///
    /// # Errors
    /// [`EnvError::At`] when the environment fails; [`EnvError::Config`] for an index beyond the number of environments;
    /// [`EnvError::Order`] between send and recv.
    pub fn reset_env(
        &mut self,
        env_idx: usize,
        episode_seed: u64,
        options: &ResetOptions,
    ) -> Result<(), EnvError> {
        self.forbid_pending()?;
        let n_envs = self.n_envs;
        let slot = self
            .slots
            .get_mut(env_idx)
            .ok_or_else(|| EnvError::Config {
                field: "env_idx".into(),
                problem: format!("{env_idx} is too large: there are {n_envs} environments"),
            })?;
        slot.run_reset(episode_seed, options);
        if let Some(source) = slot.error.take() {
            return Err(at(env_idx, source));
        }
        self.batch.take(env_idx, slot);
        Ok(())
    }

    /// Does an action in every environment, shape `[n_envs, n_actions]`.
    ///
    /// All actions are checked before any environment moves, but for those that [`Autoreset::NextStep`] ignores.
    ///
    /// # Errors
    /// As [`VecEnv::send`] and [`VecEnv::recv`].
    pub fn step(&mut self, actions: &[f32]) -> Result<&Batch, EnvError> {
        self.send(actions)?;
        self.recv()
    }

    /// The first half of [`VecEnv::step`]: the other threads begin, and the caller is free until [`VecEnv::recv`].
    ///
    /// # Errors
    /// [`EnvError::Length`] for the number of actions; [`EnvError::At`] with the first environment whose action is NaN, infinite or out of
    /// bounds, or that must be reset. Nothing has moved then. [`EnvError::Order`] for a second send.
    pub fn send(&mut self, actions: &[f32]) -> Result<(), EnvError> {
        self.forbid_pending()?;
        self.take_actions(actions)?;
        self.pool.start(&mut self.slots);
        Ok(())
    }

    /// The second half of [`VecEnv::step`]: the caller's thread works too, until all is done.
    ///
    /// # Errors
    /// [`EnvError::At`] with the first environment that failed or panicked: it must be reset, the others have done their step.
    /// [`EnvError::Order`] without a send.
    pub fn recv(&mut self) -> Result<&Batch, EnvError> {
        if !self.is_pending() {
            return Err(EnvError::Order("recv needs a send before it"));
        }
        self.finish()?;
        Ok(&self.batch)
    }

    /// Writes the action of the task's scripted policy for each environment, shape `[n_envs, n_actions]`; `false`: there is none.
    ///
    /// # Panics
    /// Between send and recv, or with a buffer of another length.
    pub fn scripted_actions(&mut self, actions: &mut [f32]) -> bool {
        assert!(!self.is_pending(), "recv comes before scripted_actions");
        let n_actions = self.spec.action_space.len();
        assert_eq!(
            actions.len(),
            self.n_envs * n_actions,
            "one row for each env"
        );
        let rows = actions.chunks_exact_mut(n_actions).zip(&mut self.slots);
        rows.fold(true, |all, (row, slot)| {
            slot.env.scripted_action(row) && all
        })
    }

    /// The state of every environment as plain data.
    ///
    /// # Panics
    /// Between send and recv.
    pub fn snapshot(&self) -> Vec<EnvSnapshot> {
        assert!(!self.is_pending(), "recv comes before snapshot");
        self.slots
            .iter()
            .map(|slot| EnvSnapshot::of(slot))
            .collect()
    }

    /// Goes back to a snapshot by replaying each episode, on all threads, and writes the batch of its last step, without `ended`, terms and
    /// final observations. Returns how many environments came to other bits than the snapshot holds: none on the machine that took it.
    ///
    /// # Errors
    /// [`EnvError::Length`] for snapshots of another vector; [`EnvError::At`] with the first environment that cannot be replayed.
    pub fn restore(&mut self, snapshots: &[EnvSnapshot]) -> Result<usize, EnvError> {
        self.forbid_pending()?;
        EnvError::check_length("snapshots", snapshots.len(), self.n_envs)?;
        for (env_idx, (slot, snapshot)) in self.slots.iter().zip(snapshots).enumerate() {
            snapshot.check(slot).map_err(|source| at(env_idx, source))?;
        }
        for (slot, snapshot) in self.slots.iter_mut().zip(snapshots) {
            slot.command = Command::Restore;
            slot.snapshot = Some(snapshot.clone());
        }
        self.run()?;
        Ok(self.slots.iter().filter(|slot| !slot.is_same).count())
    }

    fn take_actions(&mut self, actions: &[f32]) -> Result<(), EnvError> {
        let n_actions = self.spec.action_space.len();
        EnvError::check_length("actions", actions.len(), self.n_envs * n_actions)?;
        let rows = actions.chunks_exact(n_actions);
        for (env_idx, (slot, row)) in self.slots.iter_mut().zip(rows).enumerate() {
            slot.take_action(row, &self.config)
                .map_err(|source| at(env_idx, source))?;
        }
        Ok(())
    }

    fn run(&mut self) -> Result<(), EnvError> {
        self.pool.start(&mut self.slots);
        self.finish()
    }

    fn finish(&mut self) -> Result<(), EnvError> {
        self.pool.finish(&mut self.slots);
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

    fn is_pending(&self) -> bool {
        self.slots.is_empty()
    }

    fn forbid_pending(&self) -> Result<(), EnvError> {
        if self.is_pending() {
            return Err(EnvError::Order(
                "recv must follow send before anything else",
            ));
        }
        Ok(())
    }
}

impl std::fmt::Debug for VecEnv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VecEnv")
            .field("id", &self.spec.id)
            .field("n_envs", &self.n_envs)
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
        return Err(wrong(format!("{} takes no action", spec.id)));
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

fn at(env_idx: usize, source: EnvError) -> EnvError {
    EnvError::At {
        env_idx,
        source: Box::new(source),
    }
}
