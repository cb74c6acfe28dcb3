//! Contract: a training that was saved and resumed is bit-identical to one that was never stopped; a file that is not a checkpoint is
//! rejected with its name and the problem; a kill at any moment leaves a checkpoint that can be resumed.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod support;

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use insonate_envs::{Autoreset, Env, VecConfig, VecEnv};
use insonate_rl::{
    Algorithm as _, AlgorithmConfig, CheckpointInfo, Ppo, PpoConfig, Run, RunOptions,
};
use support::{Line, config, identity, lines, ppo};

fn same_step(n_threads: usize) -> VecEnv {
    lines(4, n_threads, Autoreset::SameStep)
}

fn iterate(ppo: &mut Ppo, n: usize) {
    for _ in 0..n {
        ppo.iterate().unwrap();
    }
}

fn bytes(ppo: &Ppo, path: &Path) -> Vec<u8> {
    ppo.save(path).unwrap();
    fs::read(path).unwrap()
}

/// The table without the columns that depend on the clock.
fn table(folder: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(folder.join("progress.csv")).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let Some(header) = rows.first() else {
        return Vec::new();
    };
    let is_timeless = |i: &usize| header[*i] != "charts/SPS" && !header[*i].starts_with("time/");
    let kept: Vec<usize> = (0..header.len()).filter(is_timeless).collect();
    rows.iter()
        .map(|row| kept.iter().map(|i| row[*i].to_owned()).collect())
        .collect()
}

#[test]
fn resumed_training_is_bit_identical_to_uninterrupted_training() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let mut whole = ppo(config(), 1);
    iterate(&mut whole, 6);
    let mut first = ppo(config(), 2);
    iterate(&mut first, 3);
    first.save(&path).unwrap();
    drop(first);
    let mut second = Ppo::resume(same_step(1), &path).unwrap();
    assert_eq!((second.iteration(), second.global_step()), (3, 3 * 128));
    assert_eq!(second.n_unreproduced_envs(), 0);
    iterate(&mut second, 3);
    assert!(bytes(&whole, &path) == bytes(&second, &path));
    assert!(second.is_finished());
}

#[test]
fn a_checkpoint_that_is_loaded_and_saved_has_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let mut first = ppo(config(), 1);
    for n_iterations in [0, 1, 2] {
        iterate(&mut first, n_iterations);
        let before = bytes(&first, &path);
        let second = Ppo::resume(same_step(2), &path).unwrap();
        assert!(before == bytes(&second, &path));
    }
}

#[test]
fn a_resumed_folder_has_the_rows_of_uninterrupted_training() {
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let options = RunOptions {
        checkpoint_every: 2,
        tensorboard: true,
    };
    let mut run = Run::start(whole.path(), ppo(config(), 1), options).unwrap();
    run.train(&mut |_| ControlFlow::Continue(())).unwrap();
    assert!(run.algorithm().is_finished());

    // Five iterations, with a checkpoint after the fourth, as after a kill: the fifth row exists, but its checkpoint does not.
    let mut run = Run::start(parts.path(), ppo(config(), 1), options).unwrap();
    let kill = run.train(&mut |progress| {
        assert!(progress.iteration <= 5);
        if progress.iteration == 5 {
            fs::copy(
                parts.path().join("checkpoint.safetensors"),
                parts.path().join("at the kill"),
            )
            .unwrap();
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    kill.unwrap();
    assert!(!run.algorithm().is_finished());
    fs::rename(
        parts.path().join("at the kill"),
        parts.path().join("checkpoint.safetensors"),
    )
    .unwrap();
    assert_eq!(table(parts.path()).len(), 1 + 5);
    let mut run = Run::resume(parts.path(), same_step(2), options).unwrap();
    assert_eq!(run.algorithm().iteration(), 4);
    assert_eq!(table(parts.path()).len(), 1 + 4);
    run.train(&mut |_| ControlFlow::Continue(())).unwrap();

    assert_eq!(table(whole.path()), table(parts.path()));
    for name in ["checkpoint.safetensors", "policy.safetensors"] {
        let read = |folder: &Path| fs::read(folder.join(name)).unwrap();
        assert!(read(whole.path()) == read(parts.path()), "{name}");
    }
    // Each session has an event file.
    let names = fs::read_dir(parts.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let is_events = |name: &std::ffi::OsString| name.to_string_lossy().contains("tfevents");
    assert_eq!(names.filter(is_events).count(), 2);
}

#[test]
fn a_folder_with_a_checkpoint_is_not_started_again() {
    let folder = tempfile::tempdir().unwrap();
    ppo(config(), 1)
        .save(&folder.path().join("checkpoint.safetensors"))
        .unwrap();
    let failure = Run::start(folder.path(), ppo(config(), 1), RunOptions::default());
    let message = failure.unwrap_err().to_string();
    assert!(
        message.ends_with("already exists: resume that training, or choose another folder"),
        "{message}"
    );
}

#[test]
fn more_timesteps_can_be_requested_after_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let mut first = ppo(
        PpoConfig {
            anneal_lr: false,
            ..config()
        },
        1,
    );
    iterate(&mut first, 6);
    first.save(&path).unwrap();
    let mut second = Ppo::resume(same_step(1), &path).unwrap();
    assert!(second.is_finished());
    second.set_total_timesteps(8 * 128).unwrap();
    second.train(&mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(second.iteration(), 8);
    assert!(second.set_total_timesteps(0).is_err());
}

#[test]
fn a_checkpoint_can_be_inspected_without_environments() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let mut first = ppo(config(), 1);
    iterate(&mut first, 1);
    first.save(&path).unwrap();
    let info = CheckpointInfo::load(&path).unwrap();
    assert_eq!(info.config, AlgorithmConfig::Ppo(config()));
    assert_eq!(info.identity, identity());
    assert_eq!((info.iteration, info.global_step), (1, 128));
    // A policy is not a checkpoint.
    first.policy().save(&path).unwrap();
    let message = CheckpointInfo::load(&path).unwrap_err().to_string();
    assert!(
        message.ends_with("is of format \"insonate-policy\", not \"insonate-checkpoint\" or \"insonate-sac-checkpoint\""),
        "{message}"
    );
}

#[test]
fn other_environments_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    ppo(config(), 1).save(&path).unwrap();
    let message = Ppo::resume(lines(3, 1, Autoreset::SameStep), &path)
        .unwrap_err()
        .to_string();
    assert_eq!(message, "n_envs: is 4, but 3 environments were given");
    let others = (0..4)
        .map(|_| Box::new(Line::named("plane")) as Box<dyn Env>)
        .collect();
    let settings = VecConfig {
        autoreset: Autoreset::SameStep,
        ..VecConfig::default()
    };
    let message = Ppo::resume(VecEnv::new(others, settings).unwrap(), &path).unwrap_err();
    assert_eq!(
        message.to_string(),
        "the checkpoint does not fit plane: it was trained for the task \"line\": use it with that task"
    );
}

/// The next test runs this one in a separate process: it trains and saves after each iteration until it is killed.
#[test]
fn child_that_is_killed() {
    let Ok(folder) = std::env::var("INSONATE_TEST_KILLED_FOLDER") else {
        return;
    };
    let endless = PpoConfig {
        total_timesteps: 1 << 40,
        ..config()
    };
    let options = RunOptions {
        checkpoint_every: 1,
        tensorboard: true,
    };
    let mut run = Run::start(Path::new(&folder), ppo(endless, 1), options).unwrap();
    run.train(&mut |_| ControlFlow::Continue(())).unwrap();
}

#[test]
fn a_kill_at_any_moment_leaves_a_checkpoint_that_can_be_resumed() {
    for round in 0..8 {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child_that_is_killed", "--test-threads", "1"])
            .env("INSONATE_TEST_KILLED_FOLDER", folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // After the first checkpoint, at a moment that differs between rounds.
        let path = folder.path().join("checkpoint.safetensors");
        let start = Instant::now();
        while !path.exists() && start.elapsed() < Duration::from_mins(1) {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(7 * round));
        child.kill().unwrap();
        child.wait().unwrap();

        let mut run = Run::resume(folder.path(), same_step(1), RunOptions::default()).unwrap();
        let n_done = run.algorithm().iteration();
        assert_eq!(
            table(folder.path()).len(),
            if n_done == 0 { 0 } else { 1 + n_done },
            "rows beyond the checkpoint are cut"
        );
        run.train(&mut |_| ControlFlow::Break(())).unwrap();
        assert_eq!(table(folder.path()).len(), 2 + n_done);
    }
}
