//! A part of beam space in which the deformation is affine, and the rows of cells at rest that it covers.

#![expect(
    clippy::inline_always,
    reason = "what is called within `wide` must be part of the function that has the processor's features"
)]

use nalgebra::Matrix3;

use super::grid::Grid;
use super::lattice;
use super::scene::View;
use super::speckle::{REACH, Speckle};
use crate::deformation::{Point, Vector};

/// A number that changes linearly over the ranges of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ramp {
    start: f32,
    slope: f32,
    length: f32,
}

impl Ramp {
    fn of(values: &[f32], [start, end]: [usize; 2], step: f32) -> Self {
        let length = (end - start) as f32 * step;
        let last = values[end.min(values.len() - 1)];
        Self {
            start: values[start],
            slope: (last - values[start]) / length,
            length,
        }
    }

    #[inline(always)]
    pub(crate) fn at(&self, range: f32) -> f32 {
        self.start + self.slope * range
    }

    pub(crate) fn least(&self) -> f32 {
        self.start.min(self.at(self.length))
    }
}

/// A part of beam space.
pub(crate) struct Block {
    /// First range, and length [m].
    pub(crate) ranges: [f32; 2],
    /// First line, and that behind the last, which gets a share too.
    pub(crate) lines: [f32; 2],
    pub(crate) level: Ramp,
    pub(crate) amplitude: Ramp,
    pub(crate) narrowness: Ramp,
    /// Half sizes along the array, along the lines, across the array [m].
    half: Vector,
    /// Rest points of the middle and of steps of 1 m in these directions.
    pub(crate) rest: Point,
    rest_from_local: Matrix3<f32>,
    local_from_rest: Matrix3<f32>,
    /// Points in the probe's frame likewise.
    pub(crate) probe: Point,
    pub(crate) probe_from_rest: Matrix3<f32>,
}

/// Cells along x in a row at y and z.
pub(crate) struct Row {
    pub(crate) cells: [i32; 2],
    pub(crate) across: [i32; 2],
}

impl Block {
    pub(crate) fn new(
        speckle: &Speckle,
        view: &View,
        grid: &Grid,
        [first, last]: [usize; 2],
        samples: [usize; 2],
    ) -> Option<Self> {
        let ranges = samples.map(|sample| sample as f32 * grid.step);
        let lines = [first as f32, last as f32];
        let across = 0.5 * (lines[0] + lines[1]);
        let angle = grid
            .apex
            .map_or(0.0, |_| 0.5 * (lines[1] - lines[0]) * grid.spacing);
        let apex = grid.apex.unwrap_or(0.0);
        // A part of a ring, boxed.
        let near = (apex + ranges[0]) * angle.cos() - apex;
        let lateral = 0.5 * (lines[1] - lines[0]) * grid.line_distance(ranges[1]);
        let reach = [0, 1].map(|end| grid.sigma_elevation[samples[end].min(grid.n_samples - 1)]);
        let half = Vector::new(
            lateral,
            0.5 * (ranges[1] - near),
            REACH * reach[0].max(reach[1]),
        );
        let probe = grid.point(across, 0.5 * (near + ranges[1]), 0.0);
        let along = grid.point(across, 1.0, 0.0) - grid.point(across, 0.0, 0.0);
        let probe_from_local =
            Matrix3::from_columns(&[Vector::y().cross(&along), along, Vector::y()]);
        let rest = view.rest(&probe)?;
        let column = |axis: usize| {
            let way = probe_from_local.column(axis) * half[axis];
            let ahead = view.rest(&(probe + way));
            let behind = view.rest(&(probe - way));
            let whole = match (ahead, behind) {
                (Some(ahead), Some(behind)) => 0.5 * (ahead - behind),
                (Some(ahead), None) => ahead - rest,
                (None, Some(behind)) => rest - behind,
                (None, None) => return None,
            };
            Some(whole / half[axis])
        };
        let rest_from_local = Matrix3::from_columns(&[column(0)?, column(1)?, column(2)?]);
        let local_from_rest = rest_from_local.try_inverse()?;
        Some(Self {
            ranges: [ranges[0], ranges[1] - ranges[0]],
            lines,
            level: Ramp::of(&speckle.level, samples, grid.step),
            amplitude: Ramp::of(&speckle.amplitude, samples, grid.step),
            narrowness: Ramp::of(&speckle.narrowness, samples, grid.step),
            half,
            rest,
            rest_from_local,
            local_from_rest,
            probe,
            probe_from_rest: probe_from_local * local_from_rest,
        })
    }

    /// Calls for each row of cells that may hold scatterers of the block.
    #[inline(always)]
    pub(crate) fn for_each_row(&self, level: i32, mut call: impl FnMut(&Row)) {
        let width = lattice::width(level);
        let extent = |axis: usize| {
            let row = self.rest_from_local.row(axis);
            (0..3).map(|i| row[i].abs() * self.half[i]).sum::<f32>()
        };
        let cells = |axis: usize| {
            let (middle, extent) = (self.rest[axis], extent(axis));
            [middle - extent, middle + extent].map(|x| (x / width).floor() as i32)
        };
        let ([y0, y1], [z0, z1]) = (cells(1), cells(2));
        let along = self.local_from_rest.column(0);
        // A scatterer may be anywhere in its cell.
        let slack = |i: usize| {
            0.5 * width * (self.local_from_rest[(i, 1)].abs() + self.local_from_rest[(i, 2)].abs())
        };
        let room: [f32; 3] = [0, 1, 2].map(|i| self.half[i] + slack(i));
        for z in z0..=z1 {
            for y in y0..=y1 {
                let offset = Vector::new(
                    0.0,
                    (y as f32 + 0.5) * width - self.rest.y,
                    (z as f32 + 0.5) * width - self.rest.z,
                );
                let start = self.local_from_rest * offset;
                let (mut low, mut high) = (f32::MIN, f32::MAX);
                for i in 0..3 {
                    if along[i].abs() < 1e-6 {
                        if start[i].abs() > room[i] {
                            high = f32::MIN;
                        }
                        continue;
                    }
                    let one = (-room[i] - start[i]) / along[i];
                    let other = (room[i] - start[i]) / along[i];
                    low = low.max(one.min(other));
                    high = high.min(one.max(other));
                }
                if low <= high {
                    let cell = |t: f32| ((self.rest.x + t) / width).floor() as i32;
                    call(&Row {
                        cells: [cell(low), cell(high)],
                        across: [y, z],
                    });
                }
            }
        }
    }
}
