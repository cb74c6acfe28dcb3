//! Any text that a client may send to Foxglove's server.

#![no_main]

use insonate_foxglove::{MAX_SUBSCRIPTIONS, Request};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Request::parse(text) {
        Ok(Request::Subscribe(list)) => assert!(list.len() <= MAX_SUBSCRIPTIONS),
        Ok(Request::Unsubscribe(list)) => assert!(list.len() <= MAX_SUBSCRIPTIONS),
        Err(problem) => assert!(!problem.is_empty()),
    }
});
