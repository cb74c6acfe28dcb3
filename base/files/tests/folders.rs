//! Contract: a folder has one writer at a time; leftovers of a killed writer do not block the next one and are removed.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Barrier;

use insonate_files::{Claim, FileError, FolderParts, OutputFolder};

const TEST: Claim<'_> = Claim::by("test");
const AGAIN: Claim<'_> = Claim::resuming("test");

#[test]
fn a_second_writer_is_refused_until_the_first_is_done() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("run");
    let first = OutputFolder::create(&path, TEST).unwrap();
    let refusal = OutputFolder::create(&path, TEST).unwrap_err();
    let own = std::process::id();
    assert!(
        matches!(refusal, FileError::Busy { process: Some(id), .. } if id == own),
        "{refusal}"
    );
    first.write("log.csv", b"whole").unwrap();
    drop(first);
    OutputFolder::create(&path, AGAIN).unwrap();
    let left: Vec<_> = fs::read_dir(&path).unwrap().collect();
    assert_eq!(left.len(), 2, "the log stays, and the list of files");
}

#[test]
fn a_new_folder_that_stays_empty_is_removed() {
    let scratch = tempfile::tempdir().unwrap();
    let (made, own) = (scratch.path().join("made"), scratch.path().join("own"));
    fs::create_dir(&own).unwrap();
    drop(OutputFolder::create(&made, TEST).unwrap());
    drop(OutputFolder::create(&own, TEST).unwrap());
    assert!(!made.exists() && own.exists());
}

#[test]
fn a_file_in_the_place_of_a_folder_is_an_error_that_names_it() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let message = OutputFolder::create(file.path(), TEST)
        .unwrap_err()
        .to_string();
    assert!(message.contains(file.path().to_str().unwrap()), "{message}");
}

#[test]
fn only_one_of_many_concurrent_writers_gets_the_folder() {
    const N: usize = 8;
    let scratch = tempfile::tempdir().unwrap();
    for _ in 0..50 {
        let (start, end) = (Barrier::new(N), Barrier::new(N));
        let held = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..N)
                .map(|_| {
                    scope.spawn(|| {
                        start.wait();
                        let folder = OutputFolder::create(scratch.path(), TEST);
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

/// The test runs itself in a second process, which holds the folder.
#[test]
fn a_killed_writer_does_not_block_others_and_its_partial_files_are_removed() {
    const NAME: &str = "a_killed_writer_does_not_block_others_and_its_partial_files_are_removed";
    const FOLDER: &str = "INSONATE_TEST_HELD_FOLDER";
    if let Some(folder) = std::env::var_os(FOLDER) {
        let folder = OutputFolder::create(folder, TEST).unwrap();
        fs::write(folder.path().join(".insonate-abcdef.partial"), "half").unwrap();
        println!("holding");
        std::thread::sleep(std::time::Duration::from_mins(1));
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", NAME, "--nocapture"])
        .env(FOLDER, scratch.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("holding")));
    let refusal = OutputFolder::create(scratch.path(), TEST).unwrap_err();
    assert!(
        refusal
            .to_string()
            .contains(&format!("process {}", child.id())),
        "{refusal}"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    drop(OutputFolder::create(scratch.path(), TEST).unwrap());
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
}

/// Begins parts of a folder: `data` and `meta` with the given content.
fn parts(folder: &OutputFolder, content: &str) -> FolderParts {
    let parts = FolderParts::begin(folder).unwrap();
    for name in ["data", "meta"] {
        fs::create_dir(parts.path().join(name)).unwrap();
        fs::write(parts.path().join(name).join("file"), content).unwrap();
    }
    parts
}

fn content(folder: &Path, part: &str) -> String {
    fs::read_to_string(folder.join(part).join("file")).unwrap()
}

#[test]
fn parts_appear_together_or_not_at_all() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path();
    fs::write(path.join("notes"), "mine").unwrap();
    let folder = OutputFolder::create(path, AGAIN).unwrap();
    parts(&folder, "first").commit(&folder).unwrap();
    drop(parts(&folder, "second"));
    assert_eq!([content(path, "data"), content(path, "meta")], ["first"; 2]);
    parts(&folder, "third").commit(&folder).unwrap();
    drop(folder);
    assert_eq!([content(path, "data"), content(path, "meta")], ["third"; 2]);
    // The user's file, the two parts and the list of files.
    assert_eq!(fs::read_dir(path).unwrap().count(), 4);
}

#[test]
fn the_next_writer_repairs_the_state_of_a_killed_one() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path();
    let folder = OutputFolder::create(path, AGAIN).unwrap();
    parts(&folder, "old").commit(&folder).unwrap();
    drop(folder);
    let hidden = |name: &str| path.join(format!(".insonate-parts.{name}"));
    // The writer was killed while it wrote: the existing content is kept.
    fs::create_dir_all(hidden("partial").join("data")).unwrap();
    drop(OutputFolder::create(path, AGAIN).unwrap());
    assert!(!hidden("partial").exists());
    assert_eq!(content(path, "data"), "old");
    // The writer was killed while it moved: `data` is new, and the old `meta` is already removed.
    fs::create_dir_all(hidden("whole").join("meta")).unwrap();
    fs::write(hidden("whole").join("meta").join("file"), "new").unwrap();
    fs::write(path.join("data").join("file"), "new").unwrap();
    fs::remove_dir_all(path.join("meta")).unwrap();
    drop(OutputFolder::create(path, AGAIN).unwrap());
    assert_eq!([content(path, "data"), content(path, "meta")], ["new"; 2]);
    assert!(!hidden("whole").exists());
}
