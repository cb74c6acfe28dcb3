//! Contract: a camera's pixels are ordinary entries of the observation: bounded, the same on any number of threads, and from the same
//! time as the other entries. Without EGL these tests are skipped, or fail if `INSONATE_REQUIRE_EGL` is 1.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

#[path = "../../sim/tests/egl/mod.rs"]
mod egl;

use insonate_envs::check::{CheckOptions, check_env};
use insonate_envs::tasks::{self, EnvFactory};
use insonate_envs::{Env, EnvError, ObservationGroup, ResetOptions, VecConfig, VecEnv};
use insonate_sim::SimError;

const SMALL: &[(&str, &str)] = &[
    ("time.limit", "0.2"),
    ("observation.camera.name", "close"),
    ("observation.camera.width", "16"),
    ("observation.camera.height", "12"),
];

fn factory(task: &str, sets: &[&[(&str, &str)]]) -> EnvFactory {
    tasks::factory(task, &sets.concat()).unwrap()
}

/// Whether EGL is available.
fn can_draw() -> bool {
    match factory("probe-press", &[SMALL]).make() {
        Ok(_) => true,
        Err(EnvError::Sim(error @ SimError::Graphics { .. })) => {
            egl::skip(&error.to_string());
            false
        }
        Err(other) => panic!("{other}"),
    }
}

/// The pixels of an observation: its last entries.
fn pixels<'a>(env: &dyn Env, observation: &'a [f32]) -> &'a [f32] {
    let groups = &env.spec().observation_groups;
    let before = groups.iter().take_while(|group| group.name != "camera");
    let first: usize = before.map(ObservationGroup::len).sum();
    let names = &env.spec().observation_space.names;
    assert!(names[first].starts_with("pixel_0_0_"), "{}", names[first]);
    &observation[first..]
}

fn first_pixels(task: &str, sets: &[(&str, &str)], seed: u64) -> Vec<f32> {
    let mut env = factory(task, &[SMALL, sets]).make().unwrap();
    let mut observation = vec![0.0; env.spec().observation_space.len()];
    env.reset(seed, &ResetOptions::default(), &mut observation)
        .unwrap();
    pixels(&env, &observation).to_vec()
}

#[test]
fn a_task_with_a_camera_keeps_the_contract_of_an_environment() {
    if !can_draw() {
        return;
    }
    for (task, sets) in [
        ("probe-sweep", &[("observation.n_stack", "2")][..]),
        (
            "probe-reach",
            &[
                ("randomization.size", "[0.9, 1.1]"),
                ("randomization.n_sizes", "2"),
            ][..],
        ),
        ("cube-push", &[("observation.camera.kind", "rgb")][..]),
    ] {
        let factory = factory(task, &[SMALL, sets]);
        let options = CheckOptions {
            n_steps: 4,
            ..CheckOptions::default()
        };
        let problems = check_env(&|| factory.make(), &options);
        assert!(problems.is_empty(), "{task} {sets:?}: {problems:#?}");
    }
}

#[test]
fn each_kind_of_pixel_shows_the_scene() {
    if !can_draw() {
        return;
    }
    let n = 16 * 12;
    let rgb = first_pixels("probe-press", &[("observation.camera.kind", "rgb")], 1);
    let grey = first_pixels("probe-press", &[], 1);
    assert_eq!((rgb.len(), grey.len()), (3 * n, n));
    for (color, &grey) in rgb.chunks_exact(3).zip(&grey) {
        let brightness = 0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2];
        assert!((brightness - grey).abs() < 1e-5, "{color:?} {grey}");
    }
    // Skin is red; some of it must be visible.
    assert!(rgb.chunks_exact(3).any(|c| c[0] > c[2] + 0.1));
    // Half the depth range doubles the value; larger depths are clipped.
    let depth = |most: &str| {
        let sets = [
            ("observation.camera.kind", "depth"),
            ("observation.camera.max_depth", most),
        ];
        first_pixels("probe-press", &sets, 1)
    };
    let (near, far) = (depth("0.75"), depth("1.5"));
    assert!(near.contains(&1.0) && near.iter().any(|&d| d < 1.0));
    for (near, far) in near.iter().zip(&far) {
        assert!((near - (2.0 * far).min(1.0)).abs() < 1e-5, "{near} {far}");
    }
}

#[test]
fn the_picture_is_of_the_moment_and_of_the_episode() {
    if !can_draw() {
        return;
    }
    let mut env = factory("probe-reach", &[SMALL, &[("time.limit", "2.0")]])
        .make()
        .unwrap();
    let mut observation = vec![0.0; env.spec().observation_space.len()];
    let action = vec![0.5; env.spec().action_space.len()];
    env.reset(1, &ResetOptions::default(), &mut observation)
        .unwrap();
    let start = pixels(&env, &observation).to_vec();
    for _ in 0..20 {
        env.step(&action, &mut observation).unwrap();
    }
    assert_ne!(pixels(&env, &observation), start);
    let moved = [("randomization.torso_x", "[0.05, 0.05]")];
    let here = first_pixels("probe-press", &[], 3);
    assert_ne!(here, first_pixels("probe-press", &moved, 3));
}

#[test]
fn pixels_are_the_same_on_any_number_of_threads() {
    if !can_draw() {
        return;
    }
    let run = |n_threads: usize| {
        let envs = factory("probe-press", &[SMALL]).make_many(5).unwrap();
        let config = VecConfig {
            n_threads,
            ..VecConfig::default()
        };
        let mut envs = VecEnv::new(envs, config).unwrap();
        envs.reset(Some(9), &ResetOptions::default()).unwrap();
        let actions = vec![0.1; 5 * envs.spec().action_space.len()];
        for _ in 0..12 {
            envs.step(&actions).unwrap();
        }
        envs.batch().observations.clone()
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(8));
}

#[test]
fn wrong_cameras_are_refused() {
    let refusal = |name: &str, value: &str| {
        let sets = [("observation.camera.name", "close"), (name, value)];
        let refused = tasks::factory("probe-press", &sets);
        refused.unwrap_err().to_string()
    };
    assert!(refusal("observation.camera.width", "0").contains("observation.camera.width"));
    assert!(refusal("observation.camera.height", "9999").contains("256"));
    assert!(refusal("observation.camera.kind", "gray").contains("did you mean \"grey\""));
    assert!(refusal("observation.camera.max_depth", "0").contains("max_depth"));
    if can_draw() {
        let made = factory(
            "probe-press",
            &[SMALL, &[("observation.camera.name", "clos")]],
        )
        .make();
        let problem = made.err().unwrap().to_string();
        assert!(problem.contains("clos"), "{problem}");
    }
}
