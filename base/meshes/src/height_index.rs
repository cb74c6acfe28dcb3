//! Index for frequent queries of the height of a surface.

use crate::{SurfacePoint, TriangleMesh};

/// Average number of triangles per cell.
const PER_CELL: f64 = 2.0;
/// Margin around a triangle for rounding, as a fraction of a column's side.
const ROUNDING: f64 = 1e-6;

/// A mesh with its triangles sorted into square columns, so that a query tests only a few triangles.
#[derive(Clone, Debug)]
pub struct HeightIndex {
    mesh: TriangleMesh,
    /// Minimum corner [m] and side length [m] of the columns.
    low: [f64; 2],
    side: f64,
    count: [usize; 2],
    /// The triangles over column `i` are `triangles[starts[i]..starts[i + 1]]`, in the mesh's order.
    starts: Vec<usize>,
    triangles: Vec<usize>,
}

impl HeightIndex {
    /// Sorts the triangles of a mesh.
    pub fn new(mesh: &TriangleMesh) -> Self {
        let [low, high] = mesh.bounds();
        let size = [high[0] - low[0], high[1] - low[1]].map(|size| size.max(1e-9));
        let n = mesh.triangles.len().max(1) as f64;
        let side = (PER_CELL * size[0] * size[1] / n)
            .sqrt()
            .max(size[0].max(size[1]) / n);
        let mut index = Self {
            mesh: mesh.clone(),
            low: [low[0], low[1]],
            side,
            count: size.map(|size| (size / side) as usize + 1),
            starts: Vec::new(),
            triangles: Vec::new(),
        };
        let mut columns = vec![Vec::new(); index.count[0] * index.count[1]];
        for triangle in 0..mesh.triangles.len() {
            let corners = mesh.corners(triangle);
            let range = |axis: usize| {
                let [a, b, c] = corners.map(|corner| corner[axis]);
                // A hit may lie outside its triangle by a rounding error.
                let least = index.cell(axis, a.min(b).min(c) - ROUNDING * side);
                least..=index.cell(axis, a.max(b).max(c) + ROUNDING * side)
            };
            for i in range(0) {
                for j in range(1) {
                    columns[i * index.count[1] + j].push(triangle);
                }
            }
        }
        index.starts.push(0);
        for column in columns {
            index.triangles.extend(column);
            index.starts.push(index.triangles.len());
        }
        index
    }

    /// The mesh.
    pub fn mesh(&self) -> &TriangleMesh {
        &self.mesh
    }

    /// The same as [`TriangleMesh::highest_at`].
    pub fn highest_at(&self, x: f64, y: f64) -> Option<SurfacePoint> {
        let column = self.cell(0, x) * self.count[1] + self.cell(1, y);
        let triangles = &self.triangles[self.starts[column]..self.starts[column + 1]];
        self.mesh.highest_of(triangles.iter().copied(), x, y)
    }

    /// Column of a coordinate along an axis; a coordinate outside belongs to the nearest column.
    fn cell(&self, axis: usize, coordinate: f64) -> usize {
        let cell = ((coordinate - self.low[axis]) / self.side).max(0.0) as usize;
        cell.min(self.count[axis] - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_are_those_of_the_mesh_to_the_bit() {
        // A bumpy sheet of 30 × 20 cells, and a second sheet below it.
        let (across, along) = (31, 21);
        let mut mesh = TriangleMesh::default();
        for level in 0..2 {
            let first = mesh.positions.len() as u32;
            for i in 0..across {
                for j in 0..along {
                    let (x, y) = (0.1 * f64::from(i), 0.07 * f64::from(j) - 0.5);
                    let z = (3.0 * x).sin() * (4.0 * y).cos() - f64::from(level);
                    mesh.positions.push([x, y, z]);
                }
            }
            for i in 0..across as u32 - 1 {
                for j in 0..along as u32 - 1 {
                    let corner = |di: u32, dj: u32| first + (i + di) * along as u32 + j + dj;
                    let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    mesh.triangles.extend([[a, b, c], [a, c, d]]);
                }
            }
        }
        let index = HeightIndex::new(&mesh);
        let mut found = 0;
        for i in -5..=105 {
            for j in -5..=105 {
                let (x, y) = (0.03 * f64::from(i), 0.014 * f64::from(j) - 0.5);
                let height = mesh.highest_at(x, y);
                found += usize::from(height.is_some());
                assert_eq!(index.highest_at(x, y), height, "{x} {y}");
            }
        }
        assert!(found > 9000);
    }

    #[test]
    fn an_empty_mesh_has_no_height() {
        assert_eq!(
            HeightIndex::new(&TriangleMesh::default()).highest_at(0.0, 0.0),
            None
        );
    }
}
