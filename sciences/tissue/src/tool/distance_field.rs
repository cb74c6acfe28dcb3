//! Signed distance fields of closed meshes, sampled on a grid.

mod cache;
mod sample;

use std::path::Path;

use nalgebra::Vector3;
use sha2::{Digest as _, Sha256};

use super::{RoundedBox, SignedDistance};
use crate::TissueError;
use insonate_meshes::TriangleMesh;

/// Allowed number of nodes along the longest axis.
const RESOLUTIONS: std::ops::RangeInclusive<usize> = 8..=256;

/// Cells between the mesh and the boundary of the grid.
const MARGIN: f64 = 3.0;

/// The signed distance of a solid, interpolated trilinearly between the nodes of a cubic grid.
///
/// Nodes less than three cells from the surface are exact, so the error there is of second order in the cell width.
/// Farther away every fourth node is exact and the nodes between are interpolated.
#[derive(Clone)]
pub struct DistanceField {
    /// Hash of the mesh and the resolution.
    digest: [u8; 32],
    origin: Vector3<f64>,
    cell_width: f64,
    /// Number of nodes along x, y, z.
    shape: [usize; 3],
    reach: f64,
    /// Distances [m], shape `[nz, ny, nx]`.
    distances: Vec<f32>,
}

impl DistanceField {
    /// Samples the distance from a closed mesh. `resolution` is the number of nodes along the longest axis, 8
    /// to 256.
    ///
    /// # Errors
    /// [`TissueError::Mesh`] if the mesh is not closed; [`TissueError::Setting`] for the resolution.
    pub fn new(mesh: &TriangleMesh, resolution: usize) -> Result<Self, TissueError> {
        check_resolution(resolution)?;
        sample::sample(mesh, resolution, digest(mesh, resolution))
    }

    /// As [`new`](Self::new), with a cache: a file in a folder, named by the hash of the mesh and the resolution.
    ///
    /// A damaged file is replaced.
    ///
    /// # Errors
    /// As [`new`](Self::new); [`TissueError::File`] if the folder or file cannot be
    /// created.
    pub fn cached(
        mesh: &TriangleMesh,
        resolution: usize,
        folder: &Path,
    ) -> Result<Self, TissueError> {
        check_resolution(resolution)?;
        let digest = digest(mesh, resolution);
        let path = cache::path(folder, &digest);
        if let Some(field) = cache::load(&path, &digest) {
            return Ok(field);
        }
        let field = sample::sample(mesh, resolution, digest)?;
        cache::store(&field, &path)?;
        Ok(field)
    }

    /// A field without a mesh, with the size of a field of a mesh.
    #[cfg(all(test, feature = "gpu"))]
    pub(crate) fn of_nothing(shape: [usize; 3]) -> Self {
        Self {
            digest: [0; 32],
            origin: Vector3::zeros(),
            cell_width: 1.0,
            shape,
            reach: 1.0,
            distances: vec![0.0; shape.iter().product()],
        }
    }

    /// Position of the first node [m].
    pub fn origin(&self) -> Vector3<f64> {
        self.origin
    }

    /// Distance between nodes [m].
    pub fn cell_width(&self) -> f64 {
        self.cell_width
    }

    /// Number of nodes along x, y, z.
    pub fn shape(&self) -> [usize; 3] {
        self.shape
    }

    /// Distances [m], shape `[nz, ny, nx]`.
    pub fn distances(&self) -> &[f32] {
        &self.distances
    }

    /// Radius of a ball around the mesh's origin that contains the mesh [m].
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// Bounding box of the mesh.
    pub(crate) fn bounds(&self) -> RoundedBox {
        let size = Vector3::from(self.shape.map(|n| (n - 1) as f64 * self.cell_width));
        // One cell of the margin remains for interpolation.
        let half = (size * 0.5).add_scalar((1.0 - MARGIN) * self.cell_width);
        RoundedBox {
            center: self.origin + size * 0.5,
            half: half.sup(&Vector3::zeros()),
            radius: 0.0,
        }
    }

    /// Distance and unit normal (normalised gradient) at a point in the mesh's frame.
    ///
    /// Outside the grid: the distance to the grid plus the field's distance at the nearest point of the grid. The sum
    /// is at least the distance to the mesh.
    pub fn surface(&self, point: &Vector3<f64>) -> SignedDistance {
        let most = Vector3::from(self.shape.map(|n| (n - 1) as f64 * self.cell_width));
        let inside = (point - self.origin).sup(&Vector3::zeros()).inf(&most);
        let beyond = point - self.origin - inside;
        let (distance, mut gradient) = self.trilinear(&inside);
        let far = beyond.norm();
        if far > 0.0 {
            for axis in 0..3 {
                if beyond[axis] != 0.0 {
                    gradient[axis] = 0.0;
                }
            }
            gradient += beyond / far;
        }
        SignedDistance {
            distance: distance + far,
            normal: gradient.try_normalize(1e-9).unwrap_or_else(Vector3::z),
        }
    }

    /// Lower bound of the distance at a point in the mesh's frame [m], at least zero. [`surface`](Self::surface) may
    /// exceed the distance: outside the grid, and by less than two cells where it is interpolated.
    pub(crate) fn least_distance(&self, point: &Vector3<f64>) -> f64 {
        let most = Vector3::from(self.shape.map(|n| (n - 1) as f64 * self.cell_width));
        let inside = (point - self.origin).sup(&Vector3::zeros()).inf(&most);
        let far = (point - self.origin - inside).norm();
        // The mesh is in the grid. Its distance from the point is at least the distance from the nearest point of the
        // grid, minus the distance between both points.
        far.max(self.trilinear(&inside).0 - far - 2.0 * self.cell_width)
    }

    /// Signed distance at a point in the mesh's frame [m], for less than the time of [`surface`](Self::surface).
    pub(crate) fn distance(&self, point: &Vector3<f64>) -> f64 {
        let most = Vector3::from(self.shape.map(|n| (n - 1) as f64 * self.cell_width));
        let inside = (point - self.origin).sup(&Vector3::zeros()).inf(&most);
        let far = (point - self.origin - inside).norm();
        let [nx, ny, nz] = self.shape;
        let cell = inside / self.cell_width;
        let first = |axis: usize, n: usize| (cell[axis] as usize).min(n - 2);
        let (x, y, z) = (first(0, nx), first(1, ny), first(2, nz));
        let t = cell - Vector3::new(x as f64, y as f64, z as f64);
        let row = |start: usize| {
            let (low, high) = (
                f64::from(self.distances[start]),
                f64::from(self.distances[start + 1]),
            );
            low + (high - low) * t.x
        };
        let plane = |start: usize| {
            let (low, high) = (row(start), row(start + nx));
            low + (high - low) * t.y
        };
        let start = (z * ny + y) * nx + x;
        let (low, high) = (plane(start), plane(start + nx * ny));
        low + (high - low) * t.z + far
    }

    /// Value and gradient at a point in grid coordinates relative to the first node.
    #[inline]
    fn trilinear(&self, point: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let mut first = [0; 3];
        let mut t = [0.0; 3];
        for axis in 0..3 {
            let cell = point[axis] / self.cell_width;
            first[axis] = (cell as usize).min(self.shape[axis] - 2);
            t[axis] = cell - first[axis] as f64;
        }
        let [nx, ny, _] = self.shape;
        let start = (first[2] * ny + first[1]) * nx + first[0];
        let row = |side: usize| {
            let pair = &self.distances[start + side..start + side + 2];
            let (low, high) = (f64::from(pair[0]), f64::from(pair[1]));
            (low + (high - low) * t[0], high - low)
        };
        let mix = |a: f64, b: f64| a + (b - a) * t[1];
        let plane = |(low, low_x): (f64, f64), (high, high_x): (f64, f64)| {
            (mix(low, high), mix(low_x, high_x), high - low)
        };
        let plane = |side: usize| plane(row(side), row(side + nx));
        let ((low, low_x, low_y), (high, high_x, high_y)) = (plane(0), plane(nx * ny));
        let mix = |a: f64, b: f64| a + (b - a) * t[2];
        let gradient = Vector3::new(mix(low_x, high_x), mix(low_y, high_y), high - low);
        (mix(low, high), gradient / self.cell_width)
    }
}

impl PartialEq for DistanceField {
    /// Fields are equal if they have the same mesh and resolution.
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest
    }
}

impl std::fmt::Debug for DistanceField {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.debug_struct("DistanceField")
            .field("origin", &self.origin.as_slice())
            .field("cell_width", &self.cell_width)
            .field("shape", &self.shape)
            .finish_non_exhaustive()
    }
}

fn check_resolution(resolution: usize) -> Result<(), TissueError> {
    if RESOLUTIONS.contains(&resolution) {
        return Ok(());
    }
    let allowed = format!("between {} and {}", RESOLUTIONS.start(), RESOLUTIONS.end());
    Err(TissueError::setting("resolution", resolution, allowed))
}

/// SHA-256 of the mesh, the resolution and the version of the algorithm.
fn digest(mesh: &TriangleMesh, resolution: usize) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(cache::MAGIC);
    for count in [resolution, mesh.positions.len(), mesh.triangles.len()] {
        hasher.update((count as u64).to_le_bytes());
    }
    for x in mesh.positions.iter().flatten() {
        hasher.update(x.to_le_bytes());
    }
    for vertex in mesh.triangles.iter().flatten() {
        hasher.update(vertex.to_le_bytes());
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::super::Shape;
    use super::*;

    #[test]
    fn the_least_distance_is_not_more_than_the_distance() {
        let half = [0.3, 0.2, 0.1];
        let field = DistanceField::new(&TriangleMesh::cuboid(half), 33).expect("a closed mesh");
        let solid = Shape::Cuboid { half };
        let mut slack = 0.0f64;
        for i in 0..20_000u32 {
            // Sample points by generalised golden ratios, in a cube of half size 0.8.
            let point = Vector3::new(0.819_172_5, 0.671_043_6, 0.549_700_5)
                .map(|base| (f64::from(i) * base % 1.0 * 2.0 - 1.0) * 0.8);
            let distance = solid.surface(&point).distance;
            let least = field.least_distance(&point);
            assert!(least <= distance.max(0.0), "{point}: {least} {distance}");
            slack = slack.max(distance - least);
        }
        // Far from the solid the bound is positive.
        assert!(slack < 0.5, "{slack}");
        assert!(field.least_distance(&Vector3::new(1.5, 0.0, 0.0)) > 1.0);
    }
}
