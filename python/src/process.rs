//! Detects forks: threads do not survive a fork.

use std::sync::OnceLock;

use crate::error::{OrderError, Result};

/// The process that created an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process(u32);

impl Process {
    /// The current process.
    pub(crate) fn current() -> Self {
        Self(std::process::id())
    }

    /// Whether this is still the current process, not a child of it.
    pub(crate) fn is_current(self) -> bool {
        self == Self::current()
    }

    /// Fails in a child of the process.
    pub(crate) fn check(self) -> Result<()> {
        if self.is_current() {
            return Ok(());
        }
        let problem = "was made before a fork, and its threads are in the parent process: make it in the child, or start children by \
                       multiprocessing's \"spawn\" or \"forkserver\"";
        Err(OrderError::new_err(problem).into())
    }
}

/// Fails in a child of the process that first used the global threads.
pub(crate) fn check_shared_threads() -> Result<()> {
    static FIRST: OnceLock<Process> = OnceLock::new();
    if FIRST.get_or_init(Process::current).is_current() {
        return Ok(());
    }
    let problem = "the threads that the program shares were started before a fork, in the parent process: start children by \
                   multiprocessing's \"spawn\" or \"forkserver\", or give `n_threads=1` where there is such a choice";
    Err(OrderError::new_err(problem).into())
}
