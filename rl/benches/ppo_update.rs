//! Benchmark of the PPO update without the environments: `cargo bench -p insonate-rl`.
//!
//! `ppo_update`: one update of 2048 samples in minibatches of 64, 10 epochs, 64×64 tanh actor and critic, on one thread and on two.

#![expect(missing_docs, reason = "criterion's macros write an undocumented main")]

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use insonate_rl::PpoConfig;
use insonate_rl::network::Learner;
use insonate_rl::network::Mlp;
use insonate_rl::ppo::{Learners, RolloutBuffer, update};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn ppo_update(criterion: &mut Criterion) {
    let (n_obs, n_actions) = (11, 2);
    let config = PpoConfig::default();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut rollout = RolloutBuffer::new(config.n_steps, config.n_envs, n_obs, n_actions);
    for numbers in [
        &mut rollout.observations,
        &mut rollout.actions,
        &mut rollout.advantages,
        &mut rollout.returns,
    ] {
        for number in numbers {
            *number = rng.random_range(-1.0..1.0);
        }
    }
    rollout.log_probs.fill(-2.5);
    let mut actor = Mlp::new(&[n_obs, 64, 64, n_actions], config.activation, n_actions);
    actor.set_orthogonal(0.01, &mut rng);
    let mut critic = Mlp::new(&[n_obs, 64, 64, 1], config.activation, 0);
    critic.set_orthogonal(1.0, &mut rng);

    let mut group = criterion.benchmark_group("ppo_update");
    group.sample_size(20);
    for n_threads in [1, 2] {
        group.bench_function(format!("64x64_{n_threads}_threads"), |bencher| {
            bencher.iter_batched(
                || [Learner::new(actor.clone()), Learner::new(critic.clone())],
                |[mut actor, mut critic]| {
                    let learners = Learners {
                        actor: &mut actor,
                        critic: &mut critic,
                        constraint: None,
                    };
                    update(&config, 3e-4, &rollout, 9, learners, n_threads)
                },
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, ppo_update);
criterion_main!(benches);
