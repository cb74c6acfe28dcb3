//! Contract: the states that a policy visits are labelled with the script's actions, the same for any number of environments and threads,
//! and cure the drift of a policy that imitates the script's own states alone.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

#[expect(dead_code, reason = "other tests use the rest")]
mod support;

use std::ops::ControlFlow;

use insonate_envs::Autoreset;
use insonate_rl::imitation::{
    EpochLosses, ImitationConfig, Samples, VisitPlan, VisitedEpisode, imitate, visit,
};
use insonate_rl::{Policy, RlError};
use support::{identity, lines};

const PLAN: VisitPlan = VisitPlan {
    n_episodes: 11,
    seed: 100,
    expert_share: 0.0,
};

/// The script of the line, written again.
fn script(place: f32) -> f32 {
    (-10.0 * place).clamp(-2.0, 2.0)
}

/// Learns from pairs of place and action; the other entry of the observation is noise, as in the task.
fn learn(pairs: &[(f32, f32)]) -> Policy {
    let noise = |i: usize| (37 * i % 101) as f32 / 50.0 - 1.0;
    let rows = pairs.iter().enumerate();
    let observations: Vec<f32> = rows
        .flat_map(|(i, (place, _))| [*place, noise(i)])
        .collect();
    let actions: Vec<f32> = pairs.iter().map(|(_, action)| *action).collect();
    let config = ImitationConfig {
        epochs: 300,
        batch_size: 32,
        learning_rate: 3e-3,
        hidden_sizes: vec![32],
        ..ImitationConfig::default()
    };
    let samples = Samples {
        observations: &observations,
        actions: &actions,
        n_training: actions.len(),
    };
    let env = lines(1, 1, Autoreset::Disabled);
    let mut observer = |_: &EpochLosses| ControlFlow::Continue(());
    let learnt = imitate(env.spec(), identity(), samples, &config, &mut observer);
    learnt.unwrap().policy
}

fn visits(
    policy: &Policy,
    plan: &VisitPlan,
    n_envs: usize,
    n_threads: usize,
) -> Vec<VisitedEpisode> {
    let mut env = lines(n_envs, n_threads, Autoreset::Disabled);
    let mut go_on = |_| ControlFlow::Continue(());
    let mut visited = visit(&mut env, &mut policy.clone(), plan, &mut go_on).unwrap();
    // Only the environment may differ.
    for episode in &mut visited {
        episode.statistics.env_idx = 0;
    }
    visited
}

fn success_rate(episodes: &[VisitedEpisode]) -> f64 {
    let succeeded = episodes.iter().filter(|it| it.statistics.metrics[0] > 0.5);
    succeeded.count() as f64 / episodes.len() as f64
}

/// A policy that always goes up.
fn rising() -> Policy {
    let pairs: Vec<_> = (-10..=10).map(|i| (i as f32 / 10.0, 0.5)).collect();
    learn(&pairs)
}

#[test]
fn labels_are_the_scripts_in_the_states_of_the_policy() {
    for episode in visits(&rising(), &PLAN, 4, 1) {
        let places: Vec<f32> = episode.observations.chunks_exact(2).map(|o| o[0]).collect();
        assert_eq!(places.len(), episode.statistics.length);
        assert_eq!(places.len(), episode.labels.len());
        for (place, label) in places.iter().zip(&episode.labels) {
            assert_eq!(*label, script(*place));
        }
        // The policy moves the point, 0.05 m in a step, and not the script.
        for pair in places.windows(2) {
            assert!((pair[1] - pair[0] - 0.05).abs() < 0.01, "{places:?}");
        }
    }
}

#[test]
fn the_script_acts_in_its_share_of_steps() {
    let always = VisitPlan {
        expert_share: 1.0,
        ..PLAN
    };
    let half = VisitPlan {
        expert_share: 0.5,
        n_episodes: 100,
        ..PLAN
    };
    let followed = |plan: &VisitPlan| {
        let episodes = visits(&rising(), plan, 4, 1);
        let steps = episodes.iter().flat_map(|episode| {
            let places = episode.observations.chunks_exact(2).map(|o| o[0]);
            let next = places.clone().skip(1);
            let moves = places.zip(next).map(|(here, next)| next - here);
            let labels = episode.labels.iter();
            let pairs: Vec<_> = moves.zip(labels).map(|(d, label)| (d, *label)).collect();
            pairs
        });
        // Where the policy's own action differs clearly.
        let steps: Vec<_> = steps
            .filter(|(_, label)| (label - 0.5).abs() > 0.5)
            .collect();
        let same = steps
            .iter()
            .filter(|(d, label)| (d - 0.1 * label).abs() < 1e-5);
        same.count() as f64 / steps.len() as f64
    };
    assert_eq!(followed(&always), 1.0);
    // About 1000 steps or more: three deviations of their share.
    assert!((followed(&half) - 0.5).abs() < 0.05, "{}", followed(&half));
}

#[test]
fn visits_do_not_depend_on_environments_and_threads() {
    let policy = rising();
    let plan = VisitPlan {
        expert_share: 0.3,
        ..PLAN
    };
    let alone = visits(&policy, &plan, 1, 1);
    let seeds = alone.iter().map(|episode| episode.statistics.seed);
    assert!(seeds.eq(100..111));
    for (n_envs, n_threads) in [(3, 1), (4, 2), (16, 8)] {
        let others = visits(&policy, &plan, n_envs, n_threads);
        // As text, since unknown metrics are NaN.
        assert_eq!(format!("{alone:?}"), format!("{others:?}"));
    }
}

/// Demonstrations on one side alone all show the same action. Who always does it falls off on the other side within ten steps.
#[test]
fn visited_states_cure_what_cloning_does_not() {
    let mut pairs: Vec<(f32, f32)> = (0..200)
        .map(|i| 0.5 + i as f32 / 1e3)
        .map(|place| (place, script(place)))
        .collect();
    let mut policy = learn(&pairs);
    let test = VisitPlan {
        n_episodes: 40,
        seed: 9000,
        expert_share: 0.0,
    };
    let cloned = success_rate(&visits(&policy, &test, 4, 1));
    for round in 0..3 {
        let plan = VisitPlan {
            seed: 100 + 1000 * round,
            ..PLAN
        };
        for episode in visits(&policy, &plan, 4, 1) {
            let places = episode.observations.chunks_exact(2).map(|o| o[0]);
            pairs.extend(places.zip(episode.labels.iter().copied()));
        }
        policy = learn(&pairs);
    }
    let after = success_rate(&visits(&policy, &test, 4, 1));
    assert_eq!(cloned, 0.0);
    assert!(after > 0.95, "{after} after {cloned}");
}

#[test]
fn an_interrupt_leaves_finished_episodes() {
    let mut env = lines(2, 1, Autoreset::Disabled);
    let mut stop = |n_done: usize| match n_done {
        0..3 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    let visited = visit(&mut env, &mut rising(), &PLAN, &mut stop).unwrap();
    assert!((3..PLAN.n_episodes).contains(&visited.len()));
    assert!(
        visited
            .iter()
            .all(|it| it.labels.len() == it.statistics.length)
    );
}

#[test]
fn another_tasks_policy_is_refused() {
    let mut policy = rising();
    policy.observation_space.names[0] = "temperature [K]".to_owned();
    let mut env = lines(1, 1, Autoreset::Disabled);
    let mut go_on = |_| ControlFlow::Continue(());
    let refused = visit(&mut env, &mut policy, &PLAN, &mut go_on);
    assert!(
        matches!(refused, Err(RlError::Misfit { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_share_that_is_no_probability_is_refused() {
    let mut env = lines(1, 1, Autoreset::Disabled);
    let mut go_on = |_| ControlFlow::Continue(());
    for expert_share in [-0.1, 1.5, f64::NAN] {
        let plan = VisitPlan {
            expert_share,
            ..PLAN
        };
        let refused = visit(&mut env, &mut rising(), &plan, &mut go_on);
        let message = refused.unwrap_err().to_string();
        assert!(
            message.contains("expert_share") && message.contains("between 0 and 1"),
            "{message}"
        );
    }
}
