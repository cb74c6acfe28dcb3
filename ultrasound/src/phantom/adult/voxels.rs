//! Voxels of which each is of one material: most of a body, known without looking closely.

use rayon::prelude::*;

use crate::deformation::{Point, Vector};
use crate::phantom::Place;

/// Width of a voxel [m].
const WIDTH: f32 = 0.004;
/// From a voxel's middle to its corners [m].
const REACH: f32 = 0.003_465;

/// What is in the middle of each voxel, where the whole voxel is of that.
#[derive(Clone, Debug, Default)]
pub(super) struct Voxels {
    origin: Point,
    count: [usize; 3],
    /// Clearance is 0 where a voxel holds a boundary.
    places: Vec<(u8, f32)>,
}

impl Voxels {
    /// Between two corners.
    pub(super) fn new(low: Point, high: Point, place: impl Fn(&Point) -> Place + Sync) -> Self {
        let count = [0, 1, 2].map(|axis| ((high[axis] - low[axis]) / WIDTH) as usize);
        let at = |voxel: usize| {
            let place_of = [
                voxel % count[0],
                voxel / count[0] % count[1],
                voxel / (count[0] * count[1]),
            ];
            let middle = low + WIDTH * Vector::from(place_of.map(|n| n as f32 + 0.5));
            let place = place(&middle);
            (
                place.material,
                if place.clearance > REACH {
                    place.clearance
                } else {
                    0.0
                },
            )
        };
        let n_voxels = count.iter().product::<usize>();
        Self {
            origin: low,
            count,
            places: (0..n_voxels).into_par_iter().map(at).collect(),
        }
    }

    /// What is at a point; `None`: look closely.
    #[inline]
    pub(super) fn place(&self, point: &Point) -> Option<Place> {
        let place = (point - self.origin) / WIDTH;
        let inside = (0..3).all(|axis| place[axis] >= 0.0 && place[axis] < self.count[axis] as f32);
        let [x, y, z] = [0, 1, 2].map(|axis| place[axis] as usize);
        let (material, clearance) = *self
            .places
            .get((z * self.count[1] + y) * self.count[0] + x)?;
        let off = place.map(|x| x.fract() - 0.5).norm() * WIDTH;
        (inside && clearance > 0.0).then_some(Place {
            material,
            clearance: clearance - off,
        })
    }
}
