//! Contract: `insonate benchmark` evaluates scripts and trainings of several seeds in the same episodes, and gives the same result in one run
//! and in parts.

mod command;

use std::fs;
use std::path::Path;

use command::{done, json, refused};
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
        "{command} --resume --output {ours} --join {theirs}"
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

/// Sets the values of a piece's episodes.
fn rewrite(folder: &Path, piece: &str, return_: f64, successes: [f64; 4]) {
    let path = folder.join("pieces").join(format!("{piece}.json"));
    let content = fs::read_to_string(&path).expect("it is written");
    let mut content: Value = serde_json::from_str(&content).expect("it is JSON");
    let episodes = &mut content["episodes"];
    episodes["return"] = [return_; 4].to_vec().into();
    episodes["metrics"]["success"] = successes.to_vec().into();
    fs::write(&path, content.to_string()).expect("it is writable");
}

/// Five policies whose returns contradict success once: the policy of seed 2 succeeds more often than zero but has a smaller return.
#[test]
fn returns_are_ranked_against_success() {
    let scratch = tempfile::tempdir().unwrap();
    let command = suite(scratch.path());
    let folder = scratch.path().join("made");
    let command = format!("{command} --output {}", folder.display());
    done(&command);
    for (piece, return_, successes) in [
        ("scripted", 10.0, [1.0, 1.0, 1.0, 1.0]),
        ("random", 2.0, [0.0; 4]),
        ("zero", 3.0, [0.0; 4]),
        ("ppo_seed-1", 9.0, [1.0, 1.0, 1.0, 1.0]),
        ("ppo_seed-2", 2.5, [1.0, 0.0, 0.0, 1.0]),
    ] {
        rewrite(&folder, &format!("reacher_{piece}"), return_, successes);
    }
    let result = json(&format!("{command} --resume"));
    let found = &result["return_against_rule"][0];
    assert_eq!(found["problem"], "reacher");
    assert_eq!(found["policies"][4], "ppo seed 2");
    // scipy.stats.spearmanr([10, 2, 3, 9, 2.5], [1, 0, 0, 1, 0.5]).
    let spearman = found["spearman"].as_f64().unwrap();
    assert!((spearman - 0.790_569_415).abs() < 1e-9, "{found}");
    // Ten pairs; scripted ties with seed 1, and random with zero.
    assert_eq!(
        (&found["n_pairs"], &found["n_agreeing_pairs"]),
        (&8.into(), &7.into())
    );
    let text = done(&format!("{command} --resume"));
    assert!(text.contains("7 of 8"), "{text}");
}

/// The scripts of the benchmark still act as they did when `docs/results/benchmark.json` was measured.
#[test]
fn the_books_benchmark_is_not_older_than_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/results/benchmark-scripts.json");
    let set: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let commands = set["commands"].as_array().unwrap();
    let values = set["values"].as_object().unwrap();
    assert_eq!(commands.len(), values.len());
    for (command, (task, value)) in commands.iter().zip(values) {
        let command = command.as_str().unwrap().strip_prefix("insonate ").unwrap();
        assert!(command.contains(&format!("--task {task} ")), "{command}");
        let arguments = command.strip_suffix(" --json").unwrap();
        let found = json(arguments)["return_mean"].as_f64().unwrap();
        let stated = value["value"].as_f64().unwrap();
        // Processors round differently.
        let is_same = (found - stated).abs() <= 1e-3 * stated.abs().max(1.0);
        assert!(
            is_same,
            "{task}: return {found}, {stated} is stated; run `cargo xtask results benchmark-scripts benchmark`"
        );
    }
}

#[test]
fn a_wrong_reference_is_refused_before_the_first_piece() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("suite.toml");
    let reference = "task = \"reacher\"\nreferences = [\"scriptd\"]";
    fs::write(&path, SUITE.replace("task = \"reacher\"", reference)).unwrap();
    let folder = scratch.path().join("refused");
    let command = format!(
        "benchmark --suite {} --output {}",
        path.display(),
        folder.display()
    );
    let problem = refused(&command, 2);
    assert!(problem.contains("problem reacher: references"), "{problem}");
    assert!(problem.contains("did you mean \"scripted\""), "{problem}");
    assert!(!folder.exists());
}

#[test]
fn wrong_options_are_named() {
    let scratch = tempfile::tempdir().unwrap();
    let command = suite(scratch.path());
    let folder = scratch.path().join("refused");
    for (more, status, named) in [
        ("--shard 3/2", 2, "--shard"),
        ("--task reecher", 2, "did you mean \"reacher\""),
        ("--add output/sweep", 2, "--add"),
        ("--join missing", 1, "missing/suite.toml"),
        ("--episodes 1", 2, "episodes: is 1"),
        (
            "--add mine=data/policies/probe-sweep/policy.safetensors",
            2,
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
