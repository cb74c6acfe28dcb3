//! Contract: typical contents of ROS 2 bags are read (single precision, arrays, `/tf`, folders of a split bag), and a
//! force is rotated into the frame of the position by recorded data; otherwise both frames are reported.
//!
//! Messages are written here byte by byte in OMG's CDR. The motion is known in closed form.

use std::f64::consts::PI;
use std::fs;
use std::path::Path;

use insonate_tables::{Channel, ForceFrame, Format, Log, Motion, ReadOptions, read, read_bytes};

use super::{options, refused, scalar};

const SECOND: i64 = 1_700_000_000;
/// Interval of messages [s].
pub(super) const STEP: f64 = 0.01;

fn height(t: f64) -> f64 {
    0.12 - 0.004 * (PI * t).sin().powi(2)
}

fn force(t: f64) -> f64 {
    3.0 + 2.0 * (2.0 * PI * t).sin()
}

/// A message in plain CDR; numbers are aligned relative to the end of the four-byte header.
pub(super) struct Message(pub(super) Vec<u8>);

impl Message {
    pub(super) fn new() -> Self {
        Self(vec![0, 1, 0, 0])
    }

    pub(super) fn put<const N: usize>(mut self, bytes: [u8; N]) -> Self {
        while !(self.0.len() - 4).is_multiple_of(N) {
            self.0.push(0);
        }
        self.0.extend(bytes);
        self
    }

    pub(super) fn text(self, text: &str) -> Self {
        let mut with = self.put((text.len() as u32 + 1).to_le_bytes());
        with.0.extend(text.as_bytes());
        with.0.push(0);
        with
    }

    pub(super) fn header(self, t: f64, frame: &str) -> Self {
        let nanoseconds = (t * 1e9).round() as i64;
        let seconds = (SECOND + nanoseconds.div_euclid(1_000_000_000)) as i32;
        let rest = nanoseconds.rem_euclid(1_000_000_000) as u32;
        self.put(seconds.to_le_bytes())
            .put(rest.to_le_bytes())
            .text(frame)
    }

    pub(super) fn numbers(self, numbers: &[f64]) -> Self {
        numbers
            .iter()
            .fold(self, |message, number| message.put(number.to_le_bytes()))
    }
}

pub(super) fn wrench(t: f64, frame: &str, force: [f64; 3]) -> Vec<u8> {
    Message::new()
        .header(t, frame)
        .numbers(&force)
        .numbers(&[0.0; 3])
        .0
}

/// A pose message, with the orientation as x, y, z, w.
fn pose(t: f64, frame: &str, turn: [f64; 4]) -> Vec<u8> {
    Message::new()
        .header(t, frame)
        .numbers(&[0.4, 0.1, height(t)])
        .numbers(&turn)
        .0
}

/// Frames: parent, child, translation, rotation as x, y, z, w.
fn tf(t: f64, frames: &[(&str, &str, [f64; 3], [f64; 4])]) -> Vec<u8> {
    let start = Message::new().put((frames.len() as u32).to_le_bytes());
    let of = |message: Message, frame: &(&str, &str, [f64; 3], [f64; 4])| {
        message
            .header(t, frame.0)
            .text(frame.1)
            .numbers(&frame.2)
            .numbers(&frame.3)
    };
    frames.iter().fold(start, of).0
}

/// A topic, its type, and its message at a time [s], or an empty one.
pub(super) type Topic<'a> = (&'a str, &'a str, &'a dyn Fn(f64) -> Vec<u8>);

/// Writes the messages with these numbers, a hundred per second, recorded at the time of sending.
fn write(path: &Path, topics: &[Topic], messages: std::ops::Range<usize>) {
    let mut database = rusqlite::Connection::open(path).unwrap();
    let schema = "
        CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format TEXT);
        CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB);";
    database.execute_batch(schema).unwrap();
    let all = database.transaction().unwrap();
    for (id, (name, kind, message)) in topics.iter().enumerate() {
        let row = rusqlite::params![id as i64, name, kind];
        all.execute("INSERT INTO topics VALUES (?1, ?2, ?3, 'cdr')", row)
            .unwrap();
        for number in messages.clone() {
            let t = STEP * number as f64;
            let at = SECOND * 1_000_000_000 + (t * 1e9).round() as i64;
            let insert = "INSERT INTO messages(topic_id, timestamp, data) VALUES (?1, ?2, ?3)";
            let row = rusqlite::params![id as i64, at, message(t)];
            all.execute(insert, row).unwrap();
        }
    }
    all.commit().unwrap();
}

/// The log of two seconds of messages.
pub(super) fn recorded(topics: &[Topic], options: &ReadOptions) -> Result<Log, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bag.db3");
    write(&path, topics, 0..200);
    read(&path, options).map_err(|error| error.to_string())
}

fn vector(channel: &Channel) -> &[[f64; 3]] {
    match channel {
        Channel::Vector(values) => values,
        Channel::Scalar(_) => panic!("a number"),
    }
}

fn position(log: &Log) -> &Channel {
    match &log.motion {
        Motion::Position(position) => position,
        Motion::Indentation(_) => panic!("an indentation"),
    }
}

const WRENCH: &str = "geometry_msgs/msg/WrenchStamped";
const POSE: &str = "geometry_msgs/msg/PoseStamped";
const TF: &str = "tf2_msgs/msg/TFMessage";
const UPRIGHT: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// Checks rows against the closed form; forces along the base's z.
fn assert_heights_and_forces(log: &Log, forces: &[[f64; 3]]) {
    assert_eq!(log.len(), 200);
    for (row, t) in log.time.iter().enumerate() {
        assert!((t - STEP * row as f64).abs() < 1e-6);
        assert!((vector(position(log))[row][2] - height(*t)).abs() < 1e-9);
        for (axis, expected) in [0.0, 0.0, force(*t)].into_iter().enumerate() {
            assert!((forces[row][axis] - expected).abs() < 1e-9, "row {row}");
        }
    }
}

#[test]
fn single_precision_is_found_by_its_topics() {
    let single = |value: f64| Message::new().put((value as f32).to_le_bytes()).0;
    let of_force = |t| single(force(t));
    let of_height = |t| single(height(t));
    let kind = "std_msgs/msg/Float32";
    let topics: [Topic; 2] = [("/force", kind, &of_force), ("/z", kind, &of_height)];
    for columns in ["", "position=/z.data,force=/force.data"] {
        let log = recorded(&topics, &options(columns, None)).unwrap();
        assert_eq!(log.len(), 200);
        for (row, t) in log.time.iter().enumerate() {
            assert!((scalar(&log.force)[row] - force(*t)).abs() < 1e-6);
            assert!((scalar(position(&log))[row] - height(*t)).abs() < 1e-7);
        }
    }
    // A unit in the topic's name.
    let in_milli = |t| single(1e3 * force(t));
    let topics_in_milli: [Topic; 2] = [("/force_mN", kind, &in_milli), topics[1]];
    let log = recorded(&topics_in_milli, &ReadOptions::default()).unwrap();
    assert!((scalar(&log.force)[20] - force(0.2)).abs() < 1e-6);
    // Two topics with one meaning require a choice by the user.
    let two: [Topic; 3] = [
        topics[0],
        ("/left/z", kind, &of_height),
        ("/right/z", kind, &of_height),
    ];
    let way = "--columns position=/right/z.data";
    refused(
        recorded(&two, &options("", None)),
        &["all say position", way],
    );
    let (_, columns) = way.split_once(' ').unwrap();
    assert_eq!(recorded(&two, &options(columns, None)).unwrap().len(), 200);
}

#[test]
fn arrays_are_read_by_index() {
    let layout = || {
        Message::new()
            .put(1u32.to_le_bytes())
            .text("columns")
            .put(3u32.to_le_bytes())
            .put(3u32.to_le_bytes())
            .put(0u32.to_le_bytes())
            .put(3u32.to_le_bytes())
    };
    let double = |t: f64| layout().numbers(&[t + 5.0, height(t), force(t)]).0;
    let single = |t: f64| {
        let numbers = [t, height(t), force(t)].map(|number| (number as f32).to_le_bytes());
        numbers.into_iter().fold(layout(), Message::put).0
    };
    let columns = "time=/data.data[0],position=/data.data[1],force=/data.data[2]";
    let topics: [Topic; 1] = [("/data", "std_msgs/msg/Float64MultiArray", &double)];
    let log = recorded(&topics, &options(columns, None)).unwrap();
    for (row, t) in log.time.iter().enumerate() {
        // The time in the array is used.
        assert!((t - 5.0 - STEP * row as f64).abs() < 1e-9);
        assert!((scalar(&log.force)[row] - force(t - 5.0)).abs() < 1e-9);
    }
    let no_note = |note: &String| !note.contains("recorder");
    assert!(
        log.source.notes.iter().all(no_note),
        "{:?}",
        log.source.notes
    );
    let way = "--columns position=/data.data[1],force=/data.data[2]";
    refused(recorded(&topics, &options("", None)), &[way]);
    let (_, tried) = way.split_once(' ').unwrap();
    assert_eq!(recorded(&topics, &options(tried, None)).unwrap().len(), 200);
    refused(
        recorded(
            &topics,
            &options("force=/data.data[3],position=/data.data[1]", None),
        ),
        &["/data.data[3]", "[0] to [2]"],
    );
    let topics: [Topic; 1] = [("/data", "std_msgs/msg/Float32MultiArray", &single)];
    let log = recorded(&topics, &options(columns, None)).unwrap();
    assert_eq!(log.len(), 200);
    assert!((scalar(position(&log))[50] - height(0.5)).abs() < 1e-7);
}

#[test]
fn the_position_of_a_wrench_is_the_origin_of_its_frame() {
    // 30° about y, like a tilted hand: cos 15° and sin 15°.
    let half = PI / 12.0;
    let tilt = [0.0, half.sin(), 0.0, half.cos()];
    let turned = |t: f64| {
        let angle = 2.0 * half;
        // A tool with the rotation R measures Rᵀ F for a force F along the base's z.
        [-angle.sin() * force(t), 0.0, angle.cos() * force(t)]
    };
    let of_force = |t| wrench(t, "tool0", turned(t));
    // The base stands on a table, 0.1 m high; the hand is a child of the base, and the tool of the hand.
    let moving = |t: f64| {
        let hand = [0.4, 0.1, height(t) - 0.1 - 0.2 * (PI / 6.0).cos()];
        tf(t, &[("base", "hand", hand, tilt)])
    };
    let fixed = |t| {
        tf(
            t,
            &[
                ("table", "base", [0.0, 0.0, 0.1], UPRIGHT),
                ("/hand", "tool0", [0.0, 0.0, 0.2], UPRIGHT),
            ],
        )
    };
    let topics: [Topic; 3] = [
        ("/ft", WRENCH, &of_force),
        ("/tf", TF, &moving),
        ("/tf_static", TF, &fixed),
    ];
    let log = recorded(&topics, &ReadOptions::default()).unwrap();
    assert_eq!(log.frames.motion.as_deref(), Some("table"));
    assert_eq!(log.frames.force.as_deref(), Some("tool0"));
    let note = |words: &str| log.source.notes.iter().any(|note| note.contains(words));
    assert!(
        note("tool0 in table") && note("by /tf"),
        "{:?}",
        log.source.notes
    );
    assert_heights_and_forces(&log, &in_motion(&log));
    // A frame selected by name.
    let options = options("position=/tf.hand.translation", None);
    let log = recorded(&topics, &options).unwrap();
    let up = vector(position(&log))[30][2] - height(0.3);
    assert!((up + 0.2 * (PI / 6.0).cos()).abs() < 1e-9);
    // Without a force, the error lists the frames.
    refused(
        recorded(&topics[1..], &ReadOptions::default()),
        &["base, hand, tool0"],
    );
}

#[test]
fn several_leaves_of_a_tree_require_a_choice() {
    let of_force = |t| wrench(t, "elsewhere", [0.0, 0.0, force(t)]);
    let moving = |t: f64| {
        let place = [0.0, 0.0, height(t)];
        tf(
            t,
            &[
                ("base", "left", place, UPRIGHT),
                ("base", "right", place, UPRIGHT),
            ],
        )
    };
    let topics: [Topic; 2] = [("/ft", WRENCH, &of_force), ("/tf", TF, &moving)];
    let way = "--columns position=/tf.right.translation";
    refused(recorded(&topics, &ReadOptions::default()), &[way]);
    let (_, columns) = way.split_once(' ').unwrap();
    let log = recorded(&topics, &options(columns, None)).unwrap();
    // No rotation was recorded, and both frames are reported.
    assert_eq!(log.frames.motion.as_deref(), Some("base"));
    assert_eq!(log.frames.force.as_deref(), Some("elsewhere"));
    assert!(log.frames.force_to_motion.is_empty());
}

/// The forces, rotated into the position's frame by the matrix of the log's quaternion, written out.
fn in_motion(log: &Log) -> Vec<[f64; 3]> {
    let turns = &log.frames.force_to_motion;
    let turned = |(row, [a, b, c]): (usize, &[f64; 3])| {
        let [w, x, y, z] = turns[if turns.len() == 1 { 0 } else { row }];
        [
            (1.0 - 2.0 * (y * y + z * z)) * a
                + 2.0 * (x * y - w * z) * b
                + 2.0 * (x * z + w * y) * c,
            2.0 * (x * y + w * z) * a
                + (1.0 - 2.0 * (x * x + z * z)) * b
                + 2.0 * (y * z - w * x) * c,
            2.0 * (x * z - w * y) * a
                + 2.0 * (y * z + w * x) * b
                + (1.0 - 2.0 * (x * x + y * y)) * c,
        ]
    };
    vector(&log.force).iter().enumerate().map(turned).collect()
}

#[test]
fn a_pose_rotates_the_force_of_another_frame() {
    // The tool rotates about y while it presses.
    let angle = |t: f64| 0.5 + 0.3 * t;
    let turn = |t: f64| {
        let half = 0.5 * angle(t);
        // q and −q are the same rotation; a recorder may write either.
        let sign = if t > 1.0 { -1.0 } else { 1.0 };
        [0.0, sign * half.sin(), 0.0, sign * half.cos()]
    };
    let tool = |t: f64| [-angle(t).sin() * force(t), 0.0, angle(t).cos() * force(t)];
    let of_force = |t| wrench(t, "tool0", tool(t));
    let of_pose = |t| pose(t, "base", turn(t));
    let topics: [Topic; 2] = [("/ft", WRENCH, &of_force), ("/pose", POSE, &of_pose)];
    let log = recorded(&topics, &ReadOptions::default()).unwrap();
    assert_eq!(log.frames.motion.as_deref(), Some("base"));
    assert_eq!(log.frames.force.as_deref(), Some("tool0"));
    assert_heights_and_forces(&log, &in_motion(&log));
    let note = |note: &String| note.contains("tool0") && note.contains("base");
    assert!(log.source.notes.iter().any(note));
    // The option of the user takes precedence.
    let base = ReadOptions {
        force_frame: ForceFrame::Motion,
        ..ReadOptions::default()
    };
    let log = recorded(&topics, &base).unwrap();
    assert!(log.frames.force_to_motion.is_empty());
    assert_eq!(log.frames.motion, log.frames.force);
    // The orientation of a pose does not apply to a base frame.
    let of_other = |t| wrench(t, "base_link", [0.0, 0.0, force(t)]);
    let topics: [Topic; 2] = [("/ft", WRENCH, &of_other), ("/pose", POSE, &of_pose)];
    let log = recorded(&topics, &ReadOptions::default()).unwrap();
    assert_eq!(log.frames.force.as_deref(), Some("base_link"));
    assert!(log.frames.force_to_motion.is_empty());
    // A force without a frame may be in the tool's frame: the rotation may apply or not.
    let bare = |t| Message::new().numbers(&tool(t)).numbers(&[0.0; 3]).0;
    let topics: [Topic; 2] = [
        ("/ft", "geometry_msgs/msg/Wrench", &bare),
        ("/pose", POSE, &of_pose),
    ];
    let log = recorded(&topics, &ReadOptions::default()).unwrap();
    assert_eq!(log.frames.force, None);
    assert_heights_and_forces(&log, &in_motion(&log));
    // A common frame needs no rotation.
    let of_force = |t| wrench(t, "base", [0.0, 0.0, force(t)]);
    let topics: [Topic; 2] = [("/ft", WRENCH, &of_force), ("/pose", POSE, &of_pose)];
    let log = recorded(&topics, &ReadOptions::default()).unwrap();
    assert!(log.frames.force_to_motion.is_empty());
    assert_eq!(log.frames.force.as_deref(), Some("base"));
}

#[test]
fn a_pose_with_an_invalid_rotation_is_refused() {
    let of_force = |t| wrench(t, "tool0", [0.0, 0.0, force(t)]);
    let bad = |t: f64| {
        pose(
            t,
            "base",
            [0.0, 0.0, 0.0, if t > 1.005 { 0.9 } else { 1.0 }],
        )
    };
    let topics: [Topic; 2] = [("/ft", WRENCH, &of_force), ("/pose", POSE, &bad)];
    refused(
        recorded(&topics, &ReadOptions::default()),
        &["/pose", "message 102", "length 0.900"],
    );
    // A recorder without an orientation writes zeros: there is no rotation.
    let zeros = |t: f64| pose(t, "base", [0.0; 4]);
    let topics: [Topic; 2] = [("/ft", WRENCH, &of_force), ("/pose", POSE, &zeros)];
    let log = recorded(&topics, &ReadOptions::default()).unwrap();
    assert!(log.frames.force_to_motion.is_empty());
    assert!(log.frames.motion.is_some() && log.frames.force.is_some());
    // A topic whose frame changes has no single frame.
    let changing = |t: f64| wrench(t, if t > 0.995 { "b" } else { "a" }, [0.0, 0.0, 1.0]);
    let topics: [Topic; 2] = [("/ft", WRENCH, &changing), ("/pose", POSE, &zeros)];
    refused(
        recorded(&topics, &ReadOptions::default()),
        &["/ft", "message 101", "\"a\""],
    );
}

#[test]
fn a_folder_is_one_recording() {
    let of_force = |t| wrench(t, "base", [0.0, 0.0, force(t)]);
    let of_pose = |t| pose(t, "base", UPRIGHT);
    let topics: [Topic; 2] = [("/ft", WRENCH, &of_force), ("/pose", POSE, &of_pose)];
    let folder = tempfile::tempdir().unwrap();
    let tried = || read(folder.path(), &ReadOptions::default()).map_err(|e| e.to_string());
    refused(tried(), &["folder without recordings"]);
    // Part 10 comes after part 9, and one part is compressed.
    write(&folder.path().join("press_9.db3"), &topics, 0..90);
    write(&folder.path().join("press_10.db3"), &topics, 90..200);
    let log = tried().unwrap();
    assert_heights_and_forces(&log, vector(&log.force));
    assert!(log.source.notes.iter().any(|note| note.contains("2 files")));
    let plain = fs::read(folder.path().join("press_9.db3")).unwrap();
    let packed = zstd::encode_all(plain.as_slice(), 1).unwrap();
    fs::write(folder.path().join("press_9.db3.zstd"), packed).unwrap();
    fs::remove_file(folder.path().join("press_9.db3")).unwrap();
    let unpacked = tried().unwrap();
    assert_heights_and_forces(&unpacked, vector(&unpacked.force));
    assert_ne!(unpacked.source.sha256, log.source.sha256);
    // Only the files listed in metadata.yaml belong to the recording.
    let list =
        "rosbag2_bagfile_information:\n  relative_file_paths:\n  - press_10.db3\n  version: 8\n";
    fs::write(folder.path().join("metadata.yaml"), list).unwrap();
    let listed = tried().unwrap();
    assert_eq!(listed.len(), 110);
    let says = |log: &Log, words: &str| log.source.notes.iter().any(|note| note.contains(words));
    assert!(says(&listed, "does not name press_9.db3.zstd"));
    // A list with other file names is reported.
    fs::write(
        folder.path().join("metadata.yaml"),
        list.replace("press_10", "before"),
    )
    .unwrap();
    let renamed = tried().unwrap();
    assert_eq!(renamed.len(), 200);
    assert!(says(&renamed, "before.db3"));
    // Files of several recordings are not merged.
    fs::remove_file(folder.path().join("metadata.yaml")).unwrap();
    write(&folder.path().join("other_0.db3"), &topics, 0..50);
    refused(tried(), &["not said to be one recording", "other_0.db3"]);
}

#[test]
fn individually_compressed_messages_are_decompressed() {
    let packed = |bytes: Vec<u8>| zstd::encode_all(bytes.as_slice(), 1).unwrap();
    let of_force = |t| packed(wrench(t, "base", [0.0, 0.0, force(t)]));
    let of_pose = |t| packed(pose(t, "base", UPRIGHT));
    let topics: [Topic; 2] = [("/ft", WRENCH, &of_force), ("/pose", POSE, &of_pose)];
    let log = recorded(&topics, &ReadOptions::default()).unwrap();
    assert_heights_and_forces(&log, vector(&log.force));
}

#[test]
fn a_header_of_another_clock_is_not_used() {
    // The clock of the sensor's computer is half a second ahead.
    let of_force = |t: f64| wrench(t + 0.5, "base", [0.0, 0.0, force(t)]);
    let of_pose = |t| pose(t, "base", UPRIGHT);
    let topics: [Topic; 2] = [("/ft", WRENCH, &of_force), ("/pose", POSE, &of_pose)];
    let log = recorded(&topics, &ReadOptions::default()).unwrap();
    assert_heights_and_forces(&log, vector(&log.force));
    let notes = &log.source.notes;
    let told = |note: &String| {
        note.contains("recorder") && note.contains("0.500 s") && note.contains("/ft")
    };
    assert!(notes.iter().any(told), "{notes:?}");
}

#[test]
fn the_error_for_a_bag_without_usable_topics_names_its_topics() {
    let nothing = |_| vec![0, 1, 0, 0];
    let topics: [Topic; 1] = [("/image", "sensor_msgs/msg/Image", &nothing)];
    refused(
        recorded(&topics, &ReadOptions::default()),
        &["/image (sensor_msgs/msg/Image)"],
    );
    let no_bag = read_bytes(
        "log",
        Format::Db3,
        b"#ROSBAG V2.0\n",
        &ReadOptions::default(),
    );
    refused(no_bag.map_err(|e| e.to_string()), &["rosbags-convert"]);
}
