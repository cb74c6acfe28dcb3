//! Volume constraint C = V − V₀ of a tetrahedron, with compliance and damping as in [`Distance`](super::Distance).

#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

use crate::lanes::{Lanes, Row};
use crate::xpbd::constraint::{Constraint, Group, Item};
use crate::xpbd::correction::Points;
use crate::xpbd::lane_layout::LaneLayout;
use crate::xpbd::tet::Tet;
use crate::xpbd::vector;

/// Volume constraint of a tetrahedron. Parameters: rest volume V₀ [m³], compliance α [m³/Pa], damping time α β [s].
#[derive(Debug, Clone, Default)]
pub(crate) struct Volume;

impl Volume {
    /// Constraint of a tetrahedron with a compliance [m³/Pa] and damping time [s].
    pub(crate) fn of(tet: &Tet, compliance: f64, damping_time: f64) -> Item<4, 3> {
        Item {
            points: tet.vertices,
            parameters: [tet.volume, compliance, damping_time],
        }
    }
}

impl Constraint<4, 3> for Volume {
    const N_MULTIPLIERS: usize = 1;

    #[cfg(feature = "gpu")]
    const N_CORRECTIONS: usize = 4;

    #[inline(always)]
    fn solve<Y: LaneLayout, L: Lanes>(
        l: L,
        group: &Group<Y, 4, 3>,
        points: &mut Points<'_, Y>,
        alive: Option<&Row>,
        multipliers: &mut [Row],
    ) {
        let [rest_volume, compliance, damping_time] = &group.parameters;
        let [rate, rate_squared] = points.rates(l);
        let sixth = l.splat(1.0 / 6.0);
        let [x0, x1, x2, x3] = points.corners(l, &group.points);
        let p1 = vector::sub(l, x1, x0);
        let p2 = vector::sub(l, x2, x0);
        let p3 = vector::sub(l, x3, x0);
        // ∂V / ∂x₁ = p₂ × p₃ / 6.
        let g1 = vector::scale(l, vector::cross(l, p2, p3), sixth);
        let g2 = vector::scale(l, vector::cross(l, p3, p1), sixth);
        let g3 = vector::scale(l, vector::cross(l, p1, p2), sixth);
        let g0 = vector::minus_sum(l, g1, g2, g3);
        let [w0, w1, w2, w3] = [
            Y::number(l, &group.inv_masses[0]),
            Y::number(l, &group.inv_masses[1]),
            Y::number(l, &group.inv_masses[2]),
            Y::number(l, &group.inv_masses[3]),
        ];
        let mut denominator = l.mul(w0, vector::dot(l, g0, g0));
        denominator = l.mul_add(w1, vector::dot(l, g1, g1), denominator);
        denominator = l.mul_add(w2, vector::dot(l, g2, g2), denominator);
        denominator = l.mul_add(w3, vector::dot(l, g3, g3), denominator);
        let mut constraint = l.sub(vector::dot(l, p1, g1), Y::number(l, rest_volume));
        let compliance = l.mul(Y::number(l, compliance), rate_squared);
        if points.is_damped {
            let gamma = l.mul(Y::number(l, damping_time), rate);
            let d0 = points.displacement(l, &group.points[0], x0);
            let d1 = points.displacement(l, &group.points[1], x1);
            let d2 = points.displacement(l, &group.points[2], x2);
            let d3 = points.displacement(l, &group.points[3], x3);
            let first = l.add(vector::dot(l, g0, d0), vector::dot(l, g1, d1));
            let second = l.add(vector::dot(l, g2, d2), vector::dot(l, g3, d3));
            constraint = l.mul_add(gamma, l.add(first, second), constraint);
            denominator = l.mul_add(gamma, denominator, denominator);
        }
        if let Some(multiplier) = multipliers.first() {
            constraint = l.mul_add(compliance, l.load(multiplier), constraint);
        }
        let denominator = l.max(l.add(denominator, compliance), l.splat(1e-20));
        let mut minus_delta_lambda = l.div(constraint, denominator);
        if let Some(alive) = alive {
            minus_delta_lambda = l.mul(minus_delta_lambda, l.load(alive));
        }
        if let Some(multiplier) = multipliers.first_mut() {
            let sum = l.sub(l.load(multiplier), minus_delta_lambda);
            l.store(sum, multiplier);
        }
        let delta_lambda = l.sub(l.splat(0.0), minus_delta_lambda);
        let at = &group.points;
        points.correct(l, &at[0], x0, g0, l.mul(delta_lambda, w0));
        points.correct(l, &at[1], x1, g1, l.mul(delta_lambda, w1));
        points.correct(l, &at[2], x2, g2, l.mul(delta_lambda, w2));
        points.correct(l, &at[3], x3, g3, l.mul(delta_lambda, w3));
    }
}
