//! Contract: episode e of an evaluation has the seed `seed + e` and the same outcome for any number of environments and threads.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod support;

use std::ops::ControlFlow;

use insonate_envs::{Autoreset, EpisodeStatistics, ResetOptions, VecEnv};
use insonate_rl::Algorithm as _;
use insonate_rl::{Agent, Policy, evaluate};
use support::{config, lines, ppo};

fn run(mut env: VecEnv, agent: &mut Agent, n_episodes: usize) -> Vec<EpisodeStatistics> {
    let mut last = 0;
    let mut progress = |n_done: usize| {
        assert!(n_done >= last);
        last = n_done;
        ControlFlow::Continue(())
    };
    let options = ResetOptions::default();
    let mut episodes = evaluate(&mut env, agent, n_episodes, 100, &options, &mut progress).unwrap();
    assert_eq!(last, n_episodes);
    // Only the environment may differ. Compared as text, since unknown metrics are NaN.
    for episode in &mut episodes {
        episode.env_idx = 0;
    }
    episodes
}

#[test]
fn episodes_do_not_depend_on_environments_threads_and_autoreset() {
    let mut trained = ppo(config(), 1);
    trained.iterate().unwrap();
    let agents: [fn(&Policy) -> Agent; 4] = [
        |policy| Agent::Policy(Box::new(policy.clone())),
        |_| Agent::Zero,
        |_| Agent::Random,
        |_| Agent::Scripted,
    ];
    for agent in agents {
        let mut agent = agent(&trained.policy());
        let alone = run(lines(1, 1, Autoreset::Disabled), &mut agent, 11);
        let seeds: Vec<u64> = alone.iter().map(|episode| episode.seed).collect();
        assert!(seeds.into_iter().eq(100..111));
        for (n_envs, n_threads) in [(3, 1), (4, 2), (16, 8)] {
            for autoreset in [
                Autoreset::Disabled,
                Autoreset::SameStep,
                Autoreset::NextStep,
            ] {
                let others = run(lines(n_envs, n_threads, autoreset), &mut agent, 11);
                assert_eq!(
                    format!("{alone:?}"),
                    format!("{others:?}"),
                    "{agent:?} {autoreset:?}"
                );
            }
        }
    }
}

#[test]
fn options_hold_for_every_episode() {
    let mut env = lines(2, 1, Autoreset::Disabled);
    let options = ResetOptions {
        parameters: [("start".to_owned(), 0.5)].into(),
    };
    let episodes = evaluate(&mut env, &mut Agent::Zero, 5, 0, &options, &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap();
    assert!(episodes.iter().all(|episode| episode.parameters == [0.5]));
}

#[test]
fn zero_episodes_give_an_empty_result() {
    assert!(run(lines(2, 1, Autoreset::Disabled), &mut Agent::Zero, 0).is_empty());
}

#[test]
fn breaking_off_leaves_the_episodes_that_are_over() {
    let mut env = lines(1, 1, Autoreset::Disabled);
    let mut progress = |n_done: usize| match n_done {
        0..3 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    let options = ResetOptions::default();
    let some = evaluate(&mut env, &mut Agent::Zero, 100, 0, &options, &mut progress).unwrap();
    assert_eq!(some.len(), 3);
}
