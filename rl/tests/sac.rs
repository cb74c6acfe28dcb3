//! Contract: SAC resumes bit-identically with its replay buffer, does not depend on threads, and rejects unsupported settings; a critic's
//! gradient with respect to its inputs is correct; a squashed policy acts the same after it is saved and loaded.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod support;

use std::fs;
use std::path::Path;

use insonate_envs::{Autoreset, Env, VecConfig, VecEnv};
use insonate_rl::network::{Activation, Learner, Mlp};
use insonate_rl::sac::Critic;
use insonate_rl::{
    Algorithm as _, AlgorithmConfig, CheckpointInfo, Policy, Ppo, RlError, Run, RunOptions, Sac,
    SacConfig,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use support::{Line, identity, lines};

/// Six iterations of 80 steps, with a buffer that is full after two.
fn config() -> SacConfig {
    SacConfig {
        total_timesteps: 6 * 4 * 20,
        n_envs: 4,
        n_steps: 20,
        buffer_size: 161,
        learning_starts: 40,
        batch_size: 16,
        gradient_steps: 0.3,
        policy_lr: 3e-3,
        q_lr: 3e-3,
        hidden_sizes: vec![16, 16],
        seed: 7,
        episode_window: 10,
        ..SacConfig::default()
    }
}

fn same_step(n_threads: usize) -> VecEnv {
    lines(4, n_threads, Autoreset::SameStep)
}

fn sac(config: SacConfig, n_threads: usize) -> Sac {
    let mut sac = Sac::new(same_step(n_threads), config, identity()).unwrap();
    sac.fix_update_threads(n_threads);
    sac
}

fn iterate(sac: &mut Sac, n: usize) {
    for _ in 0..n {
        sac.iterate().unwrap();
    }
}

fn bytes(sac: &Sac, path: &Path) -> Vec<u8> {
    sac.save(path).unwrap();
    fs::read(path).unwrap()
}

#[test]
fn resumed_training_is_bit_identical_to_uninterrupted_training_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let mut whole = sac(config(), 1);
    // Some episodes are truncated, some terminated, and the ring is full.
    iterate(&mut whole, 6);
    assert_eq!(whole.replay().len(), 160);
    for n_before in [0, 1, 4] {
        let mut first = sac(config(), 2);
        iterate(&mut first, n_before);
        let before = bytes(&first, &path);
        let mut second = Sac::resume(same_step(2), &path).unwrap();
        assert_eq!(second.n_unreproduced_envs(), 0);
        assert_eq!(second.replay(), first.replay());
        assert!(
            before == bytes(&second, &path),
            "loaded and saved, {n_before}"
        );
        second.fix_update_threads(2);
        iterate(&mut second, 6 - n_before);
        assert!(bytes(&whole, &path) == bytes(&second, &path), "{n_before}");
        assert!(second.is_finished());
    }
}

#[test]
fn a_run_knows_the_algorithm_of_its_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let options = RunOptions {
        checkpoint_every: 2,
        tensorboard: true,
    };
    let mut run = Run::start(folder.path(), sac(config(), 1), options).unwrap();
    let mut rows = 0;
    run.train(&mut |progress| {
        rows += 1;
        assert!(progress.scalar("losses/approx_kl").is_none());
        assert!(
            progress
                .scalar("losses/alpha")
                .is_some_and(|alpha| alpha > 0.0)
        );
        if rows == 3 {
            std::ops::ControlFlow::Break(())
        } else {
            std::ops::ControlFlow::Continue(())
        }
    })
    .unwrap();
    let path = folder.path().join("checkpoint.safetensors");
    let info = CheckpointInfo::load(&path).unwrap();
    assert_eq!(info.config, AlgorithmConfig::Sac(config()));
    assert_eq!((info.iteration, info.global_step), (3, 240));
    let mut run = Run::resume(folder.path(), same_step(2), options).unwrap();
    run.train(&mut |_| std::ops::ControlFlow::Continue(()))
        .unwrap();
    assert!(run.algorithm().is_finished());
    let table = fs::read_to_string(folder.path().join("progress.csv")).unwrap();
    assert_eq!(table.lines().count(), 1 + 6);
    for name in [
        "losses/qf1_loss",
        "losses/actor_loss",
        "losses/alpha",
        "charts/SPS",
    ] {
        assert!(table.contains(name), "{name}");
    }
    // PPO rejects it with the reason.
    let message = Ppo::resume(same_step(1), &path).unwrap_err().to_string();
    let expected = "is of format \"insonate-sac-checkpoint\", not \"insonate-checkpoint\"";
    assert!(message.ends_with(expected), "{message}");
}

#[test]
fn the_gradient_by_the_inputs_is_that_of_finite_differences() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    // More rows than fit in one pass, and widths that are not multiples of a cache line.
    let (n_rows, n_inputs) = (131, 5);
    for activation in [Activation::Tanh, Activation::Elu, Activation::Silu] {
        for sizes in [vec![n_inputs, 1], vec![n_inputs, 19, 7, 1]] {
            let mut network = Mlp::new(&sizes, activation, 0);
            network.set_orthogonal(1.0, &mut rng);
            let mut learner = Learner::new(network);
            let mut inputs: Vec<f32> = (0..n_rows * n_inputs)
                .map(|_| rng.random_range(-1.0..1.0))
                .collect();
            let mut memory = learner.input_gradient();
            let mut slopes = Vec::new();
            let mut values = vec![0.0; n_rows];
            learner.differentiate(&inputs, &mut memory, |row, value, by_inputs| {
                values[row] = value[0];
                slopes.extend_from_slice(by_inputs);
            });
            let mut evaluated = vec![0.0; n_rows];
            learner.evaluate(&inputs, |row, value| evaluated[row] = value[0]);
            assert_eq!(values, evaluated);
            for input in 0..n_inputs {
                let mut at = |step: f32| {
                    inputs
                        .iter_mut()
                        .skip(input)
                        .step_by(n_inputs)
                        .for_each(|x| *x += step);
                    let mut values = vec![0.0; n_rows];
                    learner.evaluate(&inputs, |row, value| values[row] = value[0]);
                    inputs
                        .iter_mut()
                        .skip(input)
                        .step_by(n_inputs)
                        .for_each(|x| *x -= step);
                    values
                };
                let (above, below) = (at(1e-2), at(-1e-2));
                for row in 0..n_rows {
                    let slope = (above[row] - below[row]) / 2e-2;
                    let found = slopes[row * n_inputs + input];
                    // Tolerance for rounding of values of about 1, divided by the step, and for the cubic term.
                    assert!(
                        (slope - found).abs() < 1e-3,
                        "{activation:?}: {slope}, {found}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_target_follows_its_critic_by_polyak_averaging() {
    let mut network = Mlp::new(&[2, 3, 1], Activation::Relu, 0);
    network.set_uniform(&mut ChaCha8Rng::seed_from_u64(1));
    let mut critic = Critic::new(network.clone(), 4, 1);
    assert_eq!(**critic.target.parameters(), **network.parameters());
    critic.learner.network.parameters_mut().fill(1.0);
    for step in 1..=3 {
        critic.follow(0.25);
        let rest = 0.75_f32.powi(step);
        let start = network.parameters().iter();
        for (target, start) in critic.target.parameters().iter().zip(start) {
            assert!((target - (1.0 - rest * (1.0 - start))).abs() < 1e-6);
        }
    }
}

#[test]
fn a_squashed_policy_is_saved_and_loaded_as_it_acts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy");
    let mut training = sac(config(), 1);
    iterate(&mut training, 4);
    let mut saved = training.policy();
    assert!(saved.is_squashed());
    saved.save(&path).unwrap();
    let mut loaded = Policy::load(&path).unwrap();
    assert!(loaded.is_squashed());
    let first = fs::read(&path).unwrap();
    loaded.save(&path).unwrap();
    assert!(first == fs::read(&path).unwrap());
    // The effect of squashing is visible, because tanh u differs from clipped u.
    let observations: Vec<f32> = (0..400).map(|i| 3.0 * (i as f32 * 0.7).sin()).collect();
    let (mut own, mut other) = (vec![0.0; 200], vec![1.0; 200]);
    saved.act(&observations, &mut own);
    loaded.act(&observations, &mut other);
    assert_eq!(own, other);
    assert!(own.iter().all(|action| action.abs() <= 2.0));
    // PPO cannot begin with it.
    let mut ppo = support::ppo(support::config(), 1);
    let message = ppo.warm_start(&saved).unwrap_err().to_string();
    assert_eq!(
        message,
        "from: PPO cannot begin with a policy of SAC, which is squashed"
    );
    assert!(training.warm_start(&ppo.policy()).is_err());
    // Policies of PPO stay readable by older programs.
    ppo.policy().save(&path).unwrap();
    let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
    assert!(text.contains("\\\"version\\\":2") && !text.contains("squash"));
}

#[test]
fn a_policy_of_sac_is_the_mean_of_what_it_explores() {
    let mut training = sac(config(), 1);
    iterate(&mut training, 6);
    let mut policy = training.policy();
    let mut actions = [0.0; 4];
    policy.act(&training.env().batch().observations, &mut actions);
    assert!(actions.iter().all(|action| action.is_finite()));
    assert!(actions.iter().any(|action| *action != actions[0]));
}

/// Environments with a changed action or observation.
fn changed(change: fn(&mut insonate_envs::EnvSpec)) -> VecEnv {
    struct Changed(Line, insonate_envs::EnvSpec);

    impl Env for Changed {
        fn spec(&self) -> &insonate_envs::EnvSpec {
            &self.1
        }

        fn reset(
            &mut self,
            _: u64,
            _: &insonate_envs::ResetOptions,
            observation: &mut [f32],
        ) -> Result<(), insonate_envs::EnvError> {
            observation.fill(0.0);
            Ok(())
        }

        fn step(
            &mut self,
            action: &[f32],
            observation: &mut [f32],
        ) -> Result<insonate_envs::Step, insonate_envs::EnvError> {
            self.0.step(action, observation)
        }

        fn reward_terms(&self) -> &[f64] {
            self.0.reward_terms()
        }

        fn costs(&self) -> &[f64] {
            self.0.costs()
        }

        fn metrics(&self, metrics: &mut [f64]) {
            self.0.metrics(metrics);
        }

        fn parameters(&self) -> &[f64] {
            self.0.parameters()
        }

        fn end_reason(&self) -> Option<insonate_envs::EndReason> {
            self.0.end_reason()
        }
    }

    let line = Line::new();
    let mut spec = line.spec().clone();
    change(&mut spec);
    let config = VecConfig {
        autoreset: Autoreset::SameStep,
        n_threads: 1,
    };
    VecEnv::new(vec![Box::new(Changed(line, spec))], config).unwrap()
}

#[test]
fn actions_without_bounds_and_buffers_beyond_a_checkpoint_are_refused() {
    let refused = |change: fn(&mut insonate_envs::EnvSpec), buffer_size: usize| {
        let config = SacConfig {
            n_envs: 1,
            buffer_size,
            ..config()
        };
        match Sac::new(changed(change), config, identity()) {
            Err(error @ RlError::Config { .. }) => error.to_string(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        refused(|spec| spec.action_space.high[0] = f32::INFINITY, 100),
        "action: velocity [m/s] of line has no bounds, but SAC needs bounded actions: use PPO"
    );
    // 28 bytes per step: two observations, an action, a reward and an outcome.
    assert_eq!(
        refused(|_| (), 1 << 28),
        "buffer_size: is 268435456; it must be at most 38347922 with the 2 observations of line"
    );
}
