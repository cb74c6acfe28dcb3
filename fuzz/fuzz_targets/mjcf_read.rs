//! Contract: any text ends in a tree or an error; a tree that was read is written, read and written identically.

#![no_main]

use insonate_models::mjcf::{Mjcf, ReadOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // Without a root folder the document may include no file, so the fuzzer reaches none.
    let options = ReadOptions::default();
    let Ok(first) = Mjcf::read_str(text, "input", &options) else {
        return;
    };
    let written = first.to_xml().expect("what the reader accepts is valid");
    let second = Mjcf::read_str(&written, "written", &options).expect("what we write we read");
    let rewritten = second.to_xml().expect("what the reader accepts is valid");
    assert_eq!(written, rewritten);
});
