//! Runs two parts of an update on one thread or two.

use std::thread;

/// Runs both functions, concurrently if there are two threads. The results are the same.
pub(crate) fn join<A: Send, B: Send>(
    n_threads: usize,
    a: impl FnOnce() -> A,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    if n_threads < 2 {
        return (a(), b());
    }
    thread::scope(|scope| {
        let b = scope.spawn(b);
        let a = a();
        let b = b.join();
        (
            a,
            b.unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        )
    })
}
