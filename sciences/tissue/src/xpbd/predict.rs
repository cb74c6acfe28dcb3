//! Prediction: velocities after gravity, and positions without constraints.

#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

use super::lane_layout::LaneLayout;
use super::points::RowOfPoints as _;
use super::vector;
use crate::lanes::{Kernel, Lanes};

/// $v \leftarrow v + \Delta t \, g, \; \tilde x = x + \Delta t \, v$.
pub(super) struct Predict<'a, Y: LaneLayout> {
    pub(super) positions: &'a mut [Y::Points],
    pub(super) predicted: &'a mut [Y::Points],
    pub(super) velocities: &'a mut [Y::Points],
    pub(super) movable: &'a [Y::Number],
    pub(super) rows: &'a [u32],
    /// Gravity [m/s²].
    pub(super) gravity: [f32; 3],
    pub(super) dt: f32,
}

impl<Y: LaneLayout> Kernel for Predict<'_, Y> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let dt = l.splat(self.dt);
        let delta_v = vector::scale(l, vector::splat(l, self.gravity), dt);
        for row in self.rows {
            let row = *row as usize;
            let new = vector::add(l, self.velocities[row].load(l), delta_v);
            let new = vector::scale(l, new, Y::number(l, &self.movable[row]));
            let x = vector::mul_add(l, new, dt, self.positions[row].load(l));
            self.velocities[row].store(l, new);
            self.predicted[row].store(l, x);
            self.positions[row].store(l, x);
        }
    }
}
