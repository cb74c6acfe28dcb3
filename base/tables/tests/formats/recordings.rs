//! Contract: recordings of ROS 2 (SQLite, MCAP) and HDF5 files are read by topic or path with their own times;
//! ambiguous contents require a choice.
//!
//! The files were written with third-party libraries: `recordings/make.py`. The motion is known in closed form.

use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use insonate_tables::{Channel, Format, Log, Motion, ReadOptions, read, read_bytes};
use mcap::records::MessageHeader;
use mcap::{Compression, WriteOptions};
use serde_json::json;

use super::{options, refused};

fn recording(ending: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/recordings");
    folder.join(format!("palpation.{ending}"))
}

fn height(t: f64) -> f64 {
    0.12 - 0.004 * (PI * t).sin().powi(2)
}

fn force(t: f64) -> f64 {
    3.0 + 2.0 * (2.0 * PI * t).sin()
}

fn tried(ending: &str, columns: &str) -> Result<Log, String> {
    read(&recording(ending), &options(columns, None)).map_err(|error| error.to_string())
}

#[test]
fn wrenches_are_read_at_the_times_of_poses() {
    for ending in ["db3", "mcap"] {
        let log = tried(ending, "").unwrap();
        // There are 80 poses per second, starting 3 ms after the first wrench; no wrench follows the last poses.
        assert_eq!(log.len(), 119, "{ending}");
        let (Motion::Position(Channel::Vector(position)), Channel::Vector(forces)) =
            (&log.motion, &log.force)
        else {
            panic!("{log:?}");
        };
        for row in 0..log.len() {
            let t = 0.003 + 0.0125 * row as f64;
            assert!((log.time[row] - t).abs() < 1e-9);
            assert!((position[row][2] - height(t)).abs() < 1e-12);
            assert_eq!(position[row][..2], [0.4, 0.1]);
            // Error of a cubic over steps of 10 ms: 3/128 h⁴ f⁗ = 3/128 · 1e-8 · 2 (2π)⁴; next to an end
            // it is linear, h²/8 f̈.
            let end = row == 0 || row + 2 >= log.len();
            let tolerance = if end { 1.1e-3 } else { 1e-6 };
            assert!(
                (forces[row][2] - force(t)).abs() < tolerance,
                "{ending} {row}"
            );
        }
        assert!(log.source.notes.iter().any(|note| note.contains("headers")));
        assert_eq!(log.source.format, ending);
    }
}

#[test]
fn a_joint_effort_can_be_the_force() {
    let log = tried(
        "mcap",
        "position=/probe/pose.position[2],force=/joint_states.joint_effort[2]",
    )
    .unwrap();
    let Channel::Scalar(forces) = &log.force else {
        panic!("{log:?}");
    };
    // At the times of the joints, 50 per second.
    assert!((log.time[1] - log.time[0] - 0.02).abs() < 1e-9);
    assert!((forces[3] - force(log.time[3])).abs() < 1e-9);
}

#[test]
fn a_demonstration_is_a_log() {
    let rated = |episode| ReadOptions {
        episode,
        rate: Some(100.0),
        ..ReadOptions::default()
    };
    let tried =
        |episode| read(&recording("h5"), &rated(episode)).map_err(|error| error.to_string());
    refused(tried(None), &["--episode", "demonstrations 0, 3"]);
    refused(tried(Some(1)), &["--episode", "demonstrations 0, 3"]);
    let log = tried(Some(3)).unwrap();
    let Channel::Vector(forces) = &log.force else {
        panic!("{log:?}");
    };
    assert_eq!(log.len(), 100);
    assert!((forces[20][2] - force(0.2)).abs() < 1e-6);
    let without_rate = read(
        &recording("h5"),
        &ReadOptions {
            rate: None,
            ..rated(Some(0))
        },
    );
    refused(without_rate.map_err(|error| error.to_string()), &["--rate"]);
}

/// A recording of JSON messages: topic, schema, and contents at each time [s].
fn recorded(
    compression: Option<Compression>,
    topics: &[(&str, &dyn Fn(f64) -> serde_json::Value)],
) -> Vec<u8> {
    let options = WriteOptions::new().compression(compression);
    let mut writer = options.create(Cursor::new(Vec::new())).unwrap();
    for (topic, message) in topics {
        let schema = writer.add_schema("any", "jsonschema", b"{}").unwrap();
        let channel = writer
            .add_channel(schema, topic, "json", &BTreeMap::new())
            .unwrap();
        for step in 0..100 {
            let t = 0.01 * f64::from(step);
            let header = MessageHeader {
                channel_id: channel,
                sequence: 0,
                log_time: (1e9 * t).round() as u64 + 5,
                publish_time: 0,
            };
            let bytes = serde_json::to_vec(&message(t)).unwrap();
            writer.write_to_known_channel(&header, &bytes).unwrap();
        }
    }
    writer.finish().unwrap();
    writer.into_inner().into_inner()
}

fn pose(t: f64) -> serde_json::Value {
    json!({"pose": {"position": {"x": 0.0, "y": 0.0, "z": height(t)}}, "frame_id": "world"})
}

fn wrench(t: f64) -> serde_json::Value {
    json!({"force": {"x": 0.0, "y": 0.0, "z": force(t)}})
}

fn from_memory(bytes: &[u8], columns: &str) -> Result<Log, String> {
    read_bytes("log", Format::Mcap, bytes, &options(columns, None))
        .map_err(|error| error.to_string())
}

#[test]
fn json_is_read_with_every_compression() {
    for compression in [None, Some(Compression::Zstd), Some(Compression::Lz4)] {
        let bytes = recorded(compression, &[("/pose", &pose), ("/wrench", &wrench)]);
        let log = from_memory(&bytes, "").unwrap();
        assert_eq!(log.len(), 100);
        let Channel::Vector(forces) = &log.force else {
            panic!("{log:?}");
        };
        assert_eq!(forces[30][2], force(0.3));
        assert!(
            log.source
                .notes
                .iter()
                .any(|note| note.contains("recorder"))
        );
    }
}

#[test]
fn two_poses_require_a_choice() {
    let bytes = recorded(
        None,
        &[
            ("/wanted", &pose),
            ("/measured", &pose),
            ("/wrench", &wrench),
        ],
    );
    let way = "--columns position=/measured.pose.position";
    refused(from_memory(&bytes, ""), &["all say position", way]);
    // The suggested columns work.
    let (_, columns) = way.split_once(' ').unwrap();
    assert_eq!(from_memory(&bytes, columns).unwrap().len(), 100);
}

#[test]
fn a_gap_of_one_topic_is_a_gap_of_the_log() {
    let late = |t: f64| if t < 0.5 { wrench(t) } else { json!({}) };
    let bytes = recorded(None, &[("/pose", &pose), ("/wrench", &late)]);
    refused(
        from_memory(&bytes, ""),
        &["/wrench", "message 51", "other members"],
    );
}

#[test]
fn different_clocks_are_reported() {
    let stamped = |seconds: i32| {
        move |t: f64| {
            let nsec = (1e9 * t).round() as i64;
            json!({"timestamp": {"sec": seconds, "nsec": nsec}, "force": {"x": 0, "y": 0, "z": force(t)}})
        }
    };
    let at_pose = |t: f64| {
        let nsec = (1e9 * t).round() as i64;
        json!({"timestamp": {"sec": 7, "nsec": nsec}, "position": {"x": 0, "y": 0, "z": height(t)}})
    };
    let bytes = |seconds| recorded(None, &[("/pose", &at_pose), ("/ft", &stamped(seconds))]);
    assert_eq!(from_memory(&bytes(7), "").unwrap().len(), 100);
    // The recorder received both at the same time: its clock is used, and the offset reported.
    let log = from_memory(&bytes(1000), "").unwrap();
    assert_eq!(log.len(), 100);
    let told = |note: &String| note.contains("/ft are 993.000 s ahead of those of /pose");
    assert!(log.source.notes.iter().any(told), "{:?}", log.source.notes);
}

#[test]
fn a_truncated_recording_is_read_up_to_its_end() {
    let whole = std::fs::read(recording("mcap")).unwrap();
    let log = from_memory(&whole[..whole.len() * 9 / 10], "").unwrap();
    assert!(log.len() > 20);
    assert!(
        log.source
            .notes
            .iter()
            .any(|note| note.contains("broken off"))
    );
    let broken = std::fs::read(recording("db3")).unwrap();
    let cut = read_bytes("log", Format::Db3, &broken[..9000], &ReadOptions::default());
    refused(cut.map_err(|error| error.to_string()), &["log", "cut off"]);
}

#[test]
fn a_recording_of_pictures_says_what_is_missing() {
    let bytes = recorded(None, &[("/camera", &|_| json!({"data": "AAAA"}))]);
    refused(from_memory(&bytes, ""), &["no messages of a wrench"]);
    let only_force = recorded(None, &[("/wrench", &wrench)]);
    refused(
        from_memory(&only_force, ""),
        &["indentation or position", "/wrench.force"],
    );
}
