//! Contract: the force that a policy observes and that a controller reads is the true one after the sensor's delay, with its bias and drift;
//! a profile stands for settings.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_envs::ResetOptions;
use insonate_envs::tasks;

/// A sweep by the script, without noise; the controller reads the true force.
const QUIET: &[(&str, &str)] = &[
    ("action.mode", "hybrid_force"),
    ("time.limit", "1.2"),
    ("randomization.force_noise", "0"),
    ("randomization.friction", "0.05"),
];

/// Observed force along the probe's axis [N], and the mean absolute error of the true force [N].
fn sweep(sets: &[(&str, &str)]) -> (Vec<f64>, f64) {
    let factory = tasks::factory("probe-sweep", &[QUIET, sets].concat()).unwrap();
    let mut env = factory.make().unwrap();
    let spec = env.spec().clone();
    let place = |names: &[String], name: &str| names.iter().position(|n| n == name).unwrap();
    let force = place(&spec.observation_space.names, "force_z [N]");
    let mut observation = vec![0.0; spec.observation_space.len()];
    let action = vec![0.0; spec.action_space.len()];
    env.reset(5, &ResetOptions::default(), &mut observation)
        .unwrap();
    let mut forces = vec![f64::from(observation[force])];
    loop {
        let is_over = env.step(&action, &mut observation).unwrap().is_over();
        forces.push(f64::from(observation[force]));
        if is_over {
            let error = spec.metrics.iter().position(|m| *m == "force_mae_n");
            let mut metrics = vec![0.0; spec.metrics.len()];
            env.metrics(&mut metrics);
            return (forces, metrics[error.unwrap()]);
        }
    }
}

#[test]
fn a_delay_of_two_control_steps_moves_the_observed_force_by_two() {
    let (true_forces, _) = sweep(&[]);
    let (delayed, _) = sweep(&[("randomization.force_delay", "0.04")]);
    assert!(true_forces.iter().any(|force| *force < -4.0), "it presses");
    for (observed, earlier) in delayed[3..].iter().zip(&true_forces[1..]) {
        // The probe turns a little in the meantime.
        assert!((observed - earlier).abs() < 0.02, "{observed} {earlier}");
    }
}

#[test]
fn bias_and_drift_add_up_in_the_observed_force() {
    let (true_forces, true_error) = sweep(&[]);
    let (observed, error) = sweep(&[
        ("randomization.force_bias", "0.3"),
        ("randomization.force_drift", "0.5"),
    ]);
    for (step, (observed, true_force)) in observed.iter().zip(&true_forces).enumerate() {
        let bias = 0.3 + 0.5 * 0.02 * step as f64;
        assert!((observed - (true_force - bias)).abs() < 1e-5, "step {step}");
    }
    assert_eq!(error, true_error, "the controller reads the true force");
}

#[test]
fn a_controller_that_reads_the_sensor_holds_what_the_sensor_says() {
    let sensor = ("action.force_feedback", "sensor");
    let error_at = |bias: &str| {
        let (observed, error) = sweep(&[sensor, ("randomization.force_bias", bias)]);
        assert!((observed.last().unwrap() + 5.0).abs() < 0.2, "{observed:?}");
        error
    };
    let without = error_at("0");
    assert!(without < 0.1, "{without}");
    for bias in ["-0.8", "0.8"] {
        let error = error_at(bias);
        assert!((error - 0.8).abs() < 0.15, "{bias}: {error}");
    }
}

#[test]
fn noise_in_the_loop_moves_the_probe() {
    let noise = ("randomization.force_noise", "0.1");
    let error_with = |feedback: &'static str| {
        let sets = [("action.force_feedback", feedback), noise];
        sweep(&sets).1
    };
    let [quiet, noisy] = ["exact", "sensor"].map(error_with);
    assert!(noisy > 1.1 * quiet, "{noisy} {quiet}");
    assert_eq!(noisy, error_with("sensor"), "the same seed");
}

#[test]
fn a_profile_stands_for_its_settings() {
    let settings = |sets: &[(&str, &str)]| tasks::factory("probe-sweep", sets).unwrap().settings;
    let real = settings(&[("profile", "real")]);
    assert_eq!(real["action"]["force_feedback"].as_str(), Some("sensor"));
    assert!(!real.contains_key("profile"));
    let own = settings(&[("profile", "real"), ("observation.n_stack", "2")]);
    assert_eq!(own["observation"]["n_stack"].as_integer(), Some(2));
    assert_eq!(own["randomization"], real["randomization"]);
    let refusal = |task: &str, name: &str| {
        let refused = tasks::factory(task, &[("profile", name)]);
        refused.expect_err("there is no such profile").to_string()
    };
    let message = refusal("probe-sweep", "reel");
    assert!(message.contains("did you mean \"real\""), "{message}");
    let message = refusal("probe-sweep", "3");
    assert!(message.contains("must be a name"), "{message}");
    let message = refusal("pendulum", "real");
    assert!(message.contains("pendulum has none"), "{message}");
}
