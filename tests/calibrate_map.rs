//! Contract: `insonate calibrate --map` maps sites with positions in space or in a table, and refuses other sites by name.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use insonate::calibration::softness::SoftnessFile;
use insonate::calibration::synthetic::{Law, MotionFrame, Sensor, SyntheticLog, Trajectory};
use serde_json::Value;

/// Calibrates in a folder, without the simulated press.
fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_insonate"))
        .current_dir(folder)
        .args(["calibrate", "--no-simulation"])
        .args(arguments)
        .output()
        .expect("the binary starts")
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = run(
        folder,
        &[arguments, &["--json", "--output", "out"]].concat(),
    );
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {problem}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Expects status 1 without output files, and returns the first line of the error.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, &[arguments, &["--output", "never"]].concat());
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {text}");
    assert!(output.stdout.is_empty() && !folder.join("never").exists());
    text.lines().next().unwrap_or_default().to_owned()
}

/// Five sites on a flat skin whose stiffness increases along x. `with_place` records their positions in space.
fn sites_that_differ(folder: &Path, with_place: bool) -> Vec<(String, [f64; 2], f64)> {
    let places = [
        [0.0, 0.0],
        [0.1, 0.0],
        [0.2, 0.02],
        [0.02, 0.1],
        [0.18, 0.12],
    ];
    let site = |(i, [x, y]): (usize, [f64; 2])| {
        let stiffness = 1000.0 + 2000.0 * x;
        let frame = if with_place {
            MotionFrame::Space {
                surface: [x, y, 0.12],
                normal: [0.0, 0.0, 1.0],
            }
        } else {
            MotionFrame::Axis {
                surface: 0.12,
                outward: true,
            }
        };
        let law = Law::KelvinVoigt {
            stiffness,
            damping: 18.0,
        };
        let mut log = SyntheticLog::new(law, Trajectory::rich(), frame);
        log.sensor = Sensor::perfect();
        log.seed = i as u64;
        let name = format!("site{i}.csv");
        std::fs::write(folder.join(&name), log.to_csv()).unwrap();
        (name, [x, y], stiffness)
    };
    places.into_iter().enumerate().map(site).collect()
}

#[test]
fn sites_in_space_make_a_map() {
    let folder = tempfile::tempdir().unwrap();
    let sites = sites_that_differ(folder.path(), true);
    let names = sites.iter().map(|(name, ..)| name.as_str());
    let arguments: Vec<&str> = names.chain(["--map"]).collect();
    let result = json(folder.path(), &arguments);
    let map = &result["map"]["stiffness"];
    for (i, (name, [x, y], stiffness)) in sites.iter().enumerate() {
        let site = &map["sites"][i];
        let number = |value: &Value| value.as_f64().unwrap();
        let place = [number(&site["place"][0]), number(&site["place"][1])];
        assert!(
            (place[0] - x).abs() < 1e-9 && (place[1] - y).abs() < 1e-9,
            "{name}: {site}"
        );
        assert!(
            (number(&site["value"]) / stiffness - 1.0).abs() < 0.01,
            "{name}: {site}"
        );
    }
    assert_eq!(map["next"].as_array().unwrap().len(), 3);
    let file = SoftnessFile::read(&folder.path().join("out/softness.toml")).unwrap();
    let entry = &file.map["stiffness"];
    let last = entry.x.len() - 1;
    let (soft, stiff) = (entry.value[0][0], entry.value[0][last]);
    assert!(soft < 1150.0 && stiff > 1250.0, "{soft} {stiff}");
    assert_eq!(SoftnessFile::parse(&file.to_toml(), "again").unwrap(), file);
    for name in [
        "map_stiffness.png",
        "map_stiffness.svg",
        "map_damping.png",
        "report.html",
    ] {
        assert!(folder.path().join("out").join(name).is_file(), "{name}");
    }
}

#[test]
fn sites_without_a_place_need_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let sites = sites_that_differ(folder.path(), false);
    let names: Vec<&str> = sites.iter().map(|(name, ..)| name.as_str()).collect();
    let with = |more: &[&'static str]| [&names[..], &["--map"], more].concat();
    let line = refused(folder.path(), &with(&[]));
    assert!(
        line.contains("site0") && line.contains("--places"),
        "{line}"
    );
    let mut table = "log,x,y\n".to_owned();
    for (name, [x, y], _) in &sites {
        let _ = writeln!(table, "{name},{x},{y}");
    }
    let places = folder.path().join("places.csv");
    std::fs::write(&places, &table).unwrap();
    let arguments = with(&["--places", "places.csv"]);
    let result = json(folder.path(), &arguments);
    assert_eq!(result["map"]["stiffness"]["sites"][2]["place"][0], 0.2);
    std::fs::write(&places, table.replace("site3.csv,0.02", "site3.csv,2 cm")).unwrap();
    let arguments = with(&["--places", "places.csv"]);
    let line = refused(folder.path(), &arguments);
    assert!(line.contains("line 5") && line.contains("2 cm"), "{line}");
    let few = refused(
        folder.path(),
        &[names[0], names[1], "--map", "--places", "places.csv"],
    );
    assert!(few.contains("places.csv"), "{few}");
}
