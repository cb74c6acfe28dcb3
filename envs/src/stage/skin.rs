//! The skin of a scene as a height map: where it is and which way it faces, read in a few nanoseconds.

use insonate_models::Scene;
use nalgebra::Vector3;

use crate::EnvError;

/// Distance of the map's points [m].
const CELL: f64 = 0.004;

/// Half sizes of the probe's face, over which normals are averaged [m].
const FACE: [f64; 2] = [0.025, 0.008];

/// Where the skin is at rest.
#[derive(Debug, Clone)]
pub enum Skin {
    /// A level plane at this height [m], such as a table's top.
    Plane(f64),
    /// A torso's skin.
    Torso(SkinMap),
}

/// A point of the skin that a probe can stand on, in the frame of [`Skin`]: the world with the torso where it was compiled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SkinPoint {
    /// On the skin [m].
    pub position: Vector3<f64>,
    /// Outward unit normal, averaged over the probe's face.
    pub normal: Vector3<f64>,
}

/// Heights and normals on a square grid.
#[derive(Debug, Clone)]
pub struct SkinMap {
    low: [f64; 2],
    count: [usize; 2],
    /// Height and normal; none beside the torso. Row-major, shape `[count[0], count[1]]`.
    cells: Vec<Option<(f64, Vector3<f64>)>>,
}

impl Skin {
    /// The skin of a scene's torso.
    ///
    /// # Errors
    /// [`EnvError::Config`] without a torso.
    pub fn of_torso(scene: &Scene) -> Result<Self, EnvError> {
        let torso = scene.torso.as_ref().ok_or_else(|| EnvError::Config {
            field: "scene.torso".to_owned(),
            problem: "the task needs a torso".to_owned(),
        })?;
        let (low, high) = torso.surface.bounds();
        let [x, y, _] = scene.torso_position;
        let low = [low[0] + x, low[1] + y];
        let size = [high[0] + x - low[0], high[1] + y - low[1]];
        let count = size.map(|size| (size / CELL).ceil() as usize + 1);
        let at = |i: usize, j: usize| [low[0] + i as f64 * CELL, low[1] + j as f64 * CELL];
        let raw: Vec<Option<(f64, Vector3<f64>)>> = grid(count)
            .map(|(i, j)| {
                let [x, y] = at(i, j);
                scene
                    .surface_above(x, y)
                    .map(|point| (point.position[2], Vector3::from(point.normal)))
            })
            .collect();
        let reach = FACE.map(|half| (half / CELL).round() as isize);
        let cells = grid(count)
            .map(|(i, j)| {
                let (height, _) = raw[i * count[1] + j]?;
                let mut normal = Vector3::zeros();
                for di in [-reach[0], 0, reach[0]] {
                    for dj in [-reach[1], 0, reach[1]] {
                        let (i, j) = (i as isize + di, j as isize + dj);
                        let inside = (0..count[0] as isize).contains(&i)
                            && (0..count[1] as isize).contains(&j);
                        if let Some((_, here)) = inside
                            .then(|| raw[i as usize * count[1] + j as usize])
                            .flatten()
                        {
                            normal += here;
                        }
                    }
                }
                Some((height, normal.normalize()))
            })
            .collect();
        Ok(Self::Torso(SkinMap { low, count, cells }))
    }

    /// The skin above `(x, y)` [m]; none beside it.
    pub fn above(&self, x: f64, y: f64) -> Option<SkinPoint> {
        match self {
            Self::Plane(height) => Some(SkinPoint {
                position: Vector3::new(x, y, *height),
                normal: Vector3::z(),
            }),
            Self::Torso(map) => map.above(x, y),
        }
    }
}

fn grid([rows, columns]: [usize; 2]) -> impl Iterator<Item = (usize, usize)> {
    (0..rows).flat_map(move |i| (0..columns).map(move |j| (i, j)))
}

impl SkinMap {
    /// Linear between the four points around.
    fn above(&self, x: f64, y: f64) -> Option<SkinPoint> {
        let [u, v] = [(x - self.low[0]) / CELL, (y - self.low[1]) / CELL];
        if !(u >= 0.0 && v >= 0.0) {
            return None;
        }
        let (i, j) = (u as usize, v as usize);
        if i + 1 >= self.count[0] || j + 1 >= self.count[1] {
            return None;
        }
        let (s, t) = (u - i as f64, v - j as f64);
        let mut height = 0.0;
        let mut normal = Vector3::zeros();
        for (i, j, share) in [
            (i, j, (1.0 - s) * (1.0 - t)),
            (i + 1, j, s * (1.0 - t)),
            (i, j + 1, (1.0 - s) * t),
            (i + 1, j + 1, s * t),
        ] {
            let (here, facing) = self.cells[i * self.count[1] + j]?;
            height += share * here;
            normal += facing * share;
        }
        Some(SkinPoint {
            position: Vector3::new(x, y, height),
            normal: normal.normalize(),
        })
    }
}
