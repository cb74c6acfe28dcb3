//! Velocities from the displacements of the points.

#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

use std::ops::Range;

use super::lane_layout::LaneLayout;
use super::points::RowOfPoints as _;
use super::vector;
use crate::lanes::{Kernel, Lanes, Row};

/// $v \leftarrow (v + (x - \tilde x) / \Delta t) (1 - c \, \Delta t)$: it equals (x − xⁿ) / Δt, without rounding at the size of positions.
pub(super) struct Update<'a, Y: LaneLayout> {
    pub(super) positions: &'a [Y::Points],
    pub(super) predicted: &'a [Y::Points],
    pub(super) velocities: &'a mut [Y::Points],
    pub(super) rows: &'a [u32],
    pub(super) dt: f32,
    /// 1 − c Δt.
    pub(super) kept: f32,
    pub(super) speeds: &'a mut SpeedCheck,
}

/// Speeds in each lane so far.
#[derive(Debug, Default)]
pub(super) struct SpeedCheck {
    /// Greatest square of a speed [m²/s²].
    fastest: Row,
    /// 0, or NaN once a velocity was not finite.
    poison: Row,
}

impl SpeedCheck {
    /// Greatest speed in some lanes [m/s]; `None` if a speed was not finite.
    pub(super) fn greatest(&self, lanes: Range<usize>) -> Option<f64> {
        let is_finite = lanes.clone().all(|lane| self.poison[lane] == 0.0);
        let square = lanes.fold(0.0f32, |most, lane| most.max(self.fastest[lane]));
        is_finite.then(|| f64::from(square).sqrt())
    }
}

impl<Y: LaneLayout> Kernel for Update<'_, Y> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let rate = l.splat(1.0 / self.dt);
        let kept = l.splat(self.kept);
        let zero = l.splat(0.0);
        let mut fastest = l.load(&self.speeds.fastest);
        let mut poison = l.load(&self.speeds.poison);
        for row in self.rows {
            let row = *row as usize;
            let (position, predicted) = (self.positions[row].load(l), self.predicted[row].load(l));
            let corrected = vector::sub(l, position, predicted);
            let sum = vector::mul_add(l, corrected, rate, self.velocities[row].load(l));
            let new = vector::scale(l, sum, kept);
            self.velocities[row].store(l, new);
            let square = vector::dot(l, new, new);
            fastest = l.max(square, fastest);
            // 0 times an infinite number or NaN is NaN, which the sum preserves.
            poison = l.mul_add(square, zero, poison);
        }
        l.store(fastest, &mut self.speeds.fastest);
        l.store(poison, &mut self.speeds.poison);
    }
}
