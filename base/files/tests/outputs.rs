//! Contract: regular files are written atomically, links are followed, devices and pipes are written directly, and permissions are kept.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fs::{self, Permissions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use insonate_files::{AppendFile, FileError, FileWriter, write, write_with};

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_writer_that_fails_keeps_the_old_file_and_leaves_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    write(&path, b"old").unwrap();
    let failure = write_with(&path, |out| {
        out.write_all(b"half of the new")?;
        Err(ErrorKind::StorageFull.into())
    });
    assert!(failure.unwrap_err().to_string().contains("checkpoint"));
    let mut dropped = FileWriter::create(&path).unwrap();
    dropped.write_all(b"half of another").unwrap();
    drop(dropped);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["checkpoint"]);
}

#[test]
fn a_reader_sees_the_old_content_until_the_commit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film");
    write(&path, b"old").unwrap();
    let mut writer = FileWriter::create(&path).unwrap();
    writer.write_all(&vec![7; 100_000]).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"old");
    writer.commit().unwrap();
    assert_eq!(fs::read(&path).unwrap(), vec![7; 100_000]);
}

#[test]
fn links_stay_and_their_targets_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("deep")).unwrap();
    fs::write(at("deep/old"), "old").unwrap();
    symlink("deep/old", at("link")).unwrap();
    symlink("link", at("chain")).unwrap();
    symlink("deep/new", at("dangling")).unwrap();
    write(at("chain"), b"by the chain").unwrap();
    write(at("dangling"), b"made").unwrap();
    assert_eq!(fs::read(at("deep/old")).unwrap(), b"by the chain");
    assert_eq!(fs::read(at("deep/new")).unwrap(), b"made");
    for link in ["link", "chain", "dangling"] {
        assert!(
            fs::symlink_metadata(at(link)).unwrap().is_symlink(),
            "{link}"
        );
    }
    symlink("loop", at("loop")).unwrap();
    assert!(write(at("loop"), b"x").is_err());
}

#[test]
fn permissions_are_those_of_the_file_or_of_the_umask() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("usual"), "").unwrap();
    write(at("new"), b"").unwrap();
    assert_eq!(mode(&at("new")), mode(&at("usual")));
    for bits in [0o600, 0o664, 0o755] {
        fs::set_permissions(at("usual"), Permissions::from_mode(bits)).unwrap();
        write(at("usual"), b"again").unwrap();
        assert_eq!(mode(&at("usual")), bits);
    }
}

#[test]
fn a_pipe_is_written_directly() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read(pipe).unwrap()
    });
    write(&pipe, b"through").unwrap();
    assert_eq!(reader.join().unwrap(), b"through");
    assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
}

#[test]
fn devices_stay_devices_and_a_full_disk_is_reported() {
    let is_device = |path: &str| fs::metadata(path).unwrap().file_type().is_char_device();
    write("/dev/null", b"nothing").unwrap();
    for content in [vec![0], vec![0; 100_000]] {
        let failure = write("/dev/full", &content).unwrap_err();
        let FileError::Write { path, source } = &failure else {
            panic!("{failure}");
        };
        assert_eq!(path, Path::new("/dev/full"));
        assert_eq!(source.kind(), ErrorKind::StorageFull);
    }
    let mut log = AppendFile::open("/dev/full").unwrap();
    assert!(
        log.append(b"row\n")
            .unwrap_err()
            .to_string()
            .contains("/dev/full")
    );
    assert!(is_device("/dev/null") && is_device("/dev/full"));
}

#[test]
fn an_error_names_the_path_as_it_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let absent = folder.path().join("absent/file");
    let message = write(&absent, b"").unwrap_err().to_string();
    let expected = format!(
        "cannot write {}: No such file or directory (os error 2)",
        absent.display()
    );
    assert_eq!(message, expected);
    assert!(
        write(folder.path(), b"")
            .unwrap_err()
            .to_string()
            .contains("directory")
    );
}

#[test]
fn a_log_grows_at_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.csv");
    AppendFile::create_new(&path)
        .unwrap()
        .append(b"a\n")
        .unwrap();
    assert!(AppendFile::create_new(&path).is_err());
    let mut log = AppendFile::open(&path).unwrap();
    log.append(b"b\n").unwrap();
    log.sync().unwrap();
    assert_eq!(fs::read(log.path()).unwrap(), b"a\nb\n");
}
