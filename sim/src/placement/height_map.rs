//! The skin as a map of heights and normals, read in a few nanoseconds.

use insonate_models::Scene;
use nalgebra::Vector3;

use super::SkinPoint;
use super::skin::{FACE, face_normal};

/// Distance between the map's points [m].
const CELL: f64 = 0.004;

/// The skin at rest.
#[derive(Debug, Clone)]
pub enum Skin {
    /// A level plane at this height [m], such as a table's top.
    Plane(f64),
    /// A torso's skin.
    Torso(HeightMap),
}

impl Skin {
    /// The skin above `(x, y)` of the world [m]; `None` outside the skin.
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

/// Heights and normals on a square grid.
#[derive(Debug, Clone)]
pub struct HeightMap {
    low: [f64; 2],
    count: [usize; 2],
    /// Height [m] and normal; `None` outside the torso. Row-major, shape `[count[0], count[1]]`.
    cells: Vec<Option<(f64, Vector3<f64>)>>,
}

impl HeightMap {
    /// The skin of a scene's torso; `None` without a torso.
    pub fn of_torso(scene: &Scene) -> Option<Self> {
        let [low, high] = scene.torso.as_ref()?.surface.bounds();
        let [x, y, _] = scene.torso_position;
        let low = [low[0] + x, low[1] + y];
        let size = [high[0] + x - low[0], high[1] + y - low[1]];
        let count = size.map(|size| (size / CELL).ceil() as usize + 1);
        let points: Vec<Option<(f64, Vector3<f64>)>> = grid(count)
            .map(|(i, j)| {
                let point =
                    scene.surface_above(low[0] + i as f64 * CELL, low[1] + j as f64 * CELL)?;
                Some((point.position[2], point.normal.into()))
            })
            .collect();
        let normal_at = |i: isize, j: isize| {
            let (i, j) = (usize::try_from(i).ok()?, usize::try_from(j).ok()?);
            let is_inside = i < count[0] && j < count[1];
            Some(points[is_inside.then_some(i * count[1] + j)?]?.1)
        };
        let steps = FACE.map(|half| (half / CELL).round() as isize);
        let cells = grid(count)
            .zip(&points)
            .map(|((i, j), point)| {
                let (height, _) = (*point)?;
                let normal = face_normal(|di, dj| {
                    normal_at(i as isize + di * steps[0], j as isize + dj * steps[1])
                });
                Some((height, normal))
            })
            .collect();
        Some(Self { low, count, cells })
    }

    /// Bilinear interpolation.
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
            let (cell_height, cell_normal) = self.cells[i * self.count[1] + j]?;
            height += share * cell_height;
            normal += cell_normal * share;
        }
        Some(SkinPoint {
            position: Vector3::new(x, y, height),
            normal: normal.normalize(),
        })
    }
}

fn grid([rows, columns]: [usize; 2]) -> impl Iterator<Item = (usize, usize)> {
    (0..rows).flat_map(move |i| (0..columns).map(move |j| (i, j)))
}
