//! Contract: the results of an evaluation depend only on policy, settings and seeds, its JSON has stable keys, and invalid input is
//! refused by name.

mod command;

use std::path::{Path, PathBuf};

use command::{done, insonate, json, refused};

/// Keys that every result has.
const KEYS: [&str; 9] = [
    "success_rate",
    "return_mean",
    "return_ci95",
    "force_mae_n",
    "contact_ratio",
    "path_rmse_m",
    "tilt_deg",
    "peak_force_n",
    "episodes",
];

/// Trains a policy for a short time.
fn policy(task: &str, folder: &Path) -> PathBuf {
    let folder = folder.join(task);
    let sizes = "ppo.total_timesteps=128 ppo.n_envs=4 ppo.n_steps=32 ppo.n_minibatches=4 ppo.update_epochs=1";
    let settings = sizes.replace("ppo.", "--set ppo.");
    let output = folder.display();
    done(&format!(
        "train {task} {settings} --evaluate-episodes 1 --output {output}"
    ));
    folder
}

#[test]
fn the_json_has_every_key_and_null_where_the_task_has_no_metric() {
    let all = json("evaluate random --task pendulum --episodes 3 --seed 5");
    for key in KEYS {
        assert!(all.get(key).is_some(), "{key} is missing");
    }
    assert_eq!(all["episodes"], 3);
    assert_eq!(all["success_rate"], 0.0);
    assert!(all["force_mae_n"].is_null() && all["tilt_deg"].is_null());
    let [low, high] = [0, 1].map(|i| all["return_ci95"][i].as_f64().unwrap());
    let mean = all["return_mean"].as_f64().unwrap();
    assert!(low < mean && mean < high);

    let all = json("evaluate scripted --task table-slide --episodes 2 --seed 0");
    for key in KEYS {
        assert!(!all[key].is_null(), "{key}: {all}");
    }
    assert_eq!(all["success_rate"], 1.0, "{all}");
    assert!(all["force_mae_n"].as_f64().unwrap() < 1.0);
    assert_eq!(all["end_reasons"]["path complete"], 2);
}

#[test]
fn figures_do_not_depend_on_environments_and_threads() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = policy("reacher", scratch.path());
    for name in [folder.to_str().unwrap(), "random", "zero"] {
        let run = |envs: &str, threads: &str| {
            json(&format!(
                "evaluate {name} --task reacher --episodes 7 --seed 11 --envs {envs} --threads {threads}"
            ))
        };
        let one = run("1", "1");
        assert_eq!(one, run("3", "2"), "{name}");
        assert_eq!(one, run("16", "4"), "{name}");
    }
}

#[test]
fn a_policy_brings_its_task_and_settings_along() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = policy("pendulum", scratch.path());
    let file = folder.join("policy.safetensors");
    let [by_folder, by_file] = [&folder, &file].map(|path| {
        let mut all = json(&format!("evaluate {} --episodes 2", path.display()));
        all["policy"] = "".into();
        all
    });
    assert_eq!(by_folder, by_file);
    let name = folder.to_str().unwrap();
    // `--policy` names the same policy.
    assert_eq!(
        json(&format!("evaluate --policy {name} --episodes 2"))["policy"],
        name
    );
    // Overrides of the policy's settings, with and without the prefix.
    let shifted = |setting: &str| {
        json(&format!("evaluate {name} --episodes 2 --set {setting}"))["return_mean"].clone()
    };
    assert_eq!(shifted("gravity=5"), shifted("env.gravity=5"));
    assert_ne!(shifted("gravity=5"), by_folder["return_mean"]);
    // The complete configuration of a training is valid as well.
    let config = folder.join("config.toml");
    let with = json(&format!(
        "evaluate {name} --episodes 2 --config {}",
        config.display()
    ));
    assert_eq!(with["return_mean"], by_folder["return_mean"]);
}

#[test]
fn policies_are_compared_on_the_same_episodes() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = policy("pendulum", scratch.path());
    let name = folder.to_str().unwrap();
    let all = json(&format!("evaluate {name} {name} zero --episodes 4"));
    assert_eq!(all["policies"].as_array().unwrap().len(), 3);
    let (one, zero) = (&all["policies"][0], &all["policies"][2]);
    let difference = &all["paired"][0]["difference"]["return"];
    let by_hand = one["return_mean"].as_f64().unwrap() - zero["return_mean"].as_f64().unwrap();
    assert!((difference["mean"].as_f64().unwrap() - by_hand).abs() < 1e-9);
    assert_eq!(all["paired"][1]["against"], "zero");
    assert_eq!(all["pooled"]["policies"], 2);
    let text = done(&format!("evaluate {name} zero --episodes 4"));
    assert!(
        text.contains("95 % interval") && text.contains("episode by episode"),
        "{text}"
    );
    assert!(
        text.contains("ended by: time limit 4") && text.contains("failed, ended by"),
        "{text}"
    );
}

#[test]
fn several_seeds_are_blocks_of_episodes_that_do_not_overlap() {
    let run = |seeds: &str| {
        json(&format!(
            "evaluate random --task pendulum --episodes 3 {seeds}"
        ))
    };
    let all = run("--seeds 0,100");
    assert_eq!(all["episodes"], 6);
    let mean = |all: &serde_json::Value| all["return_mean"].as_f64().unwrap();
    let halves = [run("--seed 0"), run("--seed 100")];
    assert!((mean(&all) - 0.5 * (mean(&halves[0]) + mean(&halves[1]))).abs() < 1e-9);
    let line = refused("evaluate zero --task pendulum --episodes 3 --seeds 0,2", 2);
    assert!(line.contains("share episodes"), "{line}");
}

#[test]
fn a_row_for_each_episode_and_parameters_that_are_fixed() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("episodes.csv");
    done(&format!(
        "evaluate zero --task pendulum --episodes 3 --seed 7 --fix theta=0.5 --csv {}",
        path.display()
    ));
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let header = reader.headers().unwrap().clone();
    let theta = header
        .iter()
        .position(|name| name == "theta [rad]")
        .unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
    assert_eq!(rows.len(), 3);
    for (row, seed) in rows.iter().zip(7..) {
        assert_eq!(row[1], format!("{seed}"));
        assert_eq!(&row[theta], "0.5");
        assert_eq!(&row[4], "time limit");
    }
    let line = refused(
        "evaluate zero --task pendulum --fix thata=0.5 --episodes 1",
        2,
    );
    assert!(line.contains("did you mean \"theta\"?"), "{line}");
    assert!(refused("evaluate zero --task pendulum --fix theta", 2).contains("fix"));
}

#[test]
fn files_that_are_not_policies_or_do_not_fit_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = policy("pendulum", scratch.path());
    let file = folder.join("policy.safetensors");
    let name = file.to_str().unwrap();
    let line = refused(&format!("evaluate {name} --task reacher --episodes 1"), 2);
    assert!(line.contains("trained for the task \"pendulum\""), "{line}");
    let unknown = refused("evaluate scriptd --task pendulum", 2);
    assert!(unknown.contains("did you mean \"scripted\"?"), "{unknown}");
    assert!(refused("evaluate zero --task pendulm", 2).contains("did you mean \"pendulum\"?"));
    assert!(refused("evaluate zero", 2).contains("--task"));
    assert!(refused("evaluate --task pendulum", 2).contains("policy"));
    assert!(refused("evaluate zero --task pendulum --episodes 0", 2).contains("at least 1"));
    assert!(refused(&format!("evaluate {name} --set ppo.seed=3"), 2).contains("ppo.seed"));
    assert!(
        refused(&format!("evaluate {name} --set gravty=3"), 2)
            .contains("did you mean \"gravity\"?")
    );
    let empty = refused(
        &format!("evaluate {} --task pendulum", scratch.path().display()),
        2,
    );
    assert!(empty.contains("has no policy.safetensors"), "{empty}");

    // A truncated or changed file is refused in one line.
    let bytes = std::fs::read(&file).unwrap();
    let broken = scratch.path().join("broken.safetensors");
    let path = broken.to_str().unwrap();
    let mut changed = bytes.clone();
    let last = changed.len() - 3;
    changed[last] ^= 0x40;
    let foreign = b"PK\x03\x04 a zip, perhaps of somebody's pickles".to_vec();
    for content in [&bytes[..bytes.len() / 2], &changed, &foreign, &[]] {
        std::fs::write(&broken, content).unwrap();
        let output = insonate(&format!("evaluate {path} --episodes 1"));
        let text = command::stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(
            text.contains("broken.safetensors") && !text.contains("panicked"),
            "{text}"
        );
    }
}

#[test]
fn settings_have_the_same_names_in_every_command() {
    for command in [
        "train pendulum",
        "describe pendulum",
        "evaluate zero --task pendulum",
        "rollout zero --task pendulum",
        "demonstrate pendulum --output unused",
        "bench env --task pendulum",
    ] {
        let refusals =
            ["", "env."].map(|prefix| refused(&format!("{command} --set {prefix}gravty=5"), 2));
        assert_eq!(refusals[0], refusals[1], "{command}");
        let named = refusals[0].contains("env.gravty") && refusals[0].contains("\"gravity\"");
        assert!(named, "{command}: {}", refusals[0]);
    }
}

#[test]
fn a_folder_stands_for_its_last_policy_and_every_command_says_so() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = policy("pendulum", scratch.path());
    let (name, file) = (folder.to_str().unwrap(), folder.join("policy.safetensors"));
    let file = file.to_str().unwrap();
    let output = scratch.path().join("rollout");
    let rollout = format!("rollout {name} --no-pictures --output {}", output.display());
    for command in [format!("evaluate {name} --episodes 1"), rollout.clone()] {
        assert_eq!(json(&command)["policy_file"], file, "{command}");
    }
    assert_eq!(
        json(&format!("describe {name}"))["policy"]["policy_file"],
        file
    );
    let evaluated = done(&format!("evaluate {name} --episodes 1"));
    assert!(
        evaluated.contains("(policy.safetensors, the last, 128 steps)"),
        "{evaluated}"
    );
    assert!(done(&rollout).contains(file));
    let described = done(&format!("describe {name}"));
    assert!(
        described.contains("3 → 64 → 64 → 1, Tanh, observations normalised"),
        "{described}"
    );
    // A built-in policy has no file.
    assert!(json("evaluate zero --task pendulum --episodes 1")["policy_file"].is_null());
}

#[test]
fn a_policy_is_exported_next_to_its_file_and_other_files_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = policy("pendulum", scratch.path());
    let told = json(&format!("export {}", folder.display()));
    let model = folder.join("policy.onnx");
    assert_eq!(told["onnx"], model.to_str().unwrap());
    assert_eq!(told["observation"], serde_json::json!(["batch", 3]));
    let bytes = std::fs::read(&model).unwrap();
    assert_eq!(told["bytes"], bytes.len());
    let other = scratch.path().join("other.onnx");
    done(&format!(
        "export {} --onnx {}",
        folder.display(),
        other.display()
    ));
    assert!(
        bytes == std::fs::read(&other).unwrap(),
        "the same policy gives the same bytes"
    );
    assert!(refused("export zero", 2).contains("neither a policy file"));
    assert!(refused("export nothing", 2).contains("nothing"));
}

#[test]
fn a_softness_file_without_usable_values_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("softness.toml");
    let evaluate = format!(
        "evaluate zero --task probe-sweep --episodes 1 --set scene.softness={}",
        path.display()
    );
    std::fs::write(&path, "format = 1\n").unwrap();
    let message = refused(&evaluate, 2);
    assert!(message.contains("scene.softness"), "{message}");
    assert!(
        message.contains("has no pooled stiffness and damping"),
        "{message}"
    );
    assert!(message.contains("kelvin-voigt"), "{message}");
    let half = "format = 1\nmodel = \"kelvin-voigt\"\n[pooled.stiffness]\nmean = 900.0\n";
    std::fs::write(&path, half).unwrap();
    let message = refused(&evaluate, 2);
    assert!(message.contains("[pooled.damping]"), "{message}");
}

#[test]
fn help_texts_are_as_reviewed() {
    for command in ["train", "evaluate", "rollout", "describe", "export"] {
        insta::assert_snapshot!(
            format!("help_{command}"),
            done(&format!("{command} --help"))
        );
    }
}

#[test]
fn tasks_are_listed_and_described() {
    let list = json("list");
    let tasks = list["tasks"].as_array().unwrap();
    assert!(tasks.iter().any(|task| task["name"] == "probe-sweep"));
    assert!(!list["action_modes"].as_array().unwrap().is_empty());
    let task = json("describe table-slide");
    let n_actions = task["action_space"]["names"].as_array().unwrap().len();
    assert_eq!(
        task["action_space"]["low"].as_array().unwrap().len(),
        n_actions
    );
    assert_eq!(task["metrics"][0], "success");
    let n_observed = task["observation_space"]["names"].as_array().unwrap().len();
    let state = &task["observation_groups"][0];
    assert_eq!(state["name"], "state");
    assert_eq!(state["kind"], "state");
    assert_eq!(state["shape"], serde_json::json!([n_observed]));
    let text = done("describe pendulum");
    insta::assert_snapshot!("describe_pendulum", text);
    // The written settings are a valid configuration for training.
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("pendulum.toml");
    std::fs::write(&file, done("describe pendulum --toml")).unwrap();
    let again = done(&format!("describe pendulum --config {}", file.display()));
    assert_eq!(again, text);
    assert!(refused("describe probe-swep", 2).contains("did you mean \"probe-sweep\"?"));
}

#[test]
fn three_policies_are_ranked_by_return_and_by_the_rule() {
    let all = json("evaluate zero random scripted --task reacher --episodes 4 --seed 5");
    let ranks = &all["rank_correlation"];
    assert_eq!(ranks["policies"][2], "scripted");
    assert_eq!(ranks["return_ranks"][2], 1.0, "{ranks}");
    assert_eq!(ranks["rule_ranks"][2], 1.0, "{ranks}");
    assert!(ranks["spearman"].as_f64().unwrap() <= 1.0);
    let two = json("evaluate zero scripted --task reacher --episodes 1");
    assert!(two["rank_correlation"].is_null());
    let text = done("evaluate zero random scripted --task reacher --episodes 4 --seed 5");
    assert!(text.contains("Spearman's correlation"), "{text}");
}

#[test]
fn contact_costs_are_in_the_results() {
    let all = json("evaluate scripted --task table-slide --episodes 2 --seed 0");
    let (costs, metrics) = (&all["costs"], &all["metrics"]);
    let of = |group: &serde_json::Value, name: &str| group[name]["mean"].as_f64().unwrap();
    let share = of(metrics, "contact_speed_m_s") / 0.03;
    assert!((of(costs, "contact_speed") - share).abs() < 1e-9, "{all}");
    let sum: f64 = ["contact_speed", "peak_force", "force_rate"]
        .map(|name| of(costs, name))
        .iter()
        .sum();
    assert!((all["cost_mean"].as_f64().unwrap() - sum).abs() < 1e-9);
}
