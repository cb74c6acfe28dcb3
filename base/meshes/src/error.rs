//! Errors of meshes and mesh files.

use std::fmt;

use crate::shells::{ShellFault, write_faults};

/// A mesh that cannot be read or written.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// The content of a file is invalid.
    #[error("{0}")]
    Content(String),
    /// A file cannot be read, or its content is invalid.
    #[error("{path}: {problem}")]
    File {
        /// The file.
        path: String,
        /// What is wrong, with the line or element.
        problem: String,
    },
    /// The number of normals or UVs differs from the number of vertices.
    #[error("{attribute}.len() is {count}; it must be {n_vertices}")]
    Attribute {
        /// `normals` or `uvs`.
        attribute: &'static str,
        /// How many there are.
        count: usize,
        /// Number of vertices, which it must equal.
        n_vertices: usize,
    },
    /// Writing failed.
    #[error("{0}")]
    Write(String),
    /// Some of several shells are not closed surfaces.
    #[error("{}", Faults(*n_shells, faults))]
    Shells {
        /// Number of shells.
        n_shells: usize,
        /// Faults of some of the shells.
        faults: Vec<ShellFault>,
    },
    /// The triangles are not the surface of a solid.
    #[error(transparent)]
    Fault(#[from] MeshFault),
}

/// Writes the faults of shells.
struct Faults<'a>(usize, &'a [ShellFault]);

impl fmt::Display for Faults<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_faults(self.0, self.1, out)
    }
}

/// Reason why triangles are not the surface of a solid.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshFault {
    /// There are no triangles.
    #[error("the mesh is empty: it has no triangles")]
    Empty,
    /// There are too many vertices or triangles.
    #[error("the mesh has {count} {what}; it must have at most {most}")]
    TooLarge {
        /// Vertices or triangles.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// Maximum number.
        most: usize,
    },
    /// A coordinate is too large or not a number.
    #[error("vertex {vertex} at {position:?} m is not within ±{most} m")]
    Coordinate {
        /// Index of the vertex.
        vertex: usize,
        /// Position of the vertex [m].
        position: [f64; 3],
        /// Largest allowed coordinate [m].
        most: f64,
    },
    /// A triangle refers to a vertex that does not exist.
    #[error(
        "triangle {triangle} refers to vertex {vertex}, but the mesh has {n_vertices} vertices"
    )]
    IndexOutOfRange {
        /// Index of the triangle.
        triangle: usize,
        /// Index of the missing vertex.
        vertex: u32,
        /// How many there are.
        n_vertices: usize,
    },
    /// A triangle has no area.
    #[error("triangle {triangle} has no area: its vertices {vertices:?} lie on a line")]
    Degenerate {
        /// Index of the triangle.
        triangle: usize,
        /// Its vertices.
        vertices: [u32; 3],
    },
    /// An edge belongs to one triangle only.
    #[error("edge {}-{} belongs to one triangle only: the mesh is open", edge[0], edge[1])]
    BoundaryEdge {
        /// Its vertices.
        edge: [u32; 2],
    },
    /// An edge belongs to more than two triangles.
    #[error("edge {}-{} belongs to {n_triangles} triangles, but in a closed surface to two", edge[0], edge[1])]
    NonManifoldEdge {
        /// Its vertices.
        edge: [u32; 2],
        /// Number of triangles that share the edge.
        n_triangles: usize,
    },
    /// The two triangles of an edge have opposite orientations.
    #[error("the triangles {} and {} at edge {}-{} face opposite ways", triangles[0], triangles[1], edge[0], edge[1])]
    InconsistentOrientation {
        /// Vertices of the edge.
        edge: [u32; 2],
        /// Indices of the two triangles.
        triangles: [usize; 2],
    },
    /// Two triangles cut each other.
    #[error("the triangles {} and {} cut each other: the mesh crosses itself", triangles[0], triangles[1])]
    Crossing {
        /// Indices of the two triangles.
        triangles: [usize; 2],
    },
    /// The surface encloses no volume, or faces inwards.
    #[error("the mesh encloses no volume ({volume:e} m³)")]
    NoVolume {
        /// Its volume [m³].
        volume: f64,
    },
}

/// The first characters of a text from a file, for use in a message.
pub(crate) fn shorten(text: &str) -> String {
    const MOST: usize = 80;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
