//! Application of corrections Δx to points: at once (Gauss–Seidel), or summed and then averaged (Jacobi).

#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

use super::lane_layout::LaneLayout;
use super::points::RowOfPoints as _;
use super::vector::{self, Vec3};
use crate::lanes::{Kernel, Lanes};

/// Points during a substep.
pub(super) struct Points<'a, Y: LaneLayout> {
    /// x [m].
    pub(super) positions: &'a mut [Y::Points],
    /// Sums of corrections; empty if each correction moves its points at once.
    pub(super) sums: &'a mut [Y::Points],
    /// Positions before any correction x̃ [m].
    pub(super) predicted: &'a [Y::Points],
    /// Velocities from xⁿ to x̃ [m/s].
    pub(super) velocities: &'a [Y::Points],
    /// Δt [s].
    pub(super) dt: f32,
    /// Whether any constraint is damped.
    pub(super) is_damped: bool,
    /// See [`Sweep::patch_weight`](super::Sweep).
    pub(super) patch_weight: f32,
}

impl<Y: LaneLayout> Points<'_, Y> {
    /// 1 / Δt [1/s] and 1 / Δt² [1/s²].
    #[inline(always)]
    pub(super) fn rates<L: Lanes>(&self, l: L) -> [L::V; 2] {
        let dt = self.dt;
        [l.splat(1.0 / dt), l.splat(1.0 / (dt * dt))]
    }

    /// Positions of four points.
    #[inline(always)]
    pub(super) fn corners<L: Lanes>(&self, l: L, points: &[Y::Vertex; 4]) -> [Vec3<L>; 4] {
        [
            Y::load(l, self.positions, &points[0]),
            Y::load(l, self.positions, &points[1]),
            Y::load(l, self.positions, &points[2]),
            Y::load(l, self.positions, &points[3]),
        ]
    }

    /// x − xⁿ.
    #[inline(always)]
    pub(super) fn displacement<L: Lanes>(
        &self,
        l: L,
        point: &Y::Vertex,
        position: Vec3<L>,
    ) -> Vec3<L> {
        let predicted = Y::load(l, self.predicted, point);
        let velocity = Y::load(l, self.velocities, point);
        let corrected = vector::sub(l, position, predicted);
        vector::mul_add(l, velocity, l.splat(self.dt), corrected)
    }

    /// Corrects the current position of a point along a gradient by a factor.
    #[inline(always)]
    pub(super) fn correct<L: Lanes>(
        &mut self,
        l: L,
        point: &Y::Vertex,
        position: Vec3<L>,
        gradient: Vec3<L>,
        factor: L::V,
    ) {
        if self.sums.is_empty() {
            let position = vector::mul_add(l, gradient, factor, position);
            Y::store(l, self.positions, point, position);
        } else {
            Y::add(l, self.sums, point, vector::scale(l, gradient, factor));
        }
    }
}

/// Moves points by their share of the sums of corrections, and clears the sums.
pub(super) struct ApplySums<'a, Y: LaneLayout> {
    pub(super) positions: &'a mut [Y::Points],
    pub(super) sums: &'a mut [Y::Points],
    pub(super) shares: &'a [Y::Number],
}

impl<Y: LaneLayout> Kernel for ApplySums<'_, Y> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let points = self.positions.iter_mut().zip(self.sums);
        for ((position, sum), share) in points.zip(self.shares) {
            let old = position.load(l);
            let new = vector::mul_add(l, sum.load(l), Y::number(l, share), old);
            position.store(l, new);
            sum.store(l, vector::splat(l, [0.0; 3]));
        }
    }
}
