//! Memory layouts of sixteen points: by coordinate, or by point.

#![expect(
    clippy::inline_always,
    clippy::needless_range_loop,
    reason = "kernels must be inlined into the function with the target features, and lanes have one index"
)]

use std::fmt::Debug;

use nalgebra::Vector3;

use super::vector::Vec3;
use crate::lanes::{Lanes, Row};

/// Sixteen points.
pub(super) trait RowOfPoints: Copy + Send + Sync + Debug {
    /// All at the origin.
    const ZERO: Self;

    /// The point of a lane.
    fn at(&self, lane: usize) -> [f32; 3];
    fn set(&mut self, lane: usize, value: [f32; 3]);
    fn load<L: Lanes>(&self, l: L) -> Vec3<L>;
    fn store<L: Lanes>(&mut self, l: L, value: Vec3<L>);

    fn get(&self, lane: usize) -> Vector3<f64> {
        Vector3::from(self.at(lane)).map(f64::from)
    }
}

/// By coordinate: whole rows are loaded directly.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub(super) struct PointRow([Row; 3]);

impl PointRow {
    /// Adds another row.
    pub(super) fn accumulate(&mut self, other: &Self) {
        for (sum, more) in self.0.iter_mut().flatten().zip(other.0.iter().flatten()) {
            *sum += more;
        }
    }
}

impl RowOfPoints for PointRow {
    const ZERO: Self = Self([[0.0; 16]; 3]);

    fn at(&self, lane: usize) -> [f32; 3] {
        [self.0[0][lane], self.0[1][lane], self.0[2][lane]]
    }

    fn set(&mut self, lane: usize, value: [f32; 3]) {
        for axis in 0..3 {
            self.0[axis][lane] = value[axis];
        }
    }

    #[inline(always)]
    fn load<L: Lanes>(&self, l: L) -> Vec3<L> {
        [l.load(&self.0[0]), l.load(&self.0[1]), l.load(&self.0[2])]
    }

    #[inline(always)]
    fn store<L: Lanes>(&mut self, l: L, value: Vec3<L>) {
        for axis in 0..3 {
            l.store(value[axis], &mut self.0[axis]);
        }
    }
}

/// By point, each with an unused fourth number, so a point is one load and one store. Lane i is stored at the place to
/// which the transpose of groups of four moves it.
pub(super) type InterleavedRow = [[f32; 4]; 16];

/// Index of a lane's point in its row.
pub(super) const fn place(lane: usize) -> usize {
    4 * (lane % 4) + lane / 4
}

/// Index of a point among the points of all rows.
pub(super) const fn spot(point: usize) -> usize {
    point - point % 16 + place(point % 16)
}

impl RowOfPoints for InterleavedRow {
    const ZERO: Self = [[0.0; 4]; 16];

    fn at(&self, lane: usize) -> [f32; 3] {
        let [x, y, z, _] = self[place(lane)];
        [x, y, z]
    }

    fn set(&mut self, lane: usize, [x, y, z]: [f32; 3]) {
        self[place(lane)] = [x, y, z, 0.0];
    }

    #[inline(always)]
    fn load<L: Lanes>(&self, l: L) -> Vec3<L> {
        let vector = |i: usize| {
            l.join([
                &self[4 * i],
                &self[4 * i + 1],
                &self[4 * i + 2],
                &self[4 * i + 3],
            ])
        };
        let [x, y, z, _] = l.turn_groups([vector(0), vector(1), vector(2), vector(3)]);
        [x, y, z]
    }

    #[inline(always)]
    fn store<L: Lanes>(&mut self, l: L, [x, y, z]: Vec3<L>) {
        let vectors = l.turn_groups([x, y, z, l.splat(0.0)]);
        for i in 0..4 {
            // Four stores; copying a slice would be a function call.
            let fours = l.split(vectors[i]);
            for group in 0..4 {
                self[4 * i + group] = fours[group];
            }
        }
    }
}
