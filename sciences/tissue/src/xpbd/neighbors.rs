//! Constraints and tetrahedra around tetrahedra and vertices, for tearing.

use super::topology::Topology;

/// Constraints of tetrahedra, and tetrahedra of vertices; empty if nothing can tear.
#[derive(Debug, Default)]
pub(crate) struct Neighbors {
    /// Constraints of each tetrahedron: kind and index. A constraint is torn when all of its tetrahedra are
    /// torn.
    pub(super) constraints: Vec<Vec<(usize, usize)>>,
    /// Tetrahedra of each vertex.
    pub(crate) tets: Vec<Vec<u32>>,
}

impl Neighbors {
    pub(crate) fn new(topology: &Topology) -> Self {
        if !topology.tears {
            return Self::default();
        }
        let mut neighbors = Self {
            constraints: vec![Vec::new(); topology.tets.len()],
            tets: vec![Vec::new(); topology.rest.len()],
        };
        for (kind, list) in topology.constraints.all().into_iter().enumerate() {
            for constraint in 0..list.len() {
                for tet in list.tets(constraint) {
                    neighbors.constraints[*tet as usize].push((kind, constraint));
                }
            }
        }
        for (tet, number) in topology.tets.iter().zip(0..) {
            for vertex in tet.vertices {
                neighbors.tets[vertex as usize].push(number);
            }
        }
        neighbors
    }
}
