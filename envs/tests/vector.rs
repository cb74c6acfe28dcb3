//! Contract: environments step as Gymnasium's vector environments do, are bit-identical on any number of threads, check
//! every action before any environment moves, isolate a failing environment, and resume from a snapshot bit-identically.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod toys;

use insonate_envs::vector::EnvSnapshot;
use insonate_envs::{
    Autoreset, Batch, EndReason, Env, EnvError, FrameStack, ResetOptions, Start, VecConfig, VecEnv,
    tasks,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use toys::{Counter, PANIC, POISON};

fn boxed(least: usize) -> Box<dyn Env> {
    Box::new(Counter::new(least))
}

fn counters(n_envs: usize, autoreset: Autoreset) -> VecEnv {
    let config = VecConfig {
        autoreset,
        n_threads: 2,
    };
    VecEnv::new((0..n_envs).map(|_| boxed(2)).collect(), config).unwrap()
}

/// Episodes of 3 steps in env 0 and of 4 in env 1.
fn reset_both(env: &mut VecEnv) {
    env.reset_env(0, 100, &ResetOptions::default()).unwrap();
    env.reset_env(1, 101, &ResetOptions::default()).unwrap();
}

#[test]
fn environments_that_stay_keep_their_episode_and_their_row() {
    let mut env = counters(2, Autoreset::Disabled);
    reset_both(&mut env);
    env.step(&[0.5, 0.5]).unwrap();
    let starts = [Start::Reset(Some(9)), Start::Stay];
    let batch = env.reset_each(&starts, &ResetOptions::default()).unwrap();
    assert_eq!(batch.observations[1..], [0.0, 101.0, 1.0]);
    assert_eq!(batch.rewards, [0.0, 1.5]);
    let batch = env.step(&[0.5, 0.5]).unwrap();
    assert_eq!([batch.observations[1], batch.observations[3]], [1.0, 2.0]);
    // The seed started a new stream for the environment that was reset with it.
    let first = env.snapshot()[0].episode.as_ref().unwrap().seed;
    let mut other = counters(1, Autoreset::Disabled);
    other.reset(Some(9), &ResetOptions::default()).unwrap();
    assert_eq!(other.snapshot()[0].episode.as_ref().unwrap().seed, first);
    let short = env.reset_each(&starts[..1], &ResetOptions::default());
    assert!(matches!(short, Err(EnvError::Length { .. })));
}

#[test]
fn next_step_resets_in_the_step_after_the_end_and_ignores_its_action() {
    let mut env = counters(2, Autoreset::NextStep);
    reset_both(&mut env);
    for _ in 0..2 {
        env.step(&[0.5, 0.5]).unwrap();
    }
    let batch = env.step(&[0.5, -0.5]).unwrap();
    assert_eq!(batch.observations, [100.0, 3.0, 101.0, 3.0]);
    assert_eq!(batch.rewards, [3.5, 2.5]);
    assert_eq!(batch.reward_terms, [0.5, 3.0, -0.5, 3.0]);
    assert_eq!(
        (&*batch.terminated, &*batch.truncated),
        (&[true, false][..], &[false; 2][..])
    );
    assert_eq!(batch.has_final, [false; 2]);
    let ended = &batch.ended[0];
    assert_eq!((ended.env_idx, ended.seed, ended.length), (0, 100, 3));
    assert_eq!(ended.return_, 1.5 + 6.0);
    assert_eq!(ended.reward_terms, [1.5, 6.0]);
    assert_eq!(ended.metrics, [1.0, 3.0]);
    assert_eq!(ended.reason, EndReason::Task("counted".into()));
    // The action of env 0 is ignored, even an invalid one.
    let batch = env.step(&[f32::NAN, 0.25]).unwrap();
    assert_eq!(batch.observations[1], 0.0);
    assert_eq!(batch.rewards[0], 0.0);
    assert_eq!(batch.reward_terms[..2], [0.0; 2]);
    assert_eq!((batch.terminated[0], batch.truncated[0]), (false, false));
    assert_eq!((batch.terminated[1], batch.truncated[1]), (false, true));
    assert_eq!(batch.ended.len(), 1);
    assert_eq!(batch.ended[0].reason, EndReason::TimeLimit);
    // Env 0 continues while env 1 begins.
    let batch = env.step(&[0.25, 0.25]).unwrap();
    assert_eq!((batch.observations[1], batch.observations[3]), (1.0, 0.0));
    assert!(batch.ended.is_empty());
}

#[test]
fn same_step_resets_at_once_and_keeps_the_final_observation() {
    let mut env = counters(2, Autoreset::SameStep);
    reset_both(&mut env);
    for _ in 0..2 {
        env.step(&[0.5, 0.5]).unwrap();
    }
    let batch = env.step(&[0.5, 0.5]).unwrap();
    assert_eq!(batch.has_final, [true, false]);
    assert_eq!(batch.final_observations[..2], [100.0, 3.0]);
    assert_eq!(
        batch.observations[1], 0.0,
        "the first observation of the next episode"
    );
    assert_eq!(
        batch.rewards,
        [3.5, 3.5],
        "the reward is the one of the last step"
    );
    assert_eq!(batch.reward_terms[..2], [0.5, 3.0]);
    assert!(batch.terminated[0]);
    assert_eq!(batch.ended[0].length, 3);
    let batch = env.step(&[0.5, 0.5]).unwrap();
    assert_eq!(batch.has_final, [false, true]);
    assert_eq!(batch.observations[1], 1.0);
    assert!(batch.truncated[1] && !batch.terminated[0]);
}

#[test]
fn disabled_refuses_a_step_after_the_end_until_a_reset() {
    let mut env = counters(2, Autoreset::Disabled);
    reset_both(&mut env);
    for _ in 0..3 {
        env.step(&[0.5, 0.5]).unwrap();
    }
    let before = env.batch().clone();
    let message = env.step(&[0.5, 0.5]).unwrap_err().to_string();
    assert!(
        message.contains("env 0") && message.contains("reset"),
        "{message}"
    );
    assert_eq!(env.batch().observations, before.observations);
    env.reset_env(0, 100, &ResetOptions::default()).unwrap();
    let batch = env.step(&[0.5, 0.5]).unwrap();
    assert_eq!((batch.observations[1], batch.observations[3]), (1.0, 4.0));
}

#[test]
fn a_bad_action_is_named_and_nothing_moves() {
    let check = |actions: &[f32], expected: &[&str]| {
        let mut env = counters(2, Autoreset::NextStep);
        reset_both(&mut env);
        let message = env.step(actions).unwrap_err().to_string();
        for part in expected {
            assert!(message.contains(part), "{message}");
        }
        let batch = env.step(&[0.5, 0.5]).unwrap();
        assert_eq!((batch.observations[1], batch.observations[3]), (1.0, 1.0));
    };
    check(&[0.5], &["actions", "1", "2"]);
    check(&[0.5, f32::NAN], &["env 1", "action[0]", "push [N]", "NaN"]);
    check(&[f32::INFINITY, 0.0], &["env 0", "push [N]", "inf"]);
    check(
        &[0.5, -1.5],
        &["env 1", "push [N]", "-1.5", "between -1 and 1"],
    );
}

#[test]
fn each_env_has_its_own_stream_of_episode_seeds() {
    let firsts = |env: &VecEnv| -> Vec<f32> {
        let rows = env.batch().observations.chunks(2);
        rows.map(|row| row[0]).collect()
    };
    let any = ResetOptions::default();
    let mut one = counters(3, Autoreset::NextStep);
    one.reset(Some(5), &any).unwrap();
    let (first, second) = (firsts(&one), {
        one.reset(None, &any).unwrap();
        firsts(&one)
    });
    assert_ne!(first, second);
    let mut other = counters(2, Autoreset::NextStep);
    other.reset(Some(6), &any).unwrap();
    assert_eq!(
        firsts(&other),
        first[1..],
        "env i has the stream of seed + i"
    );
    // An episode with a given seed leaves the stream unchanged.
    other.reset_env(0, 77, &any).unwrap();
    assert_eq!(firsts(&other)[0], 77.0);
    other.reset(None, &any).unwrap();
    assert_eq!(firsts(&other), second[1..]);
}

#[test]
fn a_restore_that_is_broken_off_needs_a_reset_or_another_restore() {
    let mut env = counters(3, Autoreset::NextStep);
    env.reset(Some(4), &ResetOptions::default()).unwrap();
    env.step(&[0.5; 3]).unwrap();
    let saved = env.snapshot();
    let stopped = env.restore_interruptible(&saved, &mut || true).unwrap();
    assert_eq!(stopped, None);
    assert!(matches!(
        env.step(&[0.5; 3]).unwrap_err(),
        EnvError::At { env_idx: 0, .. }
    ));
    assert_eq!(env.restore(&saved).unwrap(), 0);
    let mut other = counters(3, Autoreset::NextStep);
    other.reset(Some(4), &ResetOptions::default()).unwrap();
    other.step(&[0.5; 3]).unwrap();
    assert_eq!(
        bits(env.step(&[0.5; 3]).unwrap()),
        bits(other.step(&[0.5; 3]).unwrap())
    );
}

#[test]
fn a_step_that_is_broken_off_leaves_out_environments_until_a_restore() {
    let config = VecConfig {
        autoreset: Autoreset::SameStep,
        n_threads: 1,
    };
    let mut env = VecEnv::new((0..3).map(|_| boxed(9)).collect(), config).unwrap();
    let rewards = env
        .reset(Some(4), &ResetOptions::default())
        .unwrap()
        .rewards
        .clone();
    let (before, actions) = (env.snapshot(), [0.5; 3]);
    let mut n_asked = 0;
    let mut stop = || {
        n_asked += 1;
        n_asked > 2
    };
    assert!(!env.step_interruptible(&actions, &mut stop).unwrap());
    assert_eq!(env.batch().rewards, rewards, "the batch is the last one");
    assert_eq!(env.restore(&before).unwrap(), 0);
    assert!(env.step_interruptible(&actions, &mut || false).unwrap());
    let mut other = VecEnv::new((0..3).map(|_| boxed(9)).collect(), config).unwrap();
    other.reset(Some(4), &ResetOptions::default()).unwrap();
    assert_eq!(bits(env.batch()), bits(other.step(&actions).unwrap()));
}

#[test]
fn options_hold_for_one_reset() {
    let mut env = counters(2, Autoreset::NextStep);
    let fixed = ResetOptions {
        parameters: [("seed".to_owned(), 400.0)].into(),
    };
    let batch = env.reset(Some(0), &fixed).unwrap();
    assert_eq!(batch.observations, [400.0, 0.0, 400.0, 0.0]);
    let mut ends = 0;
    for _ in 0..4 {
        ends += env.step(&[0.0, 0.0]).unwrap().ended.len();
    }
    assert_eq!(ends, 2);
    assert_ne!(env.batch().observations[0], 400.0);
}

#[test]
fn a_panic_is_an_error_of_its_env_and_does_not_affect_the_others() {
    for n_threads in [1, 2] {
        let config = VecConfig {
            n_threads,
            ..VecConfig::default()
        };
        let envs = (0..4).map(|_| boxed(9)).collect();
        let mut env = VecEnv::new(envs, config).unwrap();
        env.reset(Some(0), &ResetOptions::default()).unwrap();
        let message = env.step(&[0.0, 0.0, PANIC, 0.0]).unwrap_err().to_string();
        assert!(
            message.contains("env 2") && message.contains("asked to panic"),
            "{message}"
        );
        let counts: Vec<f32> = env
            .batch()
            .observations
            .chunks(2)
            .map(|row| row[1])
            .collect();
        assert_eq!(counts, [1.0, 1.0, 0.0, 1.0]);
        // It must be reset; until then no environment moves.
        let message = env.step(&[0.0; 4]).unwrap_err().to_string();
        assert!(
            message.contains("env 2") && message.contains("reset"),
            "{message}"
        );
        env.reset_env(2, 8, &ResetOptions::default()).unwrap();
        let batch = env.step(&[0.0; 4]).unwrap();
        let counts: Vec<f32> = batch.observations.chunks(2).map(|row| row[1]).collect();
        assert_eq!(counts, [2.0, 2.0, 1.0, 2.0]);
    }
}

#[test]
fn numbers_that_are_not_finite_end_their_episode_and_stay_out_of_the_batch() {
    let mut env = counters(2, Autoreset::NextStep);
    reset_both(&mut env);
    env.step(&[0.5, 0.5]).unwrap();
    let batch = env.step(&[0.5, POISON]).unwrap();
    assert_eq!(
        batch.observations,
        [100.0, 2.0, 101.0, 1.0],
        "the last good one stays"
    );
    assert_eq!(batch.rewards, [2.5, 0.0]);
    assert_eq!(batch.terminated, [false, true]);
    let EndReason::Diverged(what) = &batch.ended[0].reason else {
        panic!("{:?}", batch.ended[0].reason);
    };
    assert!(what.contains("count [1]") && what.contains("NaN"), "{what}");
    assert_eq!(batch.ended[0].return_, 1.5);
    let batch = env.step(&[0.5, 0.5]).unwrap();
    assert_eq!(batch.observations[3], 0.0);
}

#[test]
fn invalid_vectors_are_rejected() {
    let refused = |envs: Vec<Box<dyn Env>>| {
        let error = VecEnv::new(envs, VecConfig::default()).unwrap_err();
        assert!(matches!(error, EnvError::Config { .. }), "{error}");
    };
    refused(vec![]);
    let factory = tasks::factory("pendulum", &[]).unwrap();
    refused(vec![boxed(1), factory.make().unwrap()]);
    let mut env = counters(2, Autoreset::NextStep);
    assert!(env.reset_env(2, 0, &ResetOptions::default()).is_err());
    let message = env.step(&[0.0, 0.0]).unwrap_err().to_string();
    assert!(
        message.contains("env 0") && message.contains("reset"),
        "{message}"
    );
}

/// Environments of real tasks with stacked observations.
fn real(task: &str, n_envs: usize, n_threads: usize, autoreset: Autoreset) -> VecEnv {
    let factory = tasks::factory(task, &[("max_episode_steps", "13")]).unwrap();
    let envs =
        (0..n_envs).map(|_| Box::new(FrameStack::new(factory.make().unwrap(), 3)) as Box<dyn Env>);
    let config = VecConfig {
        autoreset,
        n_threads,
    };
    VecEnv::new(envs.collect(), config).unwrap()
}

fn random_actions(env: &VecEnv, rng: &mut ChaCha8Rng) -> Vec<f32> {
    let n = env.n_envs() * env.spec().action_space.len();
    (0..n).map(|_| rng.random_range(-1.0..1.0)).collect()
}

fn bits(batch: &Batch) -> Vec<u64> {
    let floats = [
        &batch.observations,
        &batch.rewards,
        &batch.reward_terms,
        &batch.final_observations,
    ];
    let flags = [&batch.terminated, &batch.truncated, &batch.has_final];
    let ended = batch.ended.iter().flat_map(|ended| {
        let head = [ended.env_idx as u64, ended.seed, ended.return_.to_bits()];
        let numbers = [&ended.metrics, &ended.parameters, &ended.reward_terms];
        let numbers: Vec<u64> = numbers
            .into_iter()
            .flatten()
            .map(|number| number.to_bits())
            .collect();
        head.into_iter().chain(numbers)
    });
    let floats = floats.into_iter().flatten();
    floats
        .map(|number| u64::from(number.to_bits()))
        .chain(flags.into_iter().flatten().map(|&flag| u64::from(flag)))
        .chain(ended)
        .collect()
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for task in ["reacher", "pendulum"] {
        for autoreset in [Autoreset::NextStep, Autoreset::SameStep] {
            let run = |n_threads: usize| -> Vec<Vec<u64>> {
                let mut env = real(task, 9, n_threads, autoreset);
                assert_eq!(env.n_threads(), n_threads);
                let mut rng = ChaCha8Rng::seed_from_u64(1);
                env.reset(Some(3), &ResetOptions::default()).unwrap();
                let steps = (0..60).map(|_| {
                    let actions = random_actions(&env, &mut rng);
                    bits(env.step(&actions).unwrap())
                });
                steps.collect()
            };
            let one = run(1);
            for n_threads in [2, 8] {
                assert!(one == run(n_threads), "{task} with {n_threads} threads");
            }
        }
    }
}

#[test]
fn a_restored_snapshot_goes_on_bit_for_bit() {
    for autoreset in [Autoreset::NextStep, Autoreset::SameStep] {
        for n_before in [0, 7, 13, 14, 30] {
            let mut env = real("reacher", 4, 2, autoreset);
            let mut rng = ChaCha8Rng::seed_from_u64(2);
            env.reset(Some(3), &ResetOptions::default()).unwrap();
            for _ in 0..n_before {
                let actions = random_actions(&env, &mut rng);
                env.step(&actions).unwrap();
            }
            let text = serde_json::to_string(&env.snapshot()).unwrap();
            let snapshots: Vec<EnvSnapshot> = serde_json::from_str(&text).unwrap();
            let mut other = real("reacher", 4, 1, autoreset);
            assert_eq!(other.restore(&snapshots).unwrap(), 0);
            assert_eq!(other.batch().observations, env.batch().observations);
            assert_eq!(other.batch().rewards, env.batch().rewards);
            assert_eq!(other.batch().terminated, env.batch().terminated);
            assert_eq!(other.batch().truncated, env.batch().truncated);
            for step in 0..40 {
                let actions = random_actions(&env, &mut rng);
                let expected = bits(env.step(&actions).unwrap());
                let found = bits(other.step(&actions).unwrap());
                // The final observations of SAME_STEP are outdated until the next end.
                if step > 13 || autoreset == Autoreset::NextStep {
                    assert!(found == expected, "{autoreset:?} {n_before} step {step}");
                }
            }
        }
    }
}

#[test]
fn a_snapshot_of_something_else_is_refused_or_counted() {
    let mut env = real("reacher", 2, 1, Autoreset::NextStep);
    env.reset(Some(0), &ResetOptions::default()).unwrap();
    env.step(&[0.5; 4]).unwrap();
    let snapshots = env.snapshot();
    assert!(env.restore(&snapshots[..1]).is_err());
    let mut pendulum = real("pendulum", 2, 1, Autoreset::NextStep);
    let message = pendulum.restore(&snapshots).unwrap_err().to_string();
    assert!(
        message.contains("env 0") && message.contains("observation"),
        "{message}"
    );
    let mut changed = snapshots.clone();
    changed[1].episode.as_mut().unwrap().seed += 1;
    assert_eq!(env.restore(&changed).unwrap(), 1);
    // More actions than the episode can have.
    let mut longer = snapshots;
    let episode = longer[0].episode.as_mut().unwrap();
    episode.actions = vec![0.0; 2 * 100];
    let message = env.restore(&longer).unwrap_err().to_string();
    assert!(message.contains("env 0"), "{message}");
}

#[test]
fn an_env_that_was_never_reset_is_restored_as_such() {
    let mut env = counters(2, Autoreset::NextStep);
    let snapshots = env.snapshot();
    env.reset(Some(0), &ResetOptions::default()).unwrap();
    assert_eq!(env.restore(&snapshots).unwrap(), 0);
    assert!(env.step(&[0.0, 0.0]).is_err());
}

#[test]
fn scripted_policies_act_for_each_env() {
    let mut env = real("pendulum", 2, 1, Autoreset::NextStep);
    env.reset(Some(0), &ResetOptions::default()).unwrap();
    let mut actions = [0.0; 2];
    assert!(env.scripted_actions(&mut actions));
    assert!(actions.iter().all(|action| *action != 0.0));
    let mut counters = counters(2, Autoreset::NextStep);
    counters.reset(Some(0), &ResetOptions::default()).unwrap();
    assert!(!counters.scripted_actions(&mut actions));
    assert_eq!(actions, [0.0; 2]);
}
