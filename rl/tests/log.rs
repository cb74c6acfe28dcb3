//! Contract: event files have the bytes that TensorBoard reads, and tables keep their columns.
//!
//! `golden/events.out.tfevents` was read by TensorBoard 2.21's `EventAccumulator`, which found the figures below and forgot, at the
//! session's start, nothing before step 301.

use std::fs;

use insonate_rl::log::EventLog;

fn clock() -> f64 {
    1_700_000_000.25
}

fn scalars(shift: f64) -> Vec<(String, f64)> {
    [
        ("charts/episodic_return", -1234.5 + shift),
        ("losses/value_loss", 1e-7),
        ("episode/unknown", f64::NAN),
        ("reward/angle θ", 2.0 / 3.0),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec()
}

#[test]
fn an_event_file_has_the_bytes_that_tensorboard_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = EventLog::open_with_clock(folder.path(), 300, clock).unwrap();
    log.write(512, &scalars(0.0)).unwrap();
    log.write(1 << 33, &scalars(1.0)).unwrap();
    let found = fs::read(log.path()).unwrap();
    if std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always") {
        fs::write("tests/golden/events.out.tfevents", &found).unwrap();
    }
    assert!(found == include_bytes!("golden/events.out.tfevents"));
}

#[test]
fn each_session_has_a_file_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let names = [0, 0, 300].map(|step| {
        let log = EventLog::open_with_clock(folder.path(), step, clock).unwrap();
        log.path()
            .file_name()
            .unwrap()
            .to_string_lossy()
            .into_owned()
    });
    assert_eq!(names[0], "events.out.tfevents.1700000000.insonate.000");
    assert_eq!(names[2], "events.out.tfevents.1700000000.insonate.002");
    // Two records more than the first file's one: the start of the session.
    let lengths = [0, 2].map(|i| fs::metadata(folder.path().join(&names[i])).unwrap().len());
    assert!(lengths[1] > lengths[0]);
}
