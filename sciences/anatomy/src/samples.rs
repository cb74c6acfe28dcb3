//! Samples of a blurred shape on the grid of its surface, without places where a surface would touch itself.
//!
//! A face of a cell with two inner corners on a diagonal has an edge that four triangles share, and a cell with two such corners on its
//! diagonal has a vertex of two sheets. There, an outer corner becomes an inner one (a well-composed set: Latecki 1997,
//! doi:10.1006/gmip.1997.0441).

use insonate_meshes::TriangleMesh;
use nalgebra::Vector3;

use crate::blurred::Shares;

/// Value of a corner that was made an inner one [share].
const INNER: f64 = -1e-3;
/// Corners of the faces of a cell at its first corner: two corners on a diagonal, then the other two.
const FACES: [[usize; 4]; 3] = [[0, 3, 1, 2], [0, 5, 1, 4], [0, 6, 2, 4]];

/// Shares at the corners of cubic cells.
pub(crate) struct Samples {
    bounds: [[f64; 3]; 2],
    cell: f64,
    /// Corners along each axis.
    count: [usize; 3],
    shares: Vec<f64>,
}

impl Samples {
    pub(crate) fn new(shares: &Shares, cell: f64) -> Self {
        let [low, high] = shares.frame.bounds(shares.count);
        // Frames were checked to be invertible.
        let inverse = shares.frame.steps.try_inverse().unwrap_or_default();
        let count: [usize; 3] =
            std::array::from_fn(|axis| ((high[axis] - low[axis]) / cell).ceil() as usize + 1);
        let [nx, ny, nz] = count;
        let mut samples = Vec::with_capacity(nx * ny * nz);
        for (z, y) in (0..nz).flat_map(|z| (0..ny).map(move |y| (z, y))) {
            for x in 0..nx {
                let index = Vector3::new(x, y, z).map(|n| n as f64);
                samples.push(shares.interpolate(&inverse, &(low + index * cell)));
            }
        }
        Self {
            bounds: [low.into(), high.into()],
            cell,
            count,
            shares: samples,
        }
    }

    /// The surface of a share. `scale` makes a length of a share: at most the inverse of the largest slope [m].
    pub(crate) fn surface(&self, share: f64, scale: f64) -> TriangleMesh {
        let values: Vec<f64> = self.shares.iter().map(|own| share - own).collect();
        let values = self.well_composed(values);
        let low = Vector3::from(self.bounds[0]);
        TriangleMesh::isosurface(self.bounds, self.cell, |place| {
            scale * self.interpolate(&values, share, &((place - low) / self.cell))
        })
    }

    /// Makes outer corners inner ones, until no cell is ambiguous. Inner corners stay, so it ends.
    fn well_composed(&self, mut values: Vec<f64>) -> Vec<f64> {
        let [nx, ny, nz] = self.count;
        let offsets: [usize; 8] = std::array::from_fn(|corner| {
            (corner & 1) + (corner >> 1 & 1) * nx + (corner >> 2) * nx * ny
        });
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for (z, y) in (0..nz - 1).flat_map(|z| (0..ny - 1).map(move |y| (z, y))) {
                for x in 0..nx - 1 {
                    let at = (z * ny + y) * nx + x;
                    let corners = offsets.map(|offset| values[at + offset]);
                    if let Some(corner) = ambiguous(&corners) {
                        values[at + offsets[corner]] = INNER;
                        has_changed = true;
                    }
                }
            }
        }
        values
    }

    /// A value between corners; that of no share outside.
    fn interpolate(&self, values: &[f64], outside: f64, index: &Vector3<f64>) -> f64 {
        let [nx, ny, _] = self.count;
        let floor = index.map(f64::floor);
        let is_inside =
            (0..3).all(|axis| floor[axis] >= 0.0 && floor[axis] < self.count[axis] as f64 - 1.0);
        if !is_inside {
            return outside;
        }
        let [x, y, z] = [0, 1, 2].map(|axis| floor[axis] as usize);
        let part = index - floor;
        let at = |x: usize, y: usize, z: usize| values[(z * ny + y) * nx + x];
        let between = |a: f64, b: f64, share: f64| a + (b - a) * share;
        let row = |y: usize, z: usize| between(at(x, y, z), at(x + 1, y, z), part.x);
        let slice = |z: usize| between(row(y, z), row(y + 1, z), part.y);
        between(slice(z), slice(z + 1), part.z)
    }
}

/// The outer corner of an ambiguous cell that becomes an inner one: the one with the largest share.
fn ambiguous(corners: &[f64; 8]) -> Option<usize> {
    let is_in = |corner: usize| corners[corner] < 0.0;
    let n_inner = corners.iter().filter(|value| **value < 0.0).count();
    if !(2..=6).contains(&n_inner) {
        return None;
    }
    let nearest = |outer: &[usize]| {
        let outer = outer.iter().copied().filter(|corner| !is_in(*corner));
        outer.min_by(|a, b| corners[*a].total_cmp(&corners[*b]))
    };
    for face in FACES {
        for side in [0, 7] {
            // The opposite face has the opposite corners.
            let face = face.map(|corner| corner ^ side);
            let [a, b, c, d] = face.map(is_in);
            if a == b && c == d && a != c {
                return nearest(&face);
            }
        }
    }
    let opposite = (0..4).find(|corner| {
        let pair = [*corner, 7 - corner].map(is_in);
        (n_inner == 2 && pair == [true, true]) || (n_inner == 6 && pair == [false, false])
    })?;
    if n_inner == 6 {
        nearest(&[opposite, 7 - opposite])
    } else {
        nearest(&[0, 1, 2, 3, 4, 5, 6, 7])
    }
}
