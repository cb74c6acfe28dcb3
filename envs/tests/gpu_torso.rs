//! Contract: environments whose torsos a GPU steps together have the bits of each alone, press with the force of the processor, and torsos that no GPU steps
//! are refused by name.
//!
//! Without a driver the tests that need one are skipped, or fail where `INSONATE_REQUIRE_GPU` is 1.

use insonate_envs::tasks::factory;
use insonate_envs::{EnvFactory, ResetOptions, VecConfig, VecEnv};
use insonate_sim::readings::ProbeContact;

fn press(torso: &str, device: &str) -> EnvFactory {
    let settings = [
        ("action.mode", "hybrid_force"),
        ("scene.torso", torso),
        ("scene.device", device),
        ("scene.tissue.spacing", "0.06"),
        ("scene.tissue.reach", "0.0"),
        ("randomization.start_height", "[0.002, 0.002]"),
        ("randomization.stiffness", "[800, 2400]"),
        ("randomization.damping", "[10, 30]"),
    ];
    factory("probe-press", &settings).expect("the settings are valid")
}

/// Observations after some scripted steps, and the greatest force on a probe [N].
fn run(
    factory: &EnvFactory,
    n_envs: usize,
    (seed, n_steps): (u64, usize),
) -> Result<(Vec<f32>, f64), String> {
    let envs = factory
        .make_many(n_envs)
        .map_err(|error| error.to_string())?;
    let mut env = VecEnv::new(envs, VecConfig::default()).map_err(|error| error.to_string())?;
    env.reset(Some(seed), &ResetOptions::default())
        .map_err(|error| error.to_string())?;
    let mut actions = vec![0.0; n_envs * env.spec().action_space.len()];
    let mut force = 0.0f64;
    for _ in 0..n_steps {
        env.scripted_actions(&mut actions);
        env.step(&actions).map_err(|error| error.to_string())?;
        for index in 0..n_envs {
            let (_, physics) = env.env(index).scene().expect("a scene");
            let contact = ProbeContact::new(physics.model()).expect("a probe");
            force = force.max(contact.force_in_world(physics).norm());
        }
    }
    Ok((env.batch().observations.clone(), force))
}

#[test]
fn environments_on_a_gpu_have_the_bits_of_each_alone() {
    for (torso, n_steps) in [("mpm", 9), ("xpbd", 40)] {
        together_and_alone(torso, n_steps);
    }
}

fn together_and_alone(torso: &str, n_steps: usize) {
    let on_gpu = press(torso, "gpu");
    let together = match run(&on_gpu, 2, (5, n_steps)) {
        Ok(together) => together,
        Err(problem) => {
            let is_required = std::env::var("INSONATE_REQUIRE_GPU").is_ok_and(|value| value == "1");
            assert!(problem.contains("GPU") && !is_required, "{problem}");
            return eprintln!("skipped: {problem}");
        }
    };
    let alone: Vec<f32> = (5..7)
        .flat_map(|seed| run(&on_gpu, 1, (seed, n_steps)).expect("an environment").0)
        .collect();
    assert_eq!(together.0, alone);
    let on_cpu = run(&press(torso, "cpu"), 2, (5, n_steps)).expect("environments");
    eprintln!(
        "{torso}: {:.3} N, on the processor {:.3} N",
        together.1, on_cpu.1
    );
    assert!(on_cpu.1 > 0.5, "{}", on_cpu.1);
    assert!(
        (together.1 / on_cpu.1 - 1.0).abs() < 0.05,
        "{} {}",
        together.1,
        on_cpu.1
    );
}

#[test]
fn torsos_that_no_gpu_steps_are_refused_by_name() {
    for torso in ["fast", "elastic", "flex", "composite"] {
        let factory = factory(
            "probe-press",
            &[("scene.torso", torso), ("scene.device", "gpu")],
        );
        let made = factory.and_then(|factory| factory.make().map(|_| ()));
        let problem = made.expect_err("no GPU steps it").to_string();
        assert!(
            problem.contains(torso) && problem.contains("mpm, xpbd"),
            "{problem}"
        );
    }
    let factory = factory("probe-press", &[("scene.device", "tpu")]);
    let problem = factory.and_then(|factory| factory.make().map(|_| ()));
    let problem = problem.expect_err("there is no such device").to_string();
    assert!(
        problem.contains("tpu") && problem.contains("cpu"),
        "{problem}"
    );
}

#[test]
fn pressures_that_a_gpu_does_not_give_are_refused() {
    let settings = [
        ("scene.torso", "xpbd"),
        ("scene.device", "gpu"),
        ("scene.tissue.spacing", "0.06"),
        ("observation.pressure", "true"),
    ];
    let made = factory("probe-press", &settings).and_then(|factory| factory.make().map(|_| ()));
    let problem = made.expect_err("a GPU gives no contact points").to_string();
    let has_no_gpu = problem.contains("no GPU") || problem.contains("adapter");
    assert!(
        has_no_gpu || problem.contains("observation.pressure"),
        "{problem}"
    );
}
