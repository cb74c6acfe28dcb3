//! Benchmarks of a step of a vector of environments: overhead, and `reacher` on one and two threads.
//!
//! `insonate bench env` compares with the physics alone.

#![expect(missing_docs, reason = "criterion's macros write an undocumented main")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use insonate_envs::tasks::EnvFactory;
use insonate_envs::{
    BoxSpace, EndReason, Env, EnvError, EnvSpec, ResetOptions, Step, VecConfig, VecEnv, tasks,
};

const N_ENVS: usize = 8;

/// An environment whose step takes a given time (or almost none).
struct Busy {
    spec: EnvSpec,
    time: Duration,
}

impl Busy {
    fn boxed(time: Duration) -> Box<dyn Env> {
        let spec = EnvSpec {
            id: "busy".to_owned(),
            observation_space: BoxSpace::default().with("x [1]", 0.0, 1.0),
            action_space: BoxSpace::default().with("u [1]", -1.0, 1.0),
            reward_terms: vec!["none"],
            costs: Vec::new(),
            max_episode_steps: Some(1 << 20),
            control_timestep: 0.1,
            ..EnvSpec::default()
        };
        Box::new(Self { spec, time })
    }
}

impl Env for Busy {
    fn spec(&self) -> &EnvSpec {
        &self.spec
    }

    fn reset(
        &mut self,
        _seed: u64,
        _options: &ResetOptions,
        observation: &mut [f32],
    ) -> Result<(), EnvError> {
        observation.fill(0.0);
        Ok(())
    }

    fn step(&mut self, _action: &[f32], observation: &mut [f32]) -> Result<Step, EnvError> {
        let start = Instant::now();
        while start.elapsed() < self.time {
            std::hint::spin_loop();
        }
        observation.fill(0.0);
        Ok(Step::default())
    }

    fn reward_terms(&self) -> &[f64] {
        &[0.0]
    }

    fn metrics(&self, _metrics: &mut [f64]) {}

    fn parameters(&self) -> &[f64] {
        &[]
    }

    fn end_reason(&self) -> Option<EndReason> {
        None
    }
}

fn vector(envs: Vec<Box<dyn Env>>, n_threads: usize) -> VecEnv {
    let config = VecConfig {
        n_threads,
        ..VecConfig::default()
    };
    let mut env = VecEnv::new(envs, config).expect("a vector of equal environments");
    env.reset(Some(0), &ResetOptions::default())
        .expect("an environment that can be reset");
    env
}

fn reacher() -> EnvFactory {
    tasks::factory("reacher", &[]).expect("a task with default settings")
}

/// Overhead of a step: 8 environments whose steps take 0 or 125 µs.
fn hand_over(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("hand_over");
    for (name, micros) in [("empty", 0), ("work_125us", 125)] {
        for n_threads in [1, 2] {
            let envs = (0..N_ENVS).map(|_| Busy::boxed(Duration::from_micros(micros)));
            let mut env = vector(envs.collect(), n_threads);
            group.bench_function(format!("{name}_{n_threads}_threads"), |bencher| {
                bencher
                    .iter(|| black_box(env.step(&[0.5; N_ENVS]).expect("a good step").rewards[0]));
            });
        }
    }
    group.finish();
}

/// A step of 8 reachers, including ends and resets.
fn steps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reacher_8_envs");
    let factory = reacher();
    for n_threads in [1, 2] {
        let mut env = vector(factory.make_many(N_ENVS).expect("reachers"), n_threads);
        group.bench_function(format!("{n_threads}_threads"), |bencher| {
            bencher
                .iter(|| black_box(env.step(&[0.1; 2 * N_ENVS]).expect("a good step").rewards[0]));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = hand_over, steps
}
criterion_main!(benches);
