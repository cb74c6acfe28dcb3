//! Voxels of which each is of one material: most of a body, known without looking closely.

use rayon::prelude::*;

use crate::deformation::{Point, Vector};
use crate::phantom::Place;

/// Width of a voxel [m].
const WIDTH: f32 = 0.004;
/// From a voxel's middle to its corners [m].
const REACH: f32 = 0.003_465;
/// Where less is known to be free, looking closely pays [m].
const LEAST: f32 = 0.001;
/// Unit of clearances [m].
const UNIT: f32 = 0.00005;

/// A voxel.
#[derive(Clone, Copy, Debug, Default)]
struct Voxel {
    material: u8,
    /// Clearance of its middle [`UNIT`], at most that.
    clearance: u8,
    /// How far its middle is from what is no organ [`UNIT`], at most that.
    rim: u8,
    /// As many layers of voxels around it are of its material, itself counted; 0 where it holds a boundary.
    layers: u8,
}

/// What voxels know about a point.
pub(super) enum Known {
    /// What is there.
    Place(Place),
    /// Nothing but organs is within this distance [m].
    Organs(f32),
    /// Nothing.
    Nothing,
}

/// What is in each voxel.
#[derive(Clone, Debug, Default)]
pub(super) struct Voxels {
    origin: Point,
    count: [usize; 3],
    all: Vec<Voxel>,
}

impl Voxels {
    /// Between two corners; `place` also tells how far away all is that is no organ [m].
    pub(super) fn new(
        low: Point,
        high: Point,
        place: impl Fn(&Point) -> (Place, f32) + Sync,
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
        voxels
    }

    /// Counts layers by two sweeps, each over the half of the neighbours that it has passed.
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

    /// What is known about a point.
    #[inline]
    pub(super) fn at(&self, point: &Point) -> Known {
        let place = (point - self.origin) * (1.0 / WIDTH);
        let inside = (0..3).all(|axis| place[axis] >= 0.0 && place[axis] < self.count[axis] as f32);
        let [x, y, z] = [place.x as usize, place.y as usize, place.z as usize];
        let voxel = self
            .all
            .get((z * self.count[1] + y) * self.count[0] + x)
            .filter(|_| inside);
        let Some(voxel) = voxel else {
            return Known::Nothing;
        };
        let corner = Vector::new(x as i32 as f32, y as i32 as f32, z as i32 as f32);
        let off = (place - corner).add_scalar(-0.5);
        let away = WIDTH * off.norm();
        if voxel.layers > 0 {
            let around = WIDTH * (f32::from(voxel.layers) - 0.5 - off.amax());
            let clearance = around.max(UNIT * f32::from(voxel.clearance) - away);
            if clearance > LEAST {
                return Known::Place(Place {
                    material: voxel.material,
                    clearance,
                });
            }
        }
        let rim = UNIT * f32::from(voxel.rim) - away;
        if rim > LEAST {
            Known::Organs(rim)
        } else {
            Known::Nothing
        }
    }
}
