//! `needle-biopsy`: the lesion is where the breath has it, the gated script beats the static plan, and forces and ends are those of the needle.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_envs::tasks::{self, EnvFactory};
use insonate_envs::{EndReason, Env, ResetOptions};

fn factory(sets: &[(&str, &str)]) -> EnvFactory {
    tasks::factory("needle-biopsy", sets).unwrap()
}

/// Metrics at the end of an episode under the script, by name.
fn episode(env: &mut dyn Env, seed: u64, fixed: &[(&str, f64)]) -> (Vec<f64>, f64) {
    let spec = env.spec().clone();
    let mut observation = vec![0.0; spec.observation_space.len()];
    let mut action = vec![0.0; spec.action_space.len()];
    let mut options = ResetOptions::default();
    for (name, value) in fixed {
        options.parameters.insert((*name).to_owned(), *value);
    }
    env.reset(seed, &options, &mut observation).unwrap();
    let mut sum = 0.0;
    loop {
        assert!(env.scripted_action(&mut action));
        let step = env.step(&action, &mut observation).unwrap();
        sum += step.reward;
        if step.is_over() {
            let mut metrics = vec![0.0; spec.metrics.len()];
            env.metrics(&mut metrics);
            return (metrics, sum);
        }
    }
}

#[test]
fn the_gated_script_samples_the_lesion_and_the_static_plan_misses_it() {
    let mut rates = Vec::new();
    for script in ["gated", "static"] {
        let mut env = factory(&[("script", script)]).make().unwrap();
        let spec = env.spec().clone();
        let of = |name: &str| {
            spec.metrics
                .iter()
                .position(|known| *known == name)
                .unwrap()
        };
        let (success, lateral) = (of("success"), of("lateral_error_m"));
        let all: Vec<(Vec<f64>, f64)> = (0..8)
            .map(|seed| episode(env.as_mut(), seed, &[]))
            .collect();
        let mean = |index: usize| all.iter().map(|(m, _)| m[index]).sum::<f64>() / 8.0;
        rates.push([mean(success), mean(lateral)]);
    }
    let [gated, planned] = [rates[0], rates[1]];
    assert!(gated[0] >= 0.875, "{rates:?}");
    assert!(planned[0] <= gated[0] - 0.25, "{rates:?}");
    assert!(gated[1] < 2e-3 && planned[1] > 1.5 * gated[1], "{rates:?}");
}

#[test]
fn without_breath_the_plan_is_as_good_as_waiting() {
    let mut env = factory(&[("script", "static")]).make().unwrap();
    let still = [
        ("breath_along", 0.0),
        ("breath_across", 0.0),
        ("breath_front", 0.0),
    ];
    let (metrics, reward) = episode(env.as_mut(), 3, &still);
    assert!(metrics[0] > 0.5, "{metrics:?}");
    assert!(reward > 5.0, "{reward}");
    assert_eq!(
        env.end_reason(),
        Some(EndReason::Task("lesion sampled".into()))
    );
}

#[test]
fn the_sample_is_the_chord_of_the_lesion_in_the_notch() {
    // Straight down next to the target, in a body that does not breathe and hardly gives way: the chord of a ball of 5 mm.
    let still = [
        ("breath_along", 0.0),
        ("breath_across", 0.0),
        ("breath_front", 0.0),
        ("tilt_x", 0.0),
        ("tilt_y", 0.0),
        ("target_x", 0.0),
        ("target_y", 0.0),
        ("target_depth", 0.04),
        ("entry_y", 0.0),
    ];
    let mut env = factory(&[("max_speed", "0.02")]).make().unwrap();
    let spec = env.spec().clone();
    let mut observation = vec![0.0; spec.observation_space.len()];
    for aside in [0.0, 3e-3] {
        let mut options = ResetOptions::default();
        for (name, value) in still.iter().chain([&("entry_x", aside)]) {
            options.parameters.insert((*name).to_owned(), *value);
        }
        env.reset(1, &options, &mut observation).unwrap();
        let mut action = [1.0, 0.0, 0.0, 0.0, 0.0, -1.0];
        let mut metrics = vec![0.0; spec.metrics.len()];
        // 5 mm above the skin, 40 mm to the target, 13 mm from the tip to the middle of the notch.
        for _ in 0..32 {
            assert!(!env.step(&action, &mut observation).unwrap().is_over());
        }
        action = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        assert!(env.step(&action, &mut observation).unwrap().terminated);
        env.metrics(&mut metrics);
        // The observation before it says how far the notch is from the target, in cm.
        let off: Vec<f64> = observation[8..11]
            .iter()
            .map(|x| 0.01 * f64::from(*x))
            .collect();
        let across = off[0].hypot(off[1]);
        let half = (25e-6 - across * across).max(0.0).sqrt();
        let expected = (off[2] + half).min(9e-3) - (off[2] - half).max(-9e-3);
        assert!(
            (metrics[1] - expected).abs() < 3e-4,
            "{metrics:?} {off:?} {expected}"
        );
        assert!((across - aside).abs() < 1e-3, "{off:?}");
        assert!((metrics[2] - across).abs() < 3e-4, "{metrics:?} {off:?}");
    }
}

#[test]
fn wrong_settings_are_refused_by_field() {
    for (field, value) in [
        ("depth", "[0.04, 0.03]"),
        ("depth", "[0.03, 0.3]"),
        ("breath.rate", "[0.0, 0.2]"),
        ("breath.along", "[0.004, 0.002]"),
        ("needle.gauge", "19"),
        ("needle.edge", "0.0001"),
        ("max_speed", "0.0"),
        ("least_sample", "0.1"),
    ] {
        let error = tasks::factory("needle-biopsy", &[(field, value)])
            .unwrap_err()
            .to_string();
        let last = field.rsplit('.').next().unwrap();
        assert!(error.contains(last), "{field}: {error}");
    }
}
