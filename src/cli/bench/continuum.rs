//! `insonate bench continuum`.

use std::time::Instant;

use clap::Args;
use insonate::continuum::{RodOnBed, Solver};
use serde_json::json;

use super::{median, print_figures};

#[derive(Debug, Args)]
pub(super) struct ContinuumBench {
    /// Number of nodes of the rod.
    #[arg(long, value_name = "N", default_value_t = 400)]
    nodes: usize,
    /// Minimum number of active contacts; the actual number is printed.
    #[arg(long, value_name = "N", default_value_t = 200)]
    contacts: usize,
    /// Solver of the quadratic program.
    #[arg(long, value_name = "SOLVER", default_value = "block")]
    solver: SolverArg,
    /// Number of steps; the median over them is reported.
    #[arg(long, value_name = "N", default_value_t = 40)]
    steps: usize,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum SolverArg {
    /// Our own, whose cost does not grow with the contacts.
    Block,
    /// clarabel, a general interior-point solver.
    Clarabel,
    /// Projected Gauss–Seidel in the space of contacts.
    GaussSeidel,
}

impl ContinuumBench {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        anyhow::ensure!(self.steps > 0, "--steps is 0; it must be at least 1");
        let solver = match self.solver {
            SolverArg::Block => Solver::Block,
            SolverArg::Clarabel => Solver::Clarabel,
            SolverArg::GaussSeidel => Solver::GaussSeidel,
        };
        let mut bed = RodOnBed::new(self.nodes, self.contacts, solver)?;
        let mut times = Vec::new();
        let (mut n_pressing, mut work) = (usize::MAX, 0);
        let (mut kkt_residual, mut penetration) = (0.0_f64, 0.0_f64);
        for _ in 0..self.steps {
            let start = Instant::now();
            let report = bed.step()?;
            times.push(1e3 * start.elapsed().as_secs_f64());
            n_pressing = n_pressing.min(report.contacts.len());
            kkt_residual = kkt_residual.max(report.kkt_residual);
            penetration = penetration.max(report.max_penetration);
            work += report.n_factorisations;
        }
        let figures = json!({
            "nodes": self.nodes,
            "ms_per_step": median(times),
            "contacts": n_pressing,
            "kkt_residual": kkt_residual,
            "max_penetration_m": penetration,
            "iterations_per_step": work as f64 / self.steps as f64,
        });
        print_figures(&figures, self.json)
    }
}
