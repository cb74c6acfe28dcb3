//! What the sixteen lanes are: sixteen worlds of equal topology, or sixteen vertices or constraints of one world.
//!
//! Kernels are written once over [`Layout`]. Between worlds, lane i of point n is vertex n of world i, so that all loads are whole
//! rows; within one world it is vertex 16 n + i, and the vertices of sixteen constraints are picked one by one.

#![expect(
    clippy::inline_always,
    clippy::needless_range_loop,
    reason = "kernels must be part of the function that has the processor's features, and lanes are counted alike"
)]

use super::vector::Vec3;
use crate::lanes::{Lanes, Row};

/// Sixteen points.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub(super) struct Point(pub(super) [Row; 3]);

/// What lanes are.
pub(super) trait Layout: Copy + Send + Sync + std::fmt::Debug + 'static {
    /// A vertex of each lane's constraint.
    type Vertex: Copy + Send + Sync + std::fmt::Debug;
    /// A number of each lane's constraint or vertex.
    type Number: Copy + Send + Sync + std::fmt::Debug;

    /// Constraints of one world side by side.
    const WIDTH: usize;

    /// Vertices of [`Self::WIDTH`] constraints.
    fn vertex(ids: &[u32]) -> Self::Vertex;
    /// Numbers of [`Self::WIDTH`] constraints.
    fn numbers(values: &[f32]) -> Self::Number;
    /// Where a vertex or constraint of a world stands: row and lane.
    fn place(index: usize, world: usize) -> (usize, usize);
    /// Which vertex or constraint stands there, of which world.
    fn at(row: usize, lane: usize) -> (usize, usize);

    fn number<L: Lanes>(l: L, number: &Self::Number) -> L::V;
    fn load<L: Lanes>(l: L, points: &[Point], vertex: &Self::Vertex) -> Vec3<L>;
    fn store<L: Lanes>(l: L, points: &mut [Point], vertex: &Self::Vertex, value: Vec3<L>);
    /// Adds lane by lane, so that lanes may have vertices in common.
    fn add<L: Lanes>(l: L, points: &mut [Point], vertex: &Self::Vertex, value: Vec3<L>);
}

#[inline(always)]
pub(super) fn load<L: Lanes>(l: L, point: &Point) -> Vec3<L> {
    [
        l.load(&point.0[0]),
        l.load(&point.0[1]),
        l.load(&point.0[2]),
    ]
}

#[inline(always)]
pub(super) fn store<L: Lanes>(l: L, point: &mut Point, value: Vec3<L>) {
    for axis in 0..3 {
        l.store(value[axis], &mut point.0[axis]);
    }
}

/// Lanes are worlds.
#[derive(Debug, Clone, Copy)]
pub(super) struct ManyWorlds;

impl Layout for ManyWorlds {
    type Vertex = u32;
    type Number = f32;

    const WIDTH: usize = 1;

    fn vertex(ids: &[u32]) -> u32 {
        ids[0]
    }

    fn numbers(values: &[f32]) -> f32 {
        values[0]
    }

    fn place(index: usize, world: usize) -> (usize, usize) {
        (index, world)
    }

    fn at(row: usize, lane: usize) -> (usize, usize) {
        (row, lane)
    }

    #[inline(always)]
    fn number<L: Lanes>(l: L, number: &f32) -> L::V {
        l.splat(*number)
    }

    #[inline(always)]
    fn load<L: Lanes>(l: L, points: &[Point], vertex: &u32) -> Vec3<L> {
        load(l, &points[*vertex as usize])
    }

    #[inline(always)]
    fn store<L: Lanes>(l: L, points: &mut [Point], vertex: &u32, value: Vec3<L>) {
        store(l, &mut points[*vertex as usize], value);
    }

    #[inline(always)]
    fn add<L: Lanes>(l: L, points: &mut [Point], vertex: &u32, value: Vec3<L>) {
        let point = &mut points[*vertex as usize];
        let sum = super::vector::add(l, load(l, point), value);
        store(l, point, sum);
    }
}

/// Lanes are vertices or constraints.
#[derive(Debug, Clone, Copy)]
pub(super) struct OneWorld;

impl Layout for OneWorld {
    type Vertex = [u32; 16];
    type Number = Row;

    const WIDTH: usize = 16;

    fn vertex(ids: &[u32]) -> [u32; 16] {
        std::array::from_fn(|lane| ids[lane])
    }

    fn numbers(values: &[f32]) -> Row {
        std::array::from_fn(|lane| values[lane])
    }

    fn place(index: usize, _world: usize) -> (usize, usize) {
        (index / 16, index % 16)
    }

    fn at(row: usize, lane: usize) -> (usize, usize) {
        (16 * row + lane, 0)
    }

    #[inline(always)]
    fn number<L: Lanes>(l: L, number: &Row) -> L::V {
        l.load(number)
    }

    #[inline(always)]
    fn load<L: Lanes>(l: L, points: &[Point], vertex: &[u32; 16]) -> Vec3<L> {
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
    fn store<L: Lanes>(l: L, points: &mut [Point], vertex: &[u32; 16], value: Vec3<L>) {
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
    fn add<L: Lanes>(l: L, points: &mut [Point], vertex: &[u32; 16], value: Vec3<L>) {
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
