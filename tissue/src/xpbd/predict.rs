//! Prediction: velocities after gravity, and positions without constraints.

#![expect(
    clippy::inline_always,
    reason = "kernels must be part of the function that has the processor's features"
)]

use super::lane_layout::{self, LaneLayout, PointRow};
use super::vector;
use crate::lanes::{Kernel, Lanes};

/// $v \leftarrow v + \Delta t \, g, \; \tilde x = x + \Delta t \, v$.
pub(super) struct Predict<'a, Y: LaneLayout> {
    pub(super) positions: &'a mut [PointRow],
    pub(super) predicted: &'a mut [PointRow],
    pub(super) velocities: &'a mut [PointRow],
    pub(super) movable: &'a [Y::Number],
    /// [m/s²].
    pub(super) gravity: [f32; 3],
    pub(super) dt: f32,
}

impl<Y: LaneLayout> Kernel for Predict<'_, Y> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let dt = l.splat(self.dt);
        let delta_v = vector::scale(l, vector::splat(l, self.gravity), dt);
        let rows = self.positions.iter_mut().zip(self.predicted);
        let rows = rows.zip(self.velocities).zip(self.movable);
        for (((position, predicted), velocity), movable) in rows {
            let new = vector::add(l, lane_layout::load(l, velocity), delta_v);
            let new = vector::scale(l, new, Y::number(l, movable));
            let x = vector::mul_add(l, new, dt, lane_layout::load(l, position));
            lane_layout::store(l, velocity, new);
            lane_layout::store(l, predicted, x);
            lane_layout::store(l, position, x);
        }
    }
}
