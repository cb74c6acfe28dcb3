//! A CT on another grid of the same frame: the nearest values.

use nalgebra::{Matrix3, Vector3};

use crate::ct::CtImage;
use crate::frame::VoxelFrame;

/// Largest difference of indices of the same grid [voxels].
const SAME: f64 = 1e-3;
/// Distance beyond the outermost middles within which the outermost values count [voxels].
const BEYOND: f64 = 1.0;

/// Rows of a grid, with the nearest values of a CT.
#[derive(Clone, Copy, Debug)]
pub struct CtRows<'a> {
    ct: &'a CtImage,
    /// Index in the CT of the first voxel, and steps for each index of the grid.
    first: Vector3<f64>,
    steps: Matrix3<f64>,
    is_same: bool,
}

impl<'a> CtRows<'a> {
    /// The value of places that the CT does not cover.
    pub const OUTSIDE: i16 = i16::MIN;

    /// The values of a CT on a grid.
    pub fn new(ct: &'a CtImage, count: [usize; 3], frame: &VoxelFrame) -> Self {
        // Frames were checked to be invertible.
        let inverse = ct.frame().steps.try_inverse().unwrap_or_default();
        let first = inverse * (frame.origin - ct.frame().origin);
        let steps = inverse * frame.steps;
        let off = (steps - Matrix3::identity()) * Vector3::from(count.map(|n| n as f64));
        let is_same = count == ct.count() && first.amax() < SAME && off.amax() < SAME;
        Self {
            ct,
            first,
            steps,
            is_same,
        }
    }

    /// Fills a row along the first index of the grid with values [HU].
    pub fn read(&self, [y, z]: [usize; 2], row: &mut [i16]) {
        let [nx, ny, nz] = self.ct.count();
        let values = self.ct.values();
        if self.is_same {
            let start = (z * ny + y) * nx;
            row.copy_from_slice(&values[start..start + row.len()]);
            return;
        }
        let start = self.first + self.steps * Vector3::new(0.0, y as f64, z as f64);
        let step = self.steps.column(0);
        let size = [nx, ny, nz].map(|n| n as f64);
        for (x, value) in row.iter_mut().enumerate() {
            let index = start + step * x as f64;
            let is_covered = (0..3)
                .all(|axis| index[axis] >= -BEYOND && index[axis] <= size[axis] - 1.0 + BEYOND);
            *value = if is_covered {
                let [x, y, z] = [0, 1, 2].map(|axis| {
                    let nearest = (index[axis] + 0.5).max(0.0).min(size[axis] - 0.5);
                    nearest as usize
                });
                values[(z * ny + y) * nx + x]
            } else {
                Self::OUTSIDE
            };
        }
    }
}
