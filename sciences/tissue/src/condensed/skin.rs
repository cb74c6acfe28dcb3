//! The part of the surface that tools can touch, and the sample points on it.

use nalgebra::Vector3;

use crate::mesh::TetMesh;

/// Triangles of the skin.
#[derive(Debug)]
pub(super) struct Skin {
    pub(super) triangles: Vec<SkinTriangle>,
    /// Barycentric coordinates of the sample points of a triangle, the same for all.
    pub(super) samples: Vec<[f64; 3]>,
}

/// A triangle of the skin at rest.
#[derive(Debug)]
pub(super) struct SkinTriangle {
    /// Vertices of the mesh.
    pub(super) vertices: [usize; 3],
    /// Indices among the skin's free vertices; `None`: fixed.
    pub(super) corners: [Option<usize>; 3],
    /// Middle [m], and radius of the ball around it that contains the triangle [m].
    pub(super) middle: Vector3<f64>,
    pub(super) radius: f64,
    /// Area of each sample point [m²].
    pub(super) area: f64,
}

impl Skin {
    /// The skin and its free vertices: all boundary triangles with a free vertex, with sample points at most `spacing` [m] apart.
    pub(super) fn new(mesh: &TetMesh, is_fixed: &[bool], spacing: f64) -> (Self, Vec<usize>) {
        let boundary = mesh.boundary();
        let vertices: Vec<usize> = boundary.vertices.iter().map(|&v| v as usize).collect();
        let mut place = vec![None; mesh.positions.len()];
        let mut free = Vec::new();
        for &vertex in &vertices {
            if !is_fixed[vertex] {
                place[vertex] = Some(free.len());
                free.push(vertex);
            }
        }
        let position = |vertex: usize| Vector3::from(mesh.positions[vertex]);
        let mut longest: f64 = 0.0;
        let mut triangles = Vec::new();
        for triangle in &boundary.surface.triangles {
            let vertices = triangle.map(|index| vertices[index as usize]);
            let corners = vertices.map(|vertex| place[vertex]);
            if corners.iter().all(Option::is_none) {
                continue;
            }
            let [a, b, c] = vertices.map(position);
            let middle = (a + b + c) / 3.0;
            for (p, q) in [(a, b), (b, c), (c, a)] {
                longest = longest.max((q - p).norm());
            }
            triangles.push(SkinTriangle {
                vertices,
                corners,
                middle,
                radius: [a, b, c]
                    .map(|p| (p - middle).norm())
                    .into_iter()
                    .fold(0.0, f64::max),
                area: 0.5 * (b - a).cross(&(c - a)).norm(),
            });
        }
        let samples = samples((longest / spacing).ceil().max(1.0) as usize);
        for triangle in &mut triangles {
            triangle.area /= samples.len() as f64;
        }
        (Self { triangles, samples }, free)
    }
}

/// Centres of the `n²` equal parts of a triangle, in barycentric coordinates.
fn samples(n: usize) -> Vec<[f64; 3]> {
    let mut centers = Vec::with_capacity(n * n);
    let third = 1.0 / 3.0;
    for i in 0..n {
        for j in 0..n - i {
            let part = |offset: f64| {
                let (a, b) = (
                    (i as f64 + offset) / n as f64,
                    (j as f64 + offset) / n as f64,
                );
                [a, b, 1.0 - a - b]
            };
            centers.push(part(third));
            if i + j + 1 < n {
                centers.push(part(2.0 * third));
            }
        }
    }
    centers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_inside_and_have_the_triangles_centroid() {
        for n in 1..6 {
            let points = samples(n);
            assert_eq!(points.len(), n * n);
            for axis in 0..3 {
                let mean =
                    points.iter().map(|point| point[axis]).sum::<f64>() / points.len() as f64;
                assert!((mean - 1.0 / 3.0).abs() < 1e-12, "{n}: {mean}");
                assert!(points.iter().all(|point| point[axis] > 0.0));
            }
        }
    }
}
