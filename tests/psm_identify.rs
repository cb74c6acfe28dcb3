//! Contract: the interface of `insonate psm track` and `psm identify` for scripts: the keys of their JSON, and that `identify` reads
//! the log of
//! `track`. An invalid log is refused with a one-line error that names the position in the file.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_insonate"))
        .current_dir(folder)
        .arg("psm")
        .args(arguments)
        .output()
        .expect("the binary starts")
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = run(folder, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {stderr}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn seven(value: &Value) -> Vec<f64> {
    let numbers = value.as_array().unwrap().iter();
    let numbers: Vec<f64> = numbers.map(|number| number.as_f64().unwrap()).collect();
    assert_eq!(numbers.len(), 7);
    numbers
}

#[test]
fn the_simulated_arm_is_identified_from_its_log_and_tested_on_another_motion() {
    let folder = tempfile::tempdir().unwrap();
    for number in ["1", "2"] {
        let trajectory = format!("excitation-{number}");
        let arguments = [
            "track",
            "--trajectory",
            &trajectory,
            "--output",
            number,
            "--no-pictures",
            "--json",
        ];
        let summary = json(folder.path(), &arguments);
        seven(&summary["rms_torque_difference"]);
        seven(&summary["rms_error_rad_or_m"]);
        assert!(summary["rcm_error_max_m"].as_f64().unwrap() < 1e-4);
    }
    let arguments = [
        "identify",
        "1/log.csv",
        "--test",
        "2/log.csv",
        "--rate",
        "200",
        "--coordinates",
        "motor",
        "--method",
        "sdp",
        "--output",
        "fit",
        "--json",
    ];
    let result = json(folder.path(), &arguments);
    let errors = seven(&result["relative_error"]);
    assert!(errors.iter().all(|error| *error < 0.01), "{errors:?}");
    // Wang et al. 2019 have 49, including friction and motors.
    assert_eq!(result["n_base_parameters"], 49);
    assert_eq!(result["feasible"], true);
    assert!(result["condition_number"].as_f64().unwrap() > 1.0);
    let page = std::fs::read_to_string(folder.path().join("fit/report.html")).unwrap();
    assert!(page.contains("<html") && !page.contains("NaN"));
}

#[test]
fn an_invalid_log_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let row = vec!["0.1"; 21].join(",");
    let mut rows = vec![row; 2000];
    rows[1233] = vec!["0.1"; 20].join(",");
    std::fs::write(folder.path().join("cut.csv"), rows.join("\n")).unwrap();
    let output = run(folder.path(), &["identify", "cut.csv"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains("cut.csv") && stderr.contains("1234"),
        "{stderr}"
    );
}
