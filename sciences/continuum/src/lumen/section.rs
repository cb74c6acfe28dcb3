//! Horizontal cross-sections of a closed mesh.

use std::collections::HashMap;

use insonate_meshes::TriangleMesh;
use nalgebra::Vector3;

/// Closed curves in which the plane at height `z` cuts a closed mesh: centroid of the enclosed area, and area [m²]. The
/// area is negative around a hole.
pub(super) fn sections(mesh: &TriangleMesh, z: f64) -> Vec<(Vector3<f64>, f64)> {
    // Links from the cut of one edge of a triangle to the cut of another, with the interior on the
    // left.
    let mut next: HashMap<[u32; 2], [u32; 2]> = HashMap::new();
    let mut starts = Vec::new();
    let is_above = |vertex: u32| mesh.positions[vertex as usize][2] > z;
    for corners in &mesh.triangles {
        let edges = [0, 1, 2].map(|i| [corners[i], corners[(i + 1) % 3]]);
        let down = edges
            .iter()
            .find(|[from, to]| is_above(*from) && !is_above(*to));
        let up = edges
            .iter()
            .find(|[from, to]| !is_above(*from) && is_above(*to));
        if let (Some(down), Some(up)) = (down, up) {
            next.insert(sorted(*up), sorted(*down));
            starts.push(sorted(*up));
        }
    }
    let cut = |[a, b]: [u32; 2]| {
        let [a, b] = [a, b].map(|vertex| Vector3::from(mesh.positions[vertex as usize]));
        a.lerp(&b, (z - a.z) / (b.z - a.z))
    };
    let mut curves = Vec::new();
    for start in starts {
        let origin = cut(start);
        let (mut twice_area, mut moment) = (0.0, Vector3::zeros());
        let mut edge = start;
        while let Some(after) = next.remove(&edge) {
            let (from, to) = (cut(edge) - origin, cut(after) - origin);
            let piece = from.x * to.y - from.y * to.x;
            twice_area += piece;
            moment += (from + to) * (piece / 3.0);
            edge = after;
        }
        if twice_area != 0.0 {
            curves.push((origin + moment / twice_area, 0.5 * twice_area));
        }
    }
    curves
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
