//! Time per call of the arm's inverse dynamics and of its parts.
#![expect(
    missing_docs,
    reason = "criterion's macros make undocumented functions"
)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use insonate_dvrk::classic;
use insonate_dvrk::identification::FourierTrajectory;

fn bench(c: &mut Criterion) {
    let psm = classic();
    let [q, dq, ddq] = FourierTrajectory::wang(1)
        .expect("it is one of four")
        .at(1.0);
    c.bench_function("psm inverse dynamics", |b| {
        b.iter(|| psm.inverse_dynamics(black_box(&q), black_box(&dq), black_box(&ddq)));
    });
    c.bench_function("psm mass matrix", |b| {
        b.iter(|| psm.mass_matrix(black_box(&q)));
    });
    c.bench_function("psm coriolis", |b| {
        b.iter(|| psm.coriolis(black_box(&q), black_box(&dq)));
    });
    c.bench_function("psm tool pose", |b| b.iter(|| psm.tool_pose(black_box(&q))));
}

criterion_group!(benches, bench);
criterion_main!(benches);
