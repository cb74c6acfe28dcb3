//! Contact forces in friction cones, coupled through the inertia of both sides.
//!
//! Minimises $\tfrac12 f^T (A + R) f + f^T b$ over $f_n \ge 0$, $\lVert f_t \rVert \le \mu f_n$ for every contact: the dual of
//! MuJoCo's constraint problem with elliptic cones (Todorov 2014, doi:10.1109/ICRA.2014.6907751).
//! Block Gauss–Seidel, contact by contact: first along the current force, then in the friction disc.

use super::network::dot;

/// A stack of contacts with three rows each: normal and two tangents.
#[derive(Debug, Default)]
pub(super) struct Cones {
    /// `A + R`, row-major, shape `[3 n, 3 n]`.
    pub(super) matrix: Vec<f64>,
    /// Unconstrained acceleration minus reference, shape `[3 n]`.
    pub(super) bias: Vec<f64>,
    /// Friction coefficients, shape `[n]`; if negative, the contact is frictionless and its tangent rows are unused.
    pub(super) friction: Vec<f64>,
    /// Forces [N], shape `[3 n]`; initial guess on entry.
    pub(super) force: Vec<f64>,
}

const MAX_SWEEPS: usize = 200;

/// The iteration stops if no force changes by more than this share of the largest force.
const TOLERANCE: f64 = 1e-9;

impl Cones {
    /// Resizes to `n` contacts and fills with zeros.
    pub(super) fn resize(&mut self, n: usize) {
        self.matrix.clear();
        self.matrix.resize(9 * n * n, 0.0);
        for rows in [&mut self.bias, &mut self.force] {
            rows.clear();
            rows.resize(3 * n, 0.0);
        }
        self.friction.clear();
        self.friction.resize(n, 0.0);
    }

    /// Solves for the forces; returns the number of sweeps.
    pub(super) fn solve(&mut self) -> usize {
        let n = self.friction.len();
        for sweep in 0..MAX_SWEEPS {
            let (mut change, mut largest) = (0.0_f64, 0.0_f64);
            for contact in 0..n {
                let before = self.block(contact);
                self.update(contact);
                let after = self.block(contact);
                for row in 0..3 {
                    change = change.max((after[row] - before[row]).abs());
                    largest = largest.max(after[row].abs());
                }
            }
            if change <= TOLERANCE * largest {
                return sweep + 1;
            }
        }
        MAX_SWEEPS
    }

    fn block(&self, contact: usize) -> [f64; 3] {
        std::array::from_fn(|row| self.force[3 * contact + row])
    }

    fn update(&mut self, contact: usize) {
        let width = self.force.len();
        let first = 3 * contact;
        let row = |i: usize| &self.matrix[(first + i) * width..(first + i + 1) * width];
        let a: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| row(i)[first + j]));
        let residual = |i: usize| self.bias[first + i] + dot(row(i), &self.force);
        let old = self.block(contact);
        let mu = self.friction[contact];
        if mu < 0.0 {
            self.force[first] = (old[0] - residual(0) / a[0][0]).max(0.0);
            return;
        }
        let residual = [residual(0), residual(1), residual(2)];
        let new = along_ray(&a, &old, &residual);
        // Residual of the tangent rows after the step along the ray, without the contribution of the tangent forces.
        let own = |i: usize| -> f64 {
            residual[i] + (0..3).map(|j| a[i][j] * (new[j] - old[j])).sum::<f64>()
                - a[i][1] * new[1]
                - a[i][2] * new[2]
        };
        let tangent = in_disc(
            [[a[1][1], a[1][2]], [a[2][1], a[2][2]]],
            [own(1), own(2)],
            mu * new[0],
        );
        self.force[first..first + 3].copy_from_slice(&[new[0], tangent[0], tangent[1]]);
    }
}

/// The best force on the ray through the current force; for zero force, the best normal force.
fn along_ray(a: &[[f64; 3]; 3], force: &[f64; 3], residual: &[f64; 3]) -> [f64; 3] {
    if force[0] <= 0.0 {
        return [(-residual[0] / a[0][0]).max(0.0), 0.0, 0.0];
    }
    let slope: f64 = (0..3).map(|i| force[i] * residual[i]).sum();
    let curvature: f64 = (0..3)
        .map(|i| (0..3).map(|j| force[i] * a[i][j] * force[j]).sum::<f64>())
        .sum();
    let step = (-slope / curvature).max(-1.0);
    force.map(|f| f * (1.0 + step))
}

/// Minimises `½ xᵀ A x + bᵀ x` over `‖x‖ ≤ radius`.
fn in_disc(a: [[f64; 2]; 2], b: [f64; 2], radius: f64) -> [f64; 2] {
    let at = |shift: f64| {
        let (p, q, r) = (a[0][0] + shift, a[0][1], a[1][1] + shift);
        let det = p * r - q * q;
        (
            [(-b[0] * r + b[1] * q) / det, (-b[1] * p + b[0] * q) / det],
            [p, q, r],
            det,
        )
    };
    let (free, ..) = at(0.0);
    if free[0] * free[0] + free[1] * free[1] <= radius * radius {
        return free;
    }
    if radius <= 0.0 {
        return [0.0; 2];
    }
    // Newton on 1/‖x(λ)‖ = 1/radius, which is almost linear in λ (Moré and Sorensen 1983).
    let mut shift = 0.0;
    let mut x = free;
    for _ in 0..20 {
        let (point, [p, q, r], det) = at(shift);
        x = point;
        let norm = (x[0] * x[0] + x[1] * x[1]).sqrt();
        if (norm - radius).abs() <= 1e-12 * radius {
            break;
        }
        let curvature = (x[0] * x[0] * r - 2.0 * x[0] * x[1] * q + x[1] * x[1] * p) / det;
        shift = (shift + norm * norm / curvature * (norm - radius) / radius).max(0.0);
    }
    let scale = radius / (x[0] * x[0] + x[1] * x[1]).sqrt();
    [x[0] * scale, x[1] * scale]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two coupled contacts, checked against the optimality conditions of the cone problem.
    #[test]
    fn the_forces_satisfy_the_optimality_conditions() {
        for (bias, mu) in [
            ([-3.0, 1.0, -0.5, -2.0, 0.2, 0.1], 0.1),
            ([-3.0, 4.0, -5.0, 2.0, 0.2, 0.1], 0.5),
            ([-1.0, 0.01, 0.0, -1.0, 0.0, 0.02], 1.0),
        ] {
            let mut cones = Cones::default();
            cones.resize(2);
            for i in 0..6 {
                for j in 0..6 {
                    cones.matrix[6 * i + j] =
                        0.2 * ((i + j) as f64).cos() + if i == j { 2.0 } else { 0.0 };
                }
            }
            cones.bias = bias.to_vec();
            cones.friction = vec![mu; 2];
            assert!(cones.solve() < MAX_SWEEPS);
            for contact in 0..2 {
                let f = cones.block(contact);
                let residual: Vec<f64> = (0..3)
                    .map(|i| {
                        let row = 3 * contact + i;
                        bias[row]
                            + (0..6)
                                .map(|j| cones.matrix[6 * row + j] * cones.force[j])
                                .sum::<f64>()
                    })
                    .collect();
                let tangent = f[1].hypot(f[2]);
                assert!(f[0] >= 0.0 && tangent <= mu * f[0] + 1e-9);
                // The residual lies in the dual cone and is orthogonal to the force.
                assert!(
                    residual[0] >= mu * residual[1].hypot(residual[2]) - 1e-8,
                    "{residual:?} {f:?}"
                );
                let work: f64 = f.iter().zip(&residual).map(|(f, r)| f * r).sum();
                assert!(work.abs() < 1e-8, "{work}");
            }
        }
    }
}
