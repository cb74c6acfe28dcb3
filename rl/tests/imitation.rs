//! Contract: behaviour cloning learns the demonstrated function, the same seed gives the same bits, and PPO can begin with the policy.

use std::ops::ControlFlow;

use insonate_envs::{BoxSpace, EnvSpec};
use insonate_rl::imitation::{EpochLosses, Imitation, ImitationConfig, Samples, imitate};
use insonate_rl::{PolicyIdentity, RlError};

fn spec() -> EnvSpec {
    EnvSpec {
        id: "made up".to_owned(),
        observation_space: BoxSpace::default()
            .with("a", -10.0, 10.0)
            .with("b", -1000.0, 1000.0),
        action_space: BoxSpace::default()
            .with("unit", -1.0, 1.0)
            .with("valve", 0.0, 4.0),
        ..EnvSpec::default()
    }
}

/// The expert: a product and a sum.
fn expert([a, b]: [f32; 2]) -> [f32; 2] {
    [a * b / 400.0, 2.0 + a / 4.0 + b / 200.0]
}

fn observations() -> Vec<f32> {
    let grid = (0..400).map(|i| ((i % 20) as f32 / 10.0 - 0.95, (i / 20) as f32 / 10.0 - 0.95));
    grid.flat_map(|(a, b)| [2.0 * a, 200.0 * b]).collect()
}

fn learn(config: &ImitationConfig, n_training: usize) -> Result<Imitation, RlError> {
    let observations = observations();
    let rows = observations.chunks_exact(2);
    let actions: Vec<f32> = rows.flat_map(|row| expert([row[0], row[1]])).collect();
    let samples = Samples {
        observations: &observations,
        actions: &actions,
        n_training,
    };
    let mut observer = |_: &EpochLosses| ControlFlow::Continue(());
    imitate(
        &spec(),
        PolicyIdentity::default(),
        samples,
        config,
        &mut observer,
    )
}

fn config() -> ImitationConfig {
    ImitationConfig {
        epochs: 150,
        batch_size: 32,
        learning_rate: 3e-3,
        hidden_sizes: vec![32, 32],
        ..ImitationConfig::default()
    }
}

#[test]
fn the_policy_does_what_was_demonstrated() {
    let Imitation {
        mut policy, losses, ..
    } = learn(&config(), 400).expect("it succeeds");
    assert!(
        losses[149].training < 1e-2 * losses[0].training,
        "{losses:?}"
    );
    assert!(losses.iter().all(|it| it.validation.is_nan()));
    let mut action = [0.0; 2];
    for observation in [[0.7, -90.0], [-1.3, 41.0]] {
        policy.act(&observation, &mut action);
        let expected = expert(observation);
        // Actions have ranges of 2 and 4.
        assert!(
            (action[0] - expected[0]).abs() < 0.05,
            "{action:?} {expected:?}"
        );
        assert!(
            (action[1] - expected[1]).abs() < 0.1,
            "{action:?} {expected:?}"
        );
    }
}

#[test]
fn the_best_epoch_on_validation_samples_is_kept_and_seeds_decide() {
    let quick = ImitationConfig {
        epochs: 5,
        ..config()
    };
    let [mut first, mut again] = [(); 2].map(|()| learn(&quick, 360).expect("it succeeds"));
    assert_eq!(first.losses, again.losses);
    let best = first
        .losses
        .iter()
        .map(|it| it.validation)
        .fold(f64::INFINITY, f64::min);
    assert_eq!(first.losses[first.best_epoch - 1].validation, best);
    let observations = observations();
    let [mut a, mut b] = [(); 2].map(|()| vec![0.0; observations.len()]);
    first.policy.act(&observations, &mut a);
    again.policy.act(&observations, &mut b);
    assert_eq!(a, b);
    let other = learn(&ImitationConfig { seed: 2, ..quick }, 360).expect("it succeeds");
    assert!(other.losses != first.losses);
}

#[test]
fn settings_and_shapes_are_checked() {
    let problem =
        |config: &ImitationConfig, n_training| learn(config, n_training).unwrap_err().to_string();
    let none = ImitationConfig {
        epochs: 0,
        ..config()
    };
    assert_eq!(
        problem(&none, 400),
        "epochs is 0; it must be between 1 and 1048576"
    );
    let fast = ImitationConfig {
        learning_rate: f64::NAN,
        ..config()
    };
    assert_eq!(
        problem(&fast, 400),
        "learning_rate is NaN; it must be above 0 and at most 1"
    );
    assert!(problem(&config(), 401).contains("are not samples of 2 and 2 values"));
}
