//! In which process something was made: threads do not survive a fork.

use crate::error::{OrderError, Result};

/// The process that made something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process(u32);

impl Process {
    /// This one.
    pub(crate) fn current() -> Self {
        Self(std::process::id())
    }

    /// Whether this is the process still, and no child of it.
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
