//! How corrections reach vertices: at once (Gauss–Seidel), or summed and then shared out (Jacobi).

#![expect(
    clippy::inline_always,
    reason = "kernels must be part of the function that has the processor's features"
)]

use super::layout::{self, Layout, Point};
use super::vector::{self, Vec3};
use crate::lanes::{Kernel, Lanes};

/// Points on their way through a substep.
pub(super) struct Moves<'a> {
    pub(super) positions: &'a mut [Point],
    /// Sums of corrections; empty: each moves its vertices at once.
    pub(super) sums: &'a mut [Point],
    /// Where points went without forces.
    pub(super) predicted: &'a [Point],
    /// Velocities with which they went there.
    pub(super) velocities: &'a [Point],
    /// Length of the substep [s].
    pub(super) dt: f32,
}

impl Moves<'_> {
    /// How far a vertex has come in this substep.
    #[inline(always)]
    pub(super) fn moved<Y: Layout, L: Lanes>(
        &self,
        l: L,
        vertex: &Y::Vertex,
        position: Vec3<L>,
    ) -> Vec3<L> {
        let predicted = Y::load(l, self.predicted, vertex);
        let velocity = Y::load(l, self.velocities, vertex);
        let corrected = vector::sub(l, position, predicted);
        vector::mul_add(l, velocity, l.splat(self.dt), corrected)
    }

    /// Moves a vertex from where it is along a gradient by a factor.
    #[inline(always)]
    pub(super) fn correct<Y: Layout, L: Lanes>(
        &mut self,
        l: L,
        vertex: &Y::Vertex,
        position: Vec3<L>,
        gradient: Vec3<L>,
        factor: L::V,
    ) {
        if self.sums.is_empty() {
            let position = vector::mul_add(l, gradient, factor, position);
            Y::store(l, self.positions, vertex, position);
        } else {
            Y::add(l, self.sums, vertex, vector::scale(l, gradient, factor));
        }
    }
}

/// Moves points by their share of the sums, which are zero after it.
pub(super) struct ShareOut<'a, Y: Layout> {
    pub(super) positions: &'a mut [Point],
    pub(super) sums: &'a mut [Point],
    pub(super) share: &'a [Y::Number],
}

impl<Y: Layout> Kernel for ShareOut<'_, Y> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let points = self.positions.iter_mut().zip(self.sums);
        for ((position, sum), share) in points.zip(self.share) {
            let old = layout::load(l, position);
            let new = vector::mul_add(l, layout::load(l, sum), Y::number(l, share), old);
            layout::store(l, position, new);
            layout::store(l, sum, vector::splat(l, [0.0; 3]));
        }
    }
}
