//! Contract: a study goes from a log to policies in one folder, resumes after a stop, and refuses the folder of another study.

mod command;

use std::fs;

use command::{insonate, json, refused, stderr};

/// One kind of torso, one iteration of learning, two episodes.
const SMALL: &str = "--torso fast --steps 4096 --episodes 2";
const LOG: &str = "data/palpation-sim/centre.csv";
const HELD_OUT: &str = "data/palpation-sim/upper_left.csv";

#[test]
fn a_study_goes_from_a_log_to_policies() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("patient");
    let command = format!(
        "study {LOG} --held-out {HELD_OUT} --truth 1301.08,15.665 {SMALL} --output {}",
        folder.display()
    );
    let result = json(&command);
    let [low, high] = [0, 1].map(|end| result["softness"]["stiffness_ci95"][end].as_f64().unwrap());
    assert!(low < 1301.08 && 1301.08 < high, "{low} {high}");
    let torso = &result["torsos"][0];
    assert_eq!(torso["torso"], "fast");
    assert!(torso["stiffness_error"].as_f64().unwrap().abs() < 0.05);
    assert!(torso["damping_error"].as_f64().unwrap().abs() < 0.1);
    // The repeated press reproduces the recorded force of about 10 N.
    assert!(torso["force_rmse"].as_f64().unwrap() < 1.0, "{torso}");
    let conditions = result["conditions"].as_array().unwrap();
    let names: Vec<&str> = conditions
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    let wanted = [
        "still",
        "breathing",
        "softer",
        "stiffer",
        "farther",
        "upper_left",
    ];
    assert_eq!(names, wanted);
    for condition in conditions {
        let policies = condition["policies"].as_array().unwrap();
        let names: Vec<&str> = policies
            .iter()
            .map(|it| it["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["calibrated", "thesis", "scripted"]);
        assert_eq!(condition["paired"].as_array().unwrap().len(), 2);
    }
    // The script is a controller that holds the force, unlike a policy after one iteration.
    let of = |policy: usize| conditions[1]["policies"][policy]["force_mae_n"]["mean"].as_f64();
    assert!(
        of(2).unwrap() < 0.2 && of(2) < of(0),
        "{:?} {:?}",
        of(2),
        of(0)
    );

    let page = fs::read_to_string(folder.join("study.html")).unwrap();
    assert!(page.contains("inside its interval"));
    assert!(!page.contains("NaN"), "a figure has no value");

    // Another study is refused. The same study resumes, has nothing left to train, and gives the same result.
    let problem = refused(&command, 1);
    assert!(problem.contains("--resume"), "{problem}");
    let problem = refused(&format!("{command} --resume --train-seed 7"), 1);
    assert!(problem.contains("train_seed = 1"), "{problem}");
    let mut again = json(&format!("{command} --resume"));
    let mut first = result.clone();
    for result in [&mut first, &mut again] {
        result["wall_s"] = 0.into();
        for policy in result["policies"].as_array_mut().unwrap() {
            policy["wall_s"] = 0.into();
        }
    }
    assert_eq!(first, again);
}

#[test]
fn wrong_options_are_named() {
    for (more, named) in [
        ("--truth 1300", "--truth"),
        ("--truth 1300,-2", "--truth"),
        ("--episodes 1", "--episodes"),
        ("--torso jelly", "--torso"),
        ("--task pendulum", "--task"),
        ("--model hertz", "stiffness and damping"),
    ] {
        let output = insonate(&format!("study {LOG} {more} --output /dev/null/study"));
        let problem = stderr(&output);
        assert!(
            !output.status.success() && problem.contains(named),
            "{more}: {problem}"
        );
    }
}
