//! Turns a panic of the Parquet, HDF5 or MCAP library into an error.
//!
//! The checks of Parquet's footer and pages refuse damage that is known to make the library (parquet 60.1) panic.
//! Unknown cases must not end a program that reads a user's file either.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether this thread's panics are caught here, so that their messages are suppressed.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

static HOOK: Once = Once::new();

/// Returns the result of the closure, or `None` if it panicked; everything that it owned is dropped.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                usual(panic);
            }
        }));
    });
    GUARDED.set(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(false);
    result.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_nothing_and_a_result_is_kept() {
        assert_eq!(guarded(|| 3), Some(3));
        assert_eq!(guarded(|| [0; 3][std::hint::black_box(3)]), None);
    }
}
