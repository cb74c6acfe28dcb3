//! The interface that [`Run`](crate::Run) requires of an algorithm.

use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;

use insonate_envs::VecEnv;

use crate::RlError;
use crate::policy::Policy;
use crate::training::{Progress, ThreadTuner, TrainingState};

/// A training by any algorithm.
pub trait Algorithm: fmt::Debug {
    /// State that every algorithm has.
    fn state(&self) -> &TrainingState;

    /// State that every algorithm has.
    fn state_mut(&mut self) -> &mut TrainingState;

    /// Total number of iterations.
    fn n_iterations(&self) -> usize;

    /// Runs one iteration. `None` if `stop` interrupted its steps, which is checked between two environments because they may be slow. An
    /// interrupted training cannot continue; resume its last checkpoint.
    ///
    /// # Errors
    /// [`RlError::Env`] if an environment fails; [`RlError::NotFinite`] if no gradient was finite. The affected weights are then unchanged.
    fn iterate_interruptible(
        &mut self,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Progress>, RlError>;

    /// The current policy. It acts by the mean of its distribution.
    fn policy(&self) -> Policy;

    /// Initialises the actor with the weights of a policy, such as one learnt from demonstrations. Call it before the first iteration.
    /// Critics keep their initial weights.
    ///
    /// # Errors
    /// [`RlError::Misfit`] for a policy of other environments; [`RlError::Config`] if its network or normalisation differs, or if the
    /// algorithm cannot start from a policy.
    fn warm_start(&mut self, policy: &Policy) -> Result<(), RlError>;

    /// Writes a checkpoint between two iterations. The old file is kept until the new one is complete and on the disk.
    ///
    /// # Errors
    /// [`RlError::Write`]; [`RlError::File`] for environments that cannot be serialised.
    fn save(&self, path: &Path) -> Result<(), RlError>;

    /// Changes the total number of timesteps. With `anneal_lr` the learning rate follows the new total from the next iteration on.
    ///
    /// # Errors
    /// [`RlError::Config`] for zero.
    fn set_total_timesteps(&mut self, total_timesteps: usize) -> Result<(), RlError>;

    /// Iterates until all timesteps are completed or the observer breaks; [`Algorithm::is_finished`] distinguishes the two.
    ///
    /// # Errors
    /// Those of [`Algorithm::iterate`].
    fn train(
        &mut self,
        observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<(), RlError> {
        while !self.is_finished() && observer(&self.iterate()?).is_continue() {}
        Ok(())
    }

    /// Runs one iteration.
    ///
    /// # Errors
    /// Those of [`Algorithm::iterate_interruptible`].
    fn iterate(&mut self) -> Result<Progress, RlError> {
        // `None` cannot occur: `stop` is always false.
        loop {
            if let Some(progress) = self.iterate_interruptible(&|| false)? {
                return Ok(progress);
            }
        }
    }

    /// The environments.
    fn env(&self) -> &VecEnv {
        &self.state().env
    }

    /// Iterations completed.
    fn iteration(&self) -> usize {
        self.state().iteration
    }

    /// Steps of all environments completed.
    fn global_step(&self) -> u64 {
        self.state().global_step
    }

    /// Number of environments whose replayed episodes differ from the checkpoint. Training then continues from the replayed state, but not
    /// bit-identically. Zero on the machine that wrote the checkpoint, with the same version and settings.
    fn n_unreproduced_envs(&self) -> usize {
        self.state().n_unreproduced_envs
    }

    /// Whether all timesteps are completed.
    fn is_finished(&self) -> bool {
        self.iteration() >= self.n_iterations()
    }

    /// Sets the maximum number of threads of an update (1 or 2). It has no effect on results.
    fn set_update_threads(&mut self, n_threads: usize) {
        self.state_mut().thread_tuner = ThreadTuner::new(n_threads.clamp(1, 2));
    }
}
