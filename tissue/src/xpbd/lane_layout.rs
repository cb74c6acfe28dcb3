//! What the sixteen lanes of a vector hold: sixteen worlds of equal topology, or sixteen points or constraints of one world.
//!
//! Kernels are written once over [`LaneLayout`]. With [`ManyWorlds`], lane i of row n is point n of world i, so loads are whole rows.
//! With [`OneWorld`] it is point 16 n + i, and the points of sixteen constraints are gathered one by one.

#![expect(
    clippy::inline_always,
    clippy::needless_range_loop,
    reason = "kernels must be part of the function that has the processor's features, and lanes are counted alike"
)]

use nalgebra::Vector3;

use super::vector::Vec3;
use crate::lanes::{Lanes, Row};

/// Sixteen points.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub(super) struct PointRow(pub(super) [Row; 3]);

impl PointRow {
    pub(super) const ZERO: Self = Self([[0.0; 16]; 3]);

    pub(super) fn get(&self, lane: usize) -> Vector3<f64> {
        Vector3::new(self.0[0][lane], self.0[1][lane], self.0[2][lane]).map(f64::from)
    }

    pub(super) fn set(&mut self, lane: usize, value: [f32; 3]) {
        for axis in 0..3 {
            self.0[axis][lane] = value[axis];
        }
    }
}

/// A row of points or constraints, and a bit for each of its lanes.
pub(super) type LaneSet = (u32, u16);

/// What the lanes hold.
pub(super) trait LaneLayout: Copy + Send + Sync + std::fmt::Debug + 'static {
    /// One point of each lane's constraint.
    type Vertex: Copy + Send + Sync + std::fmt::Debug;
    /// One number of each lane's constraint or point.
    type Number: Copy + Send + Sync + std::fmt::Debug;

    /// Constraints or points of one world in a row.
    const WIDTH: usize;

    /// Packs [`Self::WIDTH`] points.
    fn vertex(ids: &[u32]) -> Self::Vertex;
    /// Packs [`Self::WIDTH`] numbers.
    fn numbers(values: &[f32]) -> Self::Number;
    /// Row and lane of a point or constraint of a world.
    fn row_and_lane(index: usize, world: usize) -> (usize, usize);
    /// Point or constraint in a lane of a row, and its world.
    fn index_and_world(row: usize, lane: usize) -> (usize, usize);

    /// Whether a constraint or point is not marked by a zero; empty rows mark none.
    fn is_set(rows: &[Row], index: usize, world: usize) -> bool {
        let (row, lane) = Self::row_and_lane(index, world);
        rows.get(row).is_none_or(|row| row[lane] > 0.0)
    }

    /// Calls for each index below `n` among the lanes found, with its world.
    fn for_each(found: &[LaneSet], n: usize, mut f: impl FnMut(usize, usize)) {
        for (row, lanes) in found {
            let mut left = *lanes;
            while left != 0 {
                let lane = left.trailing_zeros() as usize;
                let (index, world) = Self::index_and_world(*row as usize, lane);
                left &= left - 1;
                if index < n {
                    f(index, world);
                }
            }
        }
    }

    fn number<L: Lanes>(l: L, number: &Self::Number) -> L::V;
    fn load<L: Lanes>(l: L, points: &[PointRow], vertex: &Self::Vertex) -> Vec3<L>;
    fn store<L: Lanes>(l: L, points: &mut [PointRow], vertex: &Self::Vertex, value: Vec3<L>);
    /// Adds lane by lane, so that lanes may share points.
    fn add<L: Lanes>(l: L, points: &mut [PointRow], vertex: &Self::Vertex, value: Vec3<L>);
}

#[inline(always)]
pub(super) fn load<L: Lanes>(l: L, point: &PointRow) -> Vec3<L> {
    [
        l.load(&point.0[0]),
        l.load(&point.0[1]),
        l.load(&point.0[2]),
    ]
}

#[inline(always)]
pub(super) fn store<L: Lanes>(l: L, point: &mut PointRow, value: Vec3<L>) {
    for axis in 0..3 {
        l.store(value[axis], &mut point.0[axis]);
    }
}

/// Each lane is a world.
#[derive(Debug, Clone, Copy)]
pub(super) struct ManyWorlds;

impl LaneLayout for ManyWorlds {
    type Vertex = u32;
    type Number = f32;

    const WIDTH: usize = 1;

    fn vertex(ids: &[u32]) -> u32 {
        ids[0]
    }

    fn numbers(values: &[f32]) -> f32 {
        values[0]
    }

    fn row_and_lane(index: usize, world: usize) -> (usize, usize) {
        (index, world)
    }

    fn index_and_world(row: usize, lane: usize) -> (usize, usize) {
        (row, lane)
    }

    #[inline(always)]
    fn number<L: Lanes>(l: L, number: &f32) -> L::V {
        l.splat(*number)
    }

    #[inline(always)]
    fn load<L: Lanes>(l: L, points: &[PointRow], vertex: &u32) -> Vec3<L> {
        load(l, &points[*vertex as usize])
    }

    #[inline(always)]
    fn store<L: Lanes>(l: L, points: &mut [PointRow], vertex: &u32, value: Vec3<L>) {
        store(l, &mut points[*vertex as usize], value);
    }

    #[inline(always)]
    fn add<L: Lanes>(l: L, points: &mut [PointRow], vertex: &u32, value: Vec3<L>) {
        let point = &mut points[*vertex as usize];
        let sum = super::vector::add(l, load(l, point), value);
        store(l, point, sum);
    }
}

/// Each lane is a point or constraint of one world.
#[derive(Debug, Clone, Copy)]
pub(super) struct OneWorld;

impl LaneLayout for OneWorld {
    type Vertex = [u32; 16];
    type Number = Row;

    const WIDTH: usize = 16;

    fn vertex(ids: &[u32]) -> [u32; 16] {
        std::array::from_fn(|lane| ids[lane])
    }

    fn numbers(values: &[f32]) -> Row {
        std::array::from_fn(|lane| values[lane])
    }

    fn row_and_lane(index: usize, _world: usize) -> (usize, usize) {
        (index / 16, index % 16)
    }

    fn index_and_world(row: usize, lane: usize) -> (usize, usize) {
        (16 * row + lane, 0)
    }

    #[inline(always)]
    fn number<L: Lanes>(l: L, number: &Row) -> L::V {
        l.load(number)
    }

    #[inline(always)]
    fn load<L: Lanes>(l: L, points: &[PointRow], vertex: &[u32; 16]) -> Vec3<L> {
        let mut rows = [[0.0; 16]; 3];
        for lane in 0..16 {
            let id = vertex[lane] as usize;
            let point = &points[id / 16].0;
            rows[0][lane] = point[0][id % 16];
            rows[1][lane] = point[1][id % 16];
            rows[2][lane] = point[2][id % 16];
        }
        [l.load(&rows[0]), l.load(&rows[1]), l.load(&rows[2])]
    }

    #[inline(always)]
    fn store<L: Lanes>(l: L, points: &mut [PointRow], vertex: &[u32; 16], value: Vec3<L>) {
        let mut rows = [[0.0; 16]; 3];
        for axis in 0..3 {
            l.store(value[axis], &mut rows[axis]);
        }
        for lane in 0..16 {
            let id = vertex[lane] as usize;
            let point = &mut points[id / 16].0;
            point[0][id % 16] = rows[0][lane];
            point[1][id % 16] = rows[1][lane];
            point[2][id % 16] = rows[2][lane];
        }
    }

    #[inline(always)]
    fn add<L: Lanes>(l: L, points: &mut [PointRow], vertex: &[u32; 16], value: Vec3<L>) {
        let mut rows = [[0.0; 16]; 3];
        for axis in 0..3 {
            l.store(value[axis], &mut rows[axis]);
        }
        for lane in 0..16 {
            let id = vertex[lane] as usize;
            let point = &mut points[id / 16].0;
            point[0][id % 16] += rows[0][lane];
            point[1][id % 16] += rows[1][lane];
            point[2][id % 16] += rows[2][lane];
        }
    }
}
