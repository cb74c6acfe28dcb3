//! Contract: a table's orientation is detected by unambiguous names, and its order is never guessed. The user or the
//! preparation decides whether it rotates the force.

use insonate_tables::{ForceFrame, Format, Log, OrientationKind, ReadOptions, read_bytes};

use super::{options, refused};

/// 40° about z: cos 20° and sin 20°.
const ANGLE: f64 = 40.0 * std::f64::consts::PI / 180.0;

fn turn() -> [f64; 4] {
    let (sin, cos) = (0.5 * ANGLE).sin_cos();
    [cos, 0.0, 0.0, sin]
}

/// A log with an orientation in columns with these names and numbers.
fn csv(names: &str, numbers: &str) -> String {
    let rows = (0..5).map(|row| {
        let t = f64::from(row);
        format!("{},0.1,0.2,{},0,0,{row},{numbers}\n", 0.01 * t, 1e-3 * t)
    });
    let header = format!("time,x,y,z,fx,fy,fz,{names}\n");
    std::iter::once(header).chain(rows).collect()
}

fn tried(text: &str, options: &ReadOptions) -> Result<Log, String> {
    read_bytes("log", Format::Csv, text.as_bytes(), options).map_err(|error| error.to_string())
}

#[track_caller]
fn assert_turned(log: &Log) {
    let [row] = log.frames.force_to_motion[..] else {
        panic!("{:?}", log.frames);
    };
    for (found, expected) in row.into_iter().zip(turn()) {
        assert!((found - expected).abs() < 1e-9, "{row:?}");
    }
}

fn numbers(order: [usize; 4]) -> String {
    order.map(|index| turn()[index].to_string()).join(",")
}

#[test]
fn plain_names_are_read_in_any_order() {
    let degrees = 40.0;
    for (names, numbers) in [
        ("qx,qy,qz,qw", numbers([1, 2, 3, 0])),
        ("tool_qw,tool_qx,tool_qy,tool_qz", numbers([0, 1, 2, 3])),
        (
            "/tcp/pose/orientation/x,/tcp/pose/orientation/y,/tcp/pose/orientation/z,/tcp/pose/orientation/w",
            numbers([1, 2, 3, 0]),
        ),
        ("quat_w,quat_z,quat_y,quat_x", numbers([0, 3, 2, 1])),
        ("roll,pitch,yaw", format!("0,0,{ANGLE}")),
        ("roll [deg],pitch [deg],yaw [deg]", format!("0,0,{degrees}")),
        (
            "actual_TCP_pose_3,actual_TCP_pose_4,actual_TCP_pose_5",
            format!("0,0,{ANGLE}"),
        ),
    ] {
        let log = tried(&csv(names, &numbers), &ReadOptions::default()).unwrap();
        assert_turned(&log);
        // The rotation may apply or not.
        assert_eq!((&log.frames.motion, &log.frames.force), (&None, &None));
        let is_told = |line: &String| line.starts_with("orientation: ");
        assert!(log.source.columns.iter().any(is_told));
    }
}

#[test]
fn the_user_specifies_the_frame_of_the_force() {
    let text = csv("qx,qy,qz,qw", &numbers([1, 2, 3, 0]));
    let in_frame = |frame| ReadOptions {
        force_frame: frame,
        ..ReadOptions::default()
    };
    let log = tried(&text, &in_frame(ForceFrame::Motion)).unwrap();
    assert!(log.frames.force_to_motion.is_empty());
    assert_eq!(log.frames.motion.as_deref(), Some("base"));
    assert_eq!(log.frames.force.as_deref(), Some("base"));
    let log = tried(&text, &in_frame(ForceFrame::Tool)).unwrap();
    assert_turned(&log);
    assert_eq!(log.frames.motion.as_deref(), Some("base"));
    assert_eq!(log.frames.force.as_deref(), Some("tool"));
    let without = csv("a,b", "1,2");
    refused(
        tried(&without, &in_frame(ForceFrame::Tool)),
        &["--force-frame", "no orientation", "--columns orientation="],
    );
}

#[test]
fn an_order_is_named_and_never_guessed() {
    let text = csv("a,b,c,d", &numbers([0, 1, 2, 3]));
    let columns = "orientation=a:b:c:d";
    // The names do not indicate that these four columns are an orientation.
    let unread = tried(&text, &ReadOptions::default()).unwrap();
    assert!(unread.frames.force_to_motion.is_empty());
    refused(
        tried(&text, &options(columns, None)),
        &[
            "orientation=a:b:c:d",
            "--orientation xyzw",
            "--orientation wxyz",
        ],
    );
    let kind = |columns, kind| ReadOptions {
        orientation: Some(kind),
        ..options(columns, None)
    };
    assert_turned(&tried(&text, &kind(columns, OrientationKind::Wxyz)).unwrap());
    refused(
        tried(&text, &kind(columns, OrientationKind::Rpy)),
        &["has 4 numbers", "rpy has 3"],
    );
    // Names that state an order are used in any order of the columns.
    let named = csv("qw,qx,qy,qz", &numbers([0, 1, 2, 3]));
    assert_turned(&tried(&named, &options("orientation=qx:qy:qz:qw", None)).unwrap());
    assert_turned(&tried(&named, &options("orientation=qw:qx:qy:qz", None)).unwrap());
    refused(
        tried(
            &named,
            &kind("orientation=qw:qx:qy:qz", OrientationKind::Xyzw),
        ),
        &["another order"],
    );
    // A rotation vector in columns with arbitrary names.
    let vector = csv("u,v,w", &format!("0,0,{ANGLE}"));
    let options = kind("orientation=u:v:w", OrientationKind::RotationVector);
    assert_turned(&tried(&vector, &options).unwrap());
}

#[test]
fn invalid_rotations_are_refused() {
    let text = csv("qx,qy,qz,qw", "0,0,0,1").replace("3,0,0,0,1\n", "3,0,0,0,0.98\n");
    refused(
        tried(&text, &ReadOptions::default()),
        &["sample 4", "\"qx\"", "length 0.980", "--force-frame base"],
    );
    let base = ReadOptions {
        force_frame: ForceFrame::Motion,
        ..ReadOptions::default()
    };
    assert_eq!(tried(&text, &base).unwrap().len(), 5);
    // Rounding is tolerated: four digits of a unit quaternion.
    let rounded = csv("qx,qy,qz,qw", "0,0,0.3420,0.9397");
    let [[w, .., z]] = tried(&rounded, &ReadOptions::default())
        .unwrap()
        .frames
        .force_to_motion[..]
    else {
        panic!("one row");
    };
    assert!((w * w + z * z - 1.0).abs() < 1e-12);
    refused(
        tried(&csv("roll,pitch,yaw", "180,0,0"), &ReadOptions::default()),
        &["sample 1", "degrees", "--orientation rpy-deg"],
    );
    let by_names = ReadOptions {
        orientation: Some(OrientationKind::RpyDegrees),
        ..ReadOptions::default()
    };
    assert_turned(&tried(&csv("roll,pitch,yaw", "0,0,40"), &by_names).unwrap());
    let degrees = ReadOptions {
        orientation: Some(OrientationKind::RpyDegrees),
        ..options("orientation=roll:pitch:yaw", None)
    };
    assert_turned(&tried(&csv("roll,pitch,yaw", "0,0,40"), &degrees).unwrap());
}

#[test]
fn two_orientations_require_a_choice() {
    let names = "target_qx,target_qy,target_qz,target_qw,tool_qx,tool_qy,tool_qz,tool_qw";
    let text = csv(names, &format!("0,0,0,1,{}", numbers([1, 2, 3, 0])));
    let log = tried(&text, &ReadOptions::default()).unwrap();
    assert!(log.frames.force_to_motion.is_empty());
    let told = |note: &String| note.contains("several orientations");
    assert!(log.source.notes.iter().any(told));
    let columns = "orientation=tool_qx:tool_qy:tool_qz:tool_qw";
    assert_turned(&tried(&text, &options(columns, None)).unwrap());
}
