//! Progress and Ctrl-C of calls that take long.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// Time between looks for Ctrl-C, and between calls of the progress function.
const LOOK: Duration = Duration::from_millis(50);

/// Looks for Ctrl-C, and tells a function of the caller how far a call has come.
pub(crate) struct Watch {
    /// Called with the share that is done, 0 to 1, and a text.
    progress: Option<Py<PyAny>>,
    looked: Instant,
    raised: Option<PyErr>,
}

impl Watch {
    pub(crate) fn new(progress: Option<Py<PyAny>>) -> Self {
        Self {
            progress,
            looked: Instant::now(),
            raised: None,
        }
    }

    /// Break after Ctrl-C, or after an exception of the progress function. Needs no interpreter's lock.
    pub(crate) fn look(&mut self, share: f64, text: impl FnOnce() -> String) -> ControlFlow<()> {
        if self.raised.is_none() && self.looked.elapsed() > LOOK {
            self.looked = Instant::now();
            self.raised = Python::attach(|py| {
                py.check_signals()?;
                if let Some(progress) = &self.progress {
                    progress.call1(py, (share, text()))?;
                }
                Ok::<_, PyErr>(())
            })
            .err();
        }
        match self.raised {
            None => ControlFlow::Continue(()),
            Some(_) => ControlFlow::Break(()),
        }
    }

    /// Whether the call was stopped.
    pub(crate) fn is_stopped(&self) -> bool {
        self.raised.is_some()
    }

    /// Why the call was stopped.
    pub(crate) fn into_raised(self) -> Option<PyErr> {
        self.raised
    }
}
