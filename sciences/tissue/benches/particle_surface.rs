//! The surface of 24 000 particles of a slab, on a grid of 64³ cells over the unit cube.

#![expect(
    missing_docs,
    reason = "criterion's macro creates functions without documentation"
)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use insonate_tissue::surface::{ParticleCloud, ParticleVolumes, SurfaceLevel, particle_surface};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

const N_PARTICLES: usize = 24_000;

fn frames(criterion: &mut Criterion) {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut cloud = |low: [f64; 3], size: [f64; 3]| -> Vec<[f64; 3]> {
        (0..N_PARTICLES)
            .map(|_| [0, 1, 2].map(|i| low[i] + size[i] * rng.random::<f64>()))
            .collect()
    };
    let mut group = criterion.benchmark_group("particle_surface");
    for (name, low, size) in [
        // The scene that is used to compare programs.
        ("slab", [0.1, 0.2, 0.05], [0.3, 0.3, 0.05]),
        // The whole grid, thinly filled: the greatest possible surface.
        ("spray", [0.05; 3], [0.9; 3]),
    ] {
        let positions = cloud(low, size);
        let volume = size.iter().product::<f64>() / N_PARTICLES as f64;
        let level = SurfaceLevel::OfGreatest(0.2);
        for (kind, rest_positions) in [("plain", None), ("with_rest", Some(&*positions))] {
            let cloud = ParticleCloud {
                positions: &positions,
                volumes: ParticleVolumes::One(volume),
                rest_positions,
            };
            group.bench_function(format!("{name}_{kind}"), |bencher| {
                bencher.iter(|| {
                    particle_surface(black_box(&cloud), 1.0 / 64.0, level).expect("a surface")
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, frames);
criterion_main!(benches);
