//! Contract: any file with any mesh or image in the same folder gives a standalone document or an error. The document
//! can be written and read back unchanged.
//!
//! The input is the XML up to the first zero byte, followed by the bytes of every asset.

#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use insonate_models::mjcf::{Mjcf, ReadOptions};
use libfuzzer_sys::fuzz_target;

/// Names under which the XML finds the asset.
const ASSETS: [&str; 4] = ["a.stl", "a.obj", "a.msh", "a.png"];

/// A folder that only this process uses.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("insonate-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("the temporary folder can be written");
    folder
});

fuzz_target!(|input: &[u8]| {
    let end = input
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(input.len());
    let (xml, asset) = (&input[..end], input.get(end + 1..).unwrap_or(&[]));
    let file = FOLDER.join("main.xml");
    fs::write(&file, xml).expect("the temporary folder can be written");
    for name in ASSETS {
        fs::write(FOLDER.join(name), asset).expect("the temporary folder can be written");
    }
    let options = ReadOptions::default();
    let Ok(standalone) = Mjcf::read_standalone(&file, &options) else {
        return;
    };
    let written = standalone
        .mjcf
        .to_xml()
        .expect("what the reader makes is valid");
    let again = Mjcf::read_str(&written, "written", &options).expect("what we write we read");
    assert_eq!(
        written,
        again.to_xml().expect("what the reader accepts is valid")
    );
});
