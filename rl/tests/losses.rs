//! Contract: the losses of PPO and their derivatives equal values computed by hand.

use insonate_rl::ppo::{mean_and_std, policy_loss, value_loss};
use proptest::prelude::*;

fn near(found: f32, truth: f32) {
    assert!((found - truth).abs() < 1e-5, "{found} is not {truth}");
}

/// Loss and derivative for a ratio, an advantage and ε = 0.2.
fn surrogate(ratio: f32, advantage: f32) -> (f32, f32) {
    let loss = policy_loss(ratio.ln() - 1.5, -1.5, advantage, 0.2);
    near(loss.ratio, ratio);
    (loss.loss, loss.by_log_prob)
}

#[test]
fn the_surrogate_by_hand() {
    // A good action: the gain is limited at a ratio of 1.2.
    let (loss, slope) = surrogate(1.1, 2.0);
    near(loss, -2.2);
    near(slope, -2.2);
    let (loss, slope) = surrogate(1.5, 2.0);
    near(loss, -2.4);
    near(slope, 0.0);
    // A good action that has become too unlikely is pulled back.
    let (loss, slope) = surrogate(0.5, 2.0);
    near(loss, -1.0);
    near(slope, -1.0);
    // A bad action: the gain is limited at 0.8.
    let (loss, slope) = surrogate(0.5, -2.0);
    near(loss, 1.6);
    near(slope, 0.0);
    // A bad action that has become more likely is made less likely.
    let (loss, slope) = surrogate(1.5, -2.0);
    near(loss, 3.0);
    near(slope, 3.0);
}

#[test]
fn the_value_loss_by_hand() {
    // Return 3. Unclipped: ½ (2 − 3)², slope −1.
    assert_eq!(value_loss(2.0, 1.0, 3.0, None), (0.5, -1.0));
    // Old value 1, ε 0.2: the value is clipped at 1.2. Its loss ½·1.8² is larger and does not change with the value.
    let (loss, slope) = value_loss(2.0, 1.0, 3.0, Some(0.2));
    near(loss, 1.62);
    near(slope, 0.0);
    // The clip does not hide a move away from the return: ½ (0 − 3)² is larger than ½ (0.8 − 3)².
    let (loss, slope) = value_loss(0.0, 1.0, 3.0, Some(0.2));
    near(loss, 4.5);
    near(slope, -3.0);
    // Within the clip range both are equal.
    let (loss, slope) = value_loss(1.1, 1.0, 3.0, Some(0.2));
    near(loss, 0.5 * 1.9 * 1.9);
    near(slope, -1.9);
}

#[test]
fn the_standard_deviation_divides_by_n_minus_1() {
    let (mean, std) = mean_and_std([1.0, 2.0, 6.0].into_iter());
    near(mean, 3.0);
    near(std, 7.0_f32.sqrt());
}

proptest! {
    #[test]
    fn slopes_are_those_of_the_losses(
        log_ratio in -1.0f32..1.0,
        advantage in -3.0f32..3.0,
        value in -3.0f32..3.0,
        old_value in -3.0f32..3.0,
    ) {
        let h = 1e-3;
        // Away from the kinks.
        let ratio = log_ratio.exp();
        prop_assume!((ratio - 1.2).abs() > 5e-3 && (ratio - 0.8).abs() > 5e-3);
        let loss = |log_ratio: f32| policy_loss(log_ratio, 0.0, advantage, 0.2);
        let slope = (loss(log_ratio + h).loss - loss(log_ratio - h).loss) / (2.0 * h);
        prop_assert!((loss(log_ratio).by_log_prob - slope).abs() < 1e-2);

        prop_assume!(((value - old_value).abs() - 0.2).abs() > 5e-3);
        let clipped = |value: f32| value_loss(value, old_value, 0.5, Some(0.2));
        let both = [value - h, value + h].map(|value| {
            let free = value_loss(value, old_value, 0.5, None).0;
            (clipped(value).0 - free).abs() < 1e-6
        });
        // There is also a kink where the larger of the two changes.
        prop_assume!(both[0] == both[1]);
        let slope = (clipped(value + h).0 - clipped(value - h).0) / (2.0 * h);
        prop_assert!((clipped(value).1 - slope).abs() < 2e-2, "{} {slope}", clipped(value).1);
    }
}
