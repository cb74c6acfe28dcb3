//! The crate's own solver.
//!
//! Multipliers are updated by the augmented Lagrangian (Alart & Curnier 1991, <https://doi.org/10.1016/0045-7825(91)90022-X>),
//!
//! $$ \lambda_n \leftarrow \max\!\Big(0, \frac{\lambda_n - \rho\,(A\Delta + b)}{1 + \rho c}\Big), \qquad
//!    \lambda_t \leftarrow \Pi_{\mu \lambda_n}(\lambda_t - \rho\, T\Delta), $$
//!
//! and each minimisation over Δ, which is convex and piecewise smooth, uses a semi-smooth Newton method with a line
//! search. Its matrix `K + ρ AᵀA` over the active rows is block-tridiagonal like `K`, because a row involves
//! neighbouring nodes only. A factorisation therefore costs the same for any number of contacts. The friction bound μ
//! λ_n is taken from the previous update, so every minimisation is convex (Tresca friction); it converges together with
//! the multipliers.

use nalgebra::Vector3;

use super::{
    BlockTridiagonal, Cholesky, ContactRow, NodeVector, QuadraticProgram, Solved, add_row, dot,
};

/// Maximum number of updates of the multipliers.
const MAX_UPDATES: usize = 200;

/// Maximum number of Newton iterations of a minimisation.
const MAX_NEWTON: usize = 30;

/// Tolerance of forces, relative to the load.
const FORCE_TOLERANCE: f64 = 1e-10;

/// Tolerance of gaps [m].
const GAP_TOLERANCE: f64 = 1e-11;

/// The solver and its memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct AugmentedLagrangian {
    matrix: BlockTridiagonal,
    factors: Cholesky,
    /// Contribution of each row to the factorised matrix.
    parts: Vec<RowTerm>,
    new_parts: Vec<RowTerm>,
    residual: Vec<NodeVector>,
    direction: Vec<NodeVector>,
    product: Vec<NodeVector>,
    /// Motion of the rows: in the step, and along the search direction.
    motion: Vec<Vector3<f64>>,
    along: Vec<Vector3<f64>>,
    /// Bounds of friction [N].
    bounds: Vec<f64>,
}

/// Contribution of a row to the matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
enum RowTerm {
    Free,
    /// The normal, and slip along a unit direction with a share of the penalty.
    Pressed {
        slip: Vector3<f64>,
        share: f64,
    },
}

impl AugmentedLagrangian {
    /// Solves for Δ and the forces of the rows. The given values are the initial guess.
    pub(crate) fn solve(
        &mut self,
        program: &mut QuadraticProgram,
        step: &mut Vec<NodeVector>,
    ) -> Solved {
        step.clear();
        step.resize(program.gradient.len(), NodeVector::zeros());
        self.factors = Cholesky::default();
        let mut solved = Solved::default();
        for _ in 0..MAX_UPDATES {
            self.bounds.clear();
            let bounds = program.rows.iter().map(|row| row.friction * row.force.x);
            self.bounds.extend(bounds);
            solved.n_iterations += self.minimise(program, step);

            // Update the multipliers. If they do not change, the gaps are closed.
            let mut violation = 0.0_f64;
            for ((row, motion), bound) in
                program.rows.iter_mut().zip(&self.motion).zip(&self.bounds)
            {
                let force = response(row, motion, *bound, program.penalty);
                violation = violation.max((force - row.force).amax() / program.penalty);
                row.force = force;
            }
            program.stationarity(step, &mut self.residual);
            let force = program.relative(&self.residual);
            solved.residual = force.max(violation / 1e-3);
            if violation <= GAP_TOLERANCE {
                break;
            }
        }
        solved
    }

    /// Minimises over Δ at fixed multipliers. Returns the number of factorisations.
    fn minimise(&mut self, program: &mut QuadraticProgram, step: &mut [NodeVector]) -> usize {
        let mut n_factorised = 0;
        let mut least = f64::INFINITY;
        for iteration in 0..MAX_NEWTON {
            self.motion.clear();
            self.motion
                .extend(program.rows.iter().map(|row| row.motion(step)));
            self.gradient(program, step);
            let force = program.relative(&self.residual);
            let stalls = iteration > 1 && force < 1e-8 && force > 0.3 * least;
            if force <= FORCE_TOLERANCE || stalls {
                break;
            }
            least = least.min(force);
            if program.follows && program.rows.is_empty() {
                self.direction.clear();
                self.direction
                    .extend(self.residual.iter().map(|force| -force));
                if program.stiffness.solve_indefinite(&mut self.direction) {
                    for (node, direction) in step.iter_mut().zip(&self.direction) {
                        *node += direction;
                    }
                    n_factorised += 1;
                    continue;
                }
            }
            let shift = program.shift;
            n_factorised += usize::from(self.factorise(program));
            if program.shift > shift {
                // The program has changed, so its gradient is recomputed.
                least = f64::INFINITY;
                self.gradient(program, step);
            }
            self.direction.clear();
            self.direction
                .extend(self.residual.iter().map(|force| -force));
            self.factors.solve(&mut self.direction);
            self.along.clear();
            let rows = program.rows.iter();
            self.along
                .extend(rows.map(|row| row.motion(&self.direction)));
            let length = self.line_search(program, step);
            for (node, direction) in step.iter_mut().zip(&self.direction) {
                *node += length * direction;
            }
        }
        n_factorised
    }

    /// Computes the gradient of the augmented Lagrangian into the residual.
    fn gradient(&mut self, program: &QuadraticProgram, step: &[NodeVector]) {
        program.stiffness.multiply(step, &mut self.residual);
        for (residual, gradient) in self.residual.iter_mut().zip(&program.gradient) {
            *residual += gradient;
        }
        for ((row, motion), bound) in program.rows.iter().zip(&self.motion).zip(&self.bounds) {
            let force = response(row, motion, *bound, program.penalty);
            if force.x > 0.0 || *bound > 0.0 {
                add_row(&mut self.residual, row.node, &-row.generalised(&force));
            }
        }
        program.stiffness.clear_held(&mut self.residual);
    }

    /// Factorises the matrix of the currently active rows; `false` if it is already factorised.
    fn factorise(&mut self, program: &mut QuadraticProgram) -> bool {
        self.new_parts.clear();
        let rows = program.rows.iter().zip(&self.motion).zip(&self.bounds);
        let parts = rows.map(|((row, motion), bound)| part(row, motion, *bound, program.penalty));
        self.new_parts.extend(parts);
        if !self.factors.is_empty() && self.new_parts == self.parts {
            return false;
        }
        std::mem::swap(&mut self.parts, &mut self.new_parts);
        loop {
            self.matrix.clone_from(&program.stiffness);
            for (row, part) in program.rows.iter().zip(&self.parts) {
                stiffen(&mut self.matrix, row, part, program.penalty);
            }
            // The rod is about to buckle: the program is made convex, which shortens the step.
            if self.factors.factorise(&self.matrix) || !program.convexify() {
                return true;
            }
        }
    }

    /// Step length along the direction that minimises the augmented Lagrangian; its slope is continuous and
    /// increasing.
    fn line_search(&mut self, program: &QuadraticProgram, step: &[NodeVector]) -> f64 {
        program
            .stiffness
            .multiply(&self.direction, &mut self.product);
        let linear = dot(&program.gradient, &self.direction) + dot(step, &self.product);
        let quadratic = dot(&self.direction, &self.product);
        let slope = |length: f64| {
            let rows = program.rows.iter().zip(&self.motion).zip(&self.along);
            let contacts = rows
                .zip(&self.bounds)
                .map(|(((row, motion), along), bound)| {
                    let motion = motion + length * along;
                    response(row, &motion, *bound, program.penalty).dot(along)
                });
            linear + length * quadratic - contacts.sum::<f64>()
        };
        let (first, last) = (slope(0.0), slope(1.0));
        if last <= 0.1 * first.abs() {
            return 1.0;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            let slope = slope(middle);
            if slope.abs() <= 0.01 * first.abs() {
                return middle;
            }
            if slope > 0.0 {
                high = middle;
            } else {
                low = middle;
            }
        }
        high
    }
}

/// Force of a row after a motion (normal, tangent, tangent): the updated multipliers.
fn response(row: &ContactRow, motion: &Vector3<f64>, bound: f64, penalty: f64) -> Vector3<f64> {
    let pushed = row.force.x - penalty * (motion.x + row.gap);
    let normal = pushed.max(0.0) / (1.0 + penalty * row.compliance);
    if bound <= 0.0 {
        return Vector3::new(normal, 0.0, 0.0);
    }
    let trial = row.force.yz() - penalty * motion.yz();
    let size = trial.norm();
    let friction = if size > bound {
        trial * (bound / size)
    } else {
        trial
    };
    Vector3::new(normal, friction.x, friction.y)
}

/// The derivative of [`response`].
fn part(row: &ContactRow, motion: &Vector3<f64>, bound: f64, penalty: f64) -> RowTerm {
    let pressed = row.force.x > penalty * (motion.x + row.gap);
    let trial = row.force.yz() - penalty * motion.yz();
    let size = trial.norm();
    if !pressed && bound <= 0.0 {
        return RowTerm::Free;
    }
    let (slip, share) = if bound <= 0.0 {
        (Vector3::zeros(), 0.0)
    } else if size > bound {
        (
            Vector3::new(0.0, trial.x / size, trial.y / size),
            bound / size,
        )
    } else {
        (Vector3::zeros(), 1.0)
    };
    let slip = Vector3::new(f64::from(u8::from(pressed)), slip.y, slip.z);
    RowTerm::Pressed { slip, share }
}

/// Adds a row's part to the matrix.
fn stiffen(matrix: &mut BlockTridiagonal, row: &ContactRow, part: &RowTerm, penalty: f64) {
    let RowTerm::Pressed { slip, share } = part else {
        return;
    };
    if slip.x > 0.0 {
        let weight = penalty / (1.0 + penalty * row.compliance);
        matrix.add_outer(row.node, &row.normal, weight);
    }
    if *share <= 0.0 {
        return;
    }
    let [first, second] = &row.tangents;
    if slip.y == 0.0 && slip.z == 0.0 {
        matrix.add_outer(row.node, first, penalty);
        matrix.add_outer(row.node, second, penalty);
    } else {
        // Slip resists only a change of its direction: I − τ τᵀ.
        let across = first * -slip.z + second * slip.y;
        matrix.add_outer(row.node, &across, penalty * share);
    }
}
