//! Any text that a client may send to rosbridge's server.

#![no_main]

use insonate_rosbridge::{MAX_TOPIC, Request};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Request::parse(text) {
        Ok(Request::Subscribe { topic, .. } | Request::Unsubscribe { topic }) => {
            assert!(topic.starts_with('/') && topic.len() <= MAX_TOPIC + 1);
        }
        Ok(Request::Publish { message, .. }) => assert!(message.is_object()),
        Ok(_) => {}
        Err(problem) => assert!(!problem.is_empty()),
    }
});
