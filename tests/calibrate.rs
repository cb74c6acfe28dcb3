//! Contract: the interface of `insonate calibrate` for scripts: JSON keys, files, exit status, one-line errors, and the table of the
//! thesis.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use insonate::calibration::softness::SoftnessFile;
use insonate::calibration::synthetic::{
    Law, MotionFrame, Segment, Sensor, SyntheticLog, Trajectory,
};
use serde_json::Value;

/// Runs the command in a folder, so that paths in results are short.
fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_insonate"))
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect("the binary starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    // The simulated press has its own test.
    let alone = if arguments.contains(&"--fit-scene") {
        &[][..]
    } else {
        &["--no-simulation"]
    };
    let output = run(
        folder,
        &[&["calibrate"], arguments, alone, &["--json"]].concat(),
    );
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        stderr(&output)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Expects a failure with a one-line error, without standard output or files, and returns the line.
fn refused(folder: &Path, arguments: &[&str], status: i32) -> String {
    let output = run(
        folder,
        &[&["calibrate"], arguments, &["--output", "never"]].concat(),
    );
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {text}");
    assert!(
        output.stdout.is_empty() && !folder.join("never").exists(),
        "{arguments:?}"
    );
    let line = text.lines().next().unwrap_or_default().to_owned();
    assert!(
        line.starts_with("error: ") && !text.contains("panicked"),
        "{text}"
    );
    line
}

fn write_log(folder: &Path, name: &str, log: &SyntheticLog) {
    std::fs::write(folder.join(name), log.to_csv()).unwrap();
}

/// A site whose sensor noise is so low that the fit reproduces the truth to the digits of the thesis.
fn quiet(law: Law, seed: u64) -> SyntheticLog {
    let mut log = SyntheticLog::new(law, Trajectory::rich(), MotionFrame::Indentation);
    log.sensor = Sensor {
        force_noise: 2e-4,
        ..Sensor::perfect()
    };
    log.seed = seed;
    log
}

fn kelvin_voigt(stiffness: f64, damping: f64) -> Law {
    Law::KelvinVoigt { stiffness, damping }
}

/// A folder with one log, `press.csv`.
fn one_log() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_log(
        folder.path(),
        "press.csv",
        &quiet(kelvin_voigt(1324.17, 17.59), 1),
    );
    folder
}

#[test]
fn the_json_has_the_keys_of_the_contract() {
    let folder = one_log();
    let result = json(folder.path(), &["press.csv", "--output", "out"]);
    let log = &result["logs"][0];
    assert_eq!(
        (&log["file"], &log["model"]),
        (&"press.csv".into(), &"kelvin-voigt".into())
    );
    for (name, truth) in [("stiffness", 1324.17), ("damping", 17.59)] {
        let parameter = &log["parameters"][name];
        let number = |value: &Value| value.as_f64().unwrap();
        assert_eq!(parameter["identifiable"], Value::Bool(true));
        assert!(
            (number(&parameter["value"]) / truth - 1.0).abs() < 1e-3,
            "{parameter}"
        );
        assert!(number(&parameter["ci95"][0]) < number(&parameter["ci95"][1]));
        assert_eq!(result["pooled"][name]["mean"], parameter["value"]);
        assert_eq!(result["pooled"][name]["sd"], 0.0);
    }
    for key in ["r_squared", "rmse_n", "force_bias_n"] {
        assert!(log[key].is_f64(), "{key}: {log}");
    }
    assert!(log["n"].as_u64().unwrap() > 1000 && log["window_s"][1].is_f64());
    assert_eq!(log["sha256"].as_str().unwrap().len(), 64);
    assert!(!log["choices"].as_array().unwrap().is_empty());
    let ratio = &result["pooled"]["ratio"];
    assert!(ratio["value"].is_f64() && ratio["ci95"][0].is_f64());

    let out = folder.path().join("out");
    let mut names: Vec<String> = std::fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let plots = ["curve", "loop", "residuals", "time"]
        .iter()
        .flat_map(|kind| [format!("press_{kind}.png"), format!("press_{kind}.svg")]);
    // The hidden file lists the files that the run wrote.
    let files = [".insonate.files".to_owned()]
        .into_iter()
        .chain(plots)
        .chain(["report.html", "result.json", "run.toml", "softness.toml"].map(str::to_owned));
    assert_eq!(names, files.collect::<Vec<_>>());
    let written: Value =
        serde_json::from_slice(&std::fs::read(out.join("result.json")).unwrap()).unwrap();
    assert_eq!(written, result);
}

#[test]
fn a_terminal_gets_a_table() {
    let folder = one_log();
    let output = run(
        folder.path(),
        &["calibrate", "press.csv", "--output", "out"],
    );
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", stderr(&output));
    for part in [
        "f = k r + c ṙ",
        "stiffness k [N/m]",
        "1324.",
        "17.5",
        "stiffness / damping",
        "out/report.html",
        "press on torso fast with this softness",
        "for scenes: out/softness.toml",
    ] {
        assert!(text.contains(part), "{part} is missing from:\n{text}");
    }
    assert!(folder.path().join("out/simulated.png").exists());
}

#[test]
fn logs_without_softness_end_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let ramp = Trajectory::new(
        -0.01,
        &[Segment::Move {
            to: 0.008,
            speed: 0.005,
            ramp: 0.05,
        }],
    );
    let mut log = quiet(kelvin_voigt(1324.17, 17.59), 1);
    log.motion = ramp;
    write_log(folder.path(), "ramp.csv", &log);
    let output = run(
        folder.path(),
        &["calibrate", "ramp.csv", "--output", "out", "--json"],
    );
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let text = stderr(&output);
    assert!(text.contains("no damping for a scene"), "{text}");
    // The results are written nevertheless.
    assert!(folder.path().join("out/report.html").exists());
    let scan = run(
        folder.path(),
        &[
            "scan",
            "--softness",
            "out/softness.toml",
            "--output",
            "scan",
        ],
    );
    assert_eq!(scan.status.code(), Some(1));
    assert!(
        stderr(&scan).contains("ramp.csv has no damping"),
        "{}",
        stderr(&scan)
    );
}

#[test]
fn the_same_call_gives_the_same_bytes() {
    let folder = one_log();
    let files = |out: &str| {
        json(
            folder.path(),
            &[
                "press.csv",
                "--output",
                out,
                "--bootstrap",
                "50",
                "--seed",
                "3",
            ],
        );
        [
            "softness.toml",
            "result.json",
            "press_curve.png",
            "press_time.svg",
        ]
        .map(|name| std::fs::read(folder.path().join(out).join(name)).unwrap())
    };
    assert!(files("first") == files("second"));
}

/// The five sites of the thesis: two as published (Jakobsen 2021), three chosen so that mean and standard deviation are as published.
/// The biases are the force offsets that the script of the thesis added.
const SITES: [(&str, f64, f64, f64); 5] = [
    ("upper_right", 1445.75, 15.69, -0.645),
    ("upper_left_chosen", 1650.95, 35.50, 0.275),
    ("centre", 1324.17, 17.59, 1.118),
    ("lower_right_chosen", 1477.36, 33.98, 1.93),
    ("lower_left_chosen", 1529.97, 41.44, 1.55),
];

#[test]
fn the_thesis_table_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut arguments = Vec::new();
    for (index, (name, stiffness, damping, bias)) in SITES.into_iter().enumerate() {
        let mut log = quiet(kelvin_voigt(stiffness, damping), index as u64);
        log.sensor.bias = [0.0, 0.0, bias];
        write_log(folder.path(), &format!("{name}.csv"), &log);
        arguments.push(format!("{name}.csv"));
    }
    // The tissue loses contact with the probe during the retreat, so the law holds from half a millimetre on.
    // The thesis also excluded samples at r ≈ 0.
    let options = [
        "--model",
        "divided",
        "--force-latency-error",
        "0",
        "--min-indentation",
        "0.0005",
        "--output",
        "out",
    ];
    let arguments: Vec<&str> = arguments
        .iter()
        .map(String::as_str)
        .chain(options)
        .collect();
    let result = json(folder.path(), &arguments);
    let pooled = |name: &str, key: &str| result["pooled"][name][key].as_f64().unwrap();
    let printed = format!(
        "k {:.1} ± {:.1}, c {:.1} ± {:.1}, k/c {:.2}",
        pooled("stiffness", "mean"),
        pooled("stiffness", "sd"),
        pooled("damping", "mean"),
        pooled("damping", "sd"),
        pooled("ratio", "value")
    );
    let mut table = String::new();
    for log in result["logs"].as_array().unwrap() {
        let value = |name: &str| log["parameters"][name]["value"].as_f64().unwrap();
        let (k, c) = (value("stiffness"), value("damping"));
        writeln!(table, "{} {k:.0} {c:.2}", log["file"].as_str().unwrap()).unwrap();
    }
    let out = folder.path().join("out");
    assert_eq!(
        printed, "k 1485.6 ± 119.4, c 28.8 ± 11.5, k/c 51.51",
        "{table}"
    );
    let toml = std::fs::read_to_string(out.join("softness.toml")).unwrap();
    let (pooled, _) = toml.split_once("\n[[log]]").unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let shown = format!(
        "{printed}\n\n{table}\n{}",
        rounded(pooled).replace(version, "…")
    );
    insta::assert_snapshot!(shown);
    assert!(out.join("sites.png").exists());
    let report = std::fs::read_to_string(out.join("report.html")).unwrap();
    for part in ["1485.6 ± 119.4", "28.8", "51.51", "over 5 sites"] {
        assert!(report.contains(part), "{part} is missing from the report");
    }
}

/// Rounds numbers in a text to three digits, which do not depend on the platform.
fn rounded(text: &str) -> String {
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let mut out = String::new();
    for piece in text.split_inclusive(|c: char| !is_number(c)) {
        let number = piece.trim_end_matches(|c: char| !is_number(c));
        match number.parse::<f64>() {
            Ok(value) if number.contains('.') && value != 0.0 => {
                let rest = &piece[number.len()..];
                let short: f64 = format!("{value:.2e}").parse().unwrap();
                write!(out, "{short}{rest}").unwrap();
            }
            _ => out.push_str(piece),
        }
    }
    out
}

#[test]
fn the_report_holds_everything_and_loads_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = quiet(kelvin_voigt(1324.17, 17.59), 1);
    log.mass = 0.5;
    write_log(folder.path(), "press.csv", &log);
    json(
        folder.path(),
        &["press.csv", "--output", "out", "--mass", "0.5"],
    );
    let report = std::fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    assert_eq!(report.matches("<svg").count(), 4);
    for reference in [
        "http:", "https:", "src=", "url(", "@import", "<script", "<link", "xmlns",
    ] {
        assert!(!report.contains(reference), "{reference}");
    }
    for part in [
        "insonate scene --softness",
        "solref=",
        "SHA-256",
        "Choices and their reasons",
        "condition number",
    ] {
        assert!(report.contains(part), "{part}");
    }
}

#[test]
fn hostile_file_names_are_shown_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let name = "<script>alert('1')</script> & \"co\"\u{1b}[31m.csv".replace('/', "\u{2215}");
    write_log(folder.path(), &name, &quiet(kelvin_voigt(900.0, 12.0), 2));
    let result = json(folder.path(), &[&name, "--output", "out"]);
    assert_eq!(result["logs"][0]["file"], Value::String(name.clone()));
    let out = folder.path().join("out");
    let report = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(!report.contains("<script") && report.contains("&lt;script&gt;"));
    assert!(!report.contains('\u{1b}'));
    let file = SoftnessFile::read(&out.join("softness.toml")).unwrap();
    assert_eq!(file.logs[0].file, name);
    for entry in std::fs::read_dir(&out).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            file.chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)),
            "{file}"
        );
    }
    let text = run(folder.path(), &["calibrate", &name, "--output", "out"]).stdout;
    assert!(
        !text.contains(&0x1b),
        "the terminal gets no control characters from a file"
    );
}

#[test]
fn a_scene_takes_the_softness() {
    let folder = one_log();
    json(folder.path(), &["press.csv", "--output", "out"]);
    let scene = run(folder.path(), &["scene", "--softness", "out/softness.toml"]);
    assert!(scene.status.success(), "{}", stderr(&scene));
    assert!(
        stderr(&scene).contains("pooled softness"),
        "{}",
        stderr(&scene)
    );
    let soft = "format = 1\n[pooled.stiffness]\nmean = 900\n[pooled.damping]\nmean = 12\n";
    let tuned = format!("{soft}[scene.composite]\nstiffness = 777\ndamping = 5\n");
    std::fs::write(folder.path().join("soft.toml"), tuned).unwrap();
    let by = |arguments: &[&str]| {
        let output = run(folder.path(), &[&["scene"], arguments].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        output.stdout
    };
    assert!(by(&["--softness", "soft.toml"]) == by(&["--stiffness", "900", "--damping", "12"]));
    assert!(
        by(&["--softness", "soft.toml", "--torso", "composite"])
            == by(&[
                "--stiffness",
                "777",
                "--damping",
                "5",
                "--torso",
                "composite"
            ])
    );
    for (arguments, status, problem) in [
        (
            &["--softness", "soft.toml", "--stiffness", "5"][..],
            2,
            "cannot be used with",
        ),
        (&["--softness", "missing.toml"], 1, "missing.toml"),
        (&["--softness", "press.csv"], 1, "press.csv"),
        (&["--softness", "soft.toml", "--torso", "none"], 2, "none"),
    ] {
        let output = run(folder.path(), &[&["scene"], arguments].concat());
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        assert!(stderr(&output).contains(problem), "{}", stderr(&output));
    }
}

#[test]
fn a_torso_is_tuned_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let log = concat!(env!("CARGO_MANIFEST_DIR"), "/data/palpation-sim/centre.csv");
    let arguments = [log, "--fit-scene", "--torso", "fast", "--output", "out"];
    let result = json(folder.path(), &arguments);
    let fit = &result["scene_fit"];
    assert_eq!(fit["torso"], "fast");
    for (name, limit) in [("stiffness", 0.05), ("damping", 0.10)] {
        let error = fit[format!("{name}_error")].as_f64().unwrap();
        assert!(error.abs() < limit && fit[name].is_f64(), "{fit}");
    }
    assert_eq!(fit["reached"], Value::Bool(true));
    let out = folder.path().join("out");
    assert!(out.join("scene.svg").exists());
    let file = SoftnessFile::read(&out.join("softness.toml")).unwrap();
    assert!(file.scene["fast"].achieved.as_ref().unwrap().reached);
    let scene = run(folder.path(), &["scene", "--softness", "out/softness.toml"]);
    assert!(scene.status.success() && stderr(&scene).contains("[scene.fast]"));
}

#[test]
fn wrong_usage_ends_with_status_2() {
    let folder = one_log();
    for (arguments, problem) in [
        (&["--model", "rubber"][..], "divided"),
        (&["--exponents", "1.5,0.5"], "hunt-crossley"),
        (&["--model", "hertz", "--tip", "flat:0.01"], "flat-punch"),
        (&["--poisson-ratio", "0.4"], "--tip"),
        (&["--loss", "absolute"], "huber"),
        (&["--mass", "-1"], "mass above 0"),
        (&["--window", "3,1"], "the first before the second"),
        (&["--bias", "inf"], "none, auto"),
        (&["--sign", "up"], "pressing-positive"),
        (&["--velocity", "estimated:10"], "odd"),
        (&["--velocity", "estimated:11:9"], "odd"),
        (&["--columns", "speed=3"], "speed"),
        (&["--units", "force=kg"], "force"),
        (&["--rate", "0"], "above 0"),
        (&["--seed", "1"], "--bootstrap"),
        (&["--torso", "flex"], "--fit-scene"),
        (&["--min-indentation", "nan"], "0 to 1 m"),
    ] {
        let line = refused(folder.path(), &[&["press.csv"], arguments].concat(), 2);
        let output = run(
            folder.path(),
            &[&["calibrate", "press.csv"], arguments].concat(),
        );
        assert!(stderr(&output).contains(problem), "{arguments:?}: {line}");
    }
    assert!(refused(folder.path(), &[], 2).contains("required"));
}

#[test]
fn other_errors_name_the_file_and_end_with_status_1() {
    let folder = one_log();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("empty.csv", "");
    write(
        "flat.csv",
        &format!(
            "time_s,indentation_m,force_n\n{}",
            (0..500).fold(String::new(), |text, i| format!(
                "{text}{},{},0\n",
                f64::from(i) * 0.01,
                1e-5 * f64::from(i)
            ))
        ),
    );
    write("windows.toml", "[press]\nwindow = [3, 1]\n");
    write("typo.toml", "[press]\nwindows = [1, 3]\n");
    for (arguments, name) in [
        (&["missing.csv"][..], "missing.csv"),
        (&["empty.csv"], "empty.csv"),
        (&["press.csv", "flat.csv"], "flat"),
        (
            &["press.csv", "--windows", "windows.toml"],
            "windows.toml, [press]",
        ),
        (&["press.csv", "--windows", "typo.toml"], "typo.toml"),
    ] {
        let line = refused(folder.path(), arguments, 1);
        assert!(line.contains(name), "{line}");
    }
    write("none.toml", "[other]\nwindow = [1, 3]\n");
    assert!(
        refused(folder.path(), &["press.csv", "--windows", "none.toml"], 2).contains("[other]")
    );
    let output = run(
        folder.path(),
        &["calibrate", "press.csv", "--output", "press.csv"],
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_windows_file_sets_each_log() {
    let folder = one_log();
    std::fs::write(
        folder.path().join("w.toml"),
        "[press]\nwindow = [2, 9]\nbias = \"none\"\n",
    )
    .unwrap();
    let result = json(
        folder.path(),
        &["press.csv", "--windows", "w.toml", "--output", "out"],
    );
    let window = result["logs"][0]["window_s"].as_array().unwrap();
    let times: Vec<f64> = window.iter().map(|time| time.as_f64().unwrap()).collect();
    assert!(
        (times[0] - 2.0).abs() < 0.01 && (times[1] - 9.0).abs() < 0.01,
        "{times:?}"
    );
}

#[test]
fn help_has_examples() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["calibrate", "--help"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("Examples:") && text.contains("--fit-scene"));
}
