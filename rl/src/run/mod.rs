//! A folder in which a training lives, and from which it goes on after a kill at any moment.

use std::fs;
use std::path::{Path, PathBuf};

use insonate_envs::VecEnv;

use crate::log::{CsvLog, EventLog};
use crate::{Control, Outcome, Policy, Ppo, Progress, RlError};

/// The checkpoint's name in the folder.
pub const CHECKPOINT: &str = "checkpoint.safetensors";
/// The policy's name in the folder.
pub const POLICY: &str = "policy.safetensors";
/// The table's name in the folder.
pub const PROGRESS: &str = "progress.csv";

/// How a folder is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunOptions {
    /// Iterations from one checkpoint and policy to the next; the last iteration is always followed by both.
    pub checkpoint_every: usize,
    /// Writes TensorBoard's event files.
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

/// A training with its folder: `checkpoint.safetensors`, `policy.safetensors`, `progress.csv` and event files.
#[derive(Debug)]
pub struct Run {
    ppo: Ppo,
    folder: PathBuf,
    options: RunOptions,
    table: CsvLog,
    events: Option<EventLog>,
}

impl Run {
    /// Begins a training in a folder, which is made where it is missing, with a checkpoint of the start.
    ///
    /// # Errors
    /// [`RlError::File`] where the folder already has a checkpoint or a table; [`RlError::Io`], [`RlError::Write`].
    pub fn start(folder: &Path, ppo: Ppo, options: RunOptions) -> Result<Self, RlError> {
        fs::create_dir_all(folder).map_err(RlError::io(folder, "cannot be made"))?;
        for name in [CHECKPOINT, PROGRESS] {
            let path = folder.join(name);
            if path.exists() {
                let problem = "is there already: resume that training, or choose another folder";
                return Err(RlError::file(&path, problem));
            }
        }
        let run = Self::open(folder, ppo, options)?;
        // From here on there is something to resume.
        run.ppo.save(&folder.join(CHECKPOINT))?;
        Ok(run)
    }

    /// Goes on with a training from its checkpoint; see [`Ppo::resume`]. Logs are cut to where the checkpoint is.
    ///
    /// # Errors
    /// As [`Ppo::resume`].
    pub fn resume(folder: &Path, env: VecEnv, options: RunOptions) -> Result<Self, RlError> {
        let ppo = Ppo::resume(env, &folder.join(CHECKPOINT))?;
        Self::open(folder, ppo, options)
    }

    fn open(folder: &Path, ppo: Ppo, options: RunOptions) -> Result<Self, RlError> {
        if options.checkpoint_every == 0 {
            return Err(RlError::Config {
                field: "checkpoint_every",
                problem: "0 is not allowed: at least 1".to_owned(),
            });
        }
        let global_step = ppo.global_step();
        Ok(Self {
            table: CsvLog::open(&folder.join(PROGRESS), global_step)?,
            events: if options.tensorboard {
                Some(EventLog::open(folder, global_step)?)
            } else {
                None
            },
            folder: folder.to_owned(),
            ppo,
            options,
        })
    }

    /// The training.
    pub fn ppo(&self) -> &Ppo {
        &self.ppo
    }

    /// The training, to change for how long it goes on.
    pub fn ppo_mut(&mut self) -> &mut Ppo {
        &mut self.ppo
    }

    /// Trains until all timesteps are done or the observer stops it, and leaves a checkpoint and the policy.
    ///
    /// # Errors
    /// As [`Ppo::iterate`]; [`RlError::Write`] when a file cannot be written. The last checkpoint is kept.
    pub fn train(
        &mut self,
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Outcome, RlError> {
        let mut control = Control::Continue;
        while control == Control::Continue && !self.ppo.is_finished() {
            let progress = self.ppo.iterate()?;
            self.table.write(&progress)?;
            if let Some(events) = &mut self.events {
                events.write(progress.global_step, &progress.scalars)?;
            }
            control = observer(&progress);
            let is_due = self
                .ppo
                .iteration()
                .is_multiple_of(self.options.checkpoint_every);
            if is_due || control == Control::Stop || self.ppo.is_finished() {
                self.save()?;
            }
        }
        if self.ppo.is_finished() {
            Ok(Outcome::Finished)
        } else {
            Ok(Outcome::Stopped)
        }
    }

    /// Writes checkpoint and policy. Rows of the log come first: a checkpoint never promises rows that are not there.
    ///
    /// # Errors
    /// [`RlError::Write`].
    pub fn save(&self) -> Result<(), RlError> {
        self.table.sync()?;
        self.ppo.save(&self.folder.join(CHECKPOINT))?;
        Policy::of(&self.ppo).save(&self.folder.join(POLICY))
    }
}
