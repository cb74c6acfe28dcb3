//! Converts surfaces to meshes of an MJCF document.

use insonate_meshes::TriangleMesh;

use crate::mjcf::Mesh;

/// Vertices are rounded to 10 µm. The constant is an integer, so that the decimals are short.
const STEPS_PER_METRE: f64 = 1e5;

impl Mesh {
    /// A mesh called `name` with the triangles of a surface.
    pub fn of_surface(name: &str, surface: &TriangleMesh) -> Self {
        Self::new(name, &rounded(surface), &surface.triangles)
    }

    /// A mesh called `name` of a surface's vertices. MuJoCo computes their convex hull.
    pub fn of_convex_hull(name: &str, surface: &TriangleMesh) -> Self {
        Self::new(name, &rounded(surface), &[])
    }
}

fn rounded(surface: &TriangleMesh) -> Vec<[f64; 3]> {
    let round = |x: f64| (x * STEPS_PER_METRE).round() / STEPS_PER_METRE;
    let positions = surface.positions.iter();
    positions.map(|position| position.map(round)).collect()
}
