//! Contract: each wrapper changes what it says and nothing else, keeps the spec true, leaves nothing from episode to episode, and
//! refuses what it cannot do.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod toys;

use insonate_envs::RunningMoments;
use insonate_envs::check::{CheckOptions, check_env};
use insonate_envs::wrappers::{
    ActionLatency, ActionRepeat, ClipAction, FrameStack, NormalizeObservation, ObservationNoise,
    RescaleAction, TimeLimit,
};
use insonate_envs::{EndReason, Env, EnvError, ResetOptions, Step, tasks};
use toys::{Counter, PANIC};

/// Resets to a seed and gives the first observation.
fn reset(env: &mut impl Env, seed: u64) -> Vec<f32> {
    let mut observation = vec![f32::NAN; env.spec().observation_space.len()];
    env.reset(seed, &ResetOptions::default(), &mut observation)
        .unwrap();
    observation
}

fn step(env: &mut impl Env, action: f32) -> (Step, Vec<f32>) {
    let mut observation = vec![f32::NAN; env.spec().observation_space.len()];
    let step = env.step(&[action], &mut observation).unwrap();
    (step, observation)
}

#[test]
fn frames_stack_with_the_oldest_first() {
    let mut env = FrameStack::new(Counter::new(9), 3);
    assert_eq!(env.spec().observation_space.len(), 6);
    assert_eq!(env.spec().observation_space.names[1], "count [1] (t-2)");
    assert_eq!(env.spec().observation_space.names[5], "count [1]");
    assert_eq!(reset(&mut env, 8), [8.0, 0.0, 8.0, 0.0, 8.0, 0.0]);
    step(&mut env, 0.5);
    assert_eq!(step(&mut env, 0.5).1, [8.0, 0.0, 8.0, 1.0, 8.0, 2.0]);
    // A refused action leaves the frames where they are.
    assert!(env.step(&[2.0], &mut [0.0; 6]).is_err());
    assert_eq!(step(&mut env, 0.5).1, [8.0, 1.0, 8.0, 2.0, 8.0, 3.0]);
    assert!(env.step(&[0.5], &mut [0.0; 2]).is_err());
}

#[test]
fn repeated_actions_sum_rewards_and_stop_at_the_end() {
    let mut env = ActionRepeat::new(Counter::new(2), 2);
    assert_eq!(env.spec().control_timestep, 0.2);
    reset(&mut env, 4);
    let (first, observation) = step(&mut env, 0.5);
    assert_eq!(observation, [4.0, 2.0]);
    assert_eq!(first.reward, 0.5 + 1.0 + 0.5 + 2.0);
    assert_eq!(env.reward_terms(), [1.0, 3.0]);
    // The episode ends with its third step.
    let (last, observation) = step(&mut env, 0.5);
    assert_eq!(observation, [4.0, 3.0]);
    assert_eq!(last.reward, 3.5);
    assert!(last.terminated);
    assert_eq!(env.end_reason(), Some(EndReason::Task("counted")));
    let limited = ActionRepeat::new(TimeLimit::new(Counter::new(9), 7), 2);
    assert_eq!(limited.spec().max_episode_steps, Some(4));
}

#[test]
fn late_actions_come_late_and_the_first_ones_are_neutral() {
    let mut env = ActionLatency::new(Counter::new(9), 2);
    let done = |env: &mut ActionLatency<Counter>, action: f32| {
        step(env, action);
        env.reward_terms()[0]
    };
    for _ in 0..2 {
        reset(&mut env, 8);
        assert_eq!(
            [0.25, 0.5, 0.75].map(|action| done(&mut env, action)),
            [0.0, 0.0, 0.25]
        );
        // Refused when asked for, and forgotten.
        assert!(env.step(&[f32::NAN], &mut [0.0; 2]).is_err());
        assert_eq!(done(&mut env, 1.0), 0.5);
        assert_eq!(done(&mut env, 1.0), 0.75);
    }
    let mut prompt = ActionLatency::new(Counter::new(9), 0);
    reset(&mut prompt, 8);
    step(&mut prompt, 0.25);
    assert_eq!(prompt.reward_terms()[0], 0.25);
    // Where zero is out of bounds, the neutral action is the bound next to it.
    let mut shifted = ActionLatency::new(RescaleAction::new(Counter::new(9), 2.0, 4.0).unwrap(), 1);
    reset(&mut shifted, 8);
    step(&mut shifted, 3.0);
    assert_eq!(shifted.reward_terms()[0], -1.0);
}

#[test]
fn noise_has_the_asked_size_comes_from_the_seed_and_keeps_the_bounds() {
    let noisy = |std, bias| {
        ObservationNoise::new(Counter::new(4000), vec![0.0, std], vec![0.0, bias]).unwrap()
    };
    let errors = |env: &mut ObservationNoise<Counter>, seed: u64, n: usize| -> Vec<f64> {
        reset(env, seed);
        // Far from the lower bound, where nothing is cut.
        (0..n + 100)
            .map(|i| f64::from(step(env, 0.0).1[1]) - (i + 1) as f64)
            .skip(100)
            .collect()
    };
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let mut env = noisy(2.0, 0.0);
    let first = errors(&mut env, 6, 3000);
    let spread = (mean(&first.iter().map(|e| e * e).collect::<Vec<_>>())).sqrt();
    // Five standard errors of 3000 draws.
    assert!(
        mean(&first).abs() < 0.18 && (spread - 2.0).abs() < 0.13,
        "{spread}"
    );
    assert_eq!(
        first,
        errors(&mut env, 6, 3000),
        "the same seed, the same errors"
    );
    assert_ne!(first, errors(&mut env, 7, 3000));
    // A bias is the same throughout an episode and differs between them.
    let mut biased = noisy(0.0, 2.0);
    let biases: Vec<f64> = (0..400)
        .map(|seed| errors(&mut biased, seed, 2)[1])
        .collect();
    let spread = (mean(&biases.iter().map(|e| e * e).collect::<Vec<_>>())).sqrt();
    assert!((spread - 2.0).abs() < 0.36, "{spread}");
    let two = errors(&mut biased, 3, 2);
    assert!((two[0] - two[1]).abs() < 1e-3);
    // Two of them differ when their streams do.
    let other = |stream| {
        let inner = ObservationNoise::uniform(Counter::new(9), 0.0, 1.0).unwrap();
        let mut outer = ObservationNoise::uniform(inner, 0.0, 1.0)
            .unwrap()
            .with_stream(stream);
        reset(&mut outer, 500)[0]
    };
    assert_ne!(other(0), other(1));
    let mut wide = ObservationNoise::uniform(Counter::new(9), 1e6, 0.0).unwrap();
    for seed in 0..20 {
        let observation = reset(&mut wide, seed);
        assert!(
            wide.spec().observation_space.contains(&observation),
            "{observation:?}"
        );
    }
    let refused = ObservationNoise::new(Counter::new(9), vec![0.0, -1.0], vec![0.0; 2]);
    let message = refused.err().unwrap().to_string();
    assert!(
        message.contains("std[1] (count [1])") && message.contains("-1"),
        "{message}"
    );
    assert!(ObservationNoise::new(Counter::new(9), vec![0.0], vec![0.0; 2]).is_err());
}

#[test]
fn a_limit_truncates_and_an_earlier_end_stays() {
    let mut env = TimeLimit::new(Counter::new(2), 3);
    assert_eq!(env.spec().max_episode_steps, Some(3));
    reset(&mut env, 7);
    assert!(!step(&mut env, 0.0).0.is_over());
    assert_eq!(env.end_reason(), None);
    step(&mut env, 0.0);
    let (last, _) = step(&mut env, 0.0);
    assert_eq!((last.terminated, last.truncated), (false, true));
    assert_eq!(env.end_reason(), Some(EndReason::TimeLimit));
    assert!(matches!(
        env.step(&[0.0], &mut [0.0; 2]),
        Err(EnvError::Order(_))
    ));
    // Episodes of seed 4 end by themselves with the third step.
    reset(&mut env, 4);
    step(&mut env, 0.0);
    step(&mut env, 0.0);
    let (last, _) = step(&mut env, 0.0);
    assert_eq!((last.terminated, last.truncated), (true, true));
    assert_eq!(env.end_reason(), Some(EndReason::Task("counted")));
    assert_eq!(TimeLimit::new(env, 5).spec().max_episode_steps, Some(3));
}

#[test]
fn clipped_actions_may_have_any_finite_size() {
    let mut env = ClipAction::new(Counter::new(9));
    assert!(env.spec().action_space.contains(&[1e30]));
    reset(&mut env, 8);
    for (action, done) in [(5.0, 1.0), (-5.0, -1.0), (0.5, 0.5)] {
        step(&mut env, action);
        assert_eq!(env.reward_terms()[0], done);
    }
    assert!(env.step(&[f32::NAN], &mut [0.0; 2]).is_err());
    assert!(env.step(&[f32::INFINITY], &mut [0.0; 2]).is_err());
}

#[test]
fn rescaled_actions_reach_the_bounds_exactly() {
    let mut env = RescaleAction::new(Counter::new(9), 0.0, 10.0).unwrap();
    reset(&mut env, 8);
    for (action, done) in [(0.0, -1.0), (10.0, 1.0), (5.0, 0.0)] {
        step(&mut env, action);
        assert_eq!(env.reward_terms()[0], done);
    }
    assert!(env.step(&[-0.1], &mut [0.0; 2]).is_err());
    assert!(RescaleAction::new(Counter::new(9), 1.0, 1.0).is_err());
    assert!(RescaleAction::new(ClipAction::new(Counter::new(9)), -1.0, 1.0).is_err());
    // The scripted policy's action means the same outside as inside.
    let pendulum = || {
        let kind = tasks::by_name("pendulum").unwrap();
        let factory = (kind.build)(&toml::Table::new()).unwrap();
        factory.make().unwrap()
    };
    let mut inside = pendulum();
    let mut outside = RescaleAction::new(pendulum(), -1.0, 1.0).unwrap();
    reset(&mut inside, 3);
    reset(&mut outside, 3);
    let (mut plain, mut rescaled) = ([0.0], [0.0]);
    assert!(inside.scripted_action(&mut plain) && outside.scripted_action(&mut rescaled));
    assert_eq!(plain[0], 2.0 * rescaled[0]);
}

#[test]
fn learned_moments_normalise_and_stay_when_frozen() {
    let new = || RunningMoments::new(2);
    let mut env = NormalizeObservation::learning(Counter::new(2000), new(), 10.0).unwrap();
    reset(&mut env, 4);
    for _ in 0..2000 {
        step(&mut env, 0.0);
    }
    let moments = env.moments().clone();
    assert!((moments.mean[1] - 1000.0).abs() < 1.0, "{moments:?}");
    assert!((moments.var[1].sqrt() - 577.5).abs() < 1.0, "{moments:?}");
    let mut frozen = NormalizeObservation::frozen(Counter::new(9), moments.clone(), 10.0).unwrap();
    let observation = reset(&mut frozen, 4);
    assert!((observation[1] + 1.732).abs() < 0.01, "{observation:?}");
    assert_eq!(*frozen.moments(), moments);
    env.set_learning(false);
    reset(&mut env, 5);
    assert_eq!(*env.moments(), moments);
    let text = serde_json::to_string(&moments).unwrap();
    assert_eq!(
        serde_json::from_str::<RunningMoments>(&text).unwrap(),
        moments
    );
    assert!(NormalizeObservation::frozen(Counter::new(9), RunningMoments::new(3), 10.0).is_err());
    assert!(NormalizeObservation::frozen(Counter::new(9), new(), 0.0).is_err());
}

#[test]
fn wrapped_environments_pass_every_check_and_learning_moments_do_not() {
    type Make = fn(Box<dyn Env>) -> Box<dyn Env>;
    let wraps: [(&str, Make); 8] = [
        ("stack", |env| Box::new(FrameStack::new(env, 3))),
        ("repeat", |env| Box::new(ActionRepeat::new(env, 3))),
        ("latency", |env| Box::new(ActionLatency::new(env, 2))),
        ("noise", |env| {
            Box::new(ObservationNoise::uniform(env, 0.01, 0.1).unwrap())
        }),
        ("limit", |env| Box::new(TimeLimit::new(env, 9))),
        ("clip", |env| Box::new(ClipAction::new(env))),
        ("rescale", |env| {
            Box::new(RescaleAction::new(env, -1.0, 1.0).unwrap())
        }),
        ("normalise", |env| {
            let moments = RunningMoments::new(env.spec().observation_space.len());
            Box::new(NormalizeObservation::frozen(env, moments, 5.0).unwrap())
        }),
    ];
    let settings: toml::Table = "max_episode_steps = 20".parse().unwrap();
    for task in ["pendulum", "reacher"] {
        let factory = (tasks::by_name(task).unwrap().build)(&settings).unwrap();
        for (name, wrap) in wraps {
            let make = || Ok(wrap(factory.make()?));
            let problems = check_env(&make, &CheckOptions::default());
            assert!(problems.is_empty(), "{task} {name}: {problems:#?}");
        }
        let learning = || {
            let env = factory.make()?;
            let moments = RunningMoments::new(env.spec().observation_space.len());
            let env = NormalizeObservation::learning(env, moments, 5.0)?;
            Ok(Box::new(env) as Box<dyn Env>)
        };
        assert!(!check_env(&learning, &CheckOptions::default()).is_empty());
    }
}

#[test]
fn a_panic_goes_through() {
    // Wrappers catch nothing: a vector does.
    let mut env = FrameStack::new(Counter::new(9), 2);
    reset(&mut env, 0);
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        step(&mut env, PANIC);
    }));
    assert!(caught.is_err());
}
