//! Contract: `press --sites` writes one log per site in the layout that `calibrate` reads, marks it as simulated, and writes the ground
//! truth
//! of the random parameters; the same seed gives the same bytes.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::path::Path;
use std::process::{Command, Output};

const SITES: [&str; 5] = [
    "upper_right",
    "upper_left",
    "centre",
    "lower_right",
    "lower_left",
];
const HEADER: &str = "time_s,position_x_m,position_y_m,position_z_m,velocity_x_m_s,velocity_y_m_s,velocity_z_m_s,force_x_n,force_y_n,force_z_n";

fn press(folder: &Path, more: &[&str]) -> Output {
    press_to("0.006", folder, more)
}

fn press_to(depth: &str, folder: &Path, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_insonate"))
        .args(["press", "--no-pictures", "--json"])
        .args(["--depth", depth, "--output"])
        .arg(folder)
        .args(more)
        .output()
        .expect("the binary starts")
}

fn record(folder: &Path, more: &[&str]) -> serde_json::Value {
    let output = press(folder, more);
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{problem}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The rows of a log.
fn rows(text: &str) -> Vec<Vec<f64>> {
    let numbers = text.lines().skip_while(|line| *line != HEADER).skip(1);
    numbers
        .map(|line| line.split(',').map(|word| word.parse().unwrap()).collect())
        .collect()
}

#[test]
fn five_logs_contain_the_bias_of_the_truth_file() {
    let folder = tempfile::tempdir().unwrap();
    let noise = ["--sites", "5", "--noise", "thesis", "--seed", "3"];
    let truth = record(folder.path(), &noise);
    assert_eq!(truth["simulated"], true);
    let written = std::fs::read_to_string(folder.path().join("truth.json")).unwrap();
    let written: serde_json::Value = serde_json::from_str(&written).unwrap();
    assert_eq!(written, truth);

    let mut biases = Vec::new();
    for (name, site) in SITES.iter().zip(truth["sites"].as_array().unwrap()) {
        assert_eq!(site["name"], *name);
        let text = std::fs::read_to_string(folder.path().join(format!("{name}.csv"))).unwrap();
        assert!(
            text.starts_with("# simulated: scene panda_c5-2_fast"),
            "{name}"
        );
        let rows = rows(&text);
        assert!(rows.len() > 1000, "{name}: {} rows", rows.len());
        let air: Vec<&Vec<f64>> = rows.iter().filter(|row| row[0] < 0.5).collect();
        assert_eq!(air.len(), 250);
        for axis in 0..3 {
            let bias = site["bias_n"][axis].as_f64().unwrap();
            let mean = air.iter().map(|row| row[7 + axis]).sum::<f64>() / 250.0;
            // Five standard errors of the mean of 250 samples with a noise of 0.05 N.
            assert!(
                (mean - bias).abs() < 0.016,
                "{name}: {mean} against {bias} N"
            );
        }
        let bias = site["bias_n"][2].as_f64().unwrap();
        assert!((-1.93..=0.645).contains(&bias), "{name}: {bias} N");
        biases.push(bias);
        // In the deepest row the probe presses downwards; the world's z axis points up.
        let deepest = rows.iter().min_by(|a, b| a[3].total_cmp(&b[3])).unwrap();
        let peak = site["peak_force_n"].as_f64().unwrap();
        assert!(
            peak > 1.0 && deepest[9] - bias < -0.5 * peak,
            "{name}: {deepest:?}"
        );
    }
    biases.sort_by(f64::total_cmp);
    biases.dedup();
    assert_eq!(biases.len(), 5, "each site draws its own bias");
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_one_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = |name: &str, seed: &str| {
        let path = folder.path().join(name);
        record(
            &path,
            &[
                "--sites", "1", "--site", "0,0", "--noise", "thesis", "--seed", seed,
            ],
        );
        std::fs::read(path.join("site.csv")).unwrap()
    };
    let first = bytes("a", "7");
    assert!(first == bytes("b", "7") && first != bytes("c", "8"));
}

#[test]
fn the_errors_of_the_recorder_match_the_options() {
    let folder = tempfile::tempdir().unwrap();
    let log = |name: &str, more: &[&str]| {
        let path = folder.path().join(name);
        let options = [&["--sites", "1", "--site", "0,0", "--rate", "250"], more].concat();
        record(&path, &options);
        rows(&std::fs::read_to_string(path.join("site.csv")).unwrap())
    };
    let exact = log("exact", &[]);
    let late = log("late", &["--noise", "latency=0.02"]);
    let coarse = log("coarse", &["--noise", "step=0.25,bias=1"]);
    assert!((exact[1][0] - 0.004).abs() < 1e-12);
    // 20 ms are five samples at 250 Hz.
    for i in 100..exact.len() - 5 {
        assert!((late[i + 5][9] - exact[i][9]).abs() < 2e-5, "row {i}");
        assert!(
            (coarse[i][9] - 1.0 - exact[i][9]).abs() < 0.125 + 2e-5,
            "row {i}"
        );
        assert!((coarse[i][9] / 0.25).fract().abs() < 1e-9, "row {i}");
    }
}

#[test]
fn impossible_recordings_are_wrong_usage() {
    let folder = tempfile::tempdir().unwrap();
    for (options, part) in [
        (&["--sites", "3"][..], "--sites 1 --site"),
        (&["--noise", "thesis"], "--sites"),
        (&["--sites", "5", "--noise", "loud=1"], "lateral-bias"),
        (&["--sites", "5", "--site", "0,0"], "--sites 1"),
        (&["--sites", "5", "--rate", "0"], "between 20 and 10000"),
        (
            &["--sites", "5", "--sine", "0.004,1,1"],
            "0.45 of the depth",
        ),
    ] {
        let output = press(folder.path(), options);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{options:?}: {text}");
        assert!(text.contains(part), "{options:?}: {text}");
    }
}

/// The shell of the default torso holds to 35 mm.
#[test]
fn a_recording_deeper_than_the_torso_holds_has_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    for (depth, expected) in [("0.036", 1), ("0.03", 0)] {
        let path = folder.path().join(depth);
        let site = [
            "--sites",
            "1",
            "--site",
            "0,0",
            "--stiffness",
            "500",
            "--damping",
            "10",
        ];
        let output = press_to(depth, &path, &site);
        let said = String::from_utf8_lossy(&output.stderr);
        let truth: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let warnings = truth["warnings"].as_array().map_or(0, Vec::len);
        assert_eq!(warnings, expected, "{depth}: {said}");
        assert_eq!(
            said.contains("warning: the probe was"),
            expected == 1,
            "{said}"
        );
        assert!(expected == 0 || said.contains("35 mm"), "{said}");
    }
}
