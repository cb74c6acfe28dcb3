//! Volume constraints C = V − V₀ of tetrahedra, with compliance and damping as in [`distance`](super::distance).

#![expect(
    clippy::inline_always,
    reason = "kernels must be part of the function that has the processor's features"
)]

use super::groups::TetGroup;
use super::jacobi::Moves;
use super::layout::Layout;
use super::vector;
use crate::lanes::{Kernel, Lanes, Row};

/// Corrects all volumes once.
pub(super) struct SolveVolumes<'a, Y: Layout> {
    pub(super) groups: &'a [TetGroup<Y>],
    pub(super) moves: Moves<'a>,
    /// Whether any of them is damped.
    pub(super) is_damped: bool,
    /// 1 where the constraint is there, 0 where it is torn; empty: all are there.
    pub(super) alive: &'a [Row],
    /// λ of earlier corrections in this substep; empty: this is the only one.
    pub(super) multipliers: &'a mut [[Row; 2]],
}

impl<Y: Layout> Kernel for SolveVolumes<'_, Y> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self, l: L) {
        let rate = l.splat(1.0 / self.moves.dt);
        let rate_squared = l.splat(1.0 / (self.moves.dt * self.moves.dt));
        let sixth = l.splat(1.0 / 6.0);
        for (index, group) in self.groups.iter().enumerate() {
            let [x0, x1, x2, x3] = super::neo_hookean::corners::<Y, L>(l, &self.moves, group);
            let p1 = vector::sub(l, x1, x0);
            let p2 = vector::sub(l, x2, x0);
            let p3 = vector::sub(l, x3, x0);
            let g1 = vector::scale(l, vector::cross(l, p2, p3), sixth);
            let g2 = vector::scale(l, vector::cross(l, p3, p1), sixth);
            let g3 = vector::scale(l, vector::cross(l, p1, p2), sixth);
            let g0 = vector::minus_sum(l, g1, g2, g3);
            let w = super::neo_hookean::inv_masses::<Y, L>(l, group);
            let mut sum = l.mul(w[0], vector::dot(l, g0, g0));
            sum = l.mul_add(w[1], vector::dot(l, g1, g1), sum);
            sum = l.mul_add(w[2], vector::dot(l, g2, g2), sum);
            sum = l.mul_add(w[3], vector::dot(l, g3, g3), sum);
            let mut wrong = l.sub(vector::dot(l, p1, g1), Y::number(l, &group.volume));
            let soft = l.mul(Y::number(l, &group.constants[0]), rate_squared);
            if self.is_damped {
                let damping = l.mul(Y::number(l, &group.constants[1]), rate);
                let moves = &self.moves;
                let d0 = moves.moved::<Y, L>(l, &group.vertices[0], x0);
                let d1 = moves.moved::<Y, L>(l, &group.vertices[1], x1);
                let d2 = moves.moved::<Y, L>(l, &group.vertices[2], x2);
                let d3 = moves.moved::<Y, L>(l, &group.vertices[3], x3);
                let first = l.add(vector::dot(l, g0, d0), vector::dot(l, g1, d1));
                let second = l.add(vector::dot(l, g2, d2), vector::dot(l, g3, d3));
                wrong = l.mul_add(damping, l.add(first, second), wrong);
                sum = l.mul_add(damping, sum, sum);
            }
            if let Some([row, _]) = self.multipliers.get(index) {
                wrong = l.mul_add(soft, l.load(row), wrong);
            }
            let mut step = l.div(wrong, l.max(l.add(sum, soft), l.splat(1e-20)));
            if let Some(row) = self.alive.get(index) {
                step = l.mul(step, l.load(row));
            }
            if let Some([row, _]) = self.multipliers.get_mut(index) {
                let sum = l.sub(l.load(row), step);
                l.store(sum, row);
            }
            let step = l.sub(l.splat(0.0), step);
            let (moves, at) = (&mut self.moves, &group.vertices);
            moves.correct::<Y, L>(l, &at[0], x0, g0, l.mul(step, w[0]));
            moves.correct::<Y, L>(l, &at[1], x1, g1, l.mul(step, w[1]));
            moves.correct::<Y, L>(l, &at[2], x2, g2, l.mul(step, w[2]));
            moves.correct::<Y, L>(l, &at[3], x3, g3, l.mul(step, w[3]));
        }
    }
}
