//! Tetrahedra → particles.

use insonate_tissue::mesh::TetMesh;
use nalgebra::{Matrix3, Vector3};

/// Gaps of columns up to this width are closed [m].
const TOUCHING: f64 = 1e-6;
/// A face whose barycentric coordinate changes by less along a column is parallel to it [1/m]; a column on the face is inside.
const PARALLEL: f64 = 1e-9;

/// Particles of about this spacing [m] that fill tetrahedra, in vertical columns that begin and end at the surface. A probe finds a
/// sloping skin as smooth as a level one, while a lattice would form a staircase. The spacing of a column deviates by at most half of it
/// divided by the number of particles in the column.
pub(super) fn fill(mesh: &TetMesh, spacing: f64) -> Vec<[f64; 3]> {
    let columns = Columns::over(mesh, spacing);
    let mut inside = vec![Vec::new(); columns.counts[0] * columns.counts[1]];
    for tet in &mesh.tets {
        let corners = tet.map(|i| Vector3::from(mesh.positions[i as usize]));
        columns.cross(&corners, &mut inside);
    }
    let mut particles = Vec::new();
    for (index, inside) in inside.into_iter().enumerate() {
        let [x, y] = columns.place(index);
        for [low, high] in joined(inside) {
            let n = ((high - low) / spacing).round();
            let step = (high - low) / n;
            particles.extend((0..n as usize).map(|k| [x, y, low + (k as f64 + 0.5) * step]));
        }
    }
    particles
}

/// Vertical lines on a grid in the plane, over the extent of a mesh.
struct Columns {
    low: [f64; 2],
    step: [f64; 2],
    counts: [usize; 2],
}

impl Columns {
    fn over(mesh: &TetMesh, spacing: f64) -> Self {
        let [low, high] = bounds(mesh.positions.iter().map(|p| [p[0], p[1]]));
        let size: [f64; 2] = std::array::from_fn(|axis| high[axis] - low[axis]);
        let counts = size.map(|size| (size / spacing).round().max(1.0) as usize);
        let step = std::array::from_fn(|axis| size[axis] / counts[axis] as f64);
        Self { low, step, counts }
    }

    fn place(&self, index: usize) -> [f64; 2] {
        let at = [index / self.counts[1], index % self.counts[1]];
        std::array::from_fn(|axis| self.low[axis] + (at[axis] as f64 + 0.5) * self.step[axis])
    }

    /// Adds the parts of the columns inside a tetrahedron, as intervals of heights.
    fn cross(&self, corners: &[Vector3<f64>; 4], inside: &mut [Vec<[f64; 2]>]) {
        let [a, b, c, d] = *corners;
        let Some(inverse) = Matrix3::from_columns(&[b - a, c - a, d - a]).try_inverse() else {
            return;
        };
        let [first, last] = bounds(corners.iter().map(|p| [p.x, p.y]));
        let span = |axis: usize| {
            let at = |x: f64| {
                let at = (x - self.low[axis]) / self.step[axis] - 0.5;
                at.clamp(0.0, self.counts[axis] as f64 - 1.0)
            };
            at(first[axis]).floor() as usize..=at(last[axis]).ceil() as usize
        };
        for i in span(0) {
            for j in span(1) {
                let index = i * self.counts[1] + j;
                let [x, y] = self.place(index);
                let start = inverse * (Vector3::new(x, y, 0.0) - a);
                inside[index].extend(heights(&start, &(inverse * Vector3::z())));
            }
        }
    }
}

/// Heights between which all four barycentric coordinates of a line are positive. The last three coordinates are `start` at height zero
/// and change by `slope`.
fn heights(start: &Vector3<f64>, slope: &Vector3<f64>) -> Option<[f64; 2]> {
    let [mut low, mut high] = [f64::NEG_INFINITY, f64::INFINITY];
    let last = start.iter().copied().zip(slope.iter().copied());
    for (start, slope) in last.chain([(1.0 - start.sum(), -slope.sum())]) {
        if slope.abs() < PARALLEL {
            if start < -PARALLEL {
                return None;
            }
        } else if slope > 0.0 {
            low = low.max(-start / slope);
        } else {
            high = high.min(-start / slope);
        }
    }
    (low < high).then_some([low, high])
}

/// The intervals, with touching ones joined.
fn joined(mut intervals: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    intervals.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut joined: Vec<[f64; 2]> = Vec::new();
    for [low, high] in intervals {
        match joined.last_mut() {
            Some(last) if low <= last[1] + TOUCHING => last[1] = last[1].max(high),
            _ => joined.push([low, high]),
        }
    }
    joined
}

/// Smallest and largest coordinates.
pub(super) fn bounds<const N: usize>(points: impl IntoIterator<Item = [f64; N]>) -> [[f64; N]; 2] {
    let mut bounds = [[f64::INFINITY; N], [f64::NEG_INFINITY; N]];
    for point in points {
        for axis in 0..N {
            bounds[0][axis] = bounds[0][axis].min(point[axis]);
            bounds[1][axis] = bounds[1][axis].max(point[axis]);
        }
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPACING: f64 = 0.01;

    /// A box of 10 × 10 × `height` cm on ground that rises by 0.3 m per metre of x.
    fn sloping(height: f64) -> TetMesh {
        let mut mesh = TetMesh::cuboid([0.05, 0.05, 0.5 * height], 0.05).unwrap();
        for position in &mut mesh.positions {
            position[2] += 0.5 * height + 0.3 * position[0];
        }
        mesh
    }

    #[test]
    fn columns_end_half_a_spacing_below_a_sloping_skin() {
        let particles = fill(&sloping(0.052), SPACING);
        assert_eq!(particles.len(), 10 * 10 * 5);
        for column in particles.chunks_exact(5) {
            let depth = 0.052 + 0.3 * column[0][0] - column[4][2];
            assert!((depth - 0.0052).abs() < 1e-9, "{depth}");
        }
    }

    #[test]
    fn columns_thinner_than_half_a_spacing_have_no_particles() {
        assert!(fill(&sloping(0.004), SPACING).is_empty());
    }

    #[test]
    fn a_gap_stays_empty() {
        let [mut mesh, above] = [sloping(0.03), sloping(0.03)];
        let n = mesh.positions.len() as u32;
        let lifted = above.positions.iter().map(|[x, y, z]| [*x, *y, z + 0.06]);
        mesh.positions.extend(lifted);
        mesh.tets
            .extend(above.tets.iter().map(|tet| tet.map(|i| i + n)));
        assert_eq!(fill(&mesh, SPACING).len(), 2 * 10 * 10 * 3);
    }
}
