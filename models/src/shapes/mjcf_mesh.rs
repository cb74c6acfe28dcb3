//! Surfaces as meshes of the document.

use insonate_meshes::TriangleMesh;

use crate::mjcf::Mesh;

/// Vertices are written in steps of 10 µm; as a whole number of steps, so that the decimals are short.
const STEPS_PER_METRE: f64 = 1e5;

impl Mesh {
    /// The mesh called `name` of a surface.
    pub fn of_surface(name: &str, surface: &TriangleMesh) -> Self {
        Self::new(name, &rounded(surface), &surface.triangles)
    }

    /// The mesh called `name` of the convex hull of a surface's vertices, made by MuJoCo.
    pub fn of_convex_hull(name: &str, surface: &TriangleMesh) -> Self {
        Self::new(name, &rounded(surface), &[])
    }
}

fn rounded(surface: &TriangleMesh) -> Vec<[f64; 3]> {
    let round = |x: f64| (x * STEPS_PER_METRE).round() / STEPS_PER_METRE;
    let positions = surface.positions.iter();
    positions.map(|position| position.map(round)).collect()
}
