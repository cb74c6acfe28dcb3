//! Stable neo-Hookean solid as two constraints of a tetrahedron (Macklin and Müller 2021, doi:10.1145/3487983.3488289):
//!
//! $$ C_H = \det F - 1 - \frac{\mu}{\lambda}, \quad \alpha_H = \frac{1}{\lambda V}, \qquad
//! C_D = \sqrt{\operatorname{tr} F^T F}, \quad \alpha_D = \frac{1}{\mu V}. $$
//!
//! They represent ψ = μ/2 tr FᵀF + λ/2 (det F − 1 − μ/λ)². Its λ is Lamé's λ + μ (Smith, de Goes and Kim 2018,
//! doi:10.1145/3180491, § 3.4). Both constraints are solved together, as a system of two equations, so an element at
//! rest stays at rest for any Δt. Solved one after the other, each would undo the other. The equations are multiplied
//! by 1/α̃, so f32 can represent them at any size:
//!
//! $$ (K A + I) \, \Delta\lambda = -K C - \lambda, \quad A = \nabla C M^{-1} \nabla C^T, \quad K = \tilde\alpha^{-1}. $$
//!
//! An inverted element is pushed back by C_H, because the determinant has a gradient there.

#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

use nalgebra::Matrix3;

use super::elastic_system::{ElasticSystem, frobenius_norm};
use crate::Material;
use crate::lanes::{Lanes, Row};
use crate::xpbd::constraint::{Constraint, Group, Item};
use crate::xpbd::correction::Points;
use crate::xpbd::deformation::{deformation_grad, inverse_rest, times};
use crate::xpbd::lane_layout::LaneLayout;
use crate::xpbd::tet::Tet;
use crate::xpbd::vector;

/// An elastic tetrahedron. Parameters: rows of the inverse of the rest edges [1/m], and after each row the rest volume
/// V [m³], the J at which C_H is 0, and λ V [J]; then μ V [J].
#[derive(Debug, Clone, Default)]
pub(crate) struct NeoHookean;

impl NeoHookean {
    /// Constraint of a tetrahedron with a share of its energy.
    pub(crate) fn of(tet: &Tet, material: &Material, share: f64) -> Item<4, 13> {
        let (mu, lambda) = (material.lame_mu(), material.lame_lambda());
        let [b0, b1, b2, b3, b4, b5, b6, b7, b8] = tet.inverse_rest;
        let volume = tet.volume;
        let rest_j = 1.0 + mu / (lambda + mu);
        let (k_h, k_d) = (share * (lambda + mu) * volume, share * mu * volume);
        Item {
            points: tet.vertices,
            parameters: [b0, b1, b2, volume, b3, b4, b5, rest_j, b6, b7, b8, k_h, k_d],
        }
    }

    /// Time in which a wave crosses the least height of a tetrahedron [s].
    pub(crate) fn crossing_time(tet: &Tet, material: &Material) -> f64 {
        let inverse = Matrix3::from_row_slice(&tet.inverse_rest);
        let rows = [0, 1, 2].map(|k| inverse.row(k).norm());
        let steepest = rows.into_iter().fold(inverse.row_sum().norm(), f64::max);
        1.0 / (steepest * material.wave_speed())
    }
}

impl Constraint<4, 13> for NeoHookean {
    const N_MULTIPLIERS: usize = 2;

    #[cfg(feature = "gpu")]
    const N_CORRECTIONS: usize = 4;

    #[inline(always)]
    fn solve<Y: LaneLayout, L: Lanes>(
        l: L,
        group: &Group<Y, 4, 13>,
        points: &mut Points<'_, Y>,
        alive: Option<&Row>,
        multipliers: &mut [Row],
    ) {
        let [
            b0,
            b1,
            b2,
            volume,
            b3,
            b4,
            b5,
            rest_j,
            b6,
            b7,
            b8,
            stiffness_h,
            stiffness_d,
        ] = &group.parameters;
        let dt_squared = l.splat(points.dt * points.dt);
        let [x0, x1, x2, x3] = points.corners(l, &group.points);
        let p1 = vector::sub(l, x1, x0);
        let p2 = vector::sub(l, x2, x0);
        let p3 = vector::sub(l, x3, x0);
        let b = inverse_rest::<Y, L>(l, [b0, b1, b2, b3, b4, b5, b6, b7, b8]);
        let f = deformation_grad(l, [p1, p2, p3], &b);

        // C_H and its gradients: ∂ det F / ∂x₁ = p₂ × p₃ / (6 V).
        let volume = Y::number(l, volume);
        let per_volume = l.div(l.splat(1.0 / 6.0), l.max(volume, l.splat(1e-30)));
        let h1 = vector::scale(l, vector::cross(l, p2, p3), per_volume);
        let h2 = vector::scale(l, vector::cross(l, p3, p1), per_volume);
        let h3 = vector::scale(l, vector::cross(l, p1, p2), per_volume);
        let h0 = vector::minus_sum(l, h1, h2, h3);
        let constraint_h = l.sub(vector::dot(l, p1, h1), Y::number(l, rest_j));

        // C_D and its gradients: F b / C_D.
        let constraint_d = frobenius_norm(l, &f);
        let inverse = l.div(l.splat(1.0), constraint_d);
        let d1 = vector::scale(l, times(l, &f, b[0]), inverse);
        let d2 = vector::scale(l, times(l, &f, b[1]), inverse);
        let d3 = vector::scale(l, times(l, &f, b[2]), inverse);
        let d0 = vector::minus_sum(l, d1, d2, d3);

        // A = ∇C M⁻¹ ∇Cᵀ.
        let [w0, w1, w2, w3] = [
            Y::number(l, &group.inv_masses[0]),
            Y::number(l, &group.inv_masses[1]),
            Y::number(l, &group.inv_masses[2]),
            Y::number(l, &group.inv_masses[3]),
        ];
        let mut a_hh = l.mul(w0, vector::dot(l, h0, h0));
        a_hh = l.mul_add(w1, vector::dot(l, h1, h1), a_hh);
        a_hh = l.mul_add(w2, vector::dot(l, h2, h2), a_hh);
        a_hh = l.mul_add(w3, vector::dot(l, h3, h3), a_hh);
        let mut a_dd = l.mul(w0, vector::dot(l, d0, d0));
        a_dd = l.mul_add(w1, vector::dot(l, d1, d1), a_dd);
        a_dd = l.mul_add(w2, vector::dot(l, d2, d2), a_dd);
        a_dd = l.mul_add(w3, vector::dot(l, d3, d3), a_dd);
        let mut a_hd = l.mul(w0, vector::dot(l, h0, d0));
        a_hd = l.mul_add(w1, vector::dot(l, h1, d1), a_hd);
        a_hd = l.mul_add(w2, vector::dot(l, h2, d2), a_hd);
        a_hd = l.mul_add(w3, vector::dot(l, h3, d3), a_hd);

        let k_h = l.mul(Y::number(l, stiffness_h), dt_squared);
        let k_d = l.mul(Y::number(l, stiffness_d), dt_squared);
        let system = ElasticSystem::<L> {
            stiffness: [k_h, k_d],
            constraint: [constraint_h, constraint_d],
            a_hh,
            a_dd,
            a_hd,
        };
        let [delta_lambda_h, delta_lambda_d] = system.solve(l, alive, multipliers);

        // Δx = M⁻¹ ∇C Δλ.
        let at = &group.points;
        let correction =
            vector::mul_add(l, h0, delta_lambda_h, vector::scale(l, d0, delta_lambda_d));
        points.correct(l, &at[0], x0, correction, w0);
        let correction =
            vector::mul_add(l, h1, delta_lambda_h, vector::scale(l, d1, delta_lambda_d));
        points.correct(l, &at[1], x1, correction, w1);
        let correction =
            vector::mul_add(l, h2, delta_lambda_h, vector::scale(l, d2, delta_lambda_d));
        points.correct(l, &at[2], x2, correction, w2);
        let correction =
            vector::mul_add(l, h3, delta_lambda_h, vector::scale(l, d3, delta_lambda_d));
        points.correct(l, &at[3], x3, correction, w3);
    }
}
