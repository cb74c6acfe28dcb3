//! Contract: a folder has one writer at a time; what a killed writer left neither blocks the next one nor stays.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::Barrier;

use insonate_files::{FileError, OutputFolder};

#[test]
fn a_second_writer_is_refused_until_the_first_is_done() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("run");
    let first = OutputFolder::create(&path).unwrap();
    let refusal = OutputFolder::create(&path).unwrap_err();
    let own = std::process::id();
    assert!(
        matches!(refusal, FileError::Busy { process: Some(id), .. } if id == own),
        "{refusal}"
    );
    first.write("log.csv", b"whole").unwrap();
    drop(first);
    OutputFolder::create(&path).unwrap();
    let left: Vec<_> = fs::read_dir(&path).unwrap().collect();
    assert_eq!(left.len(), 1, "only the log stays");
}

#[test]
fn a_folder_of_which_nothing_came_is_removed_again() {
    let scratch = tempfile::tempdir().unwrap();
    let (made, own) = (scratch.path().join("made"), scratch.path().join("own"));
    fs::create_dir(&own).unwrap();
    drop(OutputFolder::create(&made).unwrap());
    drop(OutputFolder::create(&own).unwrap());
    assert!(!made.exists() && own.exists());
}

#[test]
fn a_file_in_the_place_of_a_folder_is_an_error_that_names_it() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let message = OutputFolder::create(file.path()).unwrap_err().to_string();
    assert!(message.contains(file.path().to_str().unwrap()), "{message}");
}

#[test]
fn of_many_writers_at_once_one_has_the_folder() {
    const N: usize = 8;
    let scratch = tempfile::tempdir().unwrap();
    for _ in 0..50 {
        let (start, end) = (Barrier::new(N), Barrier::new(N));
        let held = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..N)
                .map(|_| {
                    scope.spawn(|| {
                        start.wait();
                        let folder = OutputFolder::create(scratch.path());
                        end.wait();
                        folder.is_ok()
                    })
                })
                .collect();
            let held = threads.into_iter().map(|thread| thread.join().unwrap());
            held.filter(|held| *held).count()
        });
        assert_eq!(held, 1);
    }
}

/// Not a test of its own: holds a folder until it is killed.
#[test]
fn child_that_holds_a_folder() {
    if let Some(path) = std::env::var_os("INSONATE_TEST_HELD_FOLDER") {
        let folder = OutputFolder::create(path).unwrap();
        fs::write(folder.path().join(".insonate-abcdef.partial"), "half").unwrap();
        println!("holding");
        std::thread::sleep(std::time::Duration::from_mins(1));
    }
}

#[test]
fn a_killed_writer_blocks_nobody_and_its_half_files_go() {
    let scratch = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_that_holds_a_folder", "--nocapture"])
        .env("INSONATE_TEST_HELD_FOLDER", scratch.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("holding")));
    let refusal = OutputFolder::create(scratch.path()).unwrap_err();
    assert!(
        refusal
            .to_string()
            .contains(&format!("process {}", child.id())),
        "{refusal}"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    drop(OutputFolder::create(scratch.path()).unwrap());
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
}
