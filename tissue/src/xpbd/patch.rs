//! Patches: tetrahedra around an edge, whose mean deformation carries most of the energy.
//!
//! A tetrahedron of four points has as many constraints as a body has points to spare, so tetrahedra that each carry all their energy bend
//! and shear less than their material. A patch has fewer: six tetrahedra around the diagonal of a cube have eight points and one mean.

use std::collections::BTreeSet;

use super::tet::BodyTets;

/// Points of a patch, at most.
pub(super) const MAX_POINTS: usize = 8;

/// Tetrahedra of a body around edges, each in one patch at most; indices within the body. What is left over is in none.
pub(super) fn patches(body: &BodyTets<'_>) -> Vec<Vec<usize>> {
    let mut edges = body.edges();
    // Around the longest edges patches are roundest. Equal lengths stay in the order of their vertices.
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
