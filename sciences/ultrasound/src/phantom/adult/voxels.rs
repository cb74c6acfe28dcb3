//! Voxels of a single material: they answer most queries in a body without an exact evaluation.

use rayon::prelude::*;

use crate::deformation::{Point, Vector};
use crate::phantom::PointMaterial;

/// Width of a voxel [m].
const WIDTH: f32 = 0.004;
/// Distance from a voxel's centre to its corners [m].
const REACH: f32 = 0.003_465;
/// Clearance below which an exact evaluation pays off [m].
const LEAST: f32 = 0.001;
/// Unit of clearances [m].
const UNIT: f32 = 0.00005;

/// A voxel.
#[derive(Clone, Copy, Debug, Default)]
struct Voxel {
    material: u8,
    /// Clearance of the centre, saturated [`UNIT`].
    clearance: u8,
    /// Distance of the centre from everything that is not an organ, saturated [`UNIT`].
    rim: u8,
    /// Number of layers of voxels around it with the same material, including itself; 0 for a voxel with a boundary.
    layers: u8,
}

/// Information of voxels about a point.
pub(super) struct VoxelNeighborhood {
    /// Material and clearance, if known.
    pub(super) place: Option<PointMaterial>,
    /// Distance within which there are only organs [m]; `None` if it is too small to be useful.
    pub(super) rim: Option<f32>,
}

/// Edge of a cube of voxels that is contiguous in memory [voxels]: neighbours share cache lines.
const CUBE: usize = 4;

/// All voxels.
#[derive(Clone, Debug, Default)]
pub(super) struct Voxels {
    origin: Point,
    count: [usize; 3],
    /// Shape `[z, y, x]` during filling; then cubes in this order, with voxels in this order in each.
    all: Vec<Voxel>,
}

impl Voxels {
    /// Voxels between two corners; `place` also returns the distance to everything that is not an organ [m].
    pub(super) fn new(
        low: Point,
        high: Point,
        place: impl Fn(&Point) -> (PointMaterial, f32) + Sync,
    ) -> Self {
        let count = [0, 1, 2].map(|axis| ((high[axis] - low[axis]) / WIDTH) as usize);
        let at = |voxel: usize| {
            let place_of = [
                voxel % count[0],
                voxel / count[0] % count[1],
                voxel / (count[0] * count[1]),
            ];
            let middle = low + WIDTH * Vector::from(place_of.map(|n| n as f32 + 0.5));
            let (place, rim) = place(&middle);
            let units = |length: f32| (length / UNIT).min(255.0) as u8;
            Voxel {
                material: place.material,
                clearance: units(place.clearance),
                rim: units(rim),
                layers: if place.clearance > REACH { u8::MAX } else { 0 },
            }
        };
        let n_voxels = count.iter().product::<usize>();
        let mut voxels = Self {
            origin: low,
            count,
            all: (0..n_voxels).into_par_iter().map(at).collect(),
        };
        voxels.count_layers();
        voxels.sort_into_cubes();
        voxels
    }

    fn sort_into_cubes(&mut self) {
        let [nx, ny, _] = self.count;
        let n_cubes: usize = self.count.map(|n| n.div_ceil(CUBE)).iter().product();
        let mut sorted = vec![Voxel::default(); n_cubes * CUBE * CUBE * CUBE];
        for (number, voxel) in self.all.iter().enumerate() {
            let place = [number % nx, number / nx % ny, number / (nx * ny)];
            sorted[self.index(place)] = *voxel;
        }
        self.all = sorted;
    }

    #[inline]
    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        let [cubes_x, cubes_y] = [self.count[0].div_ceil(CUBE), self.count[1].div_ceil(CUBE)];
        let row = (z / CUBE).wrapping_mul(cubes_y).wrapping_add(y / CUBE);
        let cube = row.wrapping_mul(cubes_x).wrapping_add(x / CUBE);
        let inner = (z % CUBE * CUBE + y % CUBE) * CUBE + x % CUBE;
        cube.wrapping_mul(CUBE * CUBE * CUBE).wrapping_add(inner)
    }

    /// Counts layers in two sweeps, each over the half of the neighbours that it has passed.
    fn count_layers(&mut self) {
        let [nx, ny, nz] = self.count;
        let [row, layer] = [nx, nx * ny];
        let before: Vec<usize> = [-1, 0, 1]
            .into_iter()
            .map(|x: isize| (layer as isize + x) as usize)
            .flat_map(|back| [back - row, back, back + row])
            .chain([row - 1, row, row + 1, 1])
            .collect();
        let inner = |voxel: usize| {
            let [x, y, z] = [voxel % nx, voxel / nx % ny, voxel / layer];
            [(x, nx), (y, ny), (z, nz)]
                .iter()
                .all(|&(n, count)| n > 0 && n + 1 < count)
        };
        let mut sweep = |voxel: usize, ahead: bool| {
            let own = self.all[voxel];
            if own.layers == 0 {
                return;
            }
            let layers = if inner(voxel) {
                let around = before.iter().map(|&way| {
                    let other = self.all[if ahead { voxel - way } else { voxel + way }];
                    if other.material == own.material {
                        other.layers
                    } else {
                        0
                    }
                });
                around.min().unwrap_or(0).saturating_add(1)
            } else {
                1
            };
            self.all[voxel].layers = own.layers.min(layers);
        };
        (0..nx * ny * nz).for_each(|voxel| sweep(voxel, true));
        (0..nx * ny * nz)
            .rev()
            .for_each(|voxel| sweep(voxel, false));
    }

    /// Information about a point.
    #[inline]
    pub(super) fn at(&self, point: &Point) -> VoxelNeighborhood {
        let place = (point - self.origin) * (1.0 / WIDTH);
        // The first voxel also covers the space in front of it, about which it gives the same information.
        let (x, y, z) = (place.x as i32, place.y as i32, place.z as i32);
        let [nx, ny, nz] = self.count;
        let is_inside = (x as usize) < nx && (y as usize) < ny && (z as usize) < nz;
        let voxel = self
            .all
            .get(self.index([x as usize, y as usize, z as usize]));
        let Some(voxel) = voxel.filter(|_| is_inside) else {
            return VoxelNeighborhood {
                place: None,
                rim: None,
            };
        };
        let off = place - Vector::new(x as f32 + 0.5, y as f32 + 0.5, z as f32 + 0.5);
        let away = WIDTH * off.norm();
        let farthest = off.x.abs().max(off.y.abs()).max(off.z.abs());
        let around = WIDTH * (f32::from(voxel.layers) - 0.5 - farthest);
        let clearance = around.max(UNIT * f32::from(voxel.clearance) - away);
        let is_known = voxel.layers > 0 && clearance > LEAST;
        let rim = UNIT * f32::from(voxel.rim) - away;
        VoxelNeighborhood {
            place: is_known.then_some(PointMaterial {
                material: voxel.material,
                clearance,
            }),
            rim: (rim > LEAST).then_some(rim),
        }
    }
}
