//! Contract: without libmujoco, or with another version of it, the program starts and reports in one line what to do.

use std::process::{Command, Output};

/// Runs the program with a folder as the only search path for libmujoco.
fn run_with(folder: &str, arguments: &[&str]) -> Output {
    let loader = match std::env::consts::ARCH {
        "aarch64" => "/lib/ld-linux-aarch64.so.1",
        _ => "/lib64/ld-linux-x86-64.so.2",
    };
    // The loader ignores the folder with which the program was built.
    Command::new(loader)
        .args(["--inhibit-rpath", "", env!("CARGO_BIN_EXE_insonate")])
        .args(arguments)
        .env("MUJOCO_DYNAMIC_LINK_DIR", folder)
        .env_remove("LD_LIBRARY_PATH")
        .output()
        .expect("the loader starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn one_line(output: &Output) -> String {
    let text = stderr(output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    text
}

#[test]
fn the_program_starts_without_libmujoco() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().to_str().unwrap();
    let help = run_with(folder, &["--help"]);
    assert!(help.status.success(), "{}", stderr(&help));
    let text = one_line(&run_with(
        folder,
        &["press", "--output", &format!("{folder}/press")],
    ));
    assert!(text.contains("cargo xtask setup"), "{text}");
    assert!(text.contains("MUJOCO_DYNAMIC_LINK_DIR"), "{text}");
}

#[test]
fn another_version_of_libmujoco_is_named() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().to_str().unwrap();
    let library = format!("{}/libmujoco.so", env!("MUJOCO_DYNAMIC_LINK_DIR"));
    let mut bytes = std::fs::read(library).unwrap();
    let places: Vec<usize> = (0..bytes.len() - 6)
        .filter(|&at| &bytes[at..at + 6] == b"3.17.0")
        .collect();
    for at in places {
        bytes[at..at + 6].copy_from_slice(b"3.16.9");
    }
    std::fs::write(scratch.path().join("libmujoco.so"), bytes).unwrap();
    let text = one_line(&run_with(
        folder,
        &["press", "--output", &format!("{folder}/press")],
    ));
    assert!(text.contains("3.16.9") && text.contains("3.17.0"), "{text}");
}
