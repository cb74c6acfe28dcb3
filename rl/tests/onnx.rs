//! Contract: the ONNX model of a policy, parsed by the published field numbers and evaluated in double precision, acts like the policy.

mod onnx_model;

use insonate_envs::BoxSpace;
use insonate_rl::imitation::{Imitation, ImitationConfig, Samples, imitate};
use insonate_rl::network::Activation;
use insonate_rl::{
    Algorithm as _, DenseLayer, ObservationMoments, Policy, PolicyIdentity, Sac, SacConfig,
};
use onnx_model::Model;

/// Tolerance for single-precision sums of about ten products and an activation with an error of at most six units in the last place.
const TOLERANCE: f64 = 1e-6;

fn observations_space() -> BoxSpace {
    BoxSpace::unbounded(["x [m]", "y [m]"])
        .in_frame("world")
        .filtered("mean over the control step")
        .with("phase [1]", 0.0, 1.0)
}

/// A bounded, a half-bounded and an unbounded action.
fn action_space() -> BoxSpace {
    BoxSpace::default()
        .with("torque [N·m]", -2.0, 1.0)
        .with("valve [1]", 0.0, f32::INFINITY)
        .with("free [1]", f32::NEG_INFINITY, f32::INFINITY)
}

fn identity() -> PolicyIdentity {
    PolicyIdentity {
        task: "made-up".to_owned(),
        settings: "gain = 2".to_owned(),
        trained_on: None,
    }
}

/// Pseudo-random numbers in -1 to 1.
fn number(i: usize) -> f32 {
    ((i as f32 * 12.9898).sin() * 43758.547).fract()
}

fn layer(n_inputs: usize, n_outputs: usize, first: usize) -> DenseLayer {
    DenseLayer {
        weight: (0..n_inputs * n_outputs)
            .map(|i| number(first + i))
            .collect(),
        bias: (0..n_outputs).map(|i| number(first + 997 + i)).collect(),
    }
}

fn policy(activation: Activation, normalized: bool) -> Policy {
    // A mean far above the deviation, for which single precision is not sufficient.
    let moments = ObservationMoments {
        mean: vec![0.1, 1000.0, 0.5],
        variance: vec![4.0, 1e-2, 0.0],
        clip: 3.0,
    };
    let layers = [layer(3, 8, 0), layer(8, 5, 50), layer(5, 3, 100)];
    let spaces = [&observations_space(), &action_space()];
    let moments = normalized.then_some(moments);
    Policy::from_layers(identity(), spaces, &layers, activation, moments)
        .expect("layers fit the spaces")
}

fn observations(n: usize) -> Vec<f32> {
    let row = |i: usize| {
        let base = 3 * i;
        [
            2.0 * number(base),
            1000.0 + 0.2 * number(base + 1),
            0.5 + 1e-4 * number(base + 2),
        ]
    };
    (0..n).flat_map(row).collect()
}

/// Largest difference between policy and model over observations.
fn largest_difference(policy: &mut Policy, observations: &[f32], width: usize) -> f64 {
    let model = Model::read(&policy.to_onnx());
    let n = observations.len() / width;
    let mut actions = vec![0.0; n * policy.action_space.len()];
    policy.act(observations, &mut actions);
    let modelled = model.run(observations, width);
    assert_eq!(modelled.len(), actions.len());
    let pairs = actions.iter().zip(&modelled);
    pairs
        .map(|(a, b)| (f64::from(*a) - b).abs())
        .fold(0.0, f64::max)
}

#[test]
fn every_kind_of_policy_acts_as_its_model() {
    let observations = observations(300);
    for activation in Activation::ALL {
        for normalized in [false, true] {
            let mut policy = policy(activation, normalized);
            // Without normalisation the sums are of the order of thousands.
            let scale = if normalized { 1.0 } else { 1e3 };
            let difference = largest_difference(&mut policy, &observations, 3);
            assert!(
                difference <= TOLERANCE * scale,
                "{activation:?}, normalised {normalized}: {difference}"
            );
        }
    }
}

#[test]
fn a_squashed_policy_of_sac_acts_as_its_model() {
    let pendulum = insonate_envs::tasks::by_name("pendulum")
        .and_then(|kind| (kind.build)(&toml::Table::new()))
        .expect("the task exists");
    let vector = insonate_envs::VecConfig {
        autoreset: insonate_envs::Autoreset::SameStep,
        n_threads: 1,
    };
    let envs = pendulum.make_many(1).expect("environments are made");
    let env = insonate_envs::VecEnv::new(envs, vector).expect("they are alike");
    let config = SacConfig {
        n_steps: 300,
        learning_starts: 50,
        batch_size: 16,
        hidden_sizes: vec![16],
        ..SacConfig::default()
    };
    let mut sac = Sac::new(env, config, identity()).expect("the settings fit");
    sac.iterate().expect("it learns");
    let mut policy = sac.policy();
    assert!(
        Model::read(&policy.to_onnx())
            .operators()
            .contains(&"Tanh".to_owned())
    );
    // Torques up to 2, and large observations for which tanh is 1.
    let observations: Vec<f32> = (0..600).map(|i| 8.0 * number(i)).collect();
    let difference = largest_difference(&mut policy, &observations, 3);
    assert!(difference <= 4.0 * TOLERANCE, "{difference}");
}

#[test]
fn a_policy_learnt_from_demonstrations_acts_as_its_model() {
    let spec = insonate_envs::EnvSpec {
        observation_space: observations_space(),
        action_space: action_space(),
        ..insonate_envs::EnvSpec::default()
    };
    let observations = observations(200);
    let actions: Vec<f32> = observations
        .chunks(3)
        .flat_map(|row| [row[0] / 2.0, row[0].abs(), row[2]])
        .collect();
    let samples = Samples {
        observations: &observations,
        actions: &actions,
        n_training: 200,
    };
    let config = ImitationConfig {
        epochs: 5,
        hidden_sizes: vec![16],
        ..ImitationConfig::default()
    };
    let learnt = imitate(&spec, identity(), samples, &config, &mut |_| {
        std::ops::ControlFlow::Continue(())
    });
    let Imitation { mut policy, .. } = learnt.expect("samples have the right shape");
    let difference = largest_difference(&mut policy, &observations, 3);
    assert!(difference <= TOLERANCE, "{difference}");
}

#[test]
fn the_model_says_what_its_numbers_mean() {
    let model = Model::read(&policy(Activation::Silu, true).to_onnx());
    assert_eq!(model.versions, [7, 14]);
    let ends = [("observation", 3), ("action", 3)];
    assert_eq!(
        model.ends,
        ends.map(|(name, n)| (name.to_owned(), "batch".to_owned(), n))
    );
    assert_eq!(model.metadata["task"], "made-up");
    assert_eq!(model.metadata["settings"], "gain = 2");
    let observations: serde_json::Value =
        serde_json::from_str(&model.metadata["observations"]).expect("it is JSON");
    let expected = serde_json::json!([
        {"name": "x [m]", "frame": "world", "filter": "mean over the control step", "low": null, "high": null},
        {"name": "y [m]", "frame": "world", "filter": "mean over the control step", "low": null, "high": null},
        {"name": "phase [1]", "frame": "", "filter": "", "low": 0.0, "high": 1.0},
    ]);
    assert_eq!(observations, expected);
    let actions: serde_json::Value =
        serde_json::from_str(&model.metadata["actions"]).expect("it is JSON");
    assert_eq!(actions[0]["low"], -2.0);
    assert_eq!(actions[1]["high"], serde_json::Value::Null);
}

#[test]
fn the_graph_is_normalisation_layers_and_scaling() {
    let operators = Model::read(&policy(Activation::Tanh, true).to_onnx()).operators();
    let expected = [
        "Cast", "Sub", "Mul", "Cast", "Clip", "Gemm", "Tanh", "Gemm", "Tanh", "Gemm", "Mul", "Add",
        "Max", "Min",
    ];
    assert_eq!(operators, expected);
    let bare = Model::read(&policy(Activation::Relu, false).to_onnx()).operators();
    assert_eq!(bare[..3], ["Gemm", "Relu", "Gemm"]);
}
