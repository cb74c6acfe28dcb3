//! How a caller watches an experiment, and ends it early.

use std::ops::ControlFlow;

/// Told at every step which share of an experiment is done; `Break` ends it with what was measured so far.
pub type Progress<'a> = &'a mut dyn FnMut(f64) -> ControlFlow<()>;

/// Ends the nested steps of an experiment when its caller breaks off; the experiment itself then returns what was measured.
#[derive(Debug, thiserror::Error)]
#[error("interrupted before anything was measured")]
pub struct Interrupted;

/// Tells the share done.
pub(super) fn report(progress: Progress<'_>, share: f64) -> Result<(), Interrupted> {
    match progress(share) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Interrupted),
    }
}
