//! The folder of a training. The training can be resumed from it after a kill at any moment.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use insonate_envs::VecEnv;

use crate::algorithm::Algorithm;
use crate::log::{CsvLog, EventLog};
use crate::training::Progress;
use crate::{RlError, checkpoint};

/// File name of the checkpoint.
pub const CHECKPOINT: &str = "checkpoint.safetensors";
/// File name of the policy.
pub const POLICY: &str = "policy.safetensors";
/// File name of the table of iterations.
pub const PROGRESS: &str = "progress.csv";

/// An iteration that takes longer is saved immediately, so that the next one can be interrupted.
const SLOW: Duration = Duration::from_secs(1);

/// Minimum interval between large checkpoints, as a multiple of the time to write one.
const SAVED_SHARE: u32 = 10;

/// Options of a training folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunOptions {
    /// Iterations between checkpoints. The last iteration is always saved, and so is each one that takes more than a second.
    pub checkpoint_every: usize,
    /// Whether to write TensorBoard's event files.
    pub tensorboard: bool,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            checkpoint_every: 10,
            tensorboard: true,
        }
    }
}

/// A training with its folder: checkpoint, policy, `progress.csv` and TensorBoard's event files.
#[derive(Debug)]
pub struct Run {
    algorithm: Box<dyn Algorithm>,
    folder: PathBuf,
    options: RunOptions,
    table: CsvLog,
    events: Option<EventLog>,
    /// Iteration of the last checkpoint.
    saved_at: usize,
    /// Time to write the last checkpoint, and time of the iterations since.
    save_time: Duration,
    unsaved_time: Duration,
}

impl Run {
    /// Starts a training in a folder and writes an initial checkpoint. The folder is created if it is missing.
    ///
    /// # Errors
    /// [`RlError::File`] if the folder has a checkpoint or a table; [`RlError::Io`], [`RlError::Write`].
    pub fn start(
        folder: &Path,
        algorithm: impl Into<Box<dyn Algorithm>>,
        options: RunOptions,
    ) -> Result<Self, RlError> {
        fs::create_dir_all(folder).map_err(RlError::io(folder, "cannot be created"))?;
        for name in [CHECKPOINT, PROGRESS] {
            let path = folder.join(name);
            if path.exists() {
                let problem = "already exists: resume that training, or choose another folder";
                return Err(RlError::file(&path, problem));
            }
        }
        let run = Self::open(folder, algorithm.into(), options)?;
        run.algorithm.save(&folder.join(CHECKPOINT))?;
        Ok(run)
    }

    /// Resumes a training of any algorithm from its checkpoint; see [`Ppo::resume`](crate::Ppo::resume). Logs are truncated to the
    /// checkpoint.
    ///
    /// # Errors
    /// Those of [`Ppo::resume`](crate::Ppo::resume).
    pub fn resume(folder: &Path, env: VecEnv, options: RunOptions) -> Result<Self, RlError> {
        let algorithm = checkpoint::resume(env, &folder.join(CHECKPOINT))?;
        Self::open(folder, algorithm, options)
    }

    fn open(
        folder: &Path,
        algorithm: Box<dyn Algorithm>,
        options: RunOptions,
    ) -> Result<Self, RlError> {
        if options.checkpoint_every == 0 {
            let problem = "is 0; it must be at least 1";
            return Err(RlError::config("checkpoint_every", problem));
        }
        let global_step = algorithm.global_step();
        Ok(Self {
            table: CsvLog::open(&folder.join(PROGRESS), global_step)?,
            events: options
                .tensorboard
                .then(|| EventLog::open(folder, global_step))
                .transpose()?,
            folder: folder.to_owned(),
            saved_at: algorithm.iteration(),
            save_time: Duration::ZERO,
            unsaved_time: Duration::ZERO,
            algorithm,
            options,
        })
    }

    /// The training.
    pub fn algorithm(&self) -> &dyn Algorithm {
        &*self.algorithm
    }

    /// The training, for example to change its number of timesteps.
    pub fn algorithm_mut(&mut self) -> &mut dyn Algorithm {
        &mut *self.algorithm
    }

    /// Trains until all timesteps are completed or the observer breaks, and saves checkpoint and policy.
    ///
    /// # Errors
    /// Errors of environments and learning; [`RlError::Write`] if a file cannot be written. The last checkpoint is kept.
    pub fn train(
        &mut self,
        observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<(), RlError> {
        self.train_interruptible(&|| false, observer).map(|_| ())
    }

    /// As [`Run::train`], but also stops within a rollout, between two environments, if `stop` returns true. Returns whether it was
    /// interrupted. The interrupted iteration is lost; all earlier ones are in the checkpoint. Only a resumed run can continue.
    ///
    /// # Errors
    /// Those of [`Run::train`].
    pub fn train_interruptible(
        &mut self,
        stop: &dyn Fn() -> bool,
        observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<bool, RlError> {
        let mut flow = ControlFlow::Continue(());
        while flow.is_continue() && !self.algorithm.is_finished() {
            let is_saved = self.saved_at == self.algorithm.iteration();
            let Some(progress) = self
                .algorithm
                .iterate_interruptible(&|| is_saved && stop())?
            else {
                return Ok(true);
            };
            self.table.write(&progress)?;
            if let Some(events) = &mut self.events {
                events.write(progress.global_step, &progress.scalars)?;
            }
            flow = observer(&progress);
            let every = self.options.checkpoint_every;
            self.unsaved_time += progress.rollout_time + progress.update_time;
            let is_slow = progress.rollout_time + progress.update_time > SLOW
                && self.unsaved_time > SAVED_SHARE * self.save_time;
            let is_due = self.algorithm.iteration().is_multiple_of(every) || is_slow;
            if is_due || flow.is_break() || self.algorithm.is_finished() {
                self.save()?;
            }
        }
        Ok(false)
    }

    /// Writes checkpoint and policy after the rows of the log, so that a checkpoint is never ahead of the log.
    fn save(&mut self) -> Result<(), RlError> {
        let start = Instant::now();
        self.table.sync()?;
        self.algorithm.save(&self.folder.join(CHECKPOINT))?;
        self.saved_at = self.algorithm.iteration();
        self.algorithm.policy().save(&self.folder.join(POLICY))?;
        self.save_time = start.elapsed();
        self.unsaved_time = Duration::ZERO;
        Ok(())
    }
}
