//! Prediction: gravity, then positions without forces.

#![expect(
    clippy::inline_always,
    reason = "kernels must be part of the function that has the processor's features"
)]

use super::layout::{self, Layout, Point};
use super::vector;
use crate::lanes::{Kernel, Lanes};

/// $v \leftarrow v + \Delta t \, g, \; \tilde x = x + \Delta t \, v$.
pub(super) struct Predict<'a, Y: Layout> {
    pub(super) positions: &'a mut [Point],
    pub(super) predicted: &'a mut [Point],
    pub(super) velocities: &'a mut [Point],
    pub(super) movable: &'a [Y::Number],
    /// [m/s²].
    pub(super) gravity: [f32; 3],
    pub(super) dt: f32,
}

impl<Y: Layout> Kernel for Predict<'_, Y> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let dt = l.splat(self.dt);
        let kick = vector::scale(l, vector::splat(l, self.gravity), dt);
        let rows = self.positions.iter_mut().zip(self.predicted);
        let rows = rows.zip(self.velocities).zip(self.movable);
        for (((position, predicted), velocity), movable) in rows {
            let faster = vector::add(l, layout::load(l, velocity), kick);
            let moves = vector::scale(l, faster, Y::number(l, movable));
            let there = vector::mul_add(l, moves, dt, layout::load(l, position));
            layout::store(l, velocity, moves);
            layout::store(l, predicted, there);
            layout::store(l, position, there);
        }
    }
}
