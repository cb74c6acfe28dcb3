//! Contract: the tasks on tissue can be solved, have the documented rewards, are bit-identical on any number of threads, and end with a
//! reason if the tissue diverges.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::sync::LazyLock;

use insonate_envs::check::{CheckOptions, check_env};
use insonate_envs::surgery::Organ;
use insonate_envs::tasks::{self, EnvFactory};
use insonate_envs::{EndReason, Env, EnvError, ResetOptions, VecConfig, VecEnv};

/// A mesh with a quarter of the default tetrahedra. The default mesh takes seconds to build in a test build.
const COARSE: &[(&str, &str)] = &[("organ.edge", "0.03")];

/// The task of the paper: fixed start and target, and no touch.
const PAPER: &[(&str, &str)] = &[
    ("task.target", "fixed"),
    ("task.start_spread", "0.0"),
    ("task.least_force", "0.0"),
    ("task.max_force", "1000.0"),
    ("task.force_weight", "0.0"),
    ("task.distance_weight", "1.0"),
];

static REACH: LazyLock<EnvFactory> = LazyLock::new(|| with("tissue-reach", PAPER));

static RETRACT: LazyLock<EnvFactory> =
    LazyLock::new(|| tasks::factory("tissue-retract", COARSE).unwrap());

fn with(task: &str, sets: &[(&str, &str)]) -> EnvFactory {
    tasks::factory(task, &[COARSE, sets].concat()).unwrap()
}

/// An episode, step by step.
struct Play {
    env: Box<dyn Env>,
    observation: Vec<f32>,
    rewards: Vec<f64>,
    is_over: bool,
}

impl Play {
    fn begin(factory: &EnvFactory, seed: u64) -> Self {
        let mut env = factory.make().unwrap();
        let mut observation = vec![0.0; env.spec().observation_space.len()];
        env.reset(seed, &ResetOptions::default(), &mut observation)
            .unwrap();
        Self {
            env,
            observation,
            rewards: Vec::new(),
            is_over: false,
        }
    }

    fn step(&mut self, action: &[f32]) {
        let step = self.env.step(action, &mut self.observation).unwrap();
        assert!(self.observation.iter().all(|value| value.is_finite()));
        self.rewards.push(step.reward);
        self.is_over = step.is_over();
    }

    fn scripted(&mut self) -> Vec<f32> {
        let mut action = vec![0.0; self.env.spec().action_space.len()];
        assert!(self.env.scripted_action(&mut action));
        action
    }

    fn play_script(mut self) -> Self {
        while !self.is_over {
            let action = self.scripted();
            self.step(&action);
        }
        self
    }

    fn metric(&self, name: &str) -> f64 {
        let mut metrics = vec![0.0; self.env.spec().metrics.len()];
        self.env.metrics(&mut metrics);
        let place = self.env.spec().metrics.iter().position(|n| *n == name);
        metrics[place.unwrap()]
    }

    fn place(&self, first: usize) -> [f64; 3] {
        [0, 1, 2].map(|axis| f64::from(self.observation[first + axis]))
    }

    /// Distance from instrument to target [m].
    fn distance(&self) -> f64 {
        let [a, b] = [self.place(0), self.place(3)];
        (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
    }

    fn phase(&self) -> f32 {
        self.observation[10]
    }
}

#[test]
fn the_default_organ_is_of_the_papers_size_and_its_scripts_succeed() {
    let settings = insonate_envs::surgery::SurgerySettings::<()>::default();
    let n_tets = Organ::new(&settings).unwrap().n_tets();
    assert!((1110..=1230).contains(&n_tets), "{n_tets} tetrahedra");
    let reach = Play::begin(&tasks::factory("tissue-reach", PAPER).unwrap(), 1).play_script();
    assert_eq!(reach.metric("success"), 1.0);
    assert_eq!(reach.metric("solved"), 1.0);
    let touch = tasks::factory("tissue-reach", &[]).unwrap();
    for seed in 1..6 {
        let touch = Play::begin(&touch, seed).play_script();
        let peak = touch.metric("peak_force_n");
        assert_eq!(touch.metric("success"), 1.0, "seed {seed}: {peak} N");
        assert!((0.01..0.2).contains(&peak), "seed {seed}: {peak} N");
    }
    let retract = Play::begin(&tasks::factory("tissue-retract", &[]).unwrap(), 1).play_script();
    assert_eq!(retract.metric("success"), 1.0);
}

#[test]
fn both_keep_the_contract_however_random_they_are() {
    for (task, sets) in [
        ("tissue-reach", PAPER),
        ("tissue-reach", &[("observation.force", "true")]),
        (
            "tissue-retract",
            &[("task.goal_spread", "0.005"), ("observation.force", "true")],
        ),
    ] {
        let factory = with(task, sets);
        let options = CheckOptions {
            n_steps: 12,
            is_random: sets != PAPER,
            ..CheckOptions::default()
        };
        let problems = check_env(&|| factory.make(), &options);
        assert!(problems.is_empty(), "{task} {sets:?}: {problems:#?}");
    }
}

#[test]
fn reach_rewards_use_centimetres_and_the_episode_ends_at_three_millimetres() {
    let mut play = Play::begin(&REACH, 1);
    let mut distances = vec![play.distance()];
    while !play.is_over {
        let action = play.scripted();
        play.step(&action);
        distances.push(play.distance());
        let [.., before, now] = distances[..] else {
            unreachable!()
        };
        let bonus = if now < 0.003 { 100.0 } else { 0.0 };
        let expected = -100.0 * now - 1000.0 * (now - before) + bonus;
        // Observations are f32: 1e-8 m of 0.1 m, times 1000.
        let reward = play.rewards[play.rewards.len() - 1];
        assert!((reward - expected).abs() < 1e-4, "{reward} {expected}");
        assert_eq!(play.env.reward_terms().iter().sum::<f64>(), reward);
    }
    let [earlier @ .., last] = &distances[..] else {
        unreachable!()
    };
    assert!(*last < 0.003 && earlier.iter().all(|distance| *distance >= 0.003));
    assert_eq!(
        play.env.end_reason(),
        Some(EndReason::Task("target reached".into()))
    );
    let return_: f64 = play.rewards.iter().sum();
    assert!(return_ > 80.0 && play.metric("solved") == 1.0, "{return_}");
    // A late success is not *solved*.
    let mut slow = Play::begin(&REACH, 1);
    for _ in 0..60 {
        slow.step(&[0.0; 3]);
    }
    let slow = slow.play_script();
    assert_eq!((slow.metric("success"), slow.metric("solved")), (1.0, 0.0));
}

#[test]
fn a_pressed_target_gives_way_and_its_force_is_felt() {
    // The target is reached only within 0.1 mm, so that the instrument can continue.
    let more = [("task.threshold", "0.0001"), ("observation.force", "true")];
    let factory = with("tissue-reach", &[PAPER, &more].concat());
    let mut play = Play::begin(&factory, 1);
    let rest = play.place(3);
    assert_eq!(play.observation[6], 0.0);
    let mut most = 0.0_f32;
    for _ in 0..60 {
        // To the target's centre from a small offset, then deeper.
        let [x, y, _] = play.place(0);
        let aside = [rest[0] + 0.001 - x, rest[1] - y];
        let [x, y] = aside.map(|way| (way / 0.001).clamp(-1.0, 1.0) as f32);
        play.step(&[x, y, -0.5]);
        most = most.max(play.observation[6]);
    }
    let sunk = rest[2] - play.place(3)[2];
    assert!(sunk > 0.003, "{sunk} m");
    assert!(most > 0.01, "{most} N");
    let peak = play.metric("peak_force_n");
    assert!(
        (peak - f64::from(most)).abs() < 1e-6 * peak,
        "{peak} {most}"
    );
}

/// Reward terms of `tissue-retract`.
const CHANGE: usize = 2;
const GRASP: usize = 3;
const SUCCESS: usize = 4;

#[test]
fn what_was_grasped_is_lifted_and_dropped_again() {
    let mut play = Play::begin(&RETRACT, 1);
    let rest = play.place(3);
    while play.phase() == 0.0 {
        let action = play.scripted();
        play.step(&action);
        assert!(!play.is_over, "never grasped");
    }
    assert_eq!(play.env.reward_terms()[GRASP], 1.0);
    for _ in 0..10 {
        play.step(&[0.0, 0.0, 1.0, -1.0]);
    }
    let lifted = play.place(3)[2] - rest[2];
    assert!(lifted > 0.006, "{lifted} m");
    for _ in 0..40 {
        play.step(&[0.0, 0.0, 0.0, 1.0]);
    }
    assert_eq!(play.phase(), 0.0);
    let left = play.place(3)[2] - rest[2];
    assert!(left < 0.5 * lifted, "{left} m of {lifted} m");
    // Grasped again, but not rewarded again.
    while !play.is_over {
        let action = play.scripted();
        play.step(&action);
        assert_eq!(play.env.reward_terms()[GRASP], 0.0);
    }
    assert_eq!(play.metric("success"), 1.0);
    assert_eq!(play.env.reward_terms()[SUCCESS], 1.0);
    assert_eq!(
        play.env.end_reason(),
        Some(EndReason::Task("goal reached".into()))
    );
}

#[test]
fn the_change_term_sums_to_the_reduction_of_the_remaining_distance() {
    let mut play = Play::begin(&RETRACT, 1);
    let way = |play: &Play| {
        let [at, target, goal] = [0, 3, 6].map(|first| play.place(first));
        let between =
            |a: [f64; 3], b: [f64; 3]| (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt();
        let to_target = if play.phase() == 0.0 {
            between(at, target)
        } else {
            0.0
        };
        to_target + between(target, goal)
    };
    let first = way(&play);
    let mut sum = 0.0;
    // Grasps, lifts, drops, and continues.
    let drops = [[0.0, 0.0, 1.0, -1.0]; 8]
        .into_iter()
        .chain([[0.0, 0.0, 0.5, 1.0]; 6]);
    let mut drops = drops.map(Vec::from);
    while !play.is_over {
        let dropping = if play.phase() == 1.0 {
            drops.next()
        } else {
            None
        };
        let action = dropping.unwrap_or_else(|| play.scripted());
        play.step(&action);
        sum += play.env.reward_terms()[CHANGE];
    }
    // The weight divided by the workspace's diagonal.
    let per_metre = 100.0 / (0.18_f64.powi(2) + 0.13_f64.powi(2) + 0.12_f64.powi(2)).sqrt();
    let expected = (first - way(&play)) * per_metre;
    // Observations are f32: 1e-8 m.
    assert!((sum - expected).abs() < 1e-4, "{sum} {expected}");
    assert_eq!(play.metric("success"), 1.0);
}

#[test]
fn clamps_hold_until_they_open_to_half() {
    let mut play = Play::begin(&RETRACT, 1);
    while play.phase() == 0.0 {
        let action = play.scripted();
        play.step(&action);
    }
    for (way, phase) in [(1.0, 1.0), (1.0, 1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, 0.0)] {
        play.step(&[0.0, 0.0, 0.0, way]);
        assert_eq!(play.phase(), phase, "open by {}", play.observation[9]);
    }
    assert!(play.metric("peak_grasp_force_n") > 0.0);
}

#[test]
fn the_psm_does_both_tasks_within_its_limits_and_shows_its_torques() {
    let psm = [
        ("scene.robot", "psm"),
        ("observation.force", "true"),
        ("observation.joints", "true"),
    ];
    for (task, first) in [("tissue-reach", 6), ("tissue-retract", 11)] {
        let factory = with(task, &psm);
        let problems = check_env(
            &|| factory.make(),
            &CheckOptions {
                n_steps: 12,
                is_random: task == "tissue-retract",
                ..CheckOptions::default()
            },
        );
        assert!(problems.is_empty(), "{task}: {problems:#?}");
        let mut play = Play::begin(&factory, 1);
        assert_eq!(play.observation.len(), first + 7);
        let at_rest = play.observation.clone();
        while !play.is_over {
            let action = play.scripted();
            play.step(&action);
        }
        assert_eq!(play.metric("success"), 1.0, "{task}");
        let share = play.metric("peak_torque_share");
        assert!(share > 0.0 && share <= 1.0, "{task}: {share} of its limits");
        // The arm has moved, and its torques have changed.
        let moved = (first + 1..first + 7).all(|i| play.observation[i] != at_rest[i]);
        assert!(moved, "{task}: {:?}", play.observation);
    }
}

#[test]
fn the_tissue_bends_the_psm_and_not_the_floating_instrument() {
    let error = |robot: &str| {
        let mut play = Play::begin(
            &with(
                "tissue-retract",
                &[("scene.robot", robot), ("organ.young_modulus", "60000")],
            ),
            1,
        );
        while play.phase() == 0.0 {
            let action = play.scripted();
            play.step(&action);
        }
        for _ in 0..15 {
            play.step(&[0.0, 0.0, 1.0, -1.0]);
        }
        let before = play.place(0);
        for _ in 0..20 {
            play.step(&[0.0, 0.0, 0.0, -1.0]);
        }
        let force = play.metric("peak_grasp_force_n");
        assert!(force > 1.0, "{robot}: {force} N");
        let after = play.place(0);
        (0..3)
            .map(|i| (after[i] - before[i]).powi(2))
            .sum::<f64>()
            .sqrt()
    };
    assert!(error("floating") < 1e-6);
    let bent = error("psm");
    assert!(bent > 1e-5 && bent < 3e-3, "{bent} m");
}

#[test]
fn clamps_that_close_elsewhere_have_not_grasped() {
    let mut play = Play::begin(&RETRACT, 1);
    for _ in 0..8 {
        play.step(&[0.0, 0.0, 0.0, -1.0]);
    }
    assert_eq!((play.observation[9], play.phase()), (0.0, 0.0));
}

#[test]
fn a_group_that_advances_together_gives_the_bits_of_each_alone_on_any_number_of_threads() {
    let run = |envs: Vec<Box<dyn Env>>, n_threads: usize| {
        let config = VecConfig {
            n_threads,
            ..VecConfig::default()
        };
        let mut env = VecEnv::new(envs, config).unwrap();
        env.reset(Some(3), &ResetOptions::default()).unwrap();
        let n_actions = env.spec().action_space.len();
        let mut seen = Vec::new();
        for step in 0..40 {
            let action = (0..4 * n_actions).map(|i| ((7 * i + 3 * step) % 5) as f32 / 2.0 - 1.0);
            let action: Vec<f32> = action.collect();
            let batch = env.step(&action).unwrap();
            seen.extend(batch.observations.iter().map(|value| value.to_bits()));
            seen.extend(batch.rewards.iter().map(|value| value.to_bits()));
        }
        seen
    };
    let random = with(
        "tissue-reach",
        &[("task.target", "random"), ("task.start_spread", "0.005")],
    );
    for factory in [&random, &RETRACT] {
        let together = run(factory.make_many(4).unwrap(), 1);
        let alone = || (0..4).map(|_| factory.make().unwrap()).collect();
        assert!(together == run(alone(), 1) && together == run(alone(), 2));
    }
}

#[test]
fn tissue_that_cannot_be_followed_ends_the_episode_and_the_next_one_is_fine() {
    let factory = with(
        "tissue-reach",
        // Without gravity the organ is initially at rest, so that only the instrument moves it.
        &[
            ("organ.gravity", "0"),
            ("organ.max_speed", "0.02"),
            ("task.threshold", "0.0001"),
        ],
    );
    let mut returns = Vec::new();
    let mut play = Play::begin(&factory, 1);
    for _ in 0..2 {
        let mut observation = play.observation.clone();
        while !play.is_over {
            observation.clone_from(&play.observation);
            play.step(&[0.0, 0.0, -1.0]);
        }
        let reason = play.env.end_reason().unwrap();
        assert!(matches!(&reason, EndReason::Diverged(_)), "{reason:?}");
        assert!(reason.text().contains("faster than 0.02 m/s"), "{reason:?}");
        assert_eq!(play.observation, observation, "the last that was finite");
        assert_eq!(play.rewards.last(), Some(&0.0));
        let error = play.env.step(&[0.0; 3], &mut play.observation);
        assert!(matches!(error, Err(EnvError::Order(_))));
        returns.push(play.rewards.iter().sum::<f64>());
        play.env
            .reset(1, &ResetOptions::default(), &mut play.observation)
            .unwrap();
        play.rewards.clear();
        play.is_over = false;
    }
    assert_eq!(returns[0], returns[1]);
}

#[test]
fn the_picture_shows_the_organ_as_it_is() {
    let mut play = Play::begin(&RETRACT, 1);
    // Distance from the target to the nearest rendered vertex [m].
    let nearest = |play: &Play| {
        let (_, physics) = play.env.scene().unwrap();
        let target = play.place(3);
        let distances = physics.data().flexvert_xpos().iter().map(|p| {
            let squares = (0..3).map(|i| (p[i] - target[i]).powi(2));
            squares.sum::<f64>().sqrt()
        });
        (physics.time(), distances.fold(f64::INFINITY, f64::min))
    };
    let (time, distance) = nearest(&play);
    assert!(time == 0.0 && distance < 1e-6, "{time} s, {distance} m");
    while play.phase() == 0.0 {
        let action = play.scripted();
        play.step(&action);
    }
    for _ in 0..20 {
        play.step(&[0.0, 0.0, 1.0, -1.0]);
    }
    let (time, distance) = nearest(&play);
    assert!(distance < 1e-6, "{distance} m");
    let expected = 0.01 * play.rewards.len() as f64;
    assert!((time - expected).abs() < 1e-9, "{time} s");
}

#[test]
fn wrong_settings_are_named_with_what_is_allowed() {
    for (task, name, value, parts) in [
        (
            "tissue-reach",
            "organ.edge",
            "0.001",
            &["organ.edge", "0.006"][..],
        ),
        (
            "tissue-reach",
            "organ.poisson_ratio",
            "0.5",
            &["organ.poisson_ratio", "0.49"],
        ),
        (
            "tissue-reach",
            "organ.drag",
            "2000",
            &["organ.drag", "1000"],
        ),
        (
            "tissue-reach",
            "organ.fixed_behind",
            "nan",
            &["organ.fixed_behind", "NaN"],
        ),
        ("tissue-reach", "time.n_substeps", "0", &["time.n_substeps"]),
        (
            "tissue-reach",
            "instrument.trocar",
            "[0.0, 0.0, 0.05]",
            &["instrument.trocar", "0.05"],
        ),
        (
            "tissue-reach",
            "instrument.workspace_low",
            "[0.2, 0.0, 0.0]",
            &["instrument.workspace along x", "above its end"],
        ),
        (
            "tissue-reach",
            "task.target",
            "nearest",
            &["nearest", "fixed", "random"],
        ),
        (
            "tissue-reach",
            "task.threshhold",
            "0.01",
            &["did you mean \"threshold\""],
        ),
        ("tissue-retract", "task.jaw_step", "0", &["task.jaw_step"]),
        (
            "tissue-retract",
            "instrument.release_opening",
            "0.05",
            &["instrument.release_opening", "0.1"],
        ),
        (
            "tissue-reach",
            "scene.robot",
            "ur5e",
            &["ur5e", "floating", "psm"],
        ),
        (
            "tissue-reach",
            "observation.joints",
            "true",
            &["observation.joints", "psm"],
        ),
        (
            "tissue-retract",
            "instrument.grasp_radius",
            "0.005",
            &["instrument.grasp_radius", "0.007"],
        ),
    ] {
        let message = tasks::factory(task, &[(name, value)])
            .unwrap_err()
            .to_string();
        for part in parts {
            assert!(message.contains(part), "{name} = {value}: {message}");
        }
    }
    let mut env = REACH.make().unwrap();
    let mut observation = vec![0.0; 6];
    let options = ResetOptions {
        parameters: [("target".to_owned(), 0.5)].into(),
    };
    let error = env.reset(1, &options, &mut observation).unwrap_err();
    assert!(error.to_string().contains("whole number"), "{error}");
}

#[test]
fn a_touch_counts_when_it_is_felt_and_a_hard_one_ends_the_episode() {
    // Within the threshold, but without a touch yet.
    let far = [("task.threshold", "0.02")];
    let mut play = Play::begin(&with("tissue-reach", &far), 3);
    let mut was_near = false;
    while !play.is_over {
        let felt = play.metric("peak_force_n");
        was_near |= play.distance() < 0.02 && felt == 0.0;
        let action = play.scripted();
        play.step(&action);
    }
    assert!(was_near && play.metric("peak_force_n") >= 0.01);
    assert_eq!(
        play.env.end_reason(),
        Some(EndReason::Task("target reached".into()))
    );
    // At maximum speed, until the episode ends.
    let deep = [("task.threshold", "0.0001"), ("task.max_force", "0.2")];
    let mut play = Play::begin(&with("tissue-reach", &deep), 3);
    while !play.is_over {
        let way = [0, 1, 2].map(|i| play.place(3)[i] - play.place(0)[i] - [0.0, 0.0, 0.01][i]);
        let most = way.iter().fold(1e-9_f64, |most, it| most.max(it.abs()));
        play.step(&way.map(|it| (it / most) as f32));
    }
    assert_eq!(
        play.env.end_reason(),
        Some(EndReason::Task("pressed too hard".into()))
    );
    assert_eq!(play.metric("success"), 0.0);
    assert!(play.metric("peak_force_n") > 0.2);
    // The penalty is the increase of the maximum force above half of the limit.
    let terms = play.env.reward_terms();
    assert!(terms[3] < 0.0 && terms[2] == -100.0, "{terms:?}");
}
