//! Contract: an episode of a probe task ends with a verdict whose reasons hold the values, and its start overlaps nothing.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_envs::tasks::{self, EnvFactory};
use insonate_envs::{Env, EnvError, ResetOptions};
use insonate_sim::verdict::Verdict;

fn factory(task: &str, sets: &[(&str, &str)]) -> EnvFactory {
    tasks::factory(task, sets).unwrap()
}

/// An episode of the script, or of the zero action.
fn run(task: &str, sets: &[(&str, &str)], is_scripted: bool) -> (Box<dyn Env>, Verdict) {
    let mut env = factory(task, sets).make().unwrap();
    let spec = env.spec().clone();
    let mut observation = vec![0.0; spec.observation_space.len()];
    let mut action = vec![0.0; spec.action_space.len()];
    let none = ResetOptions::default();
    env.reset(2, &none, &mut observation).unwrap();
    loop {
        assert_eq!(env.verdict(), None, "while it runs");
        if is_scripted {
            env.scripted_action(&mut action);
        }
        if env.step(&action, &mut observation).unwrap().is_over() {
            let verdict = env.verdict().unwrap();
            return (env, verdict);
        }
    }
}

fn only_reason(verdict: &Verdict) -> &str {
    assert!(!verdict.is_passed());
    let [reason] = &verdict.reasons[..] else {
        panic!("{verdict}");
    };
    reason
}

const SCRIPT: (&str, &str) = ("action.mode", "hybrid_force");

#[test]
fn scripts_pass() {
    for task in ["probe-sweep", "probe-press", "probe-reach", "table-slide"] {
        let (env, verdict) = run(task, &[SCRIPT], true);
        assert!(verdict.is_passed(), "{task}: {verdict}");
        let mut metrics = vec![0.0; env.spec().metrics.len()];
        env.metrics(&mut metrics);
        assert_eq!(metrics[0], 1.0, "{task}");
    }
}

#[test]
fn a_limit_that_ends_an_episode_is_the_reason() {
    let (env, verdict) = run("probe-sweep", &[SCRIPT, ("task.max_force", "3.0")], true);
    assert_eq!(only_reason(&verdict), "pressed too hard: force above 3 N");
    assert_eq!(env.end_reason().unwrap().text(), verdict.reasons[0]);
}

#[test]
fn a_probe_that_never_touches_covers_nothing() {
    // Zero velocities: the probe stays above the skin, and the goal moves on along the path.
    let sets = [
        ("action.mode", "joint_velocity"),
        ("task.length", "[0.04, 0.04]"),
        ("randomization.start_offset", "[0.0, 0.0]"),
    ];
    let (env, verdict) = run("probe-sweep", &sets, false);
    assert_eq!(
        env.end_reason().unwrap().text(),
        "path over without contact"
    );
    let text = verdict.to_string();
    assert!(text.contains("covered 0 of 40 mm"), "{text}");
    // Seen from above, up to the offset of a probe above a tilted skin from its goal.
    let (_, lag) = text.split_once("the lag along the path was ").unwrap();
    let lag: f64 = lag.split(' ').next().unwrap().parse().unwrap();
    assert!((lag - 40.0).abs() < 3.0, "{text}");
    assert!(text.contains("(mean 0.00 N,"), "{text}");
}

#[test]
fn limits_are_settings() {
    // Covering more than the path is impossible.
    let sets = [
        SCRIPT,
        ("verdict.covered", "1.5"),
        ("task.length", "[0.08, 0.08]"),
    ];
    let (_, verdict) = run("probe-sweep", &sets, true);
    let reason = only_reason(&verdict);
    let covered = reason.strip_prefix("covered ").unwrap();
    let covered: f64 = covered.split(' ').next().unwrap().parse().unwrap();
    assert!((72.0..=80.0).contains(&covered), "{reason}");
    assert!(reason.ends_with("of 80 mm"), "{reason}");
    let refused = tasks::factory("probe-sweep", &[("verdict.cover", "0.5")]);
    assert!(refused.unwrap_err().to_string().contains("cover"));
}

#[test]
fn a_broken_rule_of_the_task_fails() {
    // The scripts reach 30 to 50 N/s.
    let (_, verdict) = run(
        "probe-press",
        &[SCRIPT, ("task.max_force_rate", "10.0")],
        true,
    );
    let reason = only_reason(&verdict);
    assert!(
        reason.starts_with("force_rate_n_s was ") && reason.ends_with("needs below 10"),
        "{reason}"
    );
}

#[test]
fn a_press_that_does_not_reach_its_force_says_so() {
    let sets = [("action.mode", "joint_velocity")];
    let (_, verdict) = run("probe-press", &sets, false);
    let text = verdict.to_string();
    assert!(text.contains("(mean 0.00 N,"), "{text}");
}

#[test]
fn a_start_inside_the_table_is_an_error_with_its_depth() {
    // The torso is lowered into the table together with its skin, on which the probe is placed.
    let sets = [("randomization.torso_z", "[-0.2, -0.2]")];
    let mut env = factory("probe-press", &sets).make().unwrap();
    let mut observation = vec![0.0; env.spec().observation_space.len()];
    let refused = env.reset(0, &ResetOptions::default(), &mut observation);
    let Err(EnvError::Start(overlaps)) = refused else {
        panic!("{refused:?}");
    };
    let deepest = &overlaps.0[0];
    assert_eq!(deepest.other, "table", "{overlaps}");
    assert!(deepest.robot.contains("probe"), "{overlaps}");
    assert!(deepest.depth > 0.01 && !deepest.is_self, "{overlaps}");
    // Higher up, the start is valid.
    let lower = [("randomization.torso_z", "[-0.02, -0.02]")];
    let mut env = factory("probe-press", &lower).make().unwrap();
    let started = env.reset(0, &ResetOptions::default(), &mut observation);
    assert!(started.is_ok(), "{started:?}");
}
