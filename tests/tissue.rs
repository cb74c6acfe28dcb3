//! Contract: `insonate tissue MOTION` moves tissue as described in its help with either solver, reports the force and the momentum
//! balance, and writes complete files.

mod command;
#[path = "../sim/tests/egl/mod.rs"]
mod egl;

use std::path::Path;

use command::{insonate, json, refused, stderr};
use serde_json::Value;

/// Runs a small motion without pictures: a few hundred particles or tetrahedra, and a quarter of the time.
fn small(
    motion: &str,
    solver: &str,
    resolution: &str,
    more: &[&str],
) -> (tempfile::TempDir, Value) {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let output = scratch.path().to_str().expect("a path of letters");
    let quick = ["--resolution", resolution, "--frames", "5", "--no-pictures"];
    let start = [
        "tissue", motion, "--solver", solver, "--device", "cpu", "--output", output,
    ];
    let summary = json(&[&start[..], &quick, more].concat());
    (scratch, summary)
}

fn number(summary: &Value, name: &str) -> f64 {
    let value = summary[name].as_f64();
    value.unwrap_or_else(|| panic!("{name} is missing from {summary}"))
}

/// Force vector at the peak.
fn peak(summary: &Value) -> [f64; 3] {
    let of = |axis: usize| {
        summary["force_at_peak_n"][axis]
            .as_f64()
            .expect("three numbers")
    };
    [of(0), of(1), of(2)]
}

/// Columns of the log by name.
fn column(folder: &Path, name: &str) -> Vec<f64> {
    let mut reader = csv::Reader::from_path(folder.join("force.csv")).expect("there is a log");
    let header = reader.headers().expect("it has a header").clone();
    let index = header.iter().position(|known| known == name);
    let index = index.unwrap_or_else(|| panic!("{name} is missing from {header:?}"));
    let rows = reader
        .records()
        .map(|row| row.expect("whole rows")[index].parse());
    rows.map(|value| value.expect("a number")).collect()
}

fn check(motion: &str, solver: &str, duration: &str) -> (tempfile::TempDir, Value) {
    // The bite must be smaller than the body.
    let resolution = match motion {
        "retract" => "16",
        "pull" => "12",
        _ => "8",
    };
    let (scratch, summary) = small(motion, solver, resolution, &["--duration", duration]);
    assert_eq!(
        (summary["motion"].as_str(), summary["solver"].as_str()),
        (Some(motion), Some(solver))
    );
    assert!(summary["diverged"].is_null(), "{summary}");
    // Rounding in f32 over thousands of substeps. A part that is not counted would appear as a share above 1e-2.
    assert!(number(&summary, "momentum_residual") < 1e-3, "{summary}");
    assert!(number(&summary, "mass_residual") < 1e-6, "{summary}");
    assert!(number(&summary, "force_peak_n") > number(&summary, "force_mean_n"));
    assert!(number(&summary, "force_mean_n") > 0.0 && number(&summary, "n_points") > 50.0);
    assert_eq!(summary["frames"], 5);
    for file in ["force.csv", "force.png", "force.svg", "summary.json"] {
        let length = std::fs::metadata(scratch.path().join(file)).map(|data| data.len());
        assert!(
            length.is_ok_and(|length| length > 300),
            "{motion} {solver}: {file}"
        );
    }
    let count = std::fs::read_dir(scratch.path())
        .expect("it is there")
        .count();
    assert_eq!(
        count, 6,
        "these, run.toml, the list of what the run wrote, and no temporary files"
    );
    (scratch, summary)
}

#[test]
fn a_rod_that_pushes_is_pushed_back_once_it_touches() {
    for solver in ["mpm", "xpbd"] {
        let (scratch, summary) = check("push", solver, "0.6");
        let [x, y, z] = peak(&summary);
        assert!(
            x < 0.0 && x.abs() > y.abs() && x.abs() > z.abs(),
            "{solver}: {summary}"
        );
        // The force is below 1 N until the rod is within half a particle's distance.
        let (way, force) = (
            column(scratch.path(), "tool_x_m"),
            column(scratch.path(), "force_norm_n"),
        );
        let start = way[0];
        let before = way.iter().zip(&force).filter(|(x, _)| **x - start < 0.003);
        let before: Vec<f64> = before.map(|(_, force)| *force).collect();
        assert!(
            before.len() > 10 && before.iter().all(|force| *force == 0.0),
            "{solver}: {before:?}"
        );
    }
}

#[test]
fn stiffer_tissue_answers_with_more_force() {
    for solver in ["mpm", "xpbd"] {
        let force = |modulus: &str| {
            let options = [
                "--body",
                "slab",
                "--duration",
                "0.5",
                "--young-modulus",
                modulus,
            ];
            let (_, summary) = small("press", solver, "8", &options);
            assert!(peak(&summary)[2] > 0.0, "{solver}: {summary}");
            number(&summary, "force_peak_n")
        };
        let ratio = force("24000") / force("8000");
        // The stiffness is three times as high; weight and damping reduce the ratio.
        assert!((1.8..4.0).contains(&ratio), "{solver}: {ratio}");
    }
}

#[test]
fn lifted_tissue_pulls_down() {
    for (motion, solver) in [
        ("pull", "mpm"),
        ("pull", "xpbd"),
        ("retract", "mpm"),
        ("retract", "xpbd"),
    ] {
        let more = if motion == "retract" { "0.8" } else { "0.6" };
        let (_, summary) = check(motion, solver, more);
        let [x, y, z] = peak(&summary);
        // The liver is lifted up and back, so it pulls down and to the front.
        assert!(z < 0.0 && z.abs() > x.abs(), "{motion} {solver}: {summary}");
        let is_front = if motion == "retract" {
            y < 0.0
        } else {
            y.abs() < 0.2 * z.abs()
        };
        assert!(is_front, "{motion} {solver}: {summary}");
        // The tissue is still held at the end.
        let end = summary["force_at_end_n"][2].as_f64();
        assert!(
            end.is_some_and(|end| end < 0.5 * z),
            "{motion} {solver}: {summary}"
        );
    }
}

#[test]
fn a_stretched_strip_pulls_both_clamps_alike() {
    for solver in ["mpm", "xpbd"] {
        let (scratch, summary) = check("tension", solver, "0.8");
        let [x, ..] = peak(&summary);
        assert!(x < 0.0, "{solver}: {summary}");
        // At the end, action equals reaction except for remaining oscillations.
        let (tool, other) = (
            column(scratch.path(), "force_x_n"),
            column(scratch.path(), "support_force_x_n"),
        );
        let last = |values: &[f64]| values[values.len() - 10..].iter().sum::<f64>() / 10.0;
        let (tool, other) = (last(&tool), last(&other));
        assert!(
            (tool + other).abs() < 0.05 * tool.abs(),
            "{solver}: {tool} and {other}"
        );
        assert_eq!(
            (summary["n_torn"].as_u64(), summary["n_pieces"].as_u64()),
            (Some(0), Some(1))
        );
    }
}

#[test]
fn a_strip_tears_in_two_at_its_notches() {
    for solver in ["mpm", "xpbd"] {
        let scratch_and_summary = small("tear", solver, "16", &["--duration", "1.0"]);
        let (scratch, summary) = scratch_and_summary;
        assert!(summary["diverged"].is_null(), "{summary}");
        assert!(number(&summary, "momentum_residual") < 1e-3, "{summary}");
        assert!(number(&summary, "n_torn") > 0.0, "{solver}: {summary}");
        assert!(number(&summary, "n_pieces") >= 2.0, "{solver}: {summary}");
        let force = column(scratch.path(), "force_x_n");
        let end = force[force.len() - 10..].iter().sum::<f64>() / 10.0;
        let most = force.iter().fold(0.0f64, |most, x| most.min(*x));
        assert!(end.abs() < 0.35 * most.abs(), "{solver}: {end} of {most}");
    }
}

#[test]
fn a_press_on_a_torso_pushes_back_and_threads_change_no_bit() {
    let run = |threads: &str| {
        let options = ["--duration", "0.4", "--threads", threads];
        let (scratch, mut summary) = small("press", "mpm", "12", &options);
        let object = summary.as_object_mut().expect("an object");
        object.remove("ms_per_frame");
        object.remove("threads");
        let log = std::fs::read(scratch.path().join("force.csv")).expect("there is a log");
        (summary, log)
    };
    let (one, two) = (run("1"), run("2"));
    assert_eq!(one, two);
    assert!(
        peak(&one.0)[2] > 1.0 && number(&one.0, "travel_m") > 0.024,
        "{}",
        one.0
    );
    let (_, summary) = check("press", "xpbd", "0.4");
    assert!(peak(&summary)[2] > 1.0, "{summary}");
}

#[test]
fn surfaces_are_written_and_pictures_where_the_machine_can_draw() {
    let scratch = tempfile::tempdir().unwrap();
    let output = scratch.path().to_str().unwrap();
    for (solver, format) in [("mpm", "obj"), ("xpbd", "ply")] {
        let arguments = [
            "tissue",
            "pull",
            "--solver",
            solver,
            "--device",
            "cpu",
            "--resolution",
            "8",
            "--frames",
            "3",
            "--duration",
            "0.3",
            "--picture-size",
            "160x120",
            "--export",
            format,
            "--output",
            output,
        ];
        let done = insonate(&arguments);
        assert!(done.status.success(), "{}", stderr(&done));
        let surface = scratch.path().join(format!("surface.{format}"));
        let mesh = insonate::meshes::TriangleMesh::read_closed(surface).unwrap();
        let volume = mesh.volume();
        // A slab of 12 × 12 × 4 cm that is lifted in the middle; the grid rounds its edges.
        assert!((4.3e-4..6.6e-4).contains(&volume), "{solver}: {volume}");
        if stderr(&done).contains("no pictures") {
            egl::skip(&stderr(&done));
            continue;
        }
        for file in ["motion.gif", "stills.png"] {
            assert!(
                std::fs::metadata(scratch.path().join(file)).unwrap().len() > 1000,
                "{file}"
            );
        }
    }
}

#[cfg(feature = "gpu")]
#[test]
fn tetrahedra_are_pulled_on_a_gpu_too() {
    let more = ["--duration", "0.4", "--travel", "0.01"];
    let (_, wanted) = small("pull", "xpbd", "10", &more);
    let scratch = tempfile::tempdir().unwrap();
    let output = scratch.path().to_str().unwrap();
    let start = [
        "tissue", "pull", "--solver", "xpbd", "--device", "gpu", "--output", output,
    ];
    let quick = ["--resolution", "10", "--frames", "5", "--no-pictures"];
    let done = insonate(&[&start[..], &quick, &more, &["--json"]].concat());
    if stderr(&done).contains("no GPU driver") {
        return eprintln!("skipped: {}", stderr(&done));
    }
    assert!(done.status.success(), "{}", stderr(&done));
    let summary: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert!(number(&summary, "momentum_residual") < 1e-3, "{summary}");
    let (found, wanted) = (peak(&summary)[2], peak(&wanted)[2]);
    // A GPU uses another sweep.
    assert!(
        (found - wanted).abs() < 0.1 * wanted.abs(),
        "{found} {wanted}"
    );
}

#[test]
fn layers_have_their_own_materials() {
    for (solver, resolution) in [("mpm", "24"), ("xpbd", "20")] {
        let press = |more: &[&str]| {
            let quick = ["--duration", "0.2", "--damping-time", "0.001"];
            let options = [&["--body", "slab"], &quick[..], more].concat();
            let (_, summary) = small("press", solver, resolution, &options);
            assert!(summary["diverged"].is_null(), "{summary}");
            assert!(number(&summary, "momentum_residual") < 1e-3, "{summary}");
            summary
        };
        let layered = press(&["--layers"]);
        assert!(layered["young_modulus_pa"].is_null());
        let layers = layered["layers"].as_array().expect("an array");
        let names = layers.iter().map(|layer| layer["name"].as_str());
        let moduli = layers.iter().map(|layer| number(layer, "young_modulus_pa"));
        let all: Vec<_> = names.zip(moduli).collect();
        let wanted = [("muscle", 12e3), ("fat", 3e3), ("skin", 5e4)];
        assert_eq!(all, wanted.map(|(name, modulus)| (Some(name), modulus)));
        let count: f64 = layers.iter().map(|of| number(of, "n_elements")).sum();
        assert_eq!(count, number(&layered, "n_elements"));
        // A body of muscle alone is stiffer than with fat on it, and a body of fat alone is softer.
        let [fat, muscle] = ["3000", "12000"].map(|modulus| {
            let summary = press(&["--young-modulus", modulus]);
            assert_eq!(summary["layers"].as_array().map(Vec::len), Some(1));
            peak(&summary)[2]
        });
        let layered = peak(&layered)[2];
        assert!(
            1.5 * fat < layered && layered < 0.9 * muscle,
            "{solver}: {fat} {layered} {muscle}"
        );
    }
}

#[test]
fn invalid_options_are_refused_by_name() {
    let scratch = tempfile::tempdir().unwrap();
    let output = scratch.path().to_str().unwrap();
    let start = ["tissue", "tear", "--output", output];
    for (more, status, words) in [
        (
            &["--body", "torso"][..],
            2,
            "--body is torso; it must be strip for tear",
        ),
        (
            &["--young-modulus=-5"],
            2,
            "--young-modulus is -5; it must be between 100",
        ),
        (&["--poisson-ratio", "0.5"], 2, "--poisson-ratio is 0.5"),
        (&["--travel", "nan"], 2, "--travel is NaN"),
        (
            &["--layers"],
            2,
            "--layers is given; it must be left out: a strip is of one material",
        ),
        (
            &["--frames", "500"],
            2,
            "--frames is 500; it must be between 2 and 60",
        ),
        (
            &["--device", "gpu"],
            1,
            "tearing is not served by the particle solver on the GPU",
        ),
    ] {
        let line = refused(&[&start[..], more].concat(), status);
        assert!(line.contains(words), "{more:?}: {line}");
    }
    let arguments = ["tissue", "pull", "--device", "gpu", "--output", output];
    let line = refused(&arguments, 1);
    assert!(
        line.contains("grips are not served by the particle solver on the GPU"),
        "{line}"
    );
}
