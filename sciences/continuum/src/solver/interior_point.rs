//! Solves the quadratic program with clarabel, a general interior-point solver, as a reference for the
//! other solvers.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus,
};
use nalgebra::Vector3;

use super::{Cholesky, NodeVector, QuadraticProgram, Solved};

/// Solves for Δ and the forces of the rows; rigid contacts without friction.
pub(crate) fn solve(program: &mut QuadraticProgram, step: &mut Vec<NodeVector>) -> Solved {
    let mut factors = Cholesky::default();
    while !factors.factorise(&program.stiffness) {
        if !program.convexify() {
            return Solved::failed();
        }
    }
    let n_unknowns = 6 * program.gradient.len();
    let (hessian, constraints) = (hessian(program), constraints(program, n_unknowns));
    let gradient: Vec<f64> = program
        .gradient
        .iter()
        .flat_map(NodeVector::iter)
        .copied()
        .collect();
    let gaps: Vec<f64> = program.rows.iter().map(|row| row.gap).collect();
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-12)
        .tol_gap_rel(1e-12)
        .tol_feas(1e-12)
        .build()
        .expect("these settings are in range");
    let cones = [NonnegativeConeT(gaps.len())];
    let solver = DefaultSolver::new(&hessian, &gradient, &constraints, &gaps, &cones, settings);
    let Ok(mut solver) = solver else {
        return Solved::failed();
    };
    solver.solve();
    let solution = &solver.solution;
    let usable = [
        SolverStatus::Solved,
        SolverStatus::AlmostSolved,
        SolverStatus::InsufficientProgress,
        SolverStatus::MaxIterations,
    ];
    if !usable.contains(&solution.status) {
        return Solved::failed();
    }
    step.clear();
    step.extend(
        solution
            .x
            .chunks_exact(6)
            .map(NodeVector::from_column_slice),
    );
    // Interior-point solutions have small forces everywhere. A force smaller than its open gap is set to zero.
    let penalty = program.penalty;
    for ((row, force), slack) in program.rows.iter_mut().zip(&solution.z).zip(&solution.s) {
        let presses = *force > 1e-6 * penalty * slack;
        row.force = Vector3::new(if presses { *force } else { 0.0 }, 0.0, 0.0);
    }
    Solved {
        n_iterations: solution.iterations as usize,
        residual: program.optimality(step),
    }
}

/// The upper triangle of the stiffness, column by column.
fn hessian(program: &QuadraticProgram) -> CscMatrix<f64> {
    let stiffness = &program.stiffness;
    let n_unknowns = 6 * stiffness.diagonal.len();
    let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    for (node, block) in stiffness.diagonal.iter().enumerate() {
        for column in 0..6 {
            if node > 0 {
                rows.extend((0..6).map(|row| 6 * (node - 1) + row));
                values.extend(stiffness.lower[node - 1].row(column).iter());
            }
            rows.extend((0..=column).map(|row| 6 * node + row));
            values.extend((0..=column).map(|row| block[(row, column)]));
            starts.push(rows.len());
        }
    }
    CscMatrix::new(n_unknowns, n_unknowns, starts, rows, values)
}

/// −A, column by column.
fn constraints(program: &QuadraticProgram, n_unknowns: usize) -> CscMatrix<f64> {
    let mut columns: Vec<Vec<(usize, f64)>> = vec![Vec::new(); n_unknowns];
    for (idx, row) in program.rows.iter().enumerate() {
        let free = program.stiffness.without_held(row.node, &row.normal);
        for (component, entry) in free.iter().enumerate().filter(|(_, entry)| **entry != 0.0) {
            columns[6 * row.node + component].push((idx, -entry));
        }
    }
    let mut starts = vec![0];
    for column in &columns {
        starts.push(starts[starts.len() - 1] + column.len());
    }
    let entries = columns.iter().flatten();
    let (rows, values) = entries.copied().unzip();
    CscMatrix::new(program.rows.len(), n_unknowns, starts, rows, values)
}
