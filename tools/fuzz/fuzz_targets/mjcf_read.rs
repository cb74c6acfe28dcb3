//! Contract: any text gives a tree or an error. A tree that was read can be written and read back unchanged.

#![no_main]

use insonate_models::mjcf::{Mjcf, ReadOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // Without a root folder the document may not include files, so the fuzzer cannot access any.
    let options = ReadOptions::default();
    let Ok(first) = Mjcf::read_str(text, "input", &options) else {
        return;
    };
    let written = first.to_xml().expect("what the reader accepts is valid");
    let second = Mjcf::read_str(&written, "written", &options).expect("what we write we read");
    let rewritten = second.to_xml().expect("what the reader accepts is valid");
    assert_eq!(written, rewritten);
});
