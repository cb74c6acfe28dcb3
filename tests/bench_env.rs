//! Contract: `bench` prints stable keys with consistent figures.

mod command;

use command::{done, json, refused};

#[test]
fn environments_and_physics_alone_are_measured() {
    let all = json(
        "bench env --task table-slide --envs 3 --threads 2 --rounds 3 --steps 2 --warmup 4 --policy scripted",
    );
    let number = |key: &str| all[key].as_f64().unwrap_or_else(|| panic!("{key}: {all}"));
    let steps = number("env_steps_per_second");
    assert!(steps > 0.0 && number("raw_physics_steps_per_second") > 0.0);
    let n_substeps = number("physics_steps_per_second") / steps;
    assert!(
        (n_substeps - 25.0).abs() < 1e-6,
        "0.05 s of 0.002 s: {n_substeps}"
    );
    assert!((number("simulated_seconds_per_second") / steps - 0.05).abs() < 1e-9);
    assert_eq!(
        (all["n_envs"].as_u64(), all["n_threads"].as_u64()),
        (Some(3), Some(2))
    );
}

#[test]
fn a_task_without_physics_has_no_reference() {
    let all = json("bench env --task pendulum --envs 2 --rounds 2 --steps 3");
    assert!(all["env_steps_per_second"].as_f64().unwrap() > 0.0);
    assert!(all["physics_steps_per_second"].is_null());
    assert!(all["raw_physics_steps_per_second"].is_null());
}

#[test]
fn training_is_measured() {
    let all = json("bench ppo --updates 1");
    assert!(all["frames_per_second"].as_f64().unwrap() > 0.0);
    assert_eq!(
        (all["batch_size"].as_u64(), all["minibatch_size"].as_u64()),
        (Some(2048), Some(64))
    );
    assert!(done("bench ppo --updates 1").contains("frames_per_second"));
    assert!(refused("bench ppo --updates 0", 2).contains("at least 1"));
    assert!(refused("bench env --task slide", 2).contains("no task"));
}
