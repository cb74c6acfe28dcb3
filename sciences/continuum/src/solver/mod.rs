//! The quadratic program of a step (Chen et al. 2024, Eq. 25), with friction and compliant walls.
//!
//! $$ \min_\Delta \tfrac12 \Delta^\top K \Delta + g^\top \Delta \quad \text{s.t.} \quad A \Delta + b + c\,\lambda \ge 0 $$
//!
//! `K` is block-tridiagonal, and a row of `A` involves two neighbouring nodes.

mod augmented_lagrangian;
mod block_tridiagonal;
pub(crate) mod gauss_seidel;
pub(crate) mod interior_point;

pub(crate) use augmented_lagrangian::AugmentedLagrangian;
pub(crate) use block_tridiagonal::{Block, BlockTridiagonal, Cholesky, NodeVector};

use nalgebra::Vector3;

use crate::element::PointRow;

/// Perturbation of a rod that is about to buckle, relative to the load.
const NUDGE: f64 = 1e-6;

/// Solver of the quadratic program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Solver {
    /// Augmented Lagrangian with a semi-smooth Newton method on the block-tridiagonal matrix. The cost does not grow
    /// with the number of contacts.
    #[default]
    Block,
    /// clarabel, a general interior-point solver, as a reference; rigid walls without friction only.
    Clarabel,
    /// Projected Gauss–Seidel in the space of contacts, as in SOFA; walls without friction only.
    GaussSeidel,
}

/// Data of the program.
#[derive(Debug, Clone, Default)]
pub(crate) struct QuadraticProgram {
    pub(crate) stiffness: BlockTridiagonal,
    pub(crate) gradient: Vec<NodeVector>,
    pub(crate) rows: Vec<ContactRow>,
    /// Penalty stiffness of rows [N/m].
    pub(crate) penalty: f64,
    /// Bending stiffness of the whole rod, per node [N/m].
    pub(crate) softest: f64,
    /// Stiffness that was added to the diagonal to make it positive definite [N/m].
    pub(crate) shift: f64,
    /// Whether forces have no potential. Equilibrium is then not a minimum, and the stiffness need not be positive
    /// definite.
    pub(crate) follows: bool,
    /// Reference force of residuals [N].
    pub(crate) load: f64,
    /// Length that converts moments to forces [m].
    pub(crate) length: f64,
    /// The first node's diagonal block, the block below it, and its gradient, before the base was fixed.
    pub(crate) base_row: (Block, Block, NodeVector),
}

/// A contact as a constraint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContactRow {
    /// First of the two nodes.
    pub(crate) node: usize,
    /// Derivative of the motion along the normal.
    pub(crate) normal: PointRow,
    /// Derivatives of the motion along two tangents.
    pub(crate) tangents: [PointRow; 2],
    /// Gap before the step [m], negative for an overlap.
    pub(crate) gap: f64,
    /// Compliance of the wall [m/N].
    pub(crate) compliance: f64,
    /// Coefficient of friction.
    pub(crate) friction: f64,
    /// Normal force and two components of friction [N].
    pub(crate) force: Vector3<f64>,
}

/// Result of a solution.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Solved {
    /// Number of factorisations, or of sweeps.
    pub(crate) n_iterations: usize,
    /// Greatest violation of the Karush–Kuhn–Tucker conditions: forces relative to the load, gaps relative to a
    /// millimetre.
    pub(crate) residual: f64,
}

impl Solved {
    /// Result of a program without a solution; the step is NaN.
    pub(crate) fn failed() -> Self {
        Self {
            n_iterations: 0,
            residual: f64::INFINITY,
        }
    }
}

impl QuadraticProgram {
    /// K Δ + g − Aᵀ λ.
    pub(crate) fn stationarity(&self, step: &[NodeVector], residual: &mut Vec<NodeVector>) {
        self.stiffness.multiply(step, residual);
        for (residual, gradient) in residual.iter_mut().zip(&self.gradient) {
            *residual += gradient;
        }
        for row in self.rows.iter().filter(|row| row.force.x > 0.0) {
            add_row(residual, row.node, &-row.generalised(&row.force));
        }
        self.stiffness.clear_held(residual);
    }

    /// Adds a stiffness to the diagonal, eight times the previous one; `false` if even the penalty's stiffness was not
    /// enough.
    pub(crate) fn convexify(&mut self) -> bool {
        self.nudge();
        self.add((7.0 * self.shift).max(self.softest));
        self.shift <= self.penalty
    }

    /// Displaces each node slightly, so that a straight rod that is about to buckle has a preferred side.
    fn nudge(&mut self) {
        let nudge = NUDGE * self.load;
        for (node, gradient) in self.gradient.iter_mut().enumerate() {
            let angle = 0.1 * node as f64;
            *gradient +=
                NodeVector::new(angle.sin(), angle.cos(), angle.sin(), 0.0, 0.0, 0.0) * nudge;
        }
        self.stiffness.clear_held(&mut self.gradient);
    }

    /// Shortens the step by additional stiffness: from `level` 1 on, eight times as much per level, up to a thousandth
    /// of the penalty.
    pub(crate) fn dampen(&mut self, level: usize) {
        if level > 0 {
            let level = i32::try_from(level).unwrap_or(i32::MAX);
            self.add((self.softest * 8.0_f64.powi(level)).min(1e-3 * self.penalty));
        }
    }

    /// Makes walls as compliant as an element, for a program without a solution for rigid walls. Forces stay bounded.
    pub(crate) fn soften(&mut self) {
        for row in &mut self.rows {
            row.compliance = row.compliance.max(100.0 / self.penalty);
            row.force = Vector3::zeros();
        }
    }

    /// Adds a stiffness to the diagonal [N/m].
    fn add(&mut self, stiffness: f64) {
        self.shift += stiffness;
        let turning = stiffness * self.length * self.length;
        for block in &mut self.stiffness.diagonal {
            for component in 0..6 {
                block[(component, component)] += if component < 3 { stiffness } else { turning };
            }
        }
    }

    /// Greatest violation of the optimality conditions: forces over the load, gaps (and forces, by the penalty) over a millimetre.
    pub(crate) fn optimality(&self, step: &[NodeVector]) -> f64 {
        let mut residual = Vec::new();
        self.stationarity(step, &mut residual);
        let open = self.rows.iter().map(|row| {
            let gap = row.gap + row.motion(step).x + row.compliance * row.force.x;
            gap.min(row.force.x / self.penalty).abs()
        });
        self.relative(&residual)
            .max(open.fold(0.0, f64::max) / 1e-3)
    }

    /// Least residual that rounding allows, as [`QuadraticProgram::relative`] measures it, for nodes up to `extent` [m]
    /// from the origin.
    ///
    /// Positions are rounded by half an eps of the extent and rotations by half an eps. The block of a node in the
    /// stiffness converts these errors to forces. The axial stiffness gives eps 2 E A / l times the extent, and bending
    /// gives eps E I / l².
    pub(crate) fn rounding(&self, extent: f64) -> f64 {
        let greatest = self.stiffness.diagonal.iter().map(|block| {
            let norm = |row: usize, column: usize| block.fixed_view::<3, 3>(row, column).norm();
            let force = norm(0, 0) * extent + norm(0, 3);
            let moment = norm(3, 0) * extent + norm(3, 3);
            force.max(moment / self.length)
        });
        f64::EPSILON * greatest.fold(0.0, f64::max) / self.load
    }

    /// Greatest force or moment relative to the load.
    pub(crate) fn relative(&self, residual: &[NodeVector]) -> f64 {
        let greatest = residual.iter().map(|node| {
            let force = node.fixed_rows::<3>(0).amax();
            force.max(node.fixed_rows::<3>(3).amax() / self.length)
        });
        greatest.fold(0.0, f64::max) / self.load
    }
}

impl ContactRow {
    /// Forces and moments on the two nodes from a force in (normal, tangent, tangent).
    pub(crate) fn generalised(&self, force: &Vector3<f64>) -> PointRow {
        let mut sum = self.normal * force.x;
        if self.friction > 0.0 {
            sum += self.tangents[0] * force.y + self.tangents[1] * force.z;
        }
        sum
    }

    /// Motion of the contact along (normal, tangent, tangent) for a step of the nodes.
    pub(crate) fn motion(&self, step: &[NodeVector]) -> Vector3<f64> {
        let along = |row: &PointRow| {
            let mut sum = row.fixed_rows::<6>(0).dot(&step[self.node]);
            if let Some(next) = step.get(self.node + 1) {
                sum += row.fixed_rows::<6>(6).dot(next);
            }
            sum
        };
        if self.friction > 0.0 {
            let [first, second] = &self.tangents;
            Vector3::new(along(&self.normal), along(first), along(second))
        } else {
            Vector3::new(along(&self.normal), 0.0, 0.0)
        }
    }
}

/// Adds a row of two nodes to the nodes' vectors.
pub(crate) fn add_row(vectors: &mut [NodeVector], node: usize, row: &PointRow) {
    vectors[node] += row.fixed_rows::<6>(0);
    if let Some(next) = vectors.get_mut(node + 1) {
        *next += row.fixed_rows::<6>(6);
    }
}

/// Sum of products.
pub(crate) fn dot(first: &[NodeVector], second: &[NodeVector]) -> f64 {
    let products = first
        .iter()
        .zip(second)
        .map(|(first, second)| first.dot(second));
    products.sum()
}
