//! Steps and resets of environments whose batch task computes for all of them at once; see [`crate::staged`].
//!
//! The stages of the environments run on all threads; the task is called between them, on the caller's thread.

use std::sync::Arc;

use super::VecEnv;
use super::config::{Autoreset, Start};
use super::slot::{Command, Phase};
use super::snapshot::EnvSnapshot;
use crate::staged::{Stage, Staged, consult, consult_script};
use crate::{BatchSeat, Env, EnvError, ResetOptions, SharedBatchTask};

/// Seed and options of an episode that begins. `None`: the environment goes on.
type EpisodeStart = Option<(u64, ResetOptions)>;

/// Numbers of environments that share a task, in order. Empty for environments without a batch task.
///
/// # Errors
/// [`EnvError::Config`] unless all environments of a task are here, next to each other.
pub(super) fn batch_sizes(envs: &mut [Box<dyn Env>]) -> Result<Vec<usize>, EnvError> {
    let mut last: Option<SharedBatchTask> = None;
    // Environments found here and environments of the task.
    let mut batches: Vec<(usize, usize)> = Vec::new();
    for env in envs {
        let Some(env) = env.staged() else {
            return Ok(Vec::new());
        };
        let seat = env.seat();
        let is_same = last.is_some_and(|task| Arc::ptr_eq(&task, &seat.task));
        match batches.last_mut().filter(|_| is_same) {
            Some((found, _)) => *found += 1,
            None => batches.push((1, seat.n_rows)),
        }
        last = Some(seat.task.clone());
    }
    if batches.iter().all(|(found, n_rows)| found == n_rows) {
        return Ok(batches.into_iter().map(|(found, _)| found).collect());
    }
    Err(EnvError::Config {
        field: "envs".into(),
        problem: "environments that share a task must all be in one vector, next to each other"
            .into(),
    })
}

impl VecEnv {
    /// Whether the environments have a batch task.
    pub(super) fn is_staged(&self) -> bool {
        !self.batch_sizes.is_empty()
    }

    /// A step; the actions have been taken. Returns `false` if `stop` interrupted it.
    pub(super) fn step_in_stages(
        &mut self,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<bool, EnvError> {
        let mut is_over = Vec::with_capacity(self.slots.len());
        for slot in &mut self.slots {
            is_over.push(slot.phase == Phase::Over);
            slot.command = match slot.phase {
                Phase::Running => Command::Advance,
                _ => Command::Stay,
            };
        }
        if !self.pool.run(&mut self.slots, stop) {
            return Ok(false);
        }
        self.judge()?;
        let autoreset = self.config.autoreset;
        let mut starts: Vec<EpisodeStart> = Vec::with_capacity(self.slots.len());
        for (slot, was_over) in self.slots.iter_mut().zip(is_over) {
            let ends = !was_over && slot.phase == Phase::Over;
            if ends && autoreset == Autoreset::SameStep {
                slot.keep_final();
            } else if was_over {
                slot.clear_outcome();
            }
            let begins = was_over || (ends && autoreset == Autoreset::SameStep);
            starts.push(begins.then(|| (slot.draw(), ResetOptions::default())));
        }
        self.begin_episodes(starts)?;
        Ok(true)
    }

    /// Starts episodes of the environments' streams of seeds.
    pub(super) fn reset_in_stages(
        &mut self,
        starts: &[Start],
        options: &ResetOptions,
    ) -> Result<(), EnvError> {
        let slots = self.slots.iter_mut().zip(starts);
        let starts = slots.map(|(slot, start)| {
            (*start != Start::Stay).then(|| {
                slot.clear_outcome();
                (slot.draw(), options.clone())
            })
        });
        let starts = starts.collect();
        self.begin_episodes(starts)?;
        self.collect()
    }

    /// Starts a given episode in one environment.
    pub(super) fn reset_env_in_stages(
        &mut self,
        env_idx: usize,
        episode_seed: u64,
        options: &ResetOptions,
    ) -> Result<(), EnvError> {
        let mut starts: Vec<EpisodeStart> = vec![None; self.slots.len()];
        starts[env_idx] = Some((episode_seed, options.clone()));
        self.slots[env_idx].clear_outcome();
        self.begin_episodes(starts)
    }

    /// Replays the episodes of snapshots. Shorter ones begin later, so that all end in the same step: no environment waits in its episode.
    /// Returns `false` if `stop` ended it.
    pub(super) fn restore_in_stages(
        &mut self,
        snapshots: &[EnvSnapshot],
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<bool, EnvError> {
        let n_actions = self.spec.action_space.len();
        for (slot, snapshot) in self.slots.iter_mut().zip(snapshots) {
            slot.begin_restore(snapshot);
        }
        let episodes: Vec<_> = snapshots.iter().map(|it| it.episode.as_ref()).collect();
        let lengths: Vec<Option<usize>> = episodes
            .iter()
            .map(|episode| Some(episode.as_ref()?.actions.len() / n_actions))
            .collect();
        let longest = lengths.iter().flatten().max().copied();
        for left in (0..longest.map_or(0, |longest| longest + 1)).rev() {
            for (env_idx, slot) in self.slots.iter_mut().enumerate() {
                slot.command = Command::Stay;
                if let (Some(episode), Some(length)) = (episodes[env_idx], lengths[env_idx])
                    && length > left
                {
                    let first = (length - left - 1) * n_actions;
                    let action = &episode.actions[first..first + n_actions];
                    slot.action.copy_from_slice(action);
                    slot.command = Command::Advance;
                }
            }
            if !self.pool.run(&mut self.slots, stop) {
                return Ok(false);
            }
            self.judge()?;
            let start = |(episode, length): (Option<&super::EpisodeSnapshot>, Option<usize>)| {
                let episode = episode.filter(|_| length == Some(left))?;
                let parameters = episode.parameters.clone();
                Some((episode.seed, ResetOptions { parameters }))
            };
            let both = episodes.iter().copied().zip(lengths.iter().copied());
            let starts = both.map(start).collect();
            self.begin_episodes(starts)?;
        }
        for (slot, episode) in self.slots.iter_mut().zip(episodes) {
            if let (Some(episode), None) = (episode, &slot.error) {
                slot.finish_restore(episode);
            }
        }
        Ok(true)
    }

    /// Lets the task judge the step of the environments that have advanced.
    fn judge(&mut self) -> Result<(), EnvError> {
        if !self.slots.iter().any(|slot| slot.is_part) {
            return Ok(());
        }
        self.consult(Stage::Step)?;
        let stepped = self.slots.iter_mut().filter(|slot| slot.is_part);
        stepped.for_each(|slot| slot.finish_step());
        Ok(())
    }

    /// Starts episodes. An environment that fails keeps its error.
    fn begin_episodes(&mut self, starts: Vec<EpisodeStart>) -> Result<(), EnvError> {
        if starts.iter().all(Option::is_none) {
            return Ok(());
        }
        for (slot, start) in self.slots.iter_mut().zip(starts) {
            slot.command = Command::Stay;
            if let Some((seed, options)) = start {
                slot.command = Command::Prepare;
                (slot.next_seed, slot.next_options) = (seed, options);
            }
        }
        self.pool.run(&mut self.slots, &mut || false);
        self.consult(Stage::Reset)?;
        for slot in &mut self.slots {
            slot.command = if slot.is_part {
                Command::Start
            } else {
                Command::Stay
            };
        }
        self.pool.run(&mut self.slots, &mut || false);
        self.consult(Stage::Observe)?;
        let started = self.slots.iter_mut().filter(|slot| slot.is_part);
        started.for_each(|slot| slot.finish_reset());
        Ok(())
    }

    /// Writes the actions of the tasks' scripted policies, clipped to the bounds, shape `[n_envs, n_actions]`. Returns `false` if one has none.
    pub(super) fn script(&mut self, actions: &mut [f32]) -> bool {
        let space = &self.spec.action_space;
        let mut rows = actions.chunks_exact_mut(space.len());
        let mut rest = &mut self.slots[..];
        let mut have_all = true;
        for &size in &self.batch_sizes {
            let (slots, others) = rest.split_at_mut(size);
            rest = others;
            let staged = slots.iter_mut().filter_map(|slot| slot.env.staged());
            let mut seats: Vec<&mut BatchSeat> = staged.map(Staged::seat).collect();
            have_all &= consult_script(&mut seats);
            for (seat, action) in seats.iter().zip(&mut rows) {
                action.fill(0.0);
                if seat.row.script.len() == action.len() {
                    action.copy_from_slice(&seat.row.script);
                }
                space.clip(action);
            }
        }
        have_all
    }

    /// Calls each task with the rows of its environments. After an error all environments must be reset.
    fn consult(&mut self, stage: Stage) -> Result<(), EnvError> {
        let mut rest = &mut self.slots[..];
        let mut outcome = Ok(());
        for &size in &self.batch_sizes {
            let (slots, others) = rest.split_at_mut(size);
            rest = others;
            let is_idle = !slots.iter().any(|slot| slot.is_part);
            if is_idle || outcome.is_err() {
                continue;
            }
            let mut seats: Vec<&mut BatchSeat> = Vec::with_capacity(size);
            for slot in slots {
                let is_part = slot.is_part;
                if let Some(env) = slot.env.staged() {
                    let seat = env.seat();
                    seat.row.is_active &= is_part;
                    seats.push(seat);
                }
            }
            outcome = consult(&mut seats, stage);
        }
        if outcome.is_err() {
            for slot in &mut self.slots {
                slot.phase = Phase::Unready;
                slot.ended = None;
                slot.error = None;
            }
        }
        outcome
    }
}
