//! Stable neo-Hookean solid as two constraints of each tetrahedron (Macklin and Müller 2021, doi:10.1145/3487983.3488289):
//!
//! $$ C_H = \det F - 1 - \frac{\mu}{\lambda}, \quad \alpha_H = \frac{1}{\lambda V}, \qquad
//! C_D = \sqrt{\operatorname{tr} F^T F}, \quad \alpha_D = \frac{1}{\mu V}. $$
//!
//! They stand for ψ = μ/2 tr FᵀF + λ/2 (det F − 1 − μ/λ)², of which λ is Lamé's λ + μ (Smith, de Goes and Kim 2018,
//! doi:10.1145/3180491). Both are solved at once, as a system of two equations, so that an element at rest stays there for any Δt:
//! one after the other, each would undo the other's work. Equations are taken times 1/α̃, so that f32 holds them at any size.
//!
//! An inverted element is pushed back by C_H, as the determinant has a gradient there.

#![expect(
    clippy::inline_always,
    reason = "kernels must be part of the function that has the processor's features"
)]

use super::groups::TetGroup;
use super::jacobi::Moves;
use super::layout::Layout;
use super::vector::{self, Vec3};
use crate::lanes::{Kernel, Lanes, Row};

/// Square of the norm of a deformation gradient below which it has no direction.
const LEAST_NORM: f32 = 1e-12;

/// Corrects all elements once.
pub(super) struct SolveSolids<'a, Y: Layout> {
    pub(super) groups: &'a [TetGroup<Y>],
    pub(super) moves: Moves<'a>,
    /// 1 where the element is there, 0 where it is torn; empty: all are there.
    pub(super) alive: &'a [Row],
    /// λ of earlier corrections in this substep; empty: this is the only one.
    pub(super) multipliers: &'a mut [[Row; 2]],
}

#[inline(always)]
pub(super) fn corners<Y: Layout, L: Lanes>(
    l: L,
    moves: &Moves<'_>,
    group: &TetGroup<Y>,
) -> [Vec3<L>; 4] {
    [
        Y::load(l, moves.positions, &group.vertices[0]),
        Y::load(l, moves.positions, &group.vertices[1]),
        Y::load(l, moves.positions, &group.vertices[2]),
        Y::load(l, moves.positions, &group.vertices[3]),
    ]
}

#[inline(always)]
pub(super) fn inv_masses<Y: Layout, L: Lanes>(l: L, group: &TetGroup<Y>) -> [L::V; 4] {
    [
        Y::number(l, &group.inv_masses[0]),
        Y::number(l, &group.inv_masses[1]),
        Y::number(l, &group.inv_masses[2]),
        Y::number(l, &group.inv_masses[3]),
    ]
}

/// Columns of the deformation gradient, of edges from the first vertex, and the rows of the inverse of those at rest.
#[inline(always)]
pub(super) fn deformation_grad<L: Lanes>(l: L, p: [Vec3<L>; 3], b: &[Vec3<L>; 3]) -> [Vec3<L>; 3] {
    [
        times(l, &p, [b[0][0], b[1][0], b[2][0]]),
        times(l, &p, [b[0][1], b[1][1], b[2][1]]),
        times(l, &p, [b[0][2], b[1][2], b[2][2]]),
    ]
}

/// Rows of the inverse of the edges at rest.
#[inline(always)]
pub(super) fn inverse_rest<Y: Layout, L: Lanes>(l: L, group: &TetGroup<Y>) -> [Vec3<L>; 3] {
    let b = &group.inverse_rest;
    [
        [
            Y::number(l, &b[0]),
            Y::number(l, &b[1]),
            Y::number(l, &b[2]),
        ],
        [
            Y::number(l, &b[3]),
            Y::number(l, &b[4]),
            Y::number(l, &b[5]),
        ],
        [
            Y::number(l, &b[6]),
            Y::number(l, &b[7]),
            Y::number(l, &b[8]),
        ],
    ]
}

/// A matrix of columns times a vector.
#[inline(always)]
fn times<L: Lanes>(l: L, m: &[Vec3<L>; 3], v: Vec3<L>) -> Vec3<L> {
    let rest = vector::mul_add(l, m[1], v[1], vector::scale(l, m[2], v[2]));
    vector::mul_add(l, m[0], v[0], rest)
}

impl<Y: Layout> Kernel for SolveSolids<'_, Y> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self, l: L) {
        let dt_squared = l.splat(self.moves.dt * self.moves.dt);
        let (zero, one) = (l.splat(0.0), l.splat(1.0));
        for (index, group) in self.groups.iter().enumerate() {
            let [x0, x1, x2, x3] = corners::<Y, L>(l, &self.moves, group);
            let p1 = vector::sub(l, x1, x0);
            let p2 = vector::sub(l, x2, x0);
            let p3 = vector::sub(l, x3, x0);
            let b = inverse_rest::<Y, L>(l, group);
            let f = deformation_grad(l, [p1, p2, p3], &b);

            // C_H and its gradients: ∂ det F / ∂x₁ = p₂ × p₃ / (6 V).
            let volume = Y::number(l, &group.volume);
            let per_volume = l.div(l.splat(1.0 / 6.0), l.max(volume, l.splat(1e-30)));
            let h1 = vector::scale(l, vector::cross(l, p2, p3), per_volume);
            let h2 = vector::scale(l, vector::cross(l, p3, p1), per_volume);
            let h3 = vector::scale(l, vector::cross(l, p1, p2), per_volume);
            let h0 = vector::minus_sum(l, h1, h2, h3);
            let hydrostatic = l.sub(vector::dot(l, p1, h1), Y::number(l, &group.rest_j));

            // C_D and its gradients: F b / C_D.
            let first = l.add(vector::dot(l, f[0], f[0]), vector::dot(l, f[1], f[1]));
            let square = l.add(first, vector::dot(l, f[2], f[2]));
            let deviatoric = l.sqrt(l.max(square, l.splat(LEAST_NORM)));
            let inverse = l.div(one, deviatoric);
            let d1 = vector::scale(l, times(l, &f, b[0]), inverse);
            let d2 = vector::scale(l, times(l, &f, b[1]), inverse);
            let d3 = vector::scale(l, times(l, &f, b[2]), inverse);
            let d0 = vector::minus_sum(l, d1, d2, d3);

            let w = inv_masses::<Y, L>(l, group);
            let mut hh = l.mul(w[0], vector::dot(l, h0, h0));
            hh = l.mul_add(w[1], vector::dot(l, h1, h1), hh);
            hh = l.mul_add(w[2], vector::dot(l, h2, h2), hh);
            hh = l.mul_add(w[3], vector::dot(l, h3, h3), hh);
            let mut dd = l.mul(w[0], vector::dot(l, d0, d0));
            dd = l.mul_add(w[1], vector::dot(l, d1, d1), dd);
            dd = l.mul_add(w[2], vector::dot(l, d2, d2), dd);
            dd = l.mul_add(w[3], vector::dot(l, d3, d3), dd);
            let mut hd = l.mul(w[0], vector::dot(l, h0, d0));
            hd = l.mul_add(w[1], vector::dot(l, h1, d1), hd);
            hd = l.mul_add(w[2], vector::dot(l, h2, d2), hd);
            hd = l.mul_add(w[3], vector::dot(l, h3, d3), hd);

            // (k A + 1) Δλ = −k C − λ, k = 1 / α̃.
            let kh = l.mul(Y::number(l, &group.constants[0]), dt_squared);
            let kd = l.mul(Y::number(l, &group.constants[1]), dt_squared);
            let mut rh = l.sub(zero, l.mul(kh, hydrostatic));
            let mut rd = l.sub(zero, l.mul(kd, deviatoric));
            if let Some([h, d]) = self.multipliers.get(index) {
                rh = l.sub(rh, l.load(h));
                rd = l.sub(rd, l.load(d));
            }
            let (m00, m11) = (l.mul_add(kh, hh, one), l.mul_add(kd, dd, one));
            let (m01, m10) = (l.mul(kh, hd), l.mul(kd, hd));
            // A is positive semidefinite, so the determinant is at least 1 but for rounding.
            let det = l.max(l.neg_mul_add(m01, m10, l.mul(m00, m11)), one);
            let mut scale = l.div(one, det);
            if let Some(row) = self.alive.get(index) {
                scale = l.mul(scale, l.load(row));
            }
            let step_h = l.mul(l.neg_mul_add(m01, rd, l.mul(m11, rh)), scale);
            let step_d = l.mul(l.neg_mul_add(m10, rh, l.mul(m00, rd)), scale);
            if let Some([h, d]) = self.multipliers.get_mut(index) {
                let (sum_h, sum_d) = (l.add(l.load(h), step_h), l.add(l.load(d), step_d));
                l.store(sum_h, h);
                l.store(sum_d, d);
            }
            let (moves, at) = (&mut self.moves, &group.vertices);
            let push0 = vector::mul_add(l, h0, step_h, vector::scale(l, d0, step_d));
            let push1 = vector::mul_add(l, h1, step_h, vector::scale(l, d1, step_d));
            let push2 = vector::mul_add(l, h2, step_h, vector::scale(l, d2, step_d));
            let push3 = vector::mul_add(l, h3, step_h, vector::scale(l, d3, step_d));
            moves.correct::<Y, L>(l, &at[0], x0, push0, w[0]);
            moves.correct::<Y, L>(l, &at[1], x1, push1, w[1]);
            moves.correct::<Y, L>(l, &at[2], x2, push2, w[2]);
            moves.correct::<Y, L>(l, &at[3], x3, push3, w[3]);
        }
    }
}
