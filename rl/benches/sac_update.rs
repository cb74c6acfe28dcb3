//! Benchmark of the SAC update: `cargo bench -p insonate-rl --bench sac_update`.
//!
//! `sac_update`: 200 gradient steps of 256 samples, 64×64 actor and twin critics, on one thread and on two. The 200 steps of the
//! pendulum between them take some microseconds each.

#![expect(missing_docs, reason = "criterion's macros write an undocumented main")]

use criterion::{Criterion, criterion_group, criterion_main};
use insonate_envs::{Autoreset, EnvError, VecConfig, VecEnv, tasks};
use insonate_rl::{Algorithm as _, PolicyIdentity, RlError, Sac, SacConfig};

fn sac() -> Result<Sac, RlError> {
    let pendulum = (tasks::by_name("pendulum")?.build)(&toml::Table::new())?;
    let vector = VecConfig {
        autoreset: Autoreset::SameStep,
        n_threads: 1,
    };
    let envs: Result<_, EnvError> = pendulum.make_many(1);
    let config = SacConfig {
        n_steps: 200,
        learning_starts: 200,
        hidden_sizes: vec![64, 64],
        ..SacConfig::default()
    };
    let mut sac = Sac::new(
        VecEnv::new(envs?, vector)?,
        config,
        PolicyIdentity::default(),
    )?;
    // Fills the buffer without learning.
    sac.iterate()?;
    Ok(sac)
}

fn sac_update(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sac_update");
    group.sample_size(10);
    for n_threads in [1, 2] {
        let mut sac = sac().expect("the pendulum is learnt");
        sac.fix_update_threads(n_threads);
        group.bench_function(format!("64x64_{n_threads}_threads"), |bencher| {
            bencher.iter(|| sac.iterate().expect("it learns on"));
        });
    }
    group.finish();
}

criterion_group!(benches, sac_update);
criterion_main!(benches);
