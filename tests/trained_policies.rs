//! Contract: the included policies succeed on episodes outside their training, and the sweep's holds the force more steadily than the
//! scripted controller with its default gains.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod command;

use command::{json, refused};

const SWEEP: &str = "data/policies/probe-sweep/policy.safetensors";
const CUBE: &str = "data/policies/cube-push/policy.safetensors";

// With a success rate of 98 %, fewer than 36 of 40 episodes succeed with a probability of 0.1 %.
const LEAST_SUCCESS: f64 = 0.9;

/// Success rate and mean absolute force error of each, on the same 40 episodes.
fn figures(policies: &str) -> Vec<[f64; 2]> {
    let all = json(&format!("evaluate {policies} --episodes 40 --seed 70000"));
    let figures = |one: &serde_json::Value| {
        ["success_rate", "force_mae_n"].map(|key| one[key].as_f64().unwrap())
    };
    match all["policies"].as_array() {
        Some(several) => several.iter().map(figures).collect(),
        None => vec![figures(&all)],
    }
}

/// The task's script with its usual gains, as settings.
const USUAL: &str = "scripted --config data/policies/probe-sweep/train.toml \
     --set action.hybrid_force.force_gain=2 --set action.hybrid_force.force_integral_gain=15";

#[test]
fn the_sweep_is_steadier_than_the_usual_script() {
    for (breathing, least_gain) in [
        // Of 100 other episodes each: 0.037 N and 0.061 N.
        (true, 0.75),
        // 0.030 N and 0.036 N.
        (false, 0.95),
    ] {
        let with = |policy: &str| {
            figures(&format!(
                "{policy} --set randomization.breathing={breathing}"
            ))[0]
        };
        let (policy, script) = (with(SWEEP), with(USUAL));
        assert!(policy[0] >= LEAST_SUCCESS, "{policy:?}");
        assert!(policy[1] < least_gain * script[1], "{policy:?} {script:?}");
    }
}

#[test]
fn the_cube_is_pushed_to_its_goal() {
    let all = json(&format!("evaluate {CUBE} --episodes 40 --seed 70000"));
    let success = all["success_rate"].as_f64().unwrap();
    assert!(success >= LEAST_SUCCESS, "{success}");
}

#[test]
fn a_policy_refuses_a_task_that_is_not_its_own() {
    let problem = refused(&format!("evaluate {SWEEP} --task pendulum --episodes 1"), 2);
    assert!(
        problem.contains("probe-sweep") && problem.contains("pendulum"),
        "{problem}"
    );
}
