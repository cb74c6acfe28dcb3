//! What a vector of environments costs over the physics below it: handing out, and steps of `reacher` on one and two threads.
//!
//! Beside criterion's timings it prints the ratio that the issue of speed asks for:
//! physics steps per second of the vector over those of bare states that step in as many threads.

#![expect(missing_docs, reason = "criterion's macros write an undocumented main")]
#![expect(clippy::print_stdout, reason = "the ratio is for people to read")]

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use insonate_envs::tasks::EnvFactory;
use insonate_envs::{
    BoxSpace, EndReason, Env, EnvError, EnvSpec, ResetOptions, Step, VecConfig, VecEnv, tasks,
};
use insonate_sim::Physics;

const N_ENVS: usize = 8;

/// An environment whose step takes a given time, or next to none.
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
    let kind = tasks::by_name("reacher").expect("a task of the registry");
    (kind.build)(&toml::Table::new()).expect("its default settings")
}

/// The time of a step beyond the work in it: 8 environments of 0 and of 125 µs.
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

/// A step of 8 reachers, ends and resets included.
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
    for n_threads in [1, 2] {
        let rates: Vec<[f64; 3]> = (0..9).map(|_| rates(&factory, n_threads)).collect();
        let best = |kind: usize| rates.iter().map(|rates| rates[kind]).fold(0.0, f64::max);
        let [vector, physics, raw] = [best(0), best(1), best(2)];
        println!(
            "{n_threads} threads: {vector:.0} physics steps/s in the vector, {:.1} % of {physics:.0} with `Physics::step` alone, \
             {:.1} % of {raw:.0} with `mj_step` alone",
            100.0 * vector / physics,
            100.0 * vector / raw,
        );
    }
}

const N_STEPS: usize = 1000;

/// Physics steps per second on `n_threads` threads: of a vector, of as many states stepped by [`Physics`], and by `mj_step` alone.
///
/// The states begin anew where the vector's episodes do, so that all solve the same kind of contact with the joint's stop.
fn rates(factory: &EnvFactory, n_threads: usize) -> [f64; 3] {
    let mut env = vector(factory.make_many(N_ENVS).expect("reachers"), n_threads);
    let n_substeps = env.spec().n_substeps;
    let length = env.spec().max_episode_steps.expect("reacher has a limit");
    let states = |env: &VecEnv| -> Vec<Physics> {
        (0..N_ENVS)
            .map(|env_idx| copy_of(env.env(env_idx)))
            .collect()
    };
    let (mut plain, mut raw) = (states(&env), states(&env));
    let total = (N_ENVS * N_STEPS * n_substeps) as f64;
    let vector_time = time(|| {
        for _ in 0..N_STEPS {
            env.step(&[0.1; 2 * N_ENVS]).expect("a good step");
        }
    });
    let each_share = |states: &mut [Physics], step: fn(&mut Physics, usize)| {
        thread::scope(|scope| {
            for share in states.chunks_mut(N_ENVS / n_threads) {
                scope.spawn(move || {
                    let mut share: Vec<(&mut Physics, Vec<f64>, Vec<f64>)> = share
                        .iter_mut()
                        .map(|state| {
                            let (qpos, qvel) = (state.qpos().to_vec(), state.qvel().to_vec());
                            (state, qpos, qvel)
                        })
                        .collect();
                    for index in 0..N_STEPS {
                        for (state, qpos, qvel) in &mut share {
                            if index % length == 0 {
                                state.qpos_mut().copy_from_slice(qpos);
                                state.qvel_mut().copy_from_slice(qvel);
                            }
                            state.ctrl_mut().fill(0.1);
                            step(state, n_substeps);
                        }
                    }
                });
            }
        });
    };
    let physics_time = time(|| {
        each_share(&mut plain, |state, n| {
            state.step_n(n).expect("a stable arm");
        });
    });
    let raw_time = time(|| {
        each_share(&mut raw, |state, n| {
            (0..n).for_each(|_| state.data_mut().step());
        });
    });
    [vector_time, physics_time, raw_time].map(|time| total / time)
}

fn copy_of(env: &dyn Env) -> Physics {
    let (scene, physics) = env.scene().expect("reacher has a scene");
    let mut copy = Physics::from_scene(scene).expect("memory for a state");
    copy.qpos_mut().copy_from_slice(physics.qpos());
    copy.qvel_mut().copy_from_slice(physics.qvel());
    copy
}

fn time(job: impl FnOnce()) -> f64 {
    let start = Instant::now();
    job();
    start.elapsed().as_secs_f64()
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
