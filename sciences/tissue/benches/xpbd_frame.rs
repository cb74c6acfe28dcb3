//! Frames of ten substeps of the benchmark scene: one world, and a batch of 32.

#![expect(
    missing_docs,
    reason = "criterion's macro creates functions without documentation"
)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use insonate_tissue::xpbd::BenchScene;

/// Frames after which the ball slides.
const START: u32 = 60;

fn frames(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("xpbd_frame");
    group.sample_size(10);
    for n_tets in [1170, 2880, 9729, 52359] {
        let scene = BenchScene::new(n_tets, 10).expect("the scene is right");
        let mut world = scene.world(0).expect("the scene is right");
        for frame in 0..START {
            scene.step(&mut world, frame).expect("the scene is stable");
        }
        group.throughput(Throughput::Elements(1));
        group.bench_function(BenchmarkId::new("one_world", n_tets), |bencher| {
            let mut frame = START;
            bencher.iter(|| {
                scene.step(&mut world, frame).expect("the scene is stable");
                frame += 1;
            });
        });
        let n_worlds = 32;
        let mut batch = scene.batch(n_worlds, 0).expect("the scene is right");
        for frame in 0..START {
            scene
                .step_batch(&mut batch, frame)
                .expect("the scene is stable");
        }
        group.throughput(Throughput::Elements(n_worlds as u64));
        group.bench_function(BenchmarkId::new("32_worlds", n_tets), |bencher| {
            let mut frame = START;
            bencher.iter(|| {
                scene
                    .step_batch(&mut batch, frame)
                    .expect("the scene is stable");
                frame += 1;
            });
        });
    }
    group.finish();
}

criterion_group!(benches, frames);
criterion_main!(benches);
