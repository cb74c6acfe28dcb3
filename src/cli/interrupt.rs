//! Ctrl-C: the first one lets a command save what was measured so far, the second one ends it at once.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::Context as _;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// Whether, and by which signal, the command was asked to stop.
#[derive(Debug, Clone)]
pub(crate) struct Interrupt {
    signal: Arc<AtomicUsize>,
    begun: Instant,
}

impl Interrupt {
    /// Listens from now on; before, a signal ends the program, which has measured nothing yet.
    pub(crate) fn listen() -> anyhow::Result<Self> {
        let signal = Arc::new(AtomicUsize::new(0));
        for number in [SIGINT, SIGTERM] {
            // The order counts: the first signal finds `again` false and raises it.
            let again = Arc::new(AtomicBool::new(false));
            let listening = "cannot listen for signals";
            flag::register_conditional_shutdown(number, 128 + number, Arc::clone(&again))
                .context(listening)?;
            flag::register(number, again).context(listening)?;
            flag::register_usize(number, Arc::clone(&signal), number as usize)
                .context(listening)?;
        }
        Ok(Self {
            signal,
            begun: Instant::now(),
        })
    }

    /// Whether a signal came.
    pub(crate) fn came(&self) -> bool {
        self.signal.load(Ordering::Relaxed) != 0
    }

    /// `Break` once a signal came: what loops return to whom they tell their progress.
    pub(crate) fn flow(&self) -> ControlFlow<()> {
        if self.came() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// The end of the program with the signal's status; `saved` says what was saved and where.
    pub(crate) fn error(&self, saved: impl std::fmt::Display) -> Interrupted {
        let seconds = self.begun.elapsed().as_secs_f64();
        Interrupted {
            message: format!("interrupted after {seconds:.1} s: {saved}"),
            status: 128 + self.signal.load(Ordering::Relaxed) as u8,
        }
    }
}

/// A command was stopped by a signal, and has saved what it measured.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Interrupted {
    message: String,
    /// Exit status.
    pub(crate) status: u8,
}
