//! Projected Gauss–Seidel in the space of contacts (Duriez 2013), as SOFA solves them.
//!
//! $$ W = A K^{-1} A^\top, \qquad \lambda_i \leftarrow \max\!\Big(0, \lambda_i - \frac{(W \lambda)_i + q_i}{W_{ii}}\Big) $$
//!
//! Every contact costs a solution with the factors of `K`. Every sweep costs the square of the number of
//! contacts.

use nalgebra::{DMatrix, Vector3};

use super::{Cholesky, NodeVector, QuadraticProgram, Solved, add_row};

/// Maximum number of sweeps.
const MAX_SWEEPS: usize = 1000;

/// Change of a gap in a sweep below which the solution has converged [m].
const TOLERANCE: f64 = 1e-9;

/// Solves for Δ and the forces of the rows, without friction. The given values are the initial guess.
pub(crate) fn solve(program: &mut QuadraticProgram, step: &mut Vec<NodeVector>) -> Solved {
    let mut factors = Cholesky::default();
    while !factors.factorise(&program.stiffness) {
        if !program.convexify() {
            return Solved::failed();
        }
    }
    step.clear();
    step.extend(program.gradient.iter().map(|force| -force));
    program.stiffness.clear_held(step);
    factors.solve(step);

    let n_rows = program.rows.len();
    let mut gaps: Vec<f64> = program
        .rows
        .iter()
        .map(|row| row.gap + row.motion(step).x)
        .collect();
    let mut coupling = DMatrix::<f64>::zeros(n_rows, n_rows);
    let mut answers = Vec::with_capacity(n_rows);
    for (column, row) in program.rows.iter().enumerate() {
        let mut answer = vec![NodeVector::zeros(); step.len()];
        add_row(&mut answer, row.node, &row.normal);
        program.stiffness.clear_held(&mut answer);
        factors.solve(&mut answer);
        for (idx, other) in program.rows.iter().enumerate() {
            coupling[(idx, column)] = other.motion(&answer).x;
        }
        coupling[(column, column)] += row.compliance;
        answers.push(answer);
    }
    // Gaps for the initial guess of the forces.
    for (column, row) in program.rows.iter().enumerate() {
        for (gap, influence) in gaps.iter_mut().zip(coupling.column(column).iter()) {
            *gap += influence * row.force.x;
        }
    }
    let mut solved = Solved::default();
    for _ in 0..MAX_SWEEPS {
        let mut greatest = 0.0_f64;
        for idx in 0..n_rows {
            let own = coupling[(idx, idx)];
            // A row with only fixed degrees of freedom cannot change.
            if own <= 0.0 {
                continue;
            }
            let force = (program.rows[idx].force.x - gaps[idx] / own).max(0.0);
            let change = force - program.rows[idx].force.x;
            if change == 0.0 {
                continue;
            }
            program.rows[idx].force = Vector3::new(force, 0.0, 0.0);
            for (gap, influence) in gaps.iter_mut().zip(coupling.column(idx).iter()) {
                *gap += influence * change;
            }
            greatest = greatest.max((change * own).abs());
        }
        solved.n_iterations += 1;
        if greatest <= TOLERANCE {
            break;
        }
    }
    for (row, answer) in program
        .rows
        .iter()
        .zip(&answers)
        .filter(|(row, _)| row.force.x > 0.0)
    {
        for (node, motion) in step.iter_mut().zip(answer) {
            *node += row.force.x * motion;
        }
    }
    solved.residual = program.optimality(step);
    solved
}
