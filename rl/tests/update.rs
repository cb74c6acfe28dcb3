//! Contract: the gradient of an update equals the gradient of PPO's complete loss, an update does not depend on threads, and values that
//! are not finite never reach the weights.

mod oracle;

use insonate_rl::PpoConfig;
use insonate_rl::network::Learner;
use insonate_rl::network::{Activation, Mlp};
use insonate_rl::ppo::{Learners, RolloutBuffer, UpdateStats, update};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use oracle::Oracle;

const N_OBS: usize = 3;
const N_ACTIONS: usize = 2;

fn config() -> PpoConfig {
    PpoConfig {
        n_envs: 4,
        n_steps: 6,
        n_minibatches: 1,
        update_epochs: 1,
        hidden_sizes: vec![5],
        ent_coef: 0.01,
        // Without clipping, so that the gradient is that of the loss.
        max_grad_norm: 1e9,
        ..PpoConfig::default()
    }
}

fn networks(rng: &mut ChaCha8Rng) -> [Mlp; 2] {
    let mut actor = Mlp::new(&[N_OBS, 5, N_ACTIONS], Activation::Tanh, N_ACTIONS);
    actor.set_orthogonal(1.0, rng);
    let free = actor.free();
    actor.parameters_mut()[free].copy_from_slice(&[-0.3, 0.2]);
    let mut critic = Mlp::new(&[N_OBS, 5, 1], Activation::Tanh, 0);
    critic.set_orthogonal(1.0, rng);
    [actor, critic]
}

/// Samples as if another policy had drawn them, so that some ratios are clipped and some are not.
fn rollout(config: &PpoConfig, rng: &mut ChaCha8Rng) -> RolloutBuffer {
    let mut rollout = RolloutBuffer::new(config.n_steps, config.n_envs, N_OBS, N_ACTIONS);
    let mut fill = |numbers: &mut [f32], low: f32, high: f32| {
        for number in numbers {
            *number = rng.random_range(low..high);
        }
    };
    fill(&mut rollout.observations, -1.0, 1.0);
    fill(&mut rollout.actions, -1.5, 1.5);
    fill(&mut rollout.log_probs, -4.0, -2.0);
    fill(&mut rollout.values, -1.0, 1.0);
    fill(&mut rollout.advantages, -1.0, 2.0);
    fill(&mut rollout.returns, -1.0, 1.0);
    rollout
}

fn run(
    config: &PpoConfig,
    rollout: &RolloutBuffer,
    [actor, critic]: [Mlp; 2],
    n_threads: usize,
) -> ([Learner; 2], UpdateStats) {
    let (mut actor, mut critic) = (Learner::new(actor), Learner::new(critic));
    let learners = Learners {
        actor: &mut actor,
        critic: &mut critic,
        constraint: None,
    };
    let report = update(config, 1e-3, rollout, 9, learners, n_threads);
    ([actor, critic], report)
}

/// The complete loss in f64, in CleanRL's form.
fn loss(config: &PpoConfig, rollout: &RolloutBuffer, [actor, critic]: &[Mlp; 2]) -> f64 {
    let n = rollout.len();
    let wide = |x: f32| f64::from(x);
    let mean = rollout.advantages.iter().map(|x| wide(*x)).sum::<f64>() / n as f64;
    let squares: f64 = rollout
        .advantages
        .iter()
        .map(|x| (wide(*x) - mean).powi(2))
        .sum();
    let std = (squares / (n as f64 - 1.0)).sqrt();
    let log_std: Vec<f64> = actor.parameters()[actor.free()]
        .iter()
        .map(|x| wide(*x))
        .collect();
    let half_log_tau = 0.5 * std::f64::consts::TAU.ln();
    let [actor, critic] = [actor, critic].map(Oracle::of);
    let mut sum = 0.0;
    for row in 0..n {
        let observation = &rollout.observations[row * N_OBS..][..N_OBS];
        let observation: Vec<f64> = observation.iter().map(|x| wide(*x)).collect();
        let means = actor.forward(&observation);
        let mut log_prob = 0.0;
        let mut entropy = 0.0;
        for i in 0..N_ACTIONS {
            let u = wide(rollout.actions[row * N_ACTIONS + i]);
            let z = (u - means[i]) / log_std[i].exp();
            log_prob -= 0.5 * z * z + log_std[i] + half_log_tau;
            entropy += 0.5 + half_log_tau + log_std[i];
        }
        let advantage = (wide(rollout.advantages[row]) - mean) / (std + 1e-8);
        let ratio = (log_prob - wide(rollout.log_probs[row])).exp();
        let clip = config.clip_coef;
        let policy = (-advantage * ratio).max(-advantage * ratio.clamp(1.0 - clip, 1.0 + clip));
        let (value, old) = (critic.forward(&observation)[0], wide(rollout.values[row]));
        let return_ = wide(rollout.returns[row]);
        let clipped = old + (value - old).clamp(-clip, clip);
        let value = 0.5 * (value - return_).powi(2).max((clipped - return_).powi(2));
        sum += policy - config.ent_coef * entropy + config.vf_coef * value;
    }
    sum / n as f64
}

#[test]
fn the_gradient_is_that_of_the_whole_loss() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let config = config();
    let networks = networks(&mut rng);
    let rollout = rollout(&config, &mut rng);
    let (learners, report) = run(&config, &rollout, networks.clone(), 1);
    assert!(
        report.policy.clipfrac > 0.2 && report.policy.clipfrac < 0.9,
        "both kinds are there"
    );
    let h = 2e-3_f32;
    for which in 0..2 {
        for index in 0..networks[which].parameters().len() {
            let shifted = |by: f32| {
                let mut networks = networks.clone();
                networks[which].parameters_mut()[index] += by;
                let moved = networks[which].parameters()[index];
                (loss(&config, &rollout, &networks), f64::from(moved))
            };
            let ((above, high), (below, low)) = (shifted(h), shifted(-h));
            let truth = (above - below) / (high - low);
            let found = f64::from(learners[which].gradient()[index]);
            // Padding has no effect on the loss.
            let error = (found - truth).abs();
            assert!(
                error < 5e-4 + 5e-3 * truth.abs(),
                "{which} {index}: {found} is not {truth}"
            );
        }
    }
}

#[test]
fn two_threads_and_one_come_to_the_same_bits() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let config = PpoConfig {
        n_steps: 32,
        n_minibatches: 8,
        update_epochs: 4,
        target_kl: Some(0.02),
        ..config()
    };
    let networks = networks(&mut rng);
    let rollout = rollout(&config, &mut rng);
    let (one, one_report) = run(&config, &rollout, networks.clone(), 1);
    let (two, two_report) = run(&config, &rollout, networks, 2);
    for (one, two) in one.iter().zip(&two) {
        assert_eq!(**one.network.parameters(), **two.network.parameters());
        assert_eq!(*one.adam.second_moment, *two.adam.second_moment);
    }
    assert_eq!(one_report, two_report);
}

#[test]
fn an_update_ends_when_the_divergence_exceeds_its_target() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let config = PpoConfig {
        update_epochs: 4,
        target_kl: Some(1e-6),
        ..config()
    };
    let networks = networks(&mut rng);
    let rollout = rollout(&config, &mut rng);
    for n_threads in [1, 2] {
        let (_, report) = run(&config, &rollout, networks.clone(), n_threads);
        assert_eq!((report.n_epochs, report.n_minibatches), (1, 1));
    }
}

#[test]
fn the_gradient_of_both_together_is_clipped() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let networks = networks(&mut rng);
    let rollout = rollout(&config(), &mut rng);
    let moments = |max_grad_norm| {
        let config = PpoConfig {
            max_grad_norm,
            ..config()
        };
        let (learners, _) = run(&config, &rollout, networks.clone(), 1);
        // After one step m = 0.1 g.
        learners.map(|learner| learner.adam.first_moment.to_vec())
    };
    let norm = |moments: &[Vec<f32>; 2]| {
        let squares = moments
            .iter()
            .flatten()
            .map(|m| (10.0 * f64::from(*m)).powi(2));
        squares.sum::<f64>().sqrt()
    };
    let free = moments(1e9);
    assert!(norm(&free) > 0.05);
    assert!((norm(&moments(0.01)) - 0.01).abs() < 1e-6);
}

#[test]
fn minibatches_that_are_not_finite_are_skipped_and_counted() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let config = PpoConfig {
        n_minibatches: 4,
        update_epochs: 2,
        ..config()
    };
    let networks = networks(&mut rng);
    for poison in [f32::NAN, f32::INFINITY] {
        let mut rollout = rollout(&config, &mut rng);
        rollout.returns[3] = poison;
        for n_threads in [1, 2] {
            let (learners, report) = run(&config, &rollout, networks.clone(), n_threads);
            assert_eq!((report.n_skipped, report.n_minibatches), (2, 8));
            for learner in &learners {
                assert!(learner.network.parameters().iter().all(|x| x.is_finite()));
                assert_eq!(learner.adam.n_steps, 6);
            }
        }
        rollout.returns.fill(poison);
        let (learners, report) = run(&config, &rollout, networks.clone(), 1);
        assert_eq!(report.n_skipped, report.n_minibatches);
        for (learner, network) in learners.iter().zip(&networks) {
            assert_eq!(**learner.network.parameters(), **network.parameters());
        }
    }
}
