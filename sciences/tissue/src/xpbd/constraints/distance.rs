//! Distance constraint C = |x₁ − x₀| − L with compliance and damping.
//!
//! $$ \Delta\lambda = -\frac{C + \tilde\alpha \lambda + \gamma \, \nabla C \cdot (x - x^n)}{(1 + \gamma) \sum_i w_i + \tilde\alpha},
//! \quad \tilde\alpha = \frac{\alpha}{\Delta t^2}, \quad \gamma = \frac{\tilde\alpha \tilde\beta}{\Delta t} = \frac{\alpha \beta}{\Delta t} $$
//! (Macklin, Müller and Chentanez 2016, Eq. 26). A dashpot is the limit α → ∞ of it over α̃: no C, α̃ → 1, γ → β Δt.

#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

use crate::lanes::{Lanes, Row};
use crate::xpbd::constraint::{Constraint, Group, Item};
use crate::xpbd::correction::Points;
use crate::xpbd::lane_layout::LaneLayout;
use crate::xpbd::vector;

/// Square of a length below which an edge has no direction [m²].
const MIN_SQUARED_LENGTH: f32 = 1e-24;

/// A distance constraint between two points, or a dashpot between them. Parameters: rest length L [m]; stiffness, 1, or
/// 0 for a dashpot; compliance α [m/N]; damping time α β [s]; damping β of a dashpot [N·s/m].
#[derive(Debug, Clone, Default)]
pub(crate) struct Distance;

impl Distance {
    /// A spring with a rest length [m], compliance [m/N] and damping time [s].
    pub(crate) fn spring(
        points: [u32; 2],
        length: f64,
        compliance: f64,
        damping_time: f64,
    ) -> Item<2, 5> {
        let parameters = [length, 1.0, compliance, damping_time, 0.0];
        Item { points, parameters }
    }

    /// A dashpot with a damping coefficient [N·s/m].
    pub(crate) fn dashpot(points: [u32; 2], length: f64, damping: f64) -> Item<2, 5> {
        let parameters = [length, 0.0, 0.0, 0.0, damping];
        Item { points, parameters }
    }
}

impl Constraint<2, 5> for Distance {
    const N_MULTIPLIERS: usize = 1;

    #[cfg(feature = "gpu")]
    const N_CORRECTIONS: usize = 1;

    #[inline(always)]
    fn solve<Y: LaneLayout, L: Lanes>(
        l: L,
        group: &Group<Y, 2, 5>,
        points: &mut Points<'_, Y>,
        alive: Option<&Row>,
        multipliers: &mut [Row],
    ) {
        let [rest_length, stiffness, compliance, damping_time, damping] = &group.parameters;
        let [rate, rate_squared] = points.rates(l);
        let one = l.splat(1.0);
        let w0 = Y::number(l, &group.inv_masses[0]);
        let w1 = Y::number(l, &group.inv_masses[1]);
        let x0 = Y::load(l, points.positions, &group.points[0]);
        let x1 = Y::load(l, points.positions, &group.points[1]);
        let edge = vector::sub(l, x1, x0);
        let squared = l.add(vector::dot(l, edge, edge), l.splat(MIN_SQUARED_LENGTH));
        let length = l.sqrt(squared);
        let mut constraint = l.sub(length, Y::number(l, rest_length));
        let mut compliance = l.mul(Y::number(l, compliance), rate_squared);
        let mut factor = one;
        if points.is_damped {
            let stiffness = Y::number(l, stiffness);
            compliance = l.add(compliance, l.sub(one, stiffness));
            let gamma = l.mul(Y::number(l, damping_time), rate);
            let dt = l.splat(points.dt);
            let gamma = l.mul_add(Y::number(l, damping), dt, gamma);
            let d0 = points.displacement(l, &group.points[0], x0);
            let d1 = points.displacement(l, &group.points[1], x1);
            let elongation = l.div(vector::dot(l, edge, vector::sub(l, d1, d0)), length);
            constraint = l.mul_add(gamma, elongation, l.mul(stiffness, constraint));
            factor = l.add(stiffness, gamma);
        }
        if let Some(multiplier) = multipliers.first() {
            constraint = l.mul_add(compliance, l.load(multiplier), constraint);
        }
        let denominator = l.mul_add(factor, l.add(w0, w1), compliance);
        let mut minus_delta_lambda = l.div(constraint, l.max(denominator, l.splat(1e-12)));
        if let Some(alive) = alive {
            minus_delta_lambda = l.mul(minus_delta_lambda, l.load(alive));
        }
        if let Some(multiplier) = multipliers.first_mut() {
            let sum = l.sub(l.load(multiplier), minus_delta_lambda);
            l.store(sum, multiplier);
        }
        let correction = vector::scale(l, edge, l.div(minus_delta_lambda, length));
        points.correct(l, &group.points[0], x0, correction, w0);
        let minus_w1 = l.sub(l.splat(0.0), w1);
        points.correct(l, &group.points[1], x1, correction, minus_w1);
    }
}
