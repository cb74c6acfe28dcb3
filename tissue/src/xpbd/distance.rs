//! Distance constraints C = |x₁ − x₀| − L with compliance and damping.
//!
//! $$ \Delta\lambda = -\frac{C + \tilde\alpha \lambda + \gamma \, \nabla C \cdot (x - x^n)}{(1 + \gamma) \sum_i w_i + \tilde\alpha},
//! \quad \tilde\alpha = \frac{\alpha}{\Delta t^2}, \quad \gamma = \frac{\tilde\alpha \tilde\beta}{\Delta t} = \frac{\alpha \beta}{\Delta t} $$
//! (Macklin, Müller and Chentanez 2016, Eq. 26). A dashpot is the limit α → ∞ of it over α̃: stiffness 0, α̃ → 1, γ → β Δt.

#![expect(
    clippy::inline_always,
    reason = "kernels must be part of the function that has the processor's features"
)]

use super::groups::EdgeGroup;
use super::jacobi::Moves;
use super::layout::Layout;
use super::vector;
use crate::lanes::{Kernel, Lanes, Row};

/// Length below which an edge has no direction, squared [m²].
const LEAST_LENGTH: f32 = 1e-24;

/// Corrects all distances once.
pub(super) struct SolveDistances<'a, Y: Layout> {
    pub(super) groups: &'a [EdgeGroup<Y>],
    pub(super) moves: Moves<'a>,
    /// Whether any of them is damped.
    pub(super) is_damped: bool,
    /// 1 where the constraint is there, 0 where it is torn; empty: all are there.
    pub(super) alive: &'a [Row],
    /// λ of earlier corrections in this substep; empty: this is the only one.
    pub(super) multipliers: &'a mut [Row],
}

impl<Y: Layout> Kernel for SolveDistances<'_, Y> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self, l: L) {
        let dt = l.splat(self.moves.dt);
        let rate = l.splat(1.0 / self.moves.dt);
        let rate_squared = l.splat(1.0 / (self.moves.dt * self.moves.dt));
        let one = l.splat(1.0);
        for (index, group) in self.groups.iter().enumerate() {
            let [w0, w1] = [
                Y::number(l, &group.inv_masses[0]),
                Y::number(l, &group.inv_masses[1]),
            ];
            let x0 = Y::load(l, self.moves.positions, &group.vertices[0]);
            let x1 = Y::load(l, self.moves.positions, &group.vertices[1]);
            let way = vector::sub(l, x1, x0);
            let length = l.sqrt(l.add(vector::dot(l, way, way), l.splat(LEAST_LENGTH)));
            let elastic = Y::number(l, &group.elastic);
            let excess = l.sub(length, Y::number(l, &group.length));
            let mut soft = l.mul(Y::number(l, &group.compliance), rate_squared);
            let mut wrong = excess;
            let mut stiff = one;
            if self.is_damped {
                soft = l.add(soft, l.sub(one, elastic));
                let spring = l.mul(Y::number(l, &group.damping_time), rate);
                let damping = l.mul_add(Y::number(l, &group.damping), dt, spring);
                let moved0 = self.moves.moved::<Y, L>(l, &group.vertices[0], x0);
                let moved1 = self.moves.moved::<Y, L>(l, &group.vertices[1], x1);
                let moved = vector::dot(l, way, vector::sub(l, moved1, moved0));
                let stretched = l.div(moved, length);
                wrong = l.mul_add(damping, stretched, l.mul(elastic, excess));
                stiff = l.add(elastic, damping);
            }
            if let Some(row) = self.multipliers.get(index) {
                wrong = l.mul_add(soft, l.load(row), wrong);
            }
            let mass = l.mul_add(stiff, l.add(w0, w1), soft);
            let mut step = l.div(wrong, l.max(mass, l.splat(1e-12)));
            if let Some(row) = self.alive.get(index) {
                step = l.mul(step, l.load(row));
            }
            if let Some(row) = self.multipliers.get_mut(index) {
                let sum = l.sub(l.load(row), step);
                l.store(sum, row);
            }
            let push = vector::scale(l, way, l.div(step, length));
            self.moves
                .correct::<Y, L>(l, &group.vertices[0], x0, push, w0);
            let w1 = l.sub(l.splat(0.0), w1);
            self.moves
                .correct::<Y, L>(l, &group.vertices[1], x1, push, w1);
        }
    }
}
