//! Contract: commands write regular files whole, follow links, write devices and pipes through, and one command at a time fills a folder.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod command;

use std::fs::{self, Permissions};
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use command::{done, json, refused};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_scene_goes_wherever_the_output_leads() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let xml = done(&["scene"]);
    let write = |path: &Path| done(&["scene", "--output", text(path)]);

    assert_eq!(done(&["scene", "-o", "-"]), xml);
    assert!(!Path::new("-").exists());

    fs::write(at("old.xml"), "old").unwrap();
    fs::set_permissions(at("old.xml"), Permissions::from_mode(0o640)).unwrap();
    symlink("old.xml", at("link.xml")).unwrap();
    write(&at("link.xml"));
    assert_eq!(fs::read_link(at("link.xml")).unwrap(), Path::new("old.xml"));
    assert_eq!(fs::read_to_string(at("old.xml")).unwrap(), xml);
    let mode = fs::metadata(at("old.xml")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);

    let pipe = at("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).unwrap()
    });
    write(&pipe);
    assert_eq!(reader.join().unwrap(), xml);

    // Nodes of their own would need root; what is linked is the system's.
    symlink("/dev/null", at("null")).unwrap();
    symlink("/dev/full", at("full")).unwrap();
    for null in [Path::new("/dev/null"), &at("null")] {
        write(null);
    }
    for full in [Path::new("/dev/full"), &at("full")] {
        let line = refused(&["scene", "--output", text(full)], 1);
        assert_eq!(
            line,
            format!(
                "error: cannot write {}: No space left on device (os error 28)",
                full.display()
            )
        );
    }
    for device in ["/dev/null", "/dev/full"] {
        assert!(fs::metadata(device).unwrap().file_type().is_char_device());
    }
    assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 5);
}

#[test]
fn a_full_disk_ends_an_experiment_with_the_name_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    symlink("/dev/full", folder.path().join("log.csv")).unwrap();
    let output = text(folder.path());
    let line = refused(&[&PRESS[..], &["--output", output]].concat(), 1);
    assert!(line.contains("log.csv: No space left"), "{line}");
}

const PRESS: [&str; 6] = [
    "press",
    "--depth",
    "0.005",
    "--hold",
    "0.1",
    "--no-pictures",
];

#[test]
fn a_second_command_on_a_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = text(folder.path());
    let mut first = Command::new(env!("CARGO_BIN_EXE_insonate"))
        .args(["press", "--hold", "60", "--no-pictures", "--output", output])
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while !folder.path().join("scene.xml").exists() {
        assert!(begun.elapsed() < Duration::from_mins(1));
        std::thread::sleep(Duration::from_millis(5));
    }
    for arguments in [
        &PRESS[..],
        &["scan", "--no-pictures"],
        &["tissue", "push", "--no-pictures"],
        &[
            "rollout",
            "scripted",
            "--task",
            "probe-sweep",
            "--no-pictures",
        ],
        &["train", "pendulum", "--steps", "1000"],
        &["calibrate", "data/logs/absent.csv"],
    ] {
        let line = refused(&[arguments, &["--output", output]].concat(), 1);
        let expected = format!("another command (process {}) is writing", first.id());
        assert!(line.contains(&expected), "{arguments:?}: {line}");
    }
    first.kill().unwrap();
    first.wait().unwrap();
    json(&[&PRESS[..], &["--output", output]].concat());
    assert!(folder.path().join("summary.json").exists());
    assert!(!folder.path().join(".insonate.lock").exists());
}
