//! Callback with which a caller watches an experiment and can end it early.

use std::ops::ControlFlow;

/// Called at every step with the share of an experiment that is done. `Break` ends it and keeps the measurements so far.
pub type Progress<'a> = &'a mut dyn FnMut(f64) -> ControlFlow<()>;

/// Ends the nested steps of an experiment if its caller interrupts. The experiment then returns the measurements so far.
#[derive(Debug, thiserror::Error)]
#[error("interrupted before the first measurement")]
pub struct Interrupted;

/// Reports the share that is done.
pub(super) fn report(progress: Progress<'_>, share: f64) -> Result<(), Interrupted> {
    match progress(share) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Interrupted),
    }
}
