//! Contract: a robot that starts in collision is refused with the name and the depth, the suggested base position works, and a run ends
//! if a part of the robot exceeds the force limit.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod command;
mod gantry;

use command::{insonate, json, refused, stderr};
use gantry::Gantry;

#[test]
fn a_start_in_collision_is_named_and_the_advice_passes() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().to_str().unwrap();
    let scan = |base: &str| {
        let place = format!("--robot-position={base}");
        ["scan", "--no-pictures", "--output", output, &place].map(str::to_owned)
    };
    // The top of the table is at 0.79 m or above.
    let line = refused(&scan("0.1,-0.35,0.7"), 1);
    assert!(line.contains("robot/base in table by 90.0 mm"), "{line}");
    let (_, advice) = line.split_once("it works with --robot-position ").unwrap();
    let summary = json(&scan(advice.trim()));
    assert_eq!(summary["verdict"], "passed");
}

/// The paddle reaches 70 mm below the probe's face, which starts 10 mm above the skin.
#[test]
fn a_part_of_the_robot_in_the_torso_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let paddle =
        r#"<geom name="paddle" type="box" size=".01 .01 .14" pos="-.06 0 -.1401" mass=".1"/>"#;
    let robot = Gantry {
        more: paddle,
        ..Gantry::default()
    }
    .write(folder.path());
    let output = folder.path().join("scan");
    let line = refused(
        &[
            "scan",
            "--robot-file",
            &robot,
            "--flange",
            "flange",
            "--no-pictures",
            "--output",
            output.to_str().unwrap(),
        ],
        1,
    );
    assert!(
        line.contains("robot/paddle of robot/bz in the torso by"),
        "{line}"
    );
    assert!(
        line.contains("no position of the base nearby reaches it without contact"),
        "{line}"
    );
}

#[test]
fn the_largest_force_holds_from_the_first_step() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().to_str().unwrap();
    let done = insonate(&[
        "scan",
        "--max-force",
        "5.1",
        "--no-pictures",
        "--json",
        "--output",
        output,
    ]);
    assert_eq!(done.status.code(), Some(1), "{}", stderr(&done));
    let summary: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let reason = summary["reasons"][0].as_str().unwrap();
    assert!(
        reason.starts_with("the probe pressed with 5.1 N at ")
            && reason.ends_with("more than the limit of 5.1 N"),
        "{reason}"
    );
    // The log contains the measured part.
    assert!(folder.path().join("log.csv").exists());
    assert!(summary["seconds_simulated"].as_f64().unwrap() < 2.0);
}
