//! Contract: training learns, the same seed gives the same bits on any number of threads, and errors leave the weights finite.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod support;

use std::ops::ControlFlow;

use insonate_envs::{Autoreset, Env, ResetOptions, VecConfig, VecEnv};
use insonate_rl::{Agent, Algorithm as _, Ppo, PpoConfig, Progress, evaluate};
use safetensors::SafeTensors;
use support::{Line, config, identity, lines, ppo};

/// Logged metrics that do not depend on the clock, as bits.
fn figures(progress: &Progress) -> Vec<(String, u64)> {
    let scalars = progress.scalars.iter();
    scalars
        .filter(|(name, _)| name != "charts/SPS" && !name.starts_with("time/"))
        .map(|(name, value)| (name.clone(), value.to_bits()))
        .collect()
}

fn train(mut ppo: Ppo) -> (Ppo, Vec<Vec<(String, u64)>>) {
    let mut rows = Vec::new();
    let trained = ppo.train(&mut |progress| {
        rows.push(figures(progress));
        ControlFlow::Continue(())
    });
    trained.unwrap();
    assert!(ppo.is_finished());
    (ppo, rows)
}

fn bytes(ppo: &Ppo) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    ppo.save(&path).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn the_same_seed_gives_the_same_bits_on_1_2_and_8_threads() {
    let (one, rows) = train(ppo(config(), 1));
    assert_eq!(rows.len(), 6);
    for n_threads in [2, 8] {
        let (other, other_rows) = train(ppo(config(), n_threads));
        assert_eq!(rows, other_rows);
        assert!(
            bytes(&one) == bytes(&other),
            "checkpoints differ on {n_threads} threads"
        );
    }
    let (other, _) = train(ppo(
        PpoConfig {
            seed: 8,
            ..config()
        },
        1,
    ));
    assert!(bytes(&one) != bytes(&other));
}

#[test]
fn a_point_learns_to_stay_in_the_middle() {
    let config = PpoConfig {
        total_timesteps: 150 * 128,
        discount: 0.9,
        ..config()
    };
    let (ppo, rows) = train(ppo(config, 2));
    let mean_return = |actor: &mut Agent| {
        let mut env = lines(4, 1, Autoreset::Disabled);
        let options = ResetOptions::default();
        let episodes = evaluate(&mut env, actor, 40, 5, &options, &mut |_| {
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
        episodes.iter().map(|episode| episode.return_).sum::<f64>() / 40.0
    };
    let learned = mean_return(&mut Agent::Policy(Box::new(ppo.policy())));
    let (random, scripted) = (
        mean_return(&mut Agent::Random),
        mean_return(&mut Agent::Scripted),
    );
    assert!(scripted > random + 2.0, "{scripted} {random}");
    assert!(
        learned > scripted - 0.5,
        "learned {learned}, scripted {scripted}, random {random}"
    );
    // The log has CleanRL's names, the task's metrics and the reward terms.
    let names: Vec<&str> = rows[0].iter().map(|(name, _)| name.as_str()).collect();
    for name in [
        "charts/episodic_return",
        "charts/learning_rate",
        "losses/value_loss",
        "losses/policy_loss",
        "losses/entropy",
        "losses/old_approx_kl",
        "losses/approx_kl",
        "losses/clipfrac",
        "losses/explained_variance",
        "episode/success",
        "reward/fall",
    ] {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
}

#[test]
fn an_observer_stops_training() {
    let mut ppo = ppo(config(), 1);
    let mut n_seen = 0;
    let stopped = ppo.train(&mut |progress| {
        n_seen += 1;
        assert_eq!(progress.iteration, n_seen);
        assert_eq!(progress.global_step, 128 * n_seen as u64);
        if n_seen == 2 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    stopped.unwrap();
    assert_eq!((ppo.iteration(), ppo.is_finished()), (2, false));
}

#[test]
fn without_normalisation_the_policy_sees_raw_numbers() {
    let config = PpoConfig {
        norm_obs: false,
        norm_reward: false,
        hidden_sizes: vec![],
        ..config()
    };
    let (ppo, rows) = train(ppo(config, 1));
    assert_eq!(rows.len(), 6);
    let mut policy = ppo.policy();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy");
    policy.save(&path).unwrap();
    // A single layer, set by hand. The bounds of the action are ±2 m/s.
    let bytes = std::fs::read(&path).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let numbers = |name: &str| -> Vec<f32> {
        let tensor = file.tensor(name).unwrap();
        let chunks = tensor.data().chunks_exact(4);
        chunks
            .map(|four| f32::from_le_bytes(four.try_into().unwrap()))
            .collect()
    };
    let (weight, bias) = (numbers("actor.0.weight"), numbers("actor.0.bias"));
    for observation in [[0.5_f32, 0.0], [-0.9, 0.4], [3.0, -20.0]] {
        let products = weight.iter().zip(observation);
        let output = products.map(|(weight, x)| weight * x).sum::<f32>() + bias[0];
        let wanted = (2.0 * output).clamp(-2.0, 2.0);
        let mut action = [0.0];
        policy.act(&observation, &mut action);
        assert!(
            (action[0] - wanted).abs() < 1e-5,
            "{observation:?}: {} instead of {wanted}",
            action[0]
        );
    }
}

#[test]
fn settings_that_do_not_fit_the_environments_are_named() {
    let failure = |n_envs: usize, autoreset: Autoreset| {
        let env = lines(n_envs, 1, autoreset);
        Ppo::new(env, config(), identity()).unwrap_err().to_string()
    };
    assert_eq!(
        failure(3, Autoreset::SameStep),
        "n_envs: is 4, but 3 environments were given"
    );
    assert_eq!(
        failure(4, Autoreset::NextStep),
        "autoreset: training needs environments with Autoreset::SameStep"
    );
}

#[test]
fn values_without_bound_are_an_error_and_leave_the_weights() {
    let config = PpoConfig {
        // Moments of observations change before the update.
        norm_obs: false,
        norm_reward: false,
        norm_adv: false,
        vf_coef: 1e6,
        ..config()
    };
    let envs = (0..config.n_envs).map(|_| {
        let mut line = Line::new();
        // The reward is finite, but its gradient is too large for single precision.
        line.reward_scale = 1e37;
        Box::new(line) as Box<dyn Env>
    });
    let vec_config = VecConfig {
        autoreset: Autoreset::SameStep,
        n_threads: 1,
    };
    let env = VecEnv::new(envs.collect(), vec_config).unwrap();
    let mut ppo = Ppo::new(env, config, identity()).unwrap();
    let action = |ppo: &Ppo| {
        let mut action = [f32::NAN];
        ppo.policy().act(&[0.1, 0.1], &mut action);
        action[0]
    };
    let before = action(&ppo);
    let error = ppo.iterate().unwrap_err().to_string();
    assert!(
        error.starts_with("iteration 1") && error.contains("finite"),
        "{error}"
    );
    assert_eq!(action(&ppo).to_bits(), before.to_bits());
}
