//! Ctrl-C ends every command within two seconds, with what was measured so far on disk.
//!
//! While a command's loop runs, the loop breaks off, and the command saves.
//! Before the loop, and after the log is saved, the command has a moment to end by itself before it is ended: there it compiles scenes, or
//! draws pictures and films, which takes longer than people wait.
//! A second signal ends it at once, whatever it does.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use insonate::experiments::ExperimentError;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::run_record;

/// How often the watching thread looks.
const LOOK: Duration = Duration::from_millis(20);
/// How long a command may take to end by itself once its log is saved.
const GRACE: Duration = Duration::from_millis(1200);
/// How long a command may take to come to its loop, which then breaks off and saves what there is.
const PREPARATION: Duration = Duration::from_millis(1800);

/// How long a command that has just saved may take to print its summary.
const REST: Duration = Duration::from_millis(300);

/// Whether, and by which signal, the command was asked to stop.
#[derive(Debug, Clone)]
pub(crate) struct Interrupt {
    shared: Arc<SignalState>,
}

#[derive(Debug)]
struct SignalState {
    signal: Arc<AtomicUsize>,
    begun: Instant,
    /// Whether a loop polls for the signal, so that it ends by itself.
    is_asked: AtomicBool,
    /// What is saved, and where, once it is.
    saved: Mutex<Option<Saved>>,
}

/// What is saved, and since when.
#[derive(Debug)]
struct Saved {
    what: String,
    at: Instant,
}

/// One for the program: signals are the program's.
static INTERRUPT: OnceLock<Interrupt> = OnceLock::new();

impl Interrupt {
    /// The program's; listens from the first call on.
    pub(crate) fn listen() -> anyhow::Result<Self> {
        if let Some(listening) = INTERRUPT.get() {
            return Ok(listening.clone());
        }
        let shared = Arc::new(SignalState {
            signal: Arc::new(AtomicUsize::new(0)),
            begun: Instant::now(),
            is_asked: AtomicBool::new(false),
            saved: Mutex::new(None),
        });
        let listening = "cannot listen for signals";
        for number in [SIGINT, SIGTERM] {
            // The order counts: the first signal finds `again` false and raises it.
            let again = Arc::new(AtomicBool::new(false));
            flag::register_conditional_shutdown(number, 128 + number, Arc::clone(&again))
                .context(listening)?;
            flag::register(number, again).context(listening)?;
            let signal = Arc::clone(&shared.signal);
            flag::register_usize(number, signal, number as usize).context(listening)?;
        }
        let interrupt = Self { shared };
        let watched = interrupt.clone();
        let watching = std::thread::Builder::new().name("interrupt".to_owned());
        watching.spawn(move || watched.watch()).context(listening)?;
        Ok(INTERRUPT.get_or_init(|| interrupt).clone())
    }

    /// Whether a signal came. A caller that asks keeps asking, and saves and ends soon after the signal.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.shared.is_asked.store(true, Ordering::Relaxed);
        self.number() != 0
    }

    /// `Break` once a signal came, for the loops that report their progress.
    pub(crate) fn flow(&self) -> ControlFlow<()> {
        if self.is_interrupted() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Everything that counts is saved; what follows, such as pictures, may be cut off by a signal.
    pub(crate) fn saved(&self, what: impl std::fmt::Display) {
        *self.lock() = Some(Saved {
            what: what.to_string(),
            at: Instant::now(),
        });
    }

    /// The end of the program with the signal's status; `saved` says what was saved and where.
    pub(crate) fn error(&self, saved: impl std::fmt::Display) -> Interrupted {
        Interrupted {
            message: self.message(&saved.to_string()),
            status: self.status(),
        }
    }

    /// Ends the program where it does not end by itself.
    fn watch(&self) {
        while self.number() == 0 {
            std::thread::sleep(LOOK);
        }
        let arrival = Instant::now();
        std::thread::sleep(GRACE);
        loop {
            if let Some(saved) = &*self.lock()
                && saved.at.elapsed() > REST
            {
                self.end(&saved.what, true);
            }
            let is_asked = self.shared.is_asked.load(Ordering::Relaxed);
            if !is_asked && self.lock().is_none() && arrival.elapsed() > PREPARATION {
                self.end("nothing was saved", false);
            }
            std::thread::sleep(LOOK);
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the thread that works does not return in time; half-written files are taken away before"
    )]
    fn end(&self, saved: &str, is_saved: bool) -> ! {
        insonate::files::abandon();
        // The folder is free now, so the record can be added.
        run_record::finish(is_saved);
        eprintln!("{}", self.message(saved));
        std::process::exit(self.status().into())
    }

    fn message(&self, saved: &str) -> String {
        let seconds = self.shared.begun.elapsed().as_secs_f64();
        format!("interrupted after {seconds:.1} s: {saved}")
    }

    fn status(&self) -> u8 {
        128 + self.number() as u8
    }

    fn number(&self) -> usize {
        self.shared.signal.load(Ordering::Relaxed)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Saved>> {
        self.shared
            .saved
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether an experiment ended because its caller interrupted it.
pub(crate) fn is_interruption(error: &anyhow::Error) -> bool {
    let experiment = error.downcast_ref::<ExperimentError>();
    matches!(experiment, Some(ExperimentError::Interrupted(_)))
}

/// A command was stopped by a signal, and has saved what it measured.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Interrupted {
    message: String,
    /// Exit status.
    pub(crate) status: u8,
}
