//! Contract: every task keeps the contract of an environment in every action mode that it supports, its scripted policy solves
//! the task, and parameters of an episode can be fixed and are applied to the scene.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_envs::check::{CheckOptions, check_env};
use insonate_envs::probe::{ProbeEnvironment, ProbeTask, ProbeTaskSettings, SceneSet, SceneState};
use insonate_envs::randomization::EpisodeParameters;
use insonate_envs::tasks::{self, EnvFactory};
use insonate_envs::{
    BoxSpace, EndReason, Env, EnvError, EpisodeEnd, ResetOptions, actions, named_values,
};
use rand_chacha::ChaCha8Rng;

fn factory(task: &str, sets: &[(&str, &str)]) -> EnvFactory {
    tasks::factory(task, sets).unwrap()
}

fn refusal(task: &str, sets: &[(&str, &str)]) -> String {
    let refused = tasks::factory(task, sets);
    refused.expect_err("the settings are wrong").to_string()
}

/// Short episodes, so that checks of whole episodes are quick.
const SHORT: &[(&str, &str)] = &[("time.limit", "0.4")];

/// Randomisation of all parameters that every probe task supports.
const EVERYTHING: &[(&str, &str)] = &[
    ("time.limit", "0.4"),
    ("randomization.breathing", "true"),
    ("randomization.patient_amplitude", "[-0.01, 0.01]"),
    ("randomization.torso_yaw", "[-0.2, 0.2]"),
    ("randomization.torso_x", "[-0.02, 0.02]"),
    ("randomization.size", "[0.9, 1.1]"),
    ("randomization.n_sizes", "2"),
    ("randomization.latency", "[0, 2]"),
    ("randomization.force_noise", "[0, 0.2]"),
    ("randomization.force_bias", "[-0.2, 0.2]"),
    ("randomization.torque_noise", "[0, 0.05]"),
    ("observation.torso", "true"),
    ("observation.n_stack", "3"),
];

fn check(task: &str, sets: &[(&str, &str)]) {
    let factory = factory(task, sets);
    let options = CheckOptions {
        n_steps: 8,
        ..CheckOptions::default()
    };
    let problems = check_env(&|| factory.make(), &options);
    assert!(problems.is_empty(), "{task} {sets:?}: {problems:#?}");
}

fn uses_probe(task: &str) -> bool {
    (tasks::by_name(task).unwrap().defaults)().contains_key("action")
}

#[test]
fn every_task_keeps_the_contract() {
    // In parallel: sequentially they would keep a single core busy.
    std::thread::scope(|scope| {
        for kind in tasks::ALL {
            scope.spawn(|| {
                let sets = if uses_probe(kind.name) { SHORT } else { &[] };
                check(kind.name, sets);
            });
        }
    });
}

#[test]
fn entries_along_an_axis_say_of_which_frame() {
    for kind in tasks::ALL {
        let sets = if uses_probe(kind.name) { SHORT } else { &[] };
        let spec = factory(kind.name, sets).make().unwrap().spec().clone();
        for space in [&spec.observation_space, &spec.action_space] {
            let n = space.len();
            assert_eq!(
                [space.frames.len(), space.filters.len()],
                [n, n],
                "{}",
                kind.name
            );
            for (name, frame) in space.names.iter().zip(&space.frames) {
                let what = name.split(" [").next().unwrap();
                let is_along = ["_x", "_y", "_z"].iter().any(|axis| what.ends_with(axis));
                assert!(
                    !is_along || !frame.is_empty(),
                    "{}: {name} has no frame",
                    kind.name
                );
            }
        }
    }
}

#[test]
fn a_sweep_whose_path_is_over_says_so() {
    let mode = [("action.mode", "hybrid_force")];
    let mut env = factory("table-slide", &mode).make().unwrap();
    let spec = env.spec().clone();
    let mut observation = vec![0.0; spec.observation_space.len()];
    let mut action = vec![0.0; spec.action_space.len()];
    env.reset(1, &ResetOptions::default(), &mut observation)
        .unwrap();
    let last = loop {
        env.scripted_action(&mut action);
        let step = env.step(&action, &mut observation).unwrap();
        if step.is_over() {
            break step;
        }
    };
    assert!(last.truncated && !last.terminated);
    assert_eq!(env.end_reason(), Some(EndReason::Schedule("path complete")));
}

#[test]
fn every_action_mode_keeps_the_contract() {
    for mode in actions::ALL {
        check(
            "probe-sweep",
            &[("time.limit", "0.3"), ("action.mode", mode.name)],
        );
    }
}

#[test]
fn everything_random_at_once_keeps_the_contract() {
    check("probe-sweep", EVERYTHING);
    check("probe-press", EVERYTHING);
}

/// The metric of that name, one value per episode.
fn run_scripted(task: &str, sets: &[(&str, &str)], n: u64, metric: &str) -> Vec<f64> {
    let kind = tasks::by_name(task).unwrap();
    let factory = factory(task, &[kind.scripted, sets].concat());
    let mut env = factory.make().unwrap();
    let spec = env.spec().clone();
    let mut observation = vec![0.0; spec.observation_space.len()];
    let mut action = vec![0.0; spec.action_space.len()];
    let place = spec.metrics.iter().position(|name| *name == metric);
    (0..n)
        .map(|seed| {
            env.reset(seed, &ResetOptions::default(), &mut observation)
                .unwrap();
            loop {
                assert!(env.scripted_action(&mut action));
                if env.step(&action, &mut observation).unwrap().is_over() {
                    break;
                }
            }
            let mut metrics = vec![0.0; spec.metrics.len()];
            env.metrics(&mut metrics);
            metrics[place.unwrap()]
        })
        .collect()
}

#[test]
fn the_scripted_policies_solve_the_tasks() {
    for task in ["probe-sweep", "probe-press", "probe-reach", "table-slide"] {
        let successes = run_scripted(task, &[], 5, "success");
        assert_eq!(successes, [1.0; 5], "{task}");
    }
    let pushed = run_scripted("cube-push", &[], 10, "success");
    assert!(pushed.iter().sum::<f64>() >= 8.0, "{pushed:?}");
}

#[test]
fn the_wrench_script_slides_the_probe() {
    let kind = tasks::by_name("probe-sweep").unwrap();
    assert_eq!(kind.demonstrated, [("action.mode", "wrench")]);
    let successes = run_scripted("probe-sweep", kind.demonstrated, 5, "success");
    assert_eq!(successes, [1.0; 5]);
    let mut env = factory("probe-sweep", kind.demonstrated).make().unwrap();
    let mut observation = vec![0.0; env.spec().observation_space.len()];
    let mut actions = [[0.0; 6]; 2];
    env.reset(0, &ResetOptions::default(), &mut observation)
        .unwrap();
    for action in &mut actions {
        assert!(env.scripted_action(action));
        env.step(action, &mut observation).unwrap();
    }
    assert_ne!(actions[0], actions[1]);
    // Without an action along the axis the script is not possible.
    let aside = [
        ("action.mode", "wrench"),
        ("action.impedance.axes", "[\"x\"]"),
    ];
    let mut env = factory("probe-sweep", &aside).make().unwrap();
    let mut observation = vec![0.0; env.spec().observation_space.len()];
    env.reset(0, &ResetOptions::default(), &mut observation)
        .unwrap();
    let mut action = [1.0];
    env.scripted_action(&mut action);
    assert_eq!(action, [0.0]);
}

#[test]
fn a_stiffer_torso_takes_more_force_for_the_same_depth() {
    // A spring pulls the probe to 1 cm under the skin, so the force depends on the stiffness.
    let factory = factory(
        "probe-press",
        &[("action.mode", "tracking"), ("time.limit", "2")],
    );
    let mut env = factory.make().unwrap();
    let spec = env.spec().clone();
    let mut observation = vec![0.0; spec.observation_space.len()];
    let action = vec![1.0; spec.action_space.len()];
    let names = &spec.observation_space.names;
    let place = names.iter().position(|name| name.starts_with("force_z"));
    let mut force = |stiffness: f64| {
        let options = ResetOptions {
            parameters: [
                ("torso.stiffness".to_owned(), stiffness),
                ("sensor.force_noise".to_owned(), 0.0),
            ]
            .into(),
        };
        env.reset(1, &options, &mut observation).unwrap();
        for _ in 0..80 {
            env.step(&action, &mut observation).unwrap();
        }
        -observation[place.unwrap()]
    };
    let (soft, stiff) = (force(500.0), force(2000.0));
    assert!(soft > 0.5 && stiff > 1.5 * soft, "{soft} N, {stiff} N");
}

#[test]
fn a_fixed_parameter_is_what_the_episode_lists_and_the_others_stay() {
    let factory = factory("probe-sweep", SHORT);
    let mut env = factory.make().unwrap();
    let mut observation = vec![0.0; env.spec().observation_space.len()];
    env.reset(7, &ResetOptions::default(), &mut observation)
        .unwrap();
    let drawn = env.parameters().to_vec();
    let options = ResetOptions {
        parameters: [("torso.stiffness".to_owned(), 1234.5)].into(),
    };
    env.reset(7, &options, &mut observation).unwrap();
    let fixed = env.parameters().to_vec();
    let place = env
        .spec()
        .parameters
        .iter()
        .position(|name| name.starts_with("torso.stiffness"))
        .unwrap();
    assert_eq!(fixed[place], 1234.5);
    for (i, (drawn, fixed)) in drawn.iter().zip(&fixed).enumerate() {
        assert!(i == place || drawn == fixed);
    }
}

named_values! {
    struct PoisonTerms { one }
}

named_values! {
    struct PoisonMetrics { success }
}

/// A task that makes the simulation diverge after a while.
struct Poison;

impl ProbeTask for Poison {
    type Terms = PoisonTerms;
    type Costs = ();
    type Metrics = PoisonMetrics;

    fn observation_space(&self) -> BoxSpace {
        BoxSpace::default()
    }

    fn reset(
        &mut self,
        state: &mut SceneState,
        _episode: &EpisodeParameters,
        _rng: &mut ChaCha8Rng,
    ) -> Result<(), EnvError> {
        state.read_probe();
        Ok(())
    }

    fn before_substep(&mut self, state: &mut SceneState) {
        if state.physics.time() > 0.1 {
            state.physics.qvel_mut()[2] = f64::NAN;
        }
    }

    fn after_substep(&mut self, _state: &SceneState) {}

    fn observe(&self, _state: &SceneState, _observation: &mut [f32]) {}

    fn reward(&mut self, _state: &SceneState, _action: &[f32]) -> PoisonTerms {
        PoisonTerms { one: 1.0 }
    }

    fn end(&self, _state: &SceneState) -> Option<EpisodeEnd> {
        None
    }

    fn metrics(&self) -> PoisonMetrics {
        PoisonMetrics { success: 0.0 }
    }
}

#[test]
fn a_diverged_simulation_ends_its_episode_with_a_reason_and_finite_numbers() {
    let settings = ProbeTaskSettings::<()>::default();
    let scenes = SceneSet::with_torso(&settings.scene, &settings.randomization).unwrap();
    let mut env = ProbeEnvironment::new("poison", &settings, scenes.into(), Poison).unwrap();
    let spec = env.spec().clone();
    let mut observation = vec![0.0; spec.observation_space.len()];
    let action = vec![0.0; spec.action_space.len()];
    for seed in 0..2 {
        env.reset(seed, &ResetOptions::default(), &mut observation)
            .unwrap();
        let mut steps = 0;
        let last = loop {
            let step = env.step(&action, &mut observation).unwrap();
            steps += 1;
            assert!(step.reward.is_finite() && observation.iter().all(|x| x.is_finite()));
            if step.is_over() {
                break step;
            }
        };
        // 0.1 s are five steps; the sixth one fails.
        assert!(last.terminated && !last.truncated && steps == 6, "{steps}");
        assert_eq!(env.reward_terms().iter().sum::<f64>(), last.reward);
        let reason = env.end_reason().unwrap();
        assert!(matches!(&reason, EndReason::Diverged(_)), "{reason:?}");
        assert!(reason.text().contains("qvel[2]"), "{reason:?}");
        assert!(env.step(&action, &mut observation).is_err());
    }
}

#[test]
fn wrong_settings_are_named_with_what_is_allowed() {
    for (sets, parts) in [
        (
            [("randomization.stifness", "[1, 2]")],
            &["randomization.stifness", "did you mean \"stiffness\""][..],
        ),
        (
            [("randomization.stiffness", "[2000, 1000]")],
            &["randomization.stiffness", "above its end"][..],
        ),
        (
            [("action.mode", "osc")],
            &["action mode", "osc_pose", "hybrid_force"][..],
        ),
        (
            [("time.control_timestep", "0.003")],
            &["time.control_timestep", "multiple", "0.002"][..],
        ),
        (
            [("scene.torso", "fats")],
            &["torso", "did you mean \"fast\""][..],
        ),
        ([("task.speed", "fast")], &["task.speed", "a number"][..]),
        (
            [("scene.softness", "missing.toml")],
            &["scene.softness", "missing.toml"][..],
        ),
    ] {
        let message = refusal("probe-sweep", &sets);
        for part in parts {
            assert!(message.contains(part), "{sets:?}: {message}");
        }
    }
    let message = refusal(
        "probe-sweep",
        &[
            ("scene.torso", "composite"),
            ("randomization.torso_yaw", "0.1"),
        ],
    );
    assert!(
        message.contains("needs scene.torso = \"fast\""),
        "{message}"
    );
    let error = tasks::by_name("probe-sweap").unwrap_err().to_string();
    assert!(error.contains("did you mean \"probe-sweep\""), "{error}");
}

/// Observations of a scripted press, and the names of their entries.
fn pressed(torso: &str, sets: &[(&str, &str)]) -> (Vec<String>, Vec<Vec<f32>>) {
    let scripted = tasks::by_name("probe-press").unwrap().scripted;
    let sets = [&[("scene.torso", torso)], scripted, sets].concat();
    let mut env = factory("probe-press", &sets).make().unwrap();
    let spec = env.spec().clone();
    let mut observation = vec![0.0; spec.observation_space.len()];
    let mut action = vec![0.0; spec.action_space.len()];
    env.reset(3, &ResetOptions::default(), &mut observation)
        .unwrap();
    let mut observations = Vec::new();
    loop {
        env.scripted_action(&mut action);
        let is_over = env.step(&action, &mut observation).unwrap().is_over();
        observations.push(observation.clone());
        if is_over {
            return (spec.observation_space.names, observations);
        }
    }
}

#[test]
fn observed_pressures_are_those_of_the_measured_force() {
    let noiseless = [
        ("randomization.force_noise", "[0, 0]"),
        ("randomization.force_bias", "[0, 0]"),
        ("randomization.torque_noise", "[0, 0]"),
    ];
    let with_pressure = [&noiseless[..], &[("observation.pressure", "true")]].concat();
    for torso in ["fast", "elastic"] {
        let (names, observations) = pressed(torso, &with_pressure);
        let is_pressure: Vec<bool> = names.iter().map(|n| n.starts_with("pressure_")).collect();
        assert_eq!(is_pressure.iter().filter(|is| **is).count(), 65, "{torso}");
        let force = names.iter().position(|n| n == "force_z [N]").unwrap();
        let mut n_pressed = 0;
        for observation in &observations {
            let entries = observation.iter().zip(&is_pressure);
            let sum: f32 = entries.filter(|(_, is)| **is).map(|(p, _)| p).sum();
            // The sensor also measures the probe's weight as it turns, and its acceleration.
            if observation[force].abs() > 3.0 {
                let error = (sum * 0.005 * 0.005 + observation[force]).abs();
                assert!(error < 0.4, "{torso}: {sum} {}", observation[force]);
                n_pressed += 1;
            }
        }
        assert!(n_pressed > 10, "{torso}: {n_pressed}");
        // The other entries are the same to the bit.
        let (_, without) = pressed(torso, &noiseless);
        for (observation, other) in observations.iter().zip(&without) {
            let entries = observation.iter().zip(&is_pressure);
            let rest = entries.filter(|(_, is)| !**is).map(|(value, _)| value);
            assert!(rest.eq(other), "{torso}");
        }
    }
}
