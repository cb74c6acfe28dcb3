//! Times of a step for different numbers of nodes and contacts, and different solvers: `cargo run --release -p
//! insonate-continuum --example step_times`.

use std::io::Write;
use std::time::Instant;

use insonate_continuum::{RodOnBed, Solver};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    for n_nodes in [100, 200, 300, 400] {
        for n_contacts in [10, 50, 100, 150, 200]
            .into_iter()
            .filter(|n| 2 * n <= n_nodes)
        {
            let solvers = [Solver::Block, Solver::Clarabel, Solver::GaussSeidel];
            for (solver, n_steps) in solvers.into_iter().zip([63, 20, 5]) {
                let mut bed = RodOnBed::new(n_nodes, n_contacts, solver)?;
                let (mut times, mut n_pressing, mut residual, mut work) =
                    (Vec::new(), 0, 0.0_f64, 0);
                for _ in 0..n_steps {
                    let start = Instant::now();
                    let report = bed.step()?;
                    times.push(1e3 * start.elapsed().as_secs_f64());
                    n_pressing = report.contacts.len();
                    residual = residual.max(report.kkt_residual);
                    work += report.n_factorisations;
                }
                times.sort_by(f64::total_cmp);
                let (median, least) = (times[times.len() / 2], times[0]);
                let name = format!("{solver:?}");
                writeln!(
                    out,
                    "{n_nodes} nodes {n_pressing} contacts {name:<12} median {median:.3} ms, least {least:.3} ms, \
                     KKT {residual:.1e}, {:.1} factorisations or sweeps",
                    work as f64 / f64::from(n_steps)
                )?;
            }
        }
    }
    Ok(())
}
