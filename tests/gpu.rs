//! Contract of torsos on a GPU on the command line: a press feels as on the processor, other torsos are refused by name, and `bench gpu` fills every table.
//!
//! Without a driver the tests that need one are skipped, or fail where `INSONATE_REQUIRE_GPU` is 1.

#![cfg(feature = "gpu")]
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

#[expect(dead_code, reason = "other tests use the rest")]
mod command;

use command::{insonate, stderr};
use serde_json::Value;

/// Figures of a command; `None` without a driver.
fn figures(arguments: &[&str]) -> Option<Value> {
    let done = insonate(arguments);
    if stderr(&done).contains("no GPU driver") {
        let is_required = std::env::var("INSONATE_REQUIRE_GPU").is_ok_and(|value| value == "1");
        assert!(!is_required, "{}", stderr(&done));
        assert_eq!(done.status.code(), Some(1));
        eprintln!("skipped: {}", stderr(&done));
        return None;
    }
    assert!(done.status.success(), "{}", stderr(&done));
    Some(serde_json::from_slice(&done.stdout).unwrap())
}

/// 3 or 5 % of the peak force, at 10 mm with a Panda: on the processor only the tissue near the probe moves, which the material makes up for.
#[test]
fn a_press_feels_as_on_the_processor() {
    for (torso, tolerance) in [("mpm", 0.05), ("xpbd", 0.03)] {
        compare_presses(torso, tolerance);
    }
}

fn compare_presses(torso: &str, tolerance: f64) {
    let press = |device: &str| {
        let scratch = tempfile::tempdir().unwrap();
        let output = scratch.path().to_str().unwrap();
        let torso = [
            "press",
            "--torso",
            torso,
            "--count",
            "7,3,8",
            "--spacing",
            "0.047",
        ];
        let motion = [
            "--depth",
            "0.01",
            "--speed",
            "0.05",
            "--hold",
            "0.1",
            "--no-pictures",
        ];
        let rest = ["--device", device, "--json", "--output", output];
        let figures = figures(&[&torso[..], &motion, &rest].concat())?;
        let has_pressure = figures["peak_pressure_pa"].is_f64();
        assert_eq!(has_pressure, device == "cpu", "{figures}");
        Some(figures["peak_force_n"].as_f64().expect("a force"))
    };
    let Some(found) = press("gpu") else { return };
    let wanted = press("cpu").unwrap();
    eprintln!("{torso}: {found:.3} N, on the processor {wanted:.3} N");
    assert!(wanted > 5.0, "{wanted}");
    assert!(
        (found / wanted - 1.0).abs() < tolerance,
        "{torso}: {found} {wanted}"
    );
}

#[test]
fn torsos_that_no_gpu_steps_are_refused_by_name() {
    for command in ["press", "scan"] {
        for torso in ["fast", "elastic", "none"] {
            let done = insonate(&[command, "--torso", torso, "--device", "gpu"]);
            assert_eq!(done.status.code(), Some(2), "{}", stderr(&done));
            let words =
                format!("the torso {torso} is not stepped by a GPU; torsos on a GPU: mpm, xpbd");
            assert!(stderr(&done).contains(&words), "{}", stderr(&done));
        }
    }
    let done = insonate(&["press", "--device", "tpu"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(
        stderr(&done).contains("choose cpu or gpu"),
        "{}",
        stderr(&done)
    );
}

#[test]
fn bench_gpu_fills_every_table() {
    let Some(all) = figures(&["bench", "gpu", "--quick", "--json"]) else {
        return;
    };
    assert!(
        all["device"]["name"]
            .as_str()
            .is_some_and(|name| !name.is_empty())
    );
    for (table, figure) in [
        ("torsos", "env_steps_per_second"),
        ("mpm_torsos", "env_steps_per_second"),
        ("xpbd", "world_frames_per_second"),
        ("mpm", "frames_per_second"),
        ("b_mode", "frames_per_second"),
    ] {
        let rows = all["tables"][table].as_array().expect("a table");
        assert!(!rows.is_empty(), "{table}");
        for row in rows {
            let rate = row["figures"][figure].as_f64();
            assert!(rate.is_some_and(|rate| rate > 0.0), "{table}: {row}");
        }
    }
    for table in ["torsos", "mpm_torsos"] {
        assert!(all["tables"][table][1]["size"].as_u64() > Some(1));
    }
}
