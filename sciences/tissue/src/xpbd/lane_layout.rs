//! Assignment of the sixteen lanes of a vector: sixteen worlds of equal topology, or sixteen points or constraints of
//! one world.
//!
//! Kernels are written once over [`LaneLayout`]. With [`ManyWorlds`], lane i of row n is point n of world i, so whole
//! rows are loaded. With [`OneWorld`] it is point 16 n + i, and the points of sixteen constraints are gathered one by
//! one, all coordinates at once.

#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

use super::points::{InterleavedRow, PointRow, RowOfPoints, spot};
use super::vector::Vec3;
use crate::lanes::{Lanes, Row};

/// A row of points or constraints, and a bit for each of its lanes.
pub(super) type LaneSet = (u32, u16);

/// Assignment of the lanes.
pub(super) trait LaneLayout: Copy + Send + Sync + std::fmt::Debug + 'static {
    /// One point of each lane's constraint.
    type Vertex: Copy + Send + Sync + std::fmt::Debug;
    /// Sixteen points in memory.
    type Points: RowOfPoints;
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

    /// Whether the mark of a constraint or point is nonzero. Empty rows mark nothing.
    fn is_set(rows: &[Row], index: usize, world: usize) -> bool {
        let (row, lane) = Self::row_and_lane(index, world);
        rows.get(row).is_none_or(|row| row[lane] > 0.0)
    }

    /// Calls a function with each index below `n` among the found lanes, and its world.
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
    fn load<L: Lanes>(l: L, points: &[Self::Points], vertex: &Self::Vertex) -> Vec3<L>;
    fn store<L: Lanes>(l: L, points: &mut [Self::Points], vertex: &Self::Vertex, value: Vec3<L>);
    /// Copies points, given by their indices, to the first rows.
    fn gather(from: &[Self::Points], ids: &[u32], to: &mut [Self::Points]);
    /// Adds the points of the first rows to points given by their indices.
    fn scatter_add(from: &[Self::Points], ids: &[u32], to: &mut [Self::Points]);
    /// Adds lane by lane, because lanes may share points.
    fn add<L: Lanes>(l: L, points: &mut [Self::Points], vertex: &Self::Vertex, value: Vec3<L>);
}

/// Each lane is a world.
#[derive(Debug, Clone, Copy)]
pub(super) struct ManyWorlds;

impl LaneLayout for ManyWorlds {
    type Points = PointRow;
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

    fn gather(from: &[PointRow], ids: &[u32], to: &mut [PointRow]) {
        for (to, id) in to.iter_mut().zip(ids) {
            *to = from[*id as usize];
        }
    }

    fn scatter_add(from: &[PointRow], ids: &[u32], to: &mut [PointRow]) {
        for (from, id) in from.iter().zip(ids) {
            to[*id as usize].accumulate(from);
        }
    }

    #[inline(always)]
    fn number<L: Lanes>(l: L, number: &f32) -> L::V {
        l.splat(*number)
    }

    #[inline(always)]
    fn load<L: Lanes>(l: L, points: &[Self::Points], vertex: &u32) -> Vec3<L> {
        points[*vertex as usize].load(l)
    }

    #[inline(always)]
    fn store<L: Lanes>(l: L, points: &mut [Self::Points], vertex: &u32, value: Vec3<L>) {
        points[*vertex as usize].store(l, value);
    }

    #[inline(always)]
    fn add<L: Lanes>(l: L, points: &mut [Self::Points], vertex: &u32, value: Vec3<L>) {
        let point = &mut points[*vertex as usize];
        let sum = super::vector::add(l, point.load(l), value);
        point.store(l, sum);
    }
}

/// Each lane is a point or constraint of one world.
#[derive(Debug, Clone, Copy)]
pub(super) struct OneWorld;

impl LaneLayout for OneWorld {
    type Points = InterleavedRow;
    /// Index of each lane's point among all points.
    type Vertex = [u32; 16];
    type Number = Row;

    const WIDTH: usize = 16;

    fn vertex(ids: &[u32]) -> [u32; 16] {
        std::array::from_fn(|lane| spot(ids[lane] as usize) as u32)
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

    fn gather(from: &[InterleavedRow], ids: &[u32], to: &mut [InterleavedRow]) {
        let (from, to) = (from.as_flattened(), to.as_flattened_mut());
        for (own, id) in ids.iter().enumerate() {
            to[spot(own)] = from[spot(*id as usize)];
        }
    }

    fn scatter_add(from: &[InterleavedRow], ids: &[u32], to: &mut [InterleavedRow]) {
        let (from, to) = (from.as_flattened(), to.as_flattened_mut());
        for (own, id) in ids.iter().enumerate() {
            let ([x, y, z, _], sum) = (from[spot(own)], &mut to[spot(*id as usize)]);
            sum[0] += x;
            sum[1] += y;
            sum[2] += z;
        }
    }

    #[inline(always)]
    fn number<L: Lanes>(l: L, number: &Row) -> L::V {
        l.load(number)
    }

    #[inline(always)]
    fn load<L: Lanes>(l: L, points: &[InterleavedRow], vertex: &[u32; 16]) -> Vec3<L> {
        let points = points.as_flattened();
        let at = |lane: usize| &points[vertex[lane] as usize];
        let vectors = [
            l.join([at(0), at(4), at(8), at(12)]),
            l.join([at(1), at(5), at(9), at(13)]),
            l.join([at(2), at(6), at(10), at(14)]),
            l.join([at(3), at(7), at(11), at(15)]),
        ];
        let [x, y, z, _] = l.turn_groups(vectors);
        [x, y, z]
    }

    #[inline(always)]
    fn store<L: Lanes>(
        l: L,
        points: &mut [InterleavedRow],
        vertex: &[u32; 16],
        [x, y, z]: Vec3<L>,
    ) {
        let points = points.as_flattened_mut();
        let vectors = l.turn_groups([x, y, z, l.splat(0.0)]);
        for first in 0..4 {
            let fours = l.split(vectors[first]);
            for group in 0..4 {
                points[vertex[4 * group + first] as usize] = fours[group];
            }
        }
    }

    #[inline(always)]
    fn add<L: Lanes>(l: L, points: &mut [InterleavedRow], vertex: &[u32; 16], value: Vec3<L>) {
        let mut rows = [[0.0; 16]; 3];
        for axis in 0..3 {
            l.store(value[axis], &mut rows[axis]);
        }
        let points = points.as_flattened_mut();
        for lane in 0..16 {
            let point = &mut points[vertex[lane] as usize];
            for axis in 0..3 {
                point[axis] += rows[axis][lane];
            }
        }
    }
}
