//! Contract: `insonate benchmark` evaluates scripts and trainings of several seeds in the same episodes, and gives the same result in one run
//! and in parts.

mod command;

use std::fs;
use std::path::Path;

use command::{json, refused};
use serde_json::Value;

/// A task with trainings of a second.
const SUITE: &str = "summary = \"A test\"
seeds = [1, 2]
episodes = 4

[[problem]]
task = \"reacher\"
[[problem.learner]]
algorithm = \"ppo\"
steps = 2048
settings = { n_envs = 8, n_steps = 128 }
evaluation = { episodes = 2 }
";

fn suite(folder: &Path) -> String {
    let path = folder.join("suite.toml");
    fs::write(&path, SUITE).expect("it is writable");
    format!("benchmark --suite {}", path.display())
}

/// A result without its times.
fn timeless(mut result: Value) -> Value {
    let parts = result.as_object_mut().expect("a map");
    parts.remove("times").expect("times are stated");
    result
}

#[test]
fn parts_make_the_whole_and_rows_are_what_evaluate_says() {
    let scratch = tempfile::tempdir().unwrap();
    let command = suite(scratch.path());
    let [whole, first, second] = ["whole", "first", "second"].map(|name| scratch.path().join(name));
    let result = json(&format!("{command} --output {}", whole.display()));
    assert_eq!(
        (&result["n_pieces"], &result["n_finished"]),
        (&5.into(), &5.into())
    );

    let part = |shard: &str, folder: &Path| {
        json(&format!(
            "{command} --threads 1 --shard {shard} --output {}",
            folder.display()
        ))
    };
    assert_eq!(part("1/2", &first)["n_finished"], 3);
    assert_eq!(part("2/2", &second)["n_finished"], 2);
    let (ours, theirs) = (first.display(), second.display());
    let joined = json(&format!(
        "{command} --resume --output {ours} --from {theirs}"
    ));
    assert_eq!(timeless(result.clone()), timeless(joined));

    let rows = result["rows"].as_array().unwrap();
    let names: Vec<&str> = rows
        .iter()
        .map(|row| row["policy"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["scripted", "random", "zero", "ppo"]);
    let evaluated = |policy: &str| {
        let task = "--task reacher --episodes 4 --seed 2000000";
        let result = json(&format!("evaluate {policy} {task}"));
        result["return_mean"].as_f64().unwrap()
    };
    let script = evaluated("scripted");
    assert!((rows[0]["return"]["mean"].as_f64().unwrap() - script).abs() < 1e-9);
    let trainings = ["reacher_ppo_seed-1", "reacher_ppo_seed-2"].map(|name| {
        let folder = whole.join("trainings").join(name);
        evaluated(folder.to_str().unwrap())
    });
    let mean = 0.5 * (trainings[0] + trainings[1]);
    assert!((rows[3]["return"]["mean"].as_f64().unwrap() - mean).abs() < 1e-9);
    // Student t with one degree of freedom: 12.706.
    let half = 12.706 * 0.5 * (trainings[0] - trainings[1]).abs();
    let high = rows[3]["return"]["ci95"][1].as_f64().unwrap();
    assert!((high - mean - half).abs() < 1e-3 * half);
    let against = &result["comparisons"][0]["return"]["mean"];
    assert!((against.as_f64().unwrap() - (mean - script)).abs() < 1e-9);

    let page = fs::read_to_string(whole.join("benchmark.html")).unwrap();
    assert!(page.contains("reacher") && !page.contains("NaN"));

    let problem = refused(&format!("{command} --output {ours}"), 1);
    assert!(problem.contains("--resume"), "{problem}");
    let problem = refused(
        &format!("{command} --resume --episodes 5 --output {ours}"),
        1,
    );
    assert!(problem.contains("episodes = 5"), "{problem}");
}

#[test]
fn wrong_options_are_named() {
    let scratch = tempfile::tempdir().unwrap();
    let command = suite(scratch.path());
    let folder = scratch.path().join("refused");
    for (more, status, named) in [
        ("--shard 3/2", 2, "--shard"),
        ("--task reecher", 2, "did you mean \"reacher\""),
        ("--policy output/sweep", 2, "--policy"),
        ("--episodes 1", 1, "episodes: is 1"),
        (
            "--policy mine=data/policies/probe-sweep/policy.safetensors",
            1,
            "is for probe-sweep, which the suite lacks",
        ),
    ] {
        let problem = refused(
            &format!("{command} {more} --output {}", folder.display()),
            status,
        );
        assert!(problem.contains(named), "{more}: {problem}");
        assert!(!folder.exists(), "{more}");
    }
}
