//! Times of a step for different numbers of nodes and contacts, and different solvers.

#![expect(
    missing_docs,
    reason = "criterion's macro creates functions without documentation"
)]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use insonate_continuum::{RodOnBed, Solver};

fn step(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("continuum_step");
    group.sample_size(20);
    for n_nodes in [100, 200, 300, 400] {
        for n_contacts in [10, 50, 100, 200].into_iter().filter(|n| 2 * n <= n_nodes) {
            for solver in [Solver::Block, Solver::Clarabel, Solver::GaussSeidel] {
                let mut bed = RodOnBed::new(n_nodes, n_contacts, solver).expect("it is in range");
                let id = BenchmarkId::new(format!("{solver:?}/{n_nodes}"), n_contacts);
                group.bench_function(id, |bencher| bencher.iter(|| bed.step()));
            }
        }
    }
}

criterion_group!(benches, step);
criterion_main!(benches);
