//! Contract: the interface for scripts: options, JSON keys, files, exit status, errors on standard error, no incomplete files.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::process::{Command, Output};

fn insonate(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_insonate"))
        .args(arguments)
        .output()
        .expect("the binary starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_scan_prints_json_and_fills_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("scan");
    let path = directory.to_str().unwrap();
    let output = insonate(&[
        "scan",
        "--from",
        "0,-0.01",
        "--to",
        "0,0.01",
        "--no-pictures",
        "--json",
        "--output",
        path,
    ]);
    assert!(output.status.success(), "{}", stderr(&output));
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for key in [
        "force_mae_n",
        "force_rmse_n",
        "contact_ratio",
        "peak_force_n",
        "peak_pressure_pa",
        "contact_area_m2",
        "path_rmse_m",
        "seconds_simulated",
        "steps_per_second",
    ] {
        assert!(summary[key].is_f64(), "{key} is missing from {summary}");
    }
    let log = std::fs::read_to_string(directory.join("log.csv")).unwrap();
    assert!(log.starts_with("time_s,") && log.lines().next().unwrap().contains(",force_z_n,"));
    for file in ["scene.xml", "plot.svg", "pressure.svg", "summary.json"] {
        assert!(
            std::fs::metadata(directory.join(file)).unwrap().len() > 100,
            "{file}"
        );
    }
    assert_eq!(
        std::fs::read_dir(&directory).unwrap().count(),
        7,
        "these, run.toml, the list of what the run wrote, and no temporary files"
    );
}

#[test]
fn a_press_prints_a_table_without_json() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let output = insonate(&[
        "press",
        "--depth",
        "0.01",
        "--hold",
        "0.1",
        "--torso",
        "fast",
        "--no-pictures",
        "--output",
        path,
    ]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("verdict "));
    assert!(folder.path().join("force_indentation.svg").exists());
}

#[test]
fn a_scene_is_one_file_that_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.xml");
    let output = insonate(&[
        "scene",
        "--robot",
        "ur5e",
        "--torso",
        "flex",
        "--shape",
        "human",
        "--output",
        path.to_str().unwrap(),
    ]);
    assert!(output.status.success(), "{}", stderr(&output));
    let written = std::fs::read_to_string(&path).unwrap();
    let printed = insonate(&[
        "scene", "--robot", "ur5e", "--torso", "flex", "--shape", "human",
    ]);
    assert_eq!(String::from_utf8_lossy(&printed.stdout), written);
    let read =
        insonate::models::mjcf::Mjcf::read(&path, &insonate::models::mjcf::ReadOptions::default())
            .unwrap();
    assert_eq!(read.to_xml().unwrap(), written);
}

/// Runs the command, expects a failure with a one-line error first, and returns the line.
fn refused(arguments: &[&str], status: i32) -> String {
    let output = insonate(arguments);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {text}");
    assert!(
        output.stdout.is_empty(),
        "{arguments:?} must print nothing on standard output"
    );
    let line = text.lines().next().unwrap_or_default().to_owned();
    assert!(line.starts_with("error: "), "{arguments:?}: {text}");
    assert!(!text.contains("panicked"), "{text}");
    line
}

#[test]
fn wrong_usage_ends_with_status_2() {
    let unknown = refused(&["scene", "--robot", "pandas"], 2);
    assert!(
        unknown.starts_with(
            "error: there is no robot \"pandas\", did you mean \"panda\"?; choose one of panda"
        ),
        "{unknown}"
    );
    assert!(refused(&["scan", "--torso", "rubber"], 2).contains("composite, fast, elastic"));
    assert!(refused(&["scene", "--stiffness", "-5"], 2).contains("stiffness is -5; it must be"));
    assert!(refused(&["scene", "--damping", "nan"], 2).contains("damping is NaN; it must be"));
    assert!(refused(&["scene", "--count", "9,4"], 2).contains("9,4"));
    assert!(refused(&["scene", "--robot-file", "arm.xml"], 2).contains("required"));
    assert!(
        refused(&["press", "--depth", "5"], 2)
            .contains("depth is 5; it must be between 0 and 0.08 m")
    );
    assert!(refused(&["scan", "--speed", "0"], 2).contains("speed is 0; it must be"));
    for after in ["inf", "nan", "-1"] {
        assert!(
            refused(&["render", "--after", after], 2).contains("it must be between 0 and 3600 s")
        );
    }
    assert!(refused(&["scene", "--timestep", "0.5"], 2).contains("timestep is 0.5; it must be"));
    assert!(refused(&["scene", "--count", "60,60,60"], 2).contains("between 0 and 2 m"));
    assert!(refused(&["fly"], 2).contains("fly"));
    assert!(
        refused(&["scene", "--patient-sex", "female"], 2)
            .contains("--patient-sex needs --patient adult")
    );
    assert!(
        refused(&["scene", "--patient", "adult", "--patient-height", "3"], 2)
            .contains("patient height is 3; it must be between 1.4 and 2.1 m")
    );
    assert!(refused(&["scene", "--patient", "adult", "--shape", "box"], 2).contains("--shape"));
}

#[test]
fn other_errors_end_with_status_1() {
    assert!(
        refused(
            &["scene", "--robot-file", "missing.xml", "--flange", "hand"],
            1
        )
        .contains("missing.xml")
    );
    assert!(
        refused(&["scene", "--output", "/nonexistent/scene.xml"], 1)
            .contains("/nonexistent/scene.xml")
    );
    assert!(
        refused(
            &[
                "scan",
                "--torso",
                "none",
                "--no-pictures",
                "--output",
                scratch().path().to_str().unwrap()
            ],
            1
        )
        .contains("no torso")
    );
    let file = tempfile::NamedTempFile::new().unwrap();
    assert!(
        refused(&["scan", "--output", file.path().to_str().unwrap()], 1)
            .contains("not a directory")
    );
}

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn hostile_robot_files_are_refused() {
    let folder = scratch();
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).unwrap();
        folder.path().join(name).to_str().unwrap().to_owned()
    };
    let robot = |body: &str| format!("<mujoco><worldbody>{body}</worldbody></mujoco>");
    let arm = r#"<body name="hand"><joint name="j"/><geom size="1"/></body>"#;
    for (name, text, problem) in [
        (
            "laughs.xml",
            r#"<!DOCTYPE l [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><mujoco>&b;</mujoco>"#.to_owned(),
            "DOCTYPE",
        ),
        (
            "escape.xml",
            r#"<mujoco><include file="../../etc/passwd"/></mujoco>"#.to_owned(),
            "outside",
        ),
        (
            "nan.xml",
            robot(r#"<body name="hand"><joint/><geom size="nan"/></body>"#),
            "nan",
        ),
        ("cut.xml", "<mujoco><worldbody><body".to_owned(), "cut.xml"),
        ("empty.xml", String::new(), "empty.xml"),
        ("flange.xml", robot(arm), "hand"),
    ] {
        let path = write(name, &text);
        let flange = if name == "flange.xml" {
            "tool0"
        } else {
            "hand"
        };
        let line = refused(&["scene", "--robot-file", &path, "--flange", flange], 1);
        assert!(
            line.to_lowercase().contains(&problem.to_lowercase()),
            "{name}: {line}"
        );
    }
}

#[test]
fn help_has_examples() {
    for command in ["list", "scene", "render", "press", "scan"] {
        let output = insonate(&[command, "--help"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success()
                && text.contains("Example")
                && text.contains(&format!("insonate {command}")),
            "{command}"
        );
    }
}

#[test]
fn the_list_is_json_too() {
    let output = insonate(&["list", "--json"]);
    let all: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for section in ["robots", "probes", "torsos", "shapes", "quantities"] {
        assert!(!all[section].as_array().unwrap().is_empty(), "{section}");
    }
}
