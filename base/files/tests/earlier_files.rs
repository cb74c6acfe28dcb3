//! Contract: a folder holds the files of one run. Files of the same command are removed; files of another command are refused or
//! removed. A user's files are kept, links are not followed, and a forged list cannot affect files outside its folder.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fs;
use std::path::Path;

use insonate_files::{Claim, FileError, OutputFolder};

const PRESS: Claim<'_> = Claim::by("press");
const SCAN: Claim<'_> = Claim::by("scan");
const LIST: &str = ".insonate.files";

/// Writes the output of a command: two files, and one in a subfolder.
fn fill(folder: &Path, claim: Claim<'_>) {
    let folder = OutputFolder::create(folder, claim).unwrap();
    folder.write("log.csv", b"log").unwrap();
    fs::write(folder.file("plot.svg").unwrap(), "plot").unwrap();
    let within = OutputFolder::create(folder.folder("episode-3").unwrap(), claim).unwrap();
    within.write("log.csv", b"log").unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn the_files_of_another_command_are_refused_or_removed() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    fill(folder, PRESS);
    fs::write(folder.join("notes.txt"), "mine").unwrap();
    fs::write(folder.join("episode-3/notes.txt"), "mine").unwrap();
    let refusal = OutputFolder::create(folder, SCAN).unwrap_err();
    assert!(matches!(refusal, FileError::Occupied { n_files: 3, .. }));
    assert!(refusal.to_string().contains("insonate press"), "{refusal}");
    assert!(folder.join("log.csv").exists(), "a refusal removes nothing");

    drop(OutputFolder::create(folder, SCAN.overwriting(true)).unwrap());
    assert_eq!(names(folder), ["episode-3", "notes.txt"]);
    assert_eq!(names(&folder.join("episode-3")), ["notes.txt"]);
}

#[test]
fn the_same_command_replaces_its_files_or_goes_on_with_them() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    fill(folder, PRESS);
    let resumed = OutputFolder::create(folder, Claim::resuming("press")).unwrap();
    resumed.write("log.csv", b"more").unwrap();
    drop(resumed);
    assert_eq!(names(folder), [LIST, "episode-3", "log.csv", "plot.svg"]);
    let list = fs::read_to_string(folder.join(LIST)).unwrap();
    assert_eq!(list, "press\nlog.csv\nplot.svg\nepisode-3/\n");
    drop(OutputFolder::create(folder, PRESS).unwrap());
    assert_eq!(names(folder), [""; 0]);
}

#[test]
fn a_folder_whose_files_were_removed_is_free() {
    let scratch = tempfile::tempdir().unwrap();
    fill(scratch.path(), PRESS);
    for name in ["log.csv", "plot.svg", "episode-3/log.csv"] {
        fs::remove_file(scratch.path().join(name)).unwrap();
    }
    OutputFolder::create(scratch.path(), SCAN).unwrap();
}

#[test]
fn a_forged_list_affects_nothing_outside_its_folder() {
    let scratch = tempfile::tempdir().unwrap();
    let (folder, other) = (scratch.path().join("run"), scratch.path().join("other"));
    fs::create_dir_all(folder.join("own")).unwrap();
    fs::create_dir(&other).unwrap();
    let kept = [other.join("thesis"), scratch.path().join("adjacent")];
    for path in &kept {
        fs::write(path, "mine").unwrap();
    }
    fs::write(folder.join("own/thesis"), "mine").unwrap();
    let mut list = format!(
        "press\n../adjacent\n../other/thesis\n{}\nown\nown/../../adjacent\n./own/thesis\n\n/\n..\n",
        kept[0].display()
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink(&other, folder.join("link")).unwrap();
        symlink(&kept[0], folder.join("thesis")).unwrap();
        fs::write(other.join(LIST), "press\nthesis\n").unwrap();
        list += "link/thesis\nlink/\nthesis\n";
    }
    fs::write(folder.join(LIST), list).unwrap();
    drop(OutputFolder::create(&folder, PRESS).unwrap());
    for path in kept.iter().chain([&folder.join("own/thesis")]) {
        assert_eq!(
            fs::read_to_string(path).unwrap(),
            "mine",
            "{}",
            path.display()
        );
    }
    #[cfg(unix)]
    assert!(
        fs::symlink_metadata(folder.join("thesis"))
            .unwrap()
            .is_symlink()
    );
}

#[cfg(unix)]
#[test]
fn a_list_is_not_written_through_a_link() {
    let scratch = tempfile::tempdir().unwrap();
    let (folder, target) = (scratch.path().join("run"), scratch.path().join("target"));
    fs::create_dir(&folder).unwrap();
    fs::write(&target, "mine").unwrap();
    std::os::unix::fs::symlink(&target, folder.join(LIST)).unwrap();
    let run = OutputFolder::create(&folder, PRESS).unwrap();
    run.write("log.csv", b"log").unwrap_err();
    assert_eq!(fs::read_to_string(&target).unwrap(), "mine");
}

#[test]
fn names_of_commands_are_sanitised_in_errors() {
    let scratch = tempfile::tempdir().unwrap();
    fill(scratch.path(), PRESS);
    fs::write(scratch.path().join(LIST), "\u{1b}[2J\nlog.csv\n").unwrap();
    let refusal = OutputFolder::create(scratch.path(), SCAN).unwrap_err();
    assert!(!refusal.to_string().contains('\u{1b}'), "{refusal}");
}
