//! Patches: groups of tetrahedra around an edge, whose mean deformation carries most of the energy.
//!
//! A single tetrahedron has four points and all their relative motion is constrained, so a body of tetrahedra that each
//! carry all their energy bends and shears less than its material. A patch has fewer constraints per point: six
//! tetrahedra around the diagonal of a cube have eight points and one mean.

use std::collections::BTreeSet;

use super::tet::BodyTets;

/// Maximum number of points of a patch.
pub(super) const MAX_POINTS: usize = 8;

/// Groups the tetrahedra of a body around edges. Each tetrahedron is in at most one patch; indices are within the body.
pub(super) fn patches(body: &BodyTets<'_>) -> Vec<Vec<usize>> {
    let mut edges = body.edges();
    // Patches around the longest edges are roundest. Edges of equal length keep the order of their vertices.
    edges.sort_by(|a, b| b.length.total_cmp(&a.length));
    let mut is_taken = vec![false; body.tets.len()];
    let mut patches = Vec::new();
    for n_least in (2..=MAX_POINTS - 2).rev() {
        for edge in &edges {
            let tets = edge.tets.iter().map(|tet| (tet - body.first) as usize);
            let free: Vec<_> = tets.filter(|tet| !is_taken[*tet]).collect();
            if free.len() < n_least || !is_of_one_material(body, &free) {
                continue;
            }
            if points(body, &free).len() > MAX_POINTS {
                continue;
            }
            for tet in &free {
                is_taken[*tet] = true;
            }
            patches.push(free);
        }
    }
    patches
}

/// Points of some tetrahedra, in ascending order.
pub(super) fn points(body: &BodyTets<'_>, tets: &[usize]) -> BTreeSet<u32> {
    let vertices = tets.iter().flat_map(|tet| body.tets[*tet].vertices);
    vertices.collect()
}

fn is_of_one_material(body: &BodyTets<'_>, tets: &[usize]) -> bool {
    let first = tets.first().map(|tet| body.material(*tet));
    tets.iter().all(|tet| Some(body.material(*tet)) == first)
}
