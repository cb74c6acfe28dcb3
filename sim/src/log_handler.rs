//! Handler of MuJoCo's messages: warnings are kept per thread, not printed and not written to a file.

#![expect(
    unsafe_code,
    reason = "MuJoCo's log handler is a process-wide C global"
)]

use std::cell::RefCell;
use std::panic::AssertUnwindSafe;
use std::sync::Once;

use mujoco_rs::logging::set_log_handler;
use mujoco_rs::wrappers::mj_logging::{MjLogMessage, MjtLogLevel, log_config, set_log_config};

/// Largest number of messages kept per thread; a diverging run must not fill the memory.
const MAX_KEPT: usize = 64;

thread_local! {
    static MESSAGES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Routes MuJoCo's messages to this module, once per process.
pub(crate) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // SAFETY: every model of this crate comes from `compile`, which calls this first, and `Once` blocks
        // other threads until it is done; so no thread of this crate is inside MuJoCo here.
        unsafe {
            set_log_handler(keep);
            // Installing the handler turns on step timings, which are not used here.
            set_log_config(log_config().with_topics(0));
        }
    });
}

/// Takes the messages that MuJoCo logged on this thread since the last call.
pub(crate) fn take() -> Vec<String> {
    MESSAGES.with(RefCell::take)
}

fn keep(message: &MjLogMessage) {
    if matches!(
        message.level(),
        MjtLogLevel::mjLOG_DEBUG | MjtLogLevel::mjLOG_INFO
    ) {
        return;
    }
    let subject = text(message);
    if message.level() == MjtLogLevel::mjLOG_ERROR {
        // MuJoCo cannot continue after an error: the binding ends the process when this returns.
        eprintln!("mujoco: {subject}");
        return;
    }
    // A handler must not panic, so a thread that is ending drops the message.
    let _ = MESSAGES.try_with(|messages| {
        let mut messages = messages.borrow_mut();
        if messages.len() < MAX_KEPT {
            messages.push(subject);
        }
    });
}

/// Subject of the message. MuJoCo cuts it at 1 kB, possibly inside a character, and then the binding panics.
fn text(message: &MjLogMessage) -> String {
    std::panic::catch_unwind(AssertUnwindSafe(|| message.subject().trim().to_owned()))
        .unwrap_or_else(|_| "a message that is not UTF-8".to_owned())
}
