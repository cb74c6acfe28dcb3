//! Velocities from how far corrections have moved the points.

#![expect(
    clippy::inline_always,
    reason = "kernels must be part of the function that has the processor's features"
)]

use super::layout::{self, Point};
use super::vector;
use crate::lanes::{Kernel, Lanes, Row};

/// $v \leftarrow (v + (x - \tilde x) / \Delta t) (1 - c \, \Delta t)$: what (x − xⁿ) / Δt is, without rounding at the size of positions.
pub(super) struct Update<'a> {
    pub(super) positions: &'a [Point],
    pub(super) predicted: &'a [Point],
    pub(super) velocities: &'a mut [Point],
    pub(super) dt: f32,
    /// 1 − c Δt.
    pub(super) kept: f32,
    /// Greatest square of a speed in each lane so far [m²/s²].
    pub(super) fastest: &'a mut Row,
    /// In each lane 0, or not a number once a velocity has not been one.
    pub(super) poison: &'a mut Row,
}

impl Kernel for Update<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let rate = l.splat(1.0 / self.dt);
        let kept = l.splat(self.kept);
        let zero = l.splat(0.0);
        let mut fastest = l.load(self.fastest);
        let mut poison = l.load(self.poison);
        let rows = self.positions.iter().zip(self.predicted);
        for ((position, predicted), velocity) in rows.zip(self.velocities) {
            let corrected = vector::sub(l, layout::load(l, position), layout::load(l, predicted));
            let sum = vector::mul_add(l, corrected, rate, layout::load(l, velocity));
            let new = vector::scale(l, sum, kept);
            layout::store(l, velocity, new);
            let square = vector::dot(l, new, new);
            fastest = l.max(square, fastest);
            // 0 times what is infinite or not a number is not a number, and stays in the sum.
            poison = l.mul_add(square, zero, poison);
        }
        l.store(fastest, self.fastest);
        l.store(poison, self.poison);
    }
}
