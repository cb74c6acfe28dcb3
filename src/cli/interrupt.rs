//! Ctrl-C: the first one lets the work at hand be finished and saved, the second one ends at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use anyhow::Context as _;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// Whether and by which signal it was asked to stop.
#[derive(Debug, Clone)]
pub(crate) struct Interrupt {
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Listens from now on.
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
        Ok(Self { signal })
    }

    /// Whether a signal came.
    pub(crate) fn came(&self) -> bool {
        self.signal.load(Ordering::Relaxed) != 0
    }

    /// The error that ends the program with the signal's status.
    pub(crate) fn error(&self, saved: String) -> Interrupted {
        Interrupted {
            saved,
            status: 128 + self.signal.load(Ordering::Relaxed) as u8,
        }
    }
}

/// The work was stopped by a signal, and saved.
#[derive(Debug, thiserror::Error)]
#[error("interrupted: {saved}")]
pub(crate) struct Interrupted {
    saved: String,
    /// Exit status.
    pub(crate) status: u8,
}
