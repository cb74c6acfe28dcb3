//! The organs of environments that advance together: one per SIMD lane.

use std::sync::{Mutex, MutexGuard, PoisonError};

use insonate_tissue::TissueError;
use insonate_tissue::xpbd::{BatchWorld, XpbdBatch};

use super::organ::Organ;

/// Worlds of equal organs, and which of them advance next.
#[derive(Debug)]
pub(super) struct Worlds(Mutex<Inner>);

#[derive(Debug)]
struct Inner {
    batch: XpbdBatch,
    is_due: Vec<bool>,
    /// Errors of the last advance.
    errors: Vec<Option<TissueError>>,
}

impl Worlds {
    /// Number of organs that fill the lanes of a vector. Fewer take the same time.
    pub(super) const MAX: usize = XpbdBatch::LANES;

    /// Creates worlds. They must be reset before they advance.
    pub(super) fn new(organ: &Organ, n_worlds: usize) -> Result<Self, TissueError> {
        Ok(Self(Mutex::new(Inner {
            batch: organ.batch(n_worlds)?,
            is_due: vec![false; n_worlds],
            errors: (0..n_worlds).map(|_| None).collect(),
        })))
    }

    /// Resets a world to the organ at rest, without tools.
    pub(super) fn reset(&self, index: usize, organ: &Organ) -> Result<(), TissueError> {
        let mut inner = self.lock();
        inner.is_due[index] = false;
        inner.errors[index] = None;
        let mut world = inner.world(index);
        world.tools_mut().clear();
        world.restore(organ.rest())
    }

    /// Calls a function with a world.
    pub(super) fn with<R>(&self, index: usize, f: impl FnOnce(&mut BatchWorld<'_>) -> R) -> R {
        f(&mut self.lock().world(index))
    }

    /// Marks a world for the next advance.
    pub(super) fn set_due(&self, index: usize) {
        self.lock().is_due[index] = true;
    }

    /// Advances all marked worlds by a time [s].
    pub(super) fn advance(&self, time: f64) {
        self.lock().advance(time);
    }

    /// Advances a world, unless the group has been advanced, and returns its result.
    pub(super) fn finish(&self, index: usize, time: f64) -> Result<(), TissueError> {
        let mut inner = self.lock();
        if inner.is_due[index] {
            inner.advance(time);
        }
        inner.errors[index].take().map_or(Ok(()), Err)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // After a panic in the solver, the next reset rewrites the worlds.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn world(&mut self, index: usize) -> BatchWorld<'_> {
        let world = self.batch.world(index);
        world.expect("each environment has one of the batch's worlds")
    }

    fn advance(&mut self, time: f64) {
        let Self {
            batch,
            is_due,
            errors,
        } = self;
        match batch.step_where(time, |world| is_due[world]) {
            Ok(outcomes) => {
                for ((error, outcome), _) in errors
                    .iter_mut()
                    .zip(outcomes)
                    .zip(&*is_due)
                    .filter(|(_, is_due)| **is_due)
                {
                    *error = outcome;
                }
            }
            Err(error) => {
                for (index, _) in is_due.iter().enumerate().filter(|(_, is_due)| **is_due) {
                    errors[index] = Some(error.clone());
                }
            }
        }
        is_due.fill(false);
    }
}
