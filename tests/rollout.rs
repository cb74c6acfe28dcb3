//! Contract: a rollout is the first episode of an evaluation with the same seed, and its folder contains the log.

mod command;
#[path = "../sim/tests/egl/mod.rs"]
mod egl;

use command::{done, insonate, json, refused, stderr};

#[test]
fn a_rollout_is_an_episode_of_an_evaluation() {
    let scratch = tempfile::tempdir().unwrap();
    let output = scratch.path().to_str().unwrap();
    for (policy, task) in [
        ("random", "pendulum"),
        ("random", "reacher"),
        ("zero", "reacher"),
    ] {
        let evaluated = json(&format!(
            "evaluate {policy} --task {task} --episodes 1 --seed 9"
        ));
        let rolled = json(&format!(
            "rollout {policy} --task {task} --seed 9 --no-pictures --output {output}"
        ));
        assert_eq!(
            rolled["return"], evaluated["return_mean"],
            "{policy} on {task}"
        );
        assert_eq!(rolled["seed"], 9);
    }
}

#[test]
fn the_log_has_observations_actions_rewards_and_the_probe() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("rollout");
    let summary = json(&format!(
        "rollout scripted --task table-slide --seed 1 --no-pictures --output {}",
        folder.display()
    ));
    assert_eq!(summary["metrics"]["success"], 1.0, "{summary}");
    for file in [
        "config.toml",
        "log.csv",
        "plot.png",
        "plot.svg",
        "summary.json",
    ] {
        assert!(
            std::fs::metadata(folder.join(file)).unwrap().len() > 100,
            "{file}"
        );
    }
    assert_eq!(
        std::fs::read_dir(&folder).unwrap().count(),
        7,
        "no temporary files are left, a list of the files, and run.toml"
    );

    let mut reader = csv::Reader::from_path(folder.join("log.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
    assert_eq!(rows.len() as u64, summary["length"].as_u64().unwrap());
    let column = |name: &str| -> Vec<f64> {
        let index = header.iter().position(|known| known == name);
        let index = index.unwrap_or_else(|| panic!("{name} is missing from {header:?}"));
        rows.iter().map(|row| row[index].parse().unwrap()).collect()
    };
    // Rewards are the sums of their terms, and the return is the sum of the rewards.
    let rewards = column("reward");
    let terms = header.iter().filter(|name| name.starts_with("reward/"));
    let by_term: Vec<Vec<f64>> = terms.map(column).collect();
    for (step, reward) in rewards.iter().enumerate() {
        let sum: f64 = by_term.iter().map(|term| term[step]).sum();
        assert!((sum - reward).abs() < 1e-12);
    }
    let total: f64 = rewards.iter().sum();
    assert!((total - summary["return"].as_f64().unwrap()).abs() < 1e-9);
    // In the second half the probe slides with approximately the target force.
    let force = column("probe_force_n");
    let late = &force[force.len() / 2..];
    let mean = late.iter().sum::<f64>() / late.len() as f64;
    assert!((mean - 5.0).abs() < 1.0, "{mean}");
    assert_eq!(column("in_contact").last(), Some(&1.0));
}

#[test]
fn a_film_is_rendered_where_the_machine_has_egl() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("rollout");
    let arguments = [
        "rollout",
        "zero",
        "--task",
        "table-slide",
        "--set",
        "time.limit=0.2",
        "--picture-size",
        "160x120",
        "--frame-rate",
        "10",
        "--output",
        folder.to_str().unwrap(),
    ];
    let output = insonate(&arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    if !folder.join("film.gif").exists() {
        let text = stderr(&output);
        assert!(text.contains("note: no film"), "{text}");
        return egl::skip(&text);
    }
    let file = std::fs::read(folder.join("film.gif")).unwrap();
    let mut decoder = gif::DecodeOptions::new().read_info(&file[..]).unwrap();
    let mut n_frames = 0;
    while decoder.read_next_frame().unwrap().is_some() {
        n_frames += 1;
    }
    // An episode of 0.2 s has four steps and is slowed down 16 times: one frame per step and one at the start.
    assert_eq!((decoder.width(), n_frames), (160, 5));
    assert!(folder.join("still.png").exists());
    // Two cameras are shown side by side.
    let more = ["--camera", "front,top"];
    let output = insonate(&[&arguments[..], &more].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let file = std::fs::read(folder.join("film.gif")).unwrap();
    let decoder = gif::DecodeOptions::new().read_info(&file[..]).unwrap();
    assert_eq!(decoder.width(), 320);
    // An unknown camera is refused, and the existing film remains.
    let more = ["--camera", "moon"];
    let output = insonate(&[&arguments[..], &more].concat());
    assert!(output.status.code() == Some(2) && stderr(&output).contains("moon"));
    assert!(folder.join("film.gif").exists());
}

#[test]
fn each_of_several_episodes_has_a_folder() {
    let scratch = tempfile::tempdir().unwrap();
    let all = json(&format!(
        "rollout random --task pendulum --episodes 2 --seed 3 --output {}",
        scratch.path().display()
    ));
    assert_eq!(all.as_array().unwrap().len(), 2);
    for seed in [3, 4] {
        assert!(
            scratch
                .path()
                .join(format!("episode-{seed}/log.csv"))
                .exists()
        );
    }
    let text = done(&format!(
        "rollout --policy zero --task pendulum --output {}",
        scratch.path().join("one").display()
    ));
    assert!(text.contains("time limit after 10.00 s"), "{text}");
    assert!(refused("rollout zero", 2).contains("--task"));
    assert!(refused("rollout --task pendulum", 2).contains("required"));
}

/// The error line of a command that writes its results but ends with status 1.
fn failed(arguments: &str) -> String {
    let output = insonate(arguments);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{arguments}: {text}");
    assert!(!output.stdout.is_empty(), "{arguments}: {text}");
    let line = text.lines().find(|line| line.starts_with("error: "));
    line.unwrap_or_else(|| panic!("{arguments}: {text}"))
        .to_owned()
}

#[test]
fn a_script_that_fails_its_verdict_ends_with_status_1() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("rollout");
    let sweep = "--task probe-sweep --seed 1 --set task.max_force=3";
    let output = format!("--no-pictures --overwrite --output {}", folder.display());
    let line = failed(&format!("rollout scripted {sweep} {output}"));
    assert!(line.contains("1 of 1 scripted episodes failed"), "{line}");
    let read = std::fs::read(folder.join("summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_slice(&read).unwrap();
    assert_eq!(summary["verdict"], "failed");
    assert_eq!(summary["reasons"][0], "pressed too hard: force above 3 N");
    // The failed verdict of another policy is a result, not an error of the command.
    let zero = json(&format!("rollout zero {sweep} {output}"));
    assert!(zero["verdict"].is_string(), "{zero}");
    let evaluate = format!("evaluate scripted {sweep} --episodes 2");
    let told = json(&evaluate);
    assert_eq!(told["n_failed"], 2, "{told}");
    assert_eq!(told["failed"][0]["seed"], 1);
    let line = failed(&format!("{evaluate} --strict"));
    assert!(line.contains("2 of 2 episodes failed"), "{line}");
    let data = scratch.path().join("demos");
    let line = failed(&format!(
        "demonstrate probe-sweep --episodes 1 --set task.max_force=3 --output {}",
        data.display()
    ));
    assert!(line.contains("1 of 1 scripted demonstrations"), "{line}");
    assert!(data.join("meta").is_dir(), "the data set is written");
}
