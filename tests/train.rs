//! Contract: a training writes its folder, refuses to mix runs, resumes bit-identically after a stop, and names invalid settings.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod command;

use std::cell::Cell;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use command::{done, insonate, json, refused, stderr};
use insonate::rl::Policy;
use insonate::training::{Event, History, Overrides, Plan, StartMode, StopReason, train};

/// A training of a few seconds: eight iterations of 256 steps.
const SMALL: &str = "--steps 2048 --envs 4 --evaluate-episodes 2 --checkpoint-every 1 \
                     --set ppo.n_steps=64 --set ppo.n_minibatches=4 --set ppo.update_epochs=2";

fn small(more: &str, folder: &Path) -> String {
    format!("train --output {} {SMALL} {more}", folder.display())
}

#[test]
fn a_training_fills_its_folder_and_prints_its_summary() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("run");
    let summary = json(&small("pendulum --seed 3", &folder));
    assert_eq!(summary["task"], "pendulum");
    assert_eq!(summary["seed"], 3);
    assert_eq!(summary["ending"], "finished");
    assert_eq!(summary["global_step"], 2048);
    for key in ["train_s", "evaluation_s", "wall_s", "frames_per_second"] {
        assert!(summary[key].as_f64().unwrap() > 0.0, "{key}: {summary}");
    }
    assert!(summary["last"]["return_mean"].as_f64().unwrap() < 0.0);
    assert!(summary["last"]["success_rate"].is_f64());
    assert!(summary["solved"].is_null());

    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with("events.out.tfevents."))
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            ".insonate.files",
            "best_policy.safetensors",
            "checkpoint.safetensors",
            "config.toml",
            "evaluations.csv",
            "learning_curve.png",
            "learning_curve.svg",
            "policy.safetensors",
            "progress.csv",
            "run.toml",
            "summary.json",
        ]
    );
    // The last row is the evaluation of the last policy.
    let table = std::fs::read_to_string(folder.join("evaluations.csv")).unwrap();
    assert!(table.starts_with(
        "global_step,train_s,evaluation_s,n_episodes,return_mean,length_mean,success"
    ));
    assert!(
        table.lines().last().unwrap().starts_with("2048,"),
        "{table}"
    );

    // The written configuration reproduces the training.
    let again = scratch.path().join("again");
    let config = folder.join("config.toml");
    let (config, output) = (config.to_str().unwrap(), again.to_str().unwrap());
    done(&format!("train --config {config} --output {output}"));
    assert_same_policy(&folder, &again);

    // Another training in the same folder would mix both.
    let line = refused(&small("pendulum", &folder), 1);
    assert!(
        line.contains("best_policy.safetensors already exists"),
        "{line}"
    );
    assert!(
        line.contains("--resume") && line.contains("--overwrite"),
        "{line}"
    );
    std::fs::write(folder.join("notes.txt"), "mine").unwrap();
    let other = json(&small(
        "pendulum --seed 4 --overwrite --no-tensorboard",
        &folder,
    ));
    assert_eq!(other["seed"], 4);
    assert!(folder.join("notes.txt").exists(), "other files stay");
}

fn assert_same_policy(these: &Path, those: &Path) {
    let bytes = |folder: &Path| std::fs::read(folder.join("policy.safetensors")).unwrap();
    assert!(bytes(these) == bytes(those), "the policies differ");
}

/// Steps of all evaluations with their returns, and steps of all iterations.
fn steps(history: &History) -> Vec<(u64, f64)> {
    let evaluations = history.evaluations.iter();
    let iterations = history.iterations.iter();
    evaluations
        .map(|e| (e.global_step, e.return_mean))
        .chain(iterations.map(|row| (row.global_step, 0.0)))
        .collect()
}

fn plan(folder: &Path, start: StartMode) -> Plan {
    let mut overrides = Overrides::default();
    for setting in [
        "ppo.total_timesteps=2048",
        "ppo.n_envs=4",
        "ppo.n_steps=64",
        "ppo.n_minibatches=4",
        "ppo.update_epochs=2",
        "evaluation.episodes=2",
        "evaluation.every=512",
    ] {
        overrides.set(setting).unwrap();
    }
    Plan::new(Some("pendulum"), &overrides, folder, start).unwrap()
}

#[test]
fn a_stopped_training_resumes_bit_identically() {
    let scratch = tempfile::tempdir().unwrap();
    let [whole, parts] = ["whole", "parts"].map(|name| scratch.path().join(name));
    let finished = train(&plan(&whole, StartMode::New), &|| false, &mut |_| ()).unwrap();
    assert_eq!(finished.summary.stop_reason, StopReason::Finished);
    assert_eq!(finished.history.evaluations.len(), 4);

    // Stop after every third iteration, independent of what is due next.
    let mut start = StartMode::New;
    let mut n_sessions = 0;
    loop {
        let n_iterations = Cell::new(0);
        let ended = train(
            &plan(&parts, start),
            &|| n_iterations.get() == 3,
            &mut |event| {
                if let Event::Iteration(_) = event {
                    n_iterations.set(n_iterations.get() + 1);
                }
            },
        )
        .unwrap();
        n_sessions += 1;
        start = StartMode::Resume;
        if ended.summary.stop_reason == StopReason::Finished {
            assert_eq!(steps(&ended.history), steps(&finished.history));
            assert_eq!(ended.history.iterations.len(), 8);
            break;
        }
        assert_eq!(ended.summary.stop_reason, StopReason::Interrupted);
    }
    assert_eq!(n_sessions, 3);
    assert_same_policy(&whole, &parts);
    let best = |folder: &Path| std::fs::read(folder.join("best_policy.safetensors")).unwrap();
    assert!(best(&whole) == best(&parts));
}

#[test]
fn a_training_interrupted_anywhere_resumes_bit_identically() {
    let scratch = tempfile::tempdir().unwrap();
    let [whole, parts] = ["whole", "parts"].map(|name| scratch.path().join(name));
    let finished = train(&plan(&whole, StartMode::New), &|| false, &mut |_| ()).unwrap();

    // An iteration has 64 steps and an evaluation 200. The first session ends before anything is done, later ones within an iteration
    // or an evaluation.
    let (mut start, mut n_steps) = (StartMode::New, 10);
    let mut n_broken_off = [0; 2];
    loop {
        let mut plan = plan(&parts, start);
        plan.run.checkpoint_every = 1;
        let asked = Cell::new(0);
        let is_evaluating = Cell::new(false);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() >= n_steps
        };
        let ended = train(&plan, &stop, &mut |event| {
            is_evaluating.set(matches!(event, Event::Evaluating { .. }));
        })
        .unwrap();
        if ended.summary.stop_reason == StopReason::Finished {
            assert_eq!(steps(&ended.history), steps(&finished.history));
            break;
        }
        assert_eq!(ended.summary.stop_reason, StopReason::Interrupted);
        n_broken_off[usize::from(is_evaluating.get())] += 1;
        // Longer each time: how often a thread asks depends on the load of the machine, and an evaluation must end once.
        (start, n_steps) = (StartMode::Resume, n_steps.max(280) + 20);
    }
    assert!(n_broken_off.iter().all(|n| *n > 1), "{n_broken_off:?}");
    assert_same_policy(&whole, &parts);
}

#[test]
fn tables_ahead_of_the_checkpoint_are_truncated() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("run");
    let n_iterations = Cell::new(0);
    let count = |event: Event<'_>| {
        if let Event::Iteration(_) = event {
            n_iterations.set(n_iterations.get() + 1);
        }
    };
    train(
        &plan(&folder, StartMode::New),
        &|| n_iterations.get() == 3,
        &mut { count },
    )
    .unwrap();
    let checkpoint = folder.join("checkpoint.safetensors");
    let early = std::fs::read(&checkpoint).unwrap();
    let finished = train(&plan(&folder, StartMode::Resume), &|| false, &mut |_| ()).unwrap();
    // State after a kill that left an early checkpoint.
    std::fs::write(&checkpoint, early).unwrap();
    let policy = std::fs::read(folder.join("policy.safetensors")).unwrap();
    let mut n_evaluations = 0;
    let again = train(&plan(&folder, StartMode::Resume), &|| false, &mut |event| {
        n_evaluations += usize::from(matches!(event, Event::Evaluated(_)));
    })
    .unwrap();
    // After 768 steps, the evaluations at 1024, 1536 and 2048 are repeated.
    assert_eq!(n_evaluations, 3);
    assert_eq!(
        policy,
        std::fs::read(folder.join("policy.safetensors")).unwrap()
    );
    assert_eq!(steps(&again.history), steps(&finished.history));
}

#[test]
fn threads_do_not_change_the_policy() {
    let scratch = tempfile::tempdir().unwrap();
    let folders = ["1", "3"].map(|threads| {
        let folder = scratch.path().join(threads);
        done(&small(&format!("reacher --threads {threads}"), &folder));
        folder
    });
    assert_same_policy(&folders[0], &folders[1]);
}

#[test]
fn a_resumed_training_keeps_its_settings_and_may_be_extended() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("run");
    let output = folder.to_str().unwrap();
    // Without a checkpoint `--resume` starts a training, so that the same command works before and after a kill.
    let output_of_first = insonate(&small("pendulum --resume", &folder));
    assert!(output_of_first.status.success());
    assert!(stderr(&output_of_first).contains("no checkpoint yet"));
    // The same command has nothing left to do; other settings are refused by name.
    assert_eq!(
        json(&small("pendulum --resume", &folder))["global_step"],
        2048
    );
    let differs = |more: &str, key: &str| {
        let line = refused(&format!("train --resume --output {output} {more}"), 2);
        assert!(
            line.contains(key) && line.contains("in the checkpoint"),
            "{line}"
        );
    };
    differs("--set ppo.learning_rate=0.5", "ppo.learning_rate: is 0.5");
    differs("--set env.gravity=3", "env.gravity: is 3.0");
    differs("--seed 9", "ppo.seed: is 9");
    differs("reacher", "task: is reacher");
    let fewer = insonate(&format!("train --resume --output {output} --steps 512"));
    let told = String::from_utf8_lossy(&fewer.stderr);
    assert!(told.contains("2048 steps, so --steps 512"), "{told}");
    // Resume without naming the task, and extend the training.
    let further = json(&format!("train --resume --output {output} --steps 2560"));
    assert_eq!(further["global_step"], 2560);
    assert_eq!(further["task"], "pendulum");
    let nowhere = scratch.path().join("nowhere");
    refused(&format!("train --resume --output {}", nowhere.display()), 1);
}

#[test]
fn each_of_several_seeds_has_a_folder_and_all_have_one_summary() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("seeds");
    let summary = json(&small("pendulum --seeds 1,2", &folder));
    assert_eq!(summary["seeds"], serde_json::json!([1, 2]));
    assert_eq!(summary["runs"].as_array().unwrap().len(), 2);
    assert!(summary["return_mean"]["mean"].is_f64());
    for seed in [1, 2] {
        let policy = folder.join(format!("seed-{seed}/policy.safetensors"));
        assert_eq!(Policy::load(&policy).unwrap().seed, seed);
    }
    let curve = scratch.path().join("curve.svg");
    let folders = [1, 2].map(|seed| folder.join(format!("seed-{seed}")));
    let [a, b] = folders.each_ref().map(|folder| folder.to_str().unwrap());
    done(&format!("curves {a} {b} --output {}", curve.display()));
    assert!(
        std::fs::read_to_string(curve)
            .unwrap()
            .contains("mean over seeds")
    );
}

#[test]
fn a_solved_task_stops_the_training_on_request() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("run");
    let summary = json(&small("pendulum --until-success 0", &folder));
    assert_eq!(summary["ending"], "solved");
    assert!(summary["global_step"].as_u64().unwrap() < 2048);
    assert_eq!(summary["solved"]["global_step"], summary["global_step"]);
    assert!(summary["solved"]["wall_s"].as_f64().unwrap() > 0.0);
}

/// A training with SAC of about a second: four iterations of 256 steps.
const SAC: &str = "train pendulum --algorithm sac --steps 1024 --envs 2 --evaluate-episodes 2 --checkpoint-every 1 --set sac.n_steps=128 \
                   --set sac.batch_size=16 --set sac.learning_starts=200 --set sac.buffer_size=600";

#[test]
fn sac_fills_its_folder_resumes_bit_identically_and_is_evaluated_as_any_policy() {
    let scratch = tempfile::tempdir().unwrap();
    let [whole, parts] = ["whole", "parts"].map(|name| scratch.path().join(name));
    let summary = json(&format!("{SAC} --threads 2 --output {}", whole.display()));
    assert_eq!(summary["algorithm"], "sac");
    assert_eq!(summary["global_step"], 1024);
    let history = History::read(&whole).unwrap();
    assert_eq!(history.iterations.len(), 4);

    // Train with the written settings in two sessions.
    let config = whole.join("config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    assert!(text.contains("algorithm = \"sac\"") && text.contains("[sac]"));
    let (config, output) = (config.to_str().unwrap(), parts.to_str().unwrap());
    done(&format!(
        "train --config {config} --steps 500 --threads 1 --output {output}"
    ));
    done(&format!("train --resume --steps 1024 --output {output}"));
    assert_same_policy(&whole, &parts);

    // A training with another algorithm in the same folder is refused.
    let line = refused(
        &format!("train --resume --algorithm ppo --output {output}"),
        2,
    );
    assert!(
        line.contains("algorithm") && line.contains("sac in the checkpoint"),
        "{line}"
    );
    let line = refused(
        &format!("train --resume --set ppo.n_steps=64 --output {output}"),
        2,
    );
    assert!(line.contains("the algorithm is sac, not ppo"), "{line}");

    let described = done(&format!("describe {output}"));
    assert!(described.contains("squashed by tanh"), "{described}");
    let evaluated = json(&format!("evaluate {output} --episodes 2"));
    assert!(evaluated["return_mean"].is_f64(), "{evaluated}");
    done(&format!("export {output}"));
    assert!(parts.join("policy.onnx").exists());
}

#[test]
fn settings_that_sac_lacks_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("run");
    let train = format!(
        "train pendulum --algorithm sac --output {}",
        folder.display()
    );
    let line = refused(&format!("{train} --cost-limit 1.0"), 2);
    assert!(line.contains("SAC keeps no limit of the cost"), "{line}");
    let line = refused(&format!("{train} --set ppo.n_steps=64"), 2);
    assert!(line.contains("the algorithm is sac, not ppo"), "{line}");
    let policy = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/data/policies/cube-push/policy.safetensors"
    );
    let output = folder.display();
    let line = refused(
        &format!("train --algorithm sac --from-policy {policy} --output {output}"),
        2,
    );
    assert!(line.contains("only PPO can begin with a policy"), "{line}");
    assert!(!folder.exists(), "a refused training writes nothing");
}

#[test]
fn invalid_settings_are_named_before_anything_is_written() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("run");
    let config = scratch.path().join("wrong.toml");
    std::fs::write(&config, "[ppo]\nlearning_rat = 1e-4\n").unwrap();
    let config = config.to_str().unwrap();
    let check = |more: &str, parts: &[&str]| {
        let line = refused(&small(more, &folder), 2);
        for part in parts {
            assert!(line.contains(part), "{line}");
        }
    };
    check(
        "pendulun",
        &["no task \"pendulun\"", "did you mean \"pendulum\"?"],
    );
    check("pendulum --set ppo.gama=0.9", &["ppo.gama"]);
    check(
        "pendulum --set ppo.discont=0.9",
        &["ppo.discont", "did you mean \"discount\"?"],
    );
    check(
        "pendulum --set env.gravty=1",
        &["env.gravty", "did you mean \"gravity\"?"],
    );
    check(
        "pendulum --set env.gravity=soft",
        &["env.gravity", "a number"],
    );
    // The prefix of the task's settings may be omitted.
    check("pendulum --set gravty=1", &["gravty", "gravity"]);
    check("pendulum --seeds 1,2,1", &["seeds", "1 twice"]);
    check(
        &format!("pendulum --config {config}"),
        &["learning_rat", "did you mean \"learning_rate\"?"],
    );
    check(
        "pendulum --set ppo.n_minibatches=7",
        &["n_minibatches", "7"],
    );
    check("pendulum --set ppo.activation=cubic", &["cubic"]);
    check("", &["task", "is missing"]);
    assert!(!folder.exists(), "a refused training writes nothing");
}

#[test]
fn ctrl_c_saves_and_says_how_to_resume() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("run");
    let output = folder.to_str().unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_insonate"))
        .args(["train", "pendulum", "--steps", "10000000000", "--output"])
        .arg(&folder)
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let progress = folder.join("progress.csv");
    let start = Instant::now();
    let n_rows = || std::fs::read_to_string(&progress).map_or(0, |text| text.lines().count());
    while n_rows() < 3 && start.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.unwrap().success());
    let ended = child.wait_with_output().unwrap();
    let text = stderr(&ended);
    assert_eq!(ended.status.code(), Some(130), "{text}");
    // Progress lines may precede the notice.
    let is_notice = |line: &str| {
        line.starts_with("interrupted after ")
            && line.contains("s: all finished iterations are saved")
    };
    assert!(text.lines().any(is_notice), "{text}");
    // This number of steps takes days on any machine.
    let is_note =
        |line: &str| line.starts_with("note: at ") && line.contains("this training takes");
    assert!(text.lines().any(is_note), "{text}");
    let summary = std::fs::read_to_string(folder.join("summary.json")).unwrap();
    assert!(summary.contains("\"interrupted\""), "{summary}");
    // The checkpoint is at the end of the table, and the training can be resumed.
    let n_rows = n_rows() - 1;
    let again = json(&format!("train --resume --output {output} --steps 1"));
    assert_eq!(again["global_step"], n_rows * 1024);
}

#[test]
fn a_cost_limit_is_logged_with_the_return() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("run");
    let summary = json(&small("table-slide --cost-limit 0.25", &folder));
    assert!(summary["last"]["cost"].as_f64().unwrap() >= 0.0);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let progress = read("progress.csv");
    let columns: Vec<&str> = progress.lines().next().unwrap().split(',').collect();
    for column in [
        "charts/episodic_cost",
        "charts/multiplier",
        "losses/cost_value_loss",
        "cost/contact_speed",
        "cost/peak_force",
        "cost/force_rate",
    ] {
        assert!(columns.contains(&column), "{column}: {columns:?}");
    }
    let history = History::read(&folder).unwrap();
    assert_eq!(history.iterations.last().unwrap().cost_limit, 0.25);
    assert!(read("config.toml").contains("cost_limit = 0.25"));
    assert!(read("learning_curve.svg").contains("limit"));

    let line = refused(
        &small("pendulum --cost-limit 2", &scratch.path().join("none")),
        2,
    );
    assert!(
        line.contains("cost_limit: 2 is set, but pendulum has no costs"),
        "{line}"
    );
}
