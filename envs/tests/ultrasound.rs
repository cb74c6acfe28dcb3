//! Contract: ultrasound readings are ordinary entries of the observation: bounded, the same on any number of threads, and from the same
//! time as the other entries; and they show the deformation by the probe.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_envs::check::{CheckOptions, check_env};
use insonate_envs::tasks::{self, EnvFactory};
use insonate_envs::{ResetOptions, VecConfig, VecEnv};

const SMALL: &[(&str, &str)] = &[
    ("scene.shape", "adult"),
    ("action.mode", "hybrid_force"),
    ("observation.ultrasound.lines", "16"),
    ("observation.ultrasound.samples", "32"),
];
const LEN: usize = 16 * 32;

/// Small readings for quick tests.
const SHORT: &[(&str, &str)] = &[
    ("time.limit", "0.2"),
    ("observation.ultrasound.depth", "0.03"),
];

fn factory(task: &str, sets: &[(&str, &str)]) -> EnvFactory {
    tasks::factory(task, &[SMALL, sets].concat()).unwrap()
}

fn reading(name: &str) -> [(&str, &str); 1] {
    [("observation.ultrasound.readings", name)]
}

#[test]
fn a_task_with_ultrasound_keeps_the_contract_of_an_environment() {
    let sets = [(
        "observation.ultrasound.readings",
        "[\"b_mode\", \"labels\"]",
    )];
    let options = CheckOptions {
        n_steps: 4,
        ..CheckOptions::default()
    };
    let factory = factory("probe-sweep", &[&sets, SHORT].concat());
    let problems = check_env(&|| factory.make(), &options);
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
fn frames_show_the_contact_of_the_moment() {
    let sets = reading("[\"b_mode\", \"labels\", \"confidence\"]");
    let mut env = factory("probe-press", &sets).make().unwrap();
    let spec = env.spec();
    let groups = spec.observation_groups.iter();
    let groups: Vec<(&str, usize)> = groups.map(|group| (&*group.name, group.len())).collect();
    let first = spec.observation_space.len() - 3 * LEN;
    assert_eq!(
        groups,
        [
            ("state", first),
            ("b_mode", LEN),
            ("labels", LEN),
            ("confidence", LEN)
        ]
    );
    assert_eq!(spec.observation_groups[1].shape, [16, 32, 1]);
    let space = &spec.observation_space;
    assert_eq!(space.names[first], "b_mode_0_0 [1]");
    assert_eq!(space.names[first + LEN], "labels_0_0 [1]");
    assert_eq!(space.names[first + 2 * LEN], "confidence_0_0 [1]");
    let mut observation = vec![0.0; space.len()];
    env.reset(4, &ResetOptions::default(), &mut observation)
        .unwrap();
    let means = |observation: &[f32]| {
        let mean =
            |n: usize| observation[first + n * LEN..][..LEN].iter().sum::<f32>() / LEN as f32;
        [mean(0), mean(1), mean(2)]
    };
    let [_, in_air, blind] = means(&observation);
    assert_eq!(
        (in_air, blind),
        (0.0, 0.0),
        "the probe starts above the skin"
    );
    // The zero action is the scripted controller.
    let action = vec![0.0; env.spec().action_space.len()];
    for _ in 0..60 {
        env.step(&action, &mut observation).unwrap();
    }
    let [grey, tissue, confidence] = means(&observation);
    assert!(
        tissue > 1.0,
        "the lines pass skin, fat, muscle and organs: {tissue}"
    );
    assert!((0.05..0.9).contains(&grey), "{grey}");
    assert!((0.1..1.0).contains(&confidence), "{confidence}");
}

#[test]
fn ultrasound_is_the_same_on_any_number_of_threads() {
    let sets = reading("[\"b_mode\"]");
    let run = |n_threads| {
        let factory = factory("probe-sweep", &[&sets, SHORT].concat());
        let envs = (0..3).map(|_| factory.make().unwrap()).collect();
        let config = VecConfig {
            n_threads,
            ..VecConfig::default()
        };
        let mut envs = VecEnv::new(envs, config).unwrap();
        envs.reset(Some(9), &ResetOptions::default()).unwrap();
        let actions = vec![0.1; 3 * envs.spec().action_space.len()];
        for _ in 0..12 {
            envs.step(&actions).unwrap();
        }
        envs.batch().observations.clone()
    };
    let one = run(1);
    assert_eq!(one, run(3));
}

#[test]
fn wrong_ultrasound_is_refused() {
    let refusal = |sets: &[(&str, &str)]| {
        let refused = tasks::factory("probe-press", &[SMALL, sets].concat());
        let refused = refused.and_then(|factory| factory.make().map(|_| ()));
        refused.unwrap_err().to_string()
    };
    let on = ("observation.ultrasound.readings", "[\"b_mode\"]");
    assert!(refusal(&reading("[\"bmode\"]")).contains("did you mean \"b_mode\""));
    assert!(refusal(&reading("[\"labels\", \"labels\"]")).contains("twice"));
    assert!(refusal(&[on, ("observation.ultrasound.lines", "1")]).contains("lines"));
    assert!(refusal(&[on, ("observation.ultrasound.samples", "999")]).contains("256"));
    assert!(refusal(&[on, ("observation.ultrasound.depth", "2")]).contains("depth"));
    assert!(refusal(&[on, ("scene.shape", "cylinder")]).contains("adult"));
    let sizes = [
        ("randomization.size", "[0.9, 1.1]"),
        ("randomization.n_sizes", "2"),
    ];
    assert!(refusal(&[&[on], &sizes[..]].concat()).contains("size"));
}

/// Greys of the first frame in contact, with settings of the scanner.
fn greys(controls: &[(&str, &str)]) -> Vec<f32> {
    let sets = [&reading("[\"b_mode\"]")[..], controls].concat();
    let mut env = factory("probe-press", &sets).make().unwrap();
    let spec = env.spec();
    let (n, first) = (
        spec.observation_space.len(),
        spec.observation_space.len() - LEN,
    );
    let mut observation = vec![0.0; n];
    env.reset(4, &ResetOptions::default(), &mut observation)
        .unwrap();
    let action = vec![0.0; env.spec().action_space.len()];
    for _ in 0..40 {
        env.step(&action, &mut observation).unwrap();
    }
    observation.split_off(first)
}

/// The range of 60 dB is one grey level from black to white.
#[test]
fn settings_of_the_scanner_act_in_observations() {
    let usual = greys(&[]);
    let inside = |grey: &f32| (0.2..0.8).contains(grey);
    assert!(usual.iter().filter(|grey| inside(grey)).count() > 100);
    let compare = |controls: &[(&str, &str)], wanted: &dyn Fn(usize, f32) -> f32| {
        let found = greys(controls);
        for (index, (grey, found)) in usual.iter().zip(&found).enumerate() {
            if inside(grey) {
                let wanted = wanted(index, *grey);
                assert!(
                    (found - wanted).abs() < 1e-4,
                    "{controls:?}: {found} {wanted}"
                );
            }
        }
    };
    let gain = [("observation.ultrasound.controls.gain", "6")];
    compare(&gain, &|_, grey| grey + 0.1);
    let map = [("observation.ultrasound.controls.grey_map", "s-curve")];
    compare(&map, &|_, grey| 3.0 * grey * grey - 2.0 * grey.powi(3));
    let range = [("observation.ultrasound.controls.dynamic_range", "80")];
    compare(&range, &|_, grey| 1.0 - 0.75 * (1.0 - grey));
    let tgc = [("observation.ultrasound.controls.tgc", "0,6")];
    compare(&tgc, &|index, grey| grey + 0.1 * (index % 32) as f32 / 32.0);
}

#[test]
fn settings_of_the_scanner_without_effect_or_out_of_range_are_refused() {
    let liver = "[\"liver\"]";
    for (readings, name, value, wanted) in [
        (liver, "gain", "3", "have no effect without the reading"),
        (
            "[\"confidence\"]",
            "grey_map",
            "gamma",
            "has no effect without the reading b_mode",
        ),
        ("[\"b_mode\"]", "grey_map", "bright", "there is no grey map"),
        (
            "[\"b_mode\"]",
            "tgc",
            "0.1=2,0.05=3",
            "depth of tgc is 0.05",
        ),
        (
            "[\"b_mode\"]",
            "view_angle",
            "0.2",
            "has no effect with one view",
        ),
        ("[\"b_mode\"]", "views", "3", "linear arrays only"),
        (
            "[\"b_mode\"]",
            "transmit_frequency",
            "1e6",
            "transmit frequency is 1000000",
        ),
    ] {
        let name = format!("observation.ultrasound.controls.{name}");
        let sets = [SMALL, &reading(readings), &[(&*name, value)]].concat();
        let made = tasks::factory("probe-press", &sets).and_then(|factory| factory.make());
        let told = made
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default();
        assert!(told.contains(wanted), "{name}={value}: {told}");
    }
}
