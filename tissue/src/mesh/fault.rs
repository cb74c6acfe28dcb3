//! What keeps triangles from being the surface of a solid.

/// A fault of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshFault {
    /// Nothing is in it.
    #[error("the mesh is empty: it has no triangles")]
    Empty,
    /// More than is taken.
    #[error("the mesh has {count} {what}, but at most {most} are taken")]
    Huge {
        /// Vertices or triangles.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// A coordinate is not a number, or none that a length in metres can be.
    #[error("vertex {vertex} at {position:?} m is not within ±{most} m")]
    Position {
        /// Which vertex.
        vertex: usize,
        /// Where it is [m].
        position: [f64; 3],
        /// Greatest coordinate [m].
        most: f64,
    },
    /// A triangle names a vertex that is not there.
    #[error("triangle {triangle} names vertex {vertex}, but the mesh has {n_vertices} vertices")]
    NoVertex {
        /// Which triangle.
        triangle: usize,
        /// The vertex named.
        vertex: u32,
        /// How many there are.
        n_vertices: usize,
    },
    /// A triangle without area.
    #[error("triangle {triangle} has no area: its vertices {vertices:?} lie on a line")]
    Degenerate {
        /// Which triangle.
        triangle: usize,
        /// Its vertices.
        vertices: [u32; 3],
    },
    /// An edge of one triangle only.
    #[error("edge {}-{} belongs to one triangle only: the mesh is open", edge[0], edge[1])]
    Open {
        /// Its vertices.
        edge: [u32; 2],
    },
    /// An edge of more than two triangles.
    #[error("edge {}-{} belongs to {n_triangles} triangles, but in a closed surface to two", edge[0], edge[1])]
    Crowded {
        /// Its vertices.
        edge: [u32; 2],
        /// Triangles that have it.
        n_triangles: usize,
    },
    /// The two triangles of an edge have opposite insides.
    #[error("the triangles {} and {} at edge {}-{} face opposite ways", triangles[0], triangles[1], edge[0], edge[1])]
    Twisted {
        /// Vertices of the edge.
        edge: [u32; 2],
        /// The triangles.
        triangles: [usize; 2],
    },
    /// A closed surface around nothing.
    #[error("the mesh encloses no volume ({volume:e} m³)")]
    Flat {
        /// Its volume [m³].
        volume: f64,
    },
}
