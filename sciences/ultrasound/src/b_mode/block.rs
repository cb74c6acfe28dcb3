//! A part of beam space in which the deformation is affine, and the rows of rest cells that it covers.

#![expect(
    clippy::inline_always,
    reason = "functions called within `wide` must be inlined into the function with the CPU's features"
)]

use nalgebra::Matrix3;

use super::grid::Grid;
use super::lattice;
use super::rest_grid::RestGrid;
use super::speckle_tables::{REACH, Speckle};
use crate::deformation::{Point, Vector};
use crate::pack::{LANES, Lanes};
use crate::simd::whole;

/// A number that changes linearly over the ranges of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ramp {
    pub(crate) start: f32,
    pub(crate) slope: f32,
}

impl Ramp {
    fn of(values: &[f32], [start, end]: [usize; 2], step: f32) -> Self {
        let last = values[end.min(values.len() - 1)];
        Self {
            start: values[start],
            slope: (last - values[start]) / ((end - start) as f32 * step),
        }
    }

    #[inline(always)]
    pub(crate) fn at(self, range: f32) -> f32 {
        self.start + self.slope * range
    }
}

/// A part of beam space.
pub(crate) struct Block {
    /// First range, and length [m].
    pub(crate) ranges: [f32; 2],
    /// The part that is used, from the first range on [m].
    pub(crate) window: [f32; 2],
    /// First line, and the line behind the last, which also gets a share.
    pub(crate) lines: [f32; 2],
    pub(crate) narrowness: Ramp,
    /// Half sizes along the array, along the lines, across the array [m].
    half: Vector,
    /// Rest point of the centre, and rest vectors of steps of 1 m in these directions.
    pub(crate) rest: Point,
    rest_from_local: Matrix3<f32>,
    local_from_rest: Matrix3<f32>,
    /// The centre in the probe's frame, and the map of rest vectors to the probe's frame.
    pub(crate) probe: Point,
    pub(crate) probe_from_rest: Matrix3<f32>,
}

/// Rows of lattice cells that may hold scatterers of a block, along the rest axis that gives the fewest rows.
pub(crate) struct Rows {
    /// Rest axis of the rows.
    #[cfg(feature = "gpu")]
    pub(crate) along: usize,
    /// Difference of the numbers of neighbouring cells in a row.
    pub(crate) stride: u32,
    /// Edges of a cell in the probe's frame, along the rows and across them [m].
    pub(crate) edges: [Vector; 3],
    /// Vectors of a scatterer's step in a cell, along x, y and z at rest.
    pub(crate) steps: [Vector; 3],
    /// Differences of cell numbers across rows, and the number of the cell at the origin.
    pub(crate) strides: [u32; 2],
    pub(crate) origin: u32,
    /// The rest origin plus half a step, in the probe's frame.
    pub(crate) zero: Vector,
    /// The centre of the block along the rows [cells].
    pub(crate) middle: f32,
    /// First and last cell across the rows.
    pub(crate) across: [[i32; 2]; 2],
    /// Where the row through the centre of cell (0, 0) leaves each pair of sides [cells], and the change per cell across.
    pub(crate) sides: [[f32; 3]; 3],
    /// Half the distance from side to side [cells].
    pub(crate) room: [f32; 3],
}

/// Consecutive rows of cells, next to each other.
pub(crate) struct Strip {
    /// Number of cells of each row.
    pub(crate) n: [u32; LANES],
    /// First cells of the rows: numbers, and corners in the probe's frame [m].
    pub(crate) number: [u32; LANES],
    pub(crate) corner: [Lanes; 3],
}

impl Block {
    /// A block of lines and samples; only the given window of its ranges is used [m].
    pub(crate) fn new(
        speckle: &Speckle,
        (grid, rest): (&Grid, &RestGrid),
        [first, last]: [usize; 2],
        samples: [usize; 2],
        ranges: [f32; 2],
    ) -> Option<Self> {
        let lines = [first as f32, last as f32];
        let across = 0.5 * (lines[0] + lines[1]);
        let angle = grid
            .apex
            .map_or(0.0, |_| 0.5 * (lines[1] - lines[0]) * grid.spacing);
        let apex = grid.apex.unwrap_or(0.0);
        // Bounding box of a part of a ring.
        let near = (apex + ranges[0]) * angle.cos() - apex;
        // Along the array.
        let lateral =
            0.5 * (lines[1] - lines[0]) * (grid.line_distance(ranges[1]) * grid.steering.inv_cos);
        let reach = [0, 1].map(|end| grid.sigma_elevation[samples[end].min(grid.n_samples - 1)]);
        let half = Vector::new(
            lateral,
            0.5 * (ranges[1] - near),
            REACH * reach[0].max(reach[1]),
        );
        let probe = grid.point(across, 0.5 * (near + ranges[1]), 0.0);
        let along = grid.point(across, 1.0, 0.0) - grid.point(across, 0.0, 0.0);
        // Steered lines and the array enclose parallelograms.
        let aside = if grid.steering.is_straight() {
            Vector::y().cross(&along)
        } else {
            Vector::x()
        };
        let probe_from_local = Matrix3::from_columns(&[aside, along, Vector::y()]);
        // Secants of the rest points between nodes: along the array, along the lines, across the array.
        let sample = |range: f32| range / grid.step;
        let middle = sample(0.5 * (near + ranges[1]));
        let [center, elevation] = rest.slice(grid, across, middle);
        let at = |line: f32, sample: f32| rest.slice(grid, line, sample)[0];
        let lateral_way = at(lines[1], middle) - at(lines[0], middle);
        let chord = (grid.point(lines[1], middle * grid.step, 0.0)
            - grid.point(lines[0], middle * grid.step, 0.0))
        .norm();
        let [first_sample, last_sample] = ranges.map(sample);
        let axial_way = at(across, last_sample) - at(across, first_sample);
        let rest_from_local = Matrix3::from_columns(&[
            lateral_way / chord,
            axial_way / (ranges[1] - ranges[0]),
            elevation,
        ]);
        if !rest_from_local.iter().all(|x| x.is_finite()) {
            return None;
        }
        let local_from_rest = rest_from_local.try_inverse()?;
        let [start, end] = samples.map(|sample| sample as f32 * grid.step);
        Some(Self {
            ranges: [start, end - start],
            window: ranges.map(|range| range - start),
            lines,
            narrowness: Ramp::of(&speckle.narrowness, samples, grid.step),
            half,
            rest: Point::from(center),
            rest_from_local,
            local_from_rest,
            probe,
            probe_from_rest: probe_from_local * local_from_rest,
        })
    }

    /// Rows of cells of a lattice; `origin` is the number of the cell at the origin.
    pub(crate) fn rows(&self, level: i32, origin: u32) -> Rows {
        let width = lattice::width(level);
        let cell = width * self.local_from_rest;
        let (center, half) = (self.rest.coords, self.half);
        // The longest path through the block.
        let length = |axis: usize| {
            let lengths = (0..3).map(|i| half[i] / cell[(i, axis)].abs().max(1e-9));
            lengths.fold(f32::MAX, f32::min)
        };
        let along = (0..3)
            .max_by(|a, b| length(*a).total_cmp(&length(*b)))
            .unwrap_or(0);
        let [b, c] = [(along + 1) % 3, (along + 2) % 3];
        let range = |axis: usize| {
            let row = self.rest_from_local.row(axis);
            let extent: f32 = (0..3).map(|i| row[i].abs() * half[i]).sum();
            [center[axis] - extent, center[axis] + extent].map(|x| (x / width).floor() as i32)
        };
        // A row parallel to a side either never leaves it or is never between the sides.
        let inverse = [0, 1, 2].map(|i| {
            let slope = cell[(i, along)];
            slope.abs().max(1e-6 * width).copysign(slope).recip()
        });
        let middle = center / width;
        let side = |i: usize, column: usize| cell[(i, column)] * inverse[i];
        let start = |i: usize| (0.5 - middle[b]) * side(i, b) + (0.5 - middle[c]) * side(i, c);
        // A scatterer may be anywhere in its cell.
        let room = |i: usize| {
            let slack = 0.5 * (cell[(i, b)].abs() + cell[(i, c)].abs());
            (half[i] + slack) * inverse[i].abs()
        };
        let edge = |axis: usize| -> Vector { width * self.probe_from_rest.column(axis) };
        let steps = [0, 1, 2].map(|axis| edge(axis) / lattice::STEPS);
        let half_step = 0.5 * (steps[0] + steps[1] + steps[2]);
        Rows {
            #[cfg(feature = "gpu")]
            along,
            stride: lattice::STRIDES[along],
            edges: [along, b, c].map(edge),
            steps,
            strides: [lattice::STRIDES[b], lattice::STRIDES[c]],
            origin,
            zero: self.probe.coords - self.probe_from_rest * self.rest.coords + half_step,
            middle: middle[along],
            across: [range(b), range(c)],
            sides: [
                [0, 1, 2].map(start),
                [0, 1, 2].map(|i| side(i, b)),
                [0, 1, 2].map(|i| side(i, c)),
            ],
            room: [0, 1, 2].map(room),
        }
    }
}

impl Rows {
    #[expect(
        clippy::needless_bitwise_bool,
        reason = "a branch would become a masked load"
    )]
    /// Neighbouring rows, from a cell across on.
    #[inline(always)]
    pub(crate) fn strip(&self, b: i32, c: i32) -> Strip {
        let [start, step_b, step_c] = &self.sides;
        let [stride_b, stride_c] = self.strides;
        let (far, [_, last_b]) = (c as f32, self.across[0]);
        let number = self
            .origin
            .wrapping_add((b as u32).wrapping_mul(stride_b))
            .wrapping_add((c as u32).wrapping_mul(stride_c));
        let mut strip = Strip {
            n: [0; LANES],
            number: [0; LANES],
            corner: [[0.0; LANES]; 3],
        };
        for row in 0..LANES {
            let across_lines = (b + row as i32) as f32;
            let (mut low, mut high) = (f32::MIN, f32::MAX);
            for i in 0..3 {
                let at = start[i] + across_lines * step_b[i] + far * step_c[i];
                low = low.max(-self.room[i] - at);
                high = high.min(self.room[i] - at);
            }
            let (first, last) = ((self.middle + low).floor(), (self.middle + high).floor());
            let is_there = (low <= high) & (b + row as i32 <= last_b);
            let [cell, end] = [first, last].map(whole);
            let n = end.wrapping_sub(cell).wrapping_add(1);
            strip.n[row] = if is_there { n } else { 0 };
            strip.number[row] = number
                .wrapping_add((row as u32).wrapping_mul(stride_b))
                .wrapping_add(cell.wrapping_mul(self.stride));
            for axis in 0..3 {
                let [along, own, other] = [0, 1, 2].map(|edge| self.edges[edge][axis]);
                strip.corner[axis][row] =
                    self.zero[axis] + first * along + across_lines * own + far * other;
            }
        }
        strip
    }
}
