//! Time of learning alone: `cargo bench -p insonate-rl`.
//!
//! `ppo_update`: one update of 2048 samples in minibatches of 64, 10 epochs, 64×64 tanh actor and critic, on one thread and on two.
//! `minibatch`: forward, backward and Adam of one network over 64 rows.

#![expect(missing_docs, reason = "criterion's macros write an undocumented main")]

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use insonate_rl::PpoConfig;
use insonate_rl::network::{
    Activation, Adam, AdamStep, AlignedBuffer, Mlp, padded, sum_of_squares,
};
use insonate_rl::ppo::{Learner, RolloutBuffer, update};
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
                    let learners = [&mut actor, &mut critic];
                    update(&config, 3e-4, &rollout, 9, learners, n_threads)
                },
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

fn minibatch(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("minibatch");
    for (n_obs, hidden, n_actions) in [(11, 64, 2), (24, 256, 6)] {
        let n_rows = 64;
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut network = Mlp::new(&[n_obs, hidden, hidden, n_actions], Activation::Tanh, 0);
        network.set_orthogonal(1.0, &mut rng);
        let mut workspace = network.workspace(n_rows);
        let mut gradient = AlignedBuffer::zeros(network.parameters().len());
        let mut adam = Adam::new(gradient.len());
        let inputs: Vec<f32> = (0..n_rows * n_obs)
            .map(|_| rng.random_range(-1.0..1.0))
            .collect();
        group.bench_function(
            format!("{n_obs}-{hidden}-{hidden}-{n_actions}"),
            |bencher| {
                bencher.iter(|| {
                    network.forward(&inputs, n_rows, &mut workspace);
                    let (outputs, by_outputs) = workspace.output_and_gradient();
                    let pairs = outputs.iter().zip(by_outputs).enumerate();
                    for (i, (output, by_output)) in pairs {
                        if i % padded(n_actions) < n_actions {
                            *by_output = output - 0.5;
                        }
                    }
                    network.backward(&inputs, n_rows, &mut workspace, &mut gradient, false);
                    let norm = sum_of_squares(&gradient).sqrt();
                    let step = AdamStep {
                        learning_rate: 3e-4,
                        epsilon: 1e-5,
                        gradient_scale: (0.5 / norm).min(1.0) as f32,
                    };
                    adam.step(network.parameters_mut(), &gradient, step);
                });
            },
        );
    }
    group.finish();
}

criterion_group!(benches, ppo_update, minibatch);
criterion_main!(benches);
