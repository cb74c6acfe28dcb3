//! Contract: a scan, press or picture without a valid result reports the reason, exits with status 1, and writes its log like a
//! successful one.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod command;
mod gantry;

use std::fs;
use std::path::Path;

use command::{insonate as run, json, refused};
use gantry::Gantry;
use serde_json::Value;

/// Scans with a robot file. Returns the exit status, the JSON and standard error.
fn scan(folder: &Path, robot: &str, more: &[&str]) -> (i32, Value, String) {
    let output = folder.join("scan");
    let arguments = [
        &[
            "scan",
            "--robot-file",
            robot,
            "--flange",
            "flange",
            "--no-pictures",
            "--json",
        ][..],
        &["--output", output.to_str().unwrap()],
        more,
    ]
    .concat();
    let done = run(&arguments);
    let stdout = String::from_utf8(done.stdout).unwrap();
    let stderr = String::from_utf8(done.stderr).unwrap();
    assert!(output.join("log.csv").exists(), "{stderr}");
    let saved: Value =
        serde_json::from_slice(&fs::read(output.join("summary.json")).unwrap()).unwrap();
    let printed: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(saved, printed);
    (done.status.code().unwrap(), printed, stderr)
}

fn reasons(summary: &Value) -> String {
    let reasons = summary["reasons"].as_array().unwrap().iter();
    reasons
        .map(|reason| reason.as_str().unwrap())
        .collect::<Vec<_>>()
        .join("; ")
}

#[test]
fn a_sound_robot_passes_with_its_figures() {
    let folder = tempfile::tempdir().unwrap();
    let robot = Gantry::default().write(folder.path());
    let (status, summary, stderr) = scan(folder.path(), &robot, &[]);
    assert_eq!(
        (status, &summary["verdict"]),
        (0, &"passed".into()),
        "{stderr}"
    );
    assert_eq!(summary["reasons"], Value::Array(vec![]));
    let figure = |name: &str| summary[name].as_f64().unwrap();
    assert!((figure("path_asked_m") - 0.12).abs() < 1e-9);
    assert!((figure("path_covered_m") - 0.12).abs() < 0.003);
    assert!((figure("mean_force_n") - 5.0).abs() < 0.05 && figure("lag_max_m") < 0.003);
}

/// 20 N with 1000 N·s/m give 20 mm/s, half of the scan's speed.
#[test]
fn a_joint_at_its_limit_is_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let robot = Gantry {
        limit: 20.0,
        damping: 1000.0,
        ..Gantry::default()
    }
    .write(folder.path());
    let (status, summary, stderr) = scan(folder.path(), &robot, &[]);
    assert_eq!((status, &summary["verdict"]), (1, &"failed".into()));
    let reasons = reasons(&summary);
    assert!(
        reasons.contains("joint 2 (y) sat at its force limit of 20 N for"),
        "{reasons}"
    );
    assert!(
        reasons.contains("its damping took 20 N of that"),
        "{reasons}"
    );
    assert!(stderr.contains("error: scanning failed: "), "{stderr}");

    let robot = Gantry {
        range: "-1 0.02",
        ..Gantry::default()
    }
    .write(folder.path());
    let (status, summary, _) = scan(folder.path(), &robot, &[]);
    let reasons = self::reasons(&summary);
    assert_eq!(status, 1);
    assert!(
        reasons.contains("joint 2 (y) sat at its position limit of 0.02 m"),
        "{reasons}"
    );
}

/// A fin next to the probe, a few millimetres lower, drags through the torso.
#[test]
fn a_robot_that_touches_with_more_than_its_probe_fails() {
    let folder = tempfile::tempdir().unwrap();
    let fin = r#"<geom name="fin" type="box" size=".01 .01 .085" pos="-.06 0 -.0851" mass=".1"/>"#;
    let robot = Gantry {
        more: fin,
        ..Gantry::default()
    }
    .write(folder.path());
    let (status, summary, _) = scan(folder.path(), &robot, &[]);
    let reasons = reasons(&summary);
    assert_eq!(status, 1);
    assert!(
        reasons.contains("robot/bz of the robot touched the torso with up to"),
        "{reasons}"
    );
}

#[test]
fn limits_are_named_on_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let robot = Gantry::default().write(folder.path());
    let (status, summary, _) = scan(folder.path(), &robot, &["--limit", "force_mae=0,0.001"]);
    assert_eq!(status, 1);
    assert!(
        reasons(&summary).contains("must be at most 0.00 N"),
        "{summary}"
    );
    let wrong = refused(&["scan", "--limit", "cover=1"], 2);
    assert!(
        wrong.contains("limit cover=1") && wrong.contains("known are covered"),
        "{wrong}"
    );
}

#[test]
fn a_press_that_turns_back_fails() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().to_str().unwrap();
    let press = [
        "press",
        "--max-force",
        "10",
        "--no-pictures",
        "--output",
        output,
    ];
    let done = run(&[&press[..], &["--json"]].concat());
    assert_eq!(done.status.code(), Some(1));
    let summary: Value = serde_json::from_slice(&done.stdout).unwrap();
    let reasons = self::reasons(&summary);
    assert!(
        reasons.contains("of 30.0 mm: the force reached the limit of 10 N"),
        "{reasons}"
    );
    let shallow = json(&[
        "press",
        "--depth",
        "0.005",
        "--no-pictures",
        "--output",
        output,
    ]);
    assert_eq!(shallow["verdict"], "passed");

    let press = [
        "press",
        "--depth",
        "0.005",
        "--no-pictures",
        "--output",
        output,
    ];
    let done = run(&[&press[..], &["--limit", "peak_pressure=5000", "--json"]].concat());
    assert_eq!(done.status.code(), Some(1));
    let summary: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert!(summary["peak_pressure_pa"].as_f64().unwrap() > 5000.0);
    let reasons = self::reasons(&summary);
    assert!(
        reasons.contains("the peak pressure was") && reasons.contains("at most 5.0 kPa"),
        "{reasons}"
    );
}

#[test]
fn a_press_turns_back_where_the_forces_of_the_torso_no_longer_hold() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().to_str().unwrap();
    let press = |torso: &str| {
        let arguments = [
            "press",
            "--torso",
            torso,
            "--depth",
            "0.042",
            "--speed",
            "0.05",
            "--no-pictures",
            "--output",
            output,
            "--json",
        ];
        let done = run(&arguments);
        let summary: Value = serde_json::from_slice(&done.stdout).unwrap();
        (done.status.code(), summary)
    };
    let (status, summary) = press("fast");
    assert_eq!(status, Some(1));
    assert_eq!(summary["depth_limit_m"], 0.035);
    let reasons = reasons(&summary);
    let named = "forces of the torso `fast` hold up to 35 mm (deeper: elastic";
    assert!(reasons.contains(named), "{reasons}");
    let deepest = summary["peak_indentation_m"].as_f64().unwrap();
    assert!((0.035..0.038).contains(&deepest), "{deepest}");

    // The torso that the reason names.
    let (status, summary) = press("elastic");
    assert_eq!((status, &summary["verdict"]), (Some(0), &"passed".into()));
    let jump = summary["largest_jump_n"].as_f64().unwrap();
    assert!(jump < 5.0, "{jump}");
    assert!(summary["peak_indentation_m"].as_f64().unwrap() > 0.041);
    // The mean of the peak's square centimetre is at most the whole force, and the area at most that of the face.
    let [pressure, area, force] = ["peak_pressure_pa", "contact_area_m2", "peak_force_n"]
        .map(|key| summary[key].as_f64().unwrap());
    assert!(
        pressure > 1e4 && pressure * 1e-4 < force,
        "{pressure} {force}"
    );
    assert!((5e-4..2.5e-3).contains(&area), "{area}");
}

#[test]
fn a_scan_deeper_than_the_forces_of_the_torso_hold_warns_once() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().to_str().unwrap();
    let scan = |force: &str| {
        let soft = ["scan", "--stiffness", "400", "--damping", "5.3"];
        let path = ["--force", force, "--from", "0,0", "--to", "0,0.02"];
        let done = run(&[
            &soft[..],
            &path,
            &["--json", "--no-pictures", "--output", output],
        ]
        .concat());
        let told = String::from_utf8(done.stderr).unwrap();
        let summary: Value = serde_json::from_slice(&done.stdout).unwrap();
        (summary, told.matches("warning: the probe was").count())
    };
    let (shallow, n_told) = scan("5");
    assert_eq!(shallow["depth_limit_m"], 0.035);
    assert_eq!((shallow.get("warnings"), n_told), (None, 0));

    let (deep, n_told) = scan("25");
    assert!(deep["peak_indentation_m"].as_f64().unwrap() > 0.035);
    assert_eq!(n_told, 1);
    let warnings = deep["warnings"].as_array().unwrap();
    let warning = warnings[0].as_str().unwrap();
    let named =
        "mm below the resting skin; forces of the torso `fast` hold up to 35 mm (deeper: elastic";
    assert_eq!(warnings.len(), 1);
    assert!(warning.contains(named), "{warning}");
}

#[test]
fn a_picture_of_a_held_probe_has_a_verdict() {
    let held = [
        "image",
        "--patient",
        "adult",
        "--force",
        "5",
        "--lines",
        "32",
        "--samples",
        "64",
    ];
    let passed = json(&held);
    assert_eq!(passed["verdict"], "passed");
    let strict = run(&[&held[..], &["--limit", "tilt_deg=0", "--json"]].concat());
    assert_eq!(strict.status.code(), Some(1));
    let figures: Value = serde_json::from_slice(&strict.stdout).unwrap();
    assert!(
        reasons(&figures).contains("the tilt of the probe was"),
        "{figures}"
    );
}
