//! Contract: advantages and returns equal values computed by hand, and a time limit is not a termination.

use insonate_rl::ppo::{Bootstrap, GaeInputs, explained_variance, gae, next_values};

const DISCOUNT: f64 = 0.9;
const LAMBDA: f64 = 0.5;

/// One environment, three steps, values 1, 2, 3, and 4 after the last step. Returns (advantages, returns).
fn three_steps(is_over: [bool; 3], ends: &[Bootstrap]) -> ([f32; 3], [f32; 3]) {
    let values = [1.0, 2.0, 3.0];
    let mut after = [0.0; 3];
    next_values(&values, &[4.0], ends.iter().copied(), &mut after);
    let (mut advantages, mut returns) = ([0.0; 3], [0.0; 3]);
    let inputs = GaeInputs {
        n_envs: 1,
        rewards: &[1.0, 1.0, 1.0],
        values: &values,
        next_values: &after,
        is_over: &is_over,
        discount: DISCOUNT,
        gae_lambda: LAMBDA,
    };
    gae(inputs, &mut advantages, &mut returns);
    (advantages, returns)
}

fn near(found: [f32; 3], truth: [f32; 3]) {
    let is_near = found.iter().zip(truth).all(|(a, b)| (a - b).abs() < 1e-6);
    assert!(is_near, "{found:?} is not {truth:?}");
}

#[test]
fn within_an_episode() {
    // δ = 1 + 0.9·(2, 3, 4) − (1, 2, 3) = (1.8, 1.7, 1.6); decay 0.45.
    let (advantages, returns) = three_steps([false; 3], &[]);
    near(
        advantages,
        [1.8 + 0.45 * (1.7 + 0.45 * 1.6), 1.7 + 0.45 * 1.6, 1.6],
    );
    near(returns, [1.0 + 2.889, 2.0 + 2.42, 3.0 + 1.6]);
}

#[test]
fn termination_has_no_value_beyond() {
    // The second step terminates: δ₁ = 1 + 0.9·0 − 2 = −1. No advantage propagates across the end.
    let end = Bootstrap {
        index: 1,
        value: 0.0,
    };
    let (advantages, _) = three_steps([false, true, false], &[end]);
    near(advantages, [1.8 + 0.45 * (0.0 - 1.0), -1.0, 1.6]);
}

#[test]
fn truncation_bootstraps_from_the_last_observation() {
    // The second step reaches the time limit in a state of value 10: δ₁ = 1 + 0.9·10 − 2 = 8. The next episode's first value,
    // 3, is not used.
    let end = Bootstrap {
        index: 1,
        value: 10.0,
    };
    let (advantages, returns) = three_steps([false, true, false], &[end]);
    near(advantages, [1.8 + 0.45 * 8.0, 8.0, 1.6]);
    near(returns, [6.4, 10.0, 4.6]);
}

#[test]
fn the_last_step_may_end_an_episode() {
    let end = Bootstrap {
        index: 2,
        value: 10.0,
    };
    let (advantages, _) = three_steps([false, false, true], &[end]);
    // δ₂ = 1 + 9 − 3 = 7.
    near(
        advantages,
        [1.8 + 0.45 * (1.7 + 0.45 * 7.0), 1.7 + 0.45 * 7.0, 7.0],
    );
}

#[test]
fn environments_do_not_mix() {
    // Two environments, two steps. In the second environment the first step terminates.
    let values = [1.0, 10.0, 2.0, 20.0];
    let mut after = [0.0; 4];
    let end = Bootstrap {
        index: 1,
        value: 0.0,
    };
    next_values(&values, &[3.0, 30.0], [end], &mut after);
    assert_eq!(after, [2.0, 0.0, 3.0, 30.0]);
    let (mut advantages, mut returns) = ([0.0; 4], [0.0; 4]);
    let inputs = GaeInputs {
        n_envs: 2,
        rewards: &[1.0; 4],
        values: &values,
        next_values: &after,
        is_over: &[false, true, false, false],
        discount: DISCOUNT,
        gae_lambda: LAMBDA,
    };
    gae(inputs, &mut advantages, &mut returns);
    // δ = (1.8, −9; 1.7, 8).
    let truth = [1.8 + 0.45 * 1.7, -9.0, 1.7, 8.0];
    assert!(
        advantages
            .iter()
            .zip(truth)
            .all(|(a, b)| (a - b).abs() < 1e-6),
        "{advantages:?}"
    );
}

#[test]
fn explained_variance_by_hand() {
    // Errors 0, 1, −1: variance 2/3; returns 1, 3, 5: variance 8/3.
    assert!((explained_variance(&[1.0, 2.0, 6.0], &[1.0, 3.0, 5.0]) - 0.75).abs() < 1e-12);
    assert!(explained_variance(&[1.0, 2.0], &[3.0, 3.0]).is_nan());
}
