//! Check that a mesh is the surface of a solid.

use crate::{MeshFault, TriangleMesh};

/// Maximum number of vertices of a mesh.
pub const MAX_VERTICES: usize = 2_000_000;

/// Maximum number of triangles of a mesh.
pub const MAX_TRIANGLES: usize = 2 * MAX_VERTICES;

/// Largest allowed coordinate [m].
pub const MAX_COORDINATE: f64 = 1e4;

/// Ratio of height to longest edge below which a triangle counts as having no area.
const LEAST_HEIGHT: f64 = 1e-10;

/// An edge of a triangle: its vertices in ascending order, the triangle, and whether the triangle lists them in that order.
pub(crate) type EdgeUse = ([u32; 2], u32, bool);

impl TriangleMesh {
    /// Fails unless the mesh is closed with all triangles facing outwards.
    ///
    /// Self-intersection is not checked.
    ///
    /// # Errors
    /// The first [`MeshFault`] found; [`MeshFault::NoVolume`] if all triangles face inwards.
    pub fn check_closed(&self) -> Result<(), MeshFault> {
        self.check_shape()?;
        self.check_edges()?;
        let volume = self.volume();
        if volume > 0.0 {
            return Ok(());
        }
        Err(MeshFault::NoVolume { volume })
    }

    /// The mesh with all triangles facing outwards, flipped if all of them faced inwards.
    ///
    /// # Errors
    /// As [`check_closed`](Self::check_closed).
    pub fn into_closed(mut self) -> Result<Self, MeshFault> {
        self.check_shape()?;
        self.check_edges()?;
        let volume = self.volume();
        if volume == 0.0 {
            return Err(MeshFault::NoVolume { volume });
        }
        if volume < 0.0 {
            self.flip();
        }
        Ok(self)
    }

    /// Fails unless the mesh has triangles, each with a nonzero area and with existing vertices.
    ///
    /// # Errors
    /// The first [`MeshFault`] found.
    pub fn check_shape(&self) -> Result<(), MeshFault> {
        let n_vertices = self.positions.len();
        check_count("vertices", n_vertices, MAX_VERTICES)?;
        check_count("triangles", self.triangles.len(), MAX_TRIANGLES)?;
        if self.triangles.is_empty() {
            return Err(MeshFault::Empty);
        }
        for (vertex, &position) in self.positions.iter().enumerate() {
            if !position.iter().all(|x| x.abs() <= MAX_COORDINATE) {
                return Err(MeshFault::Coordinate {
                    vertex,
                    position,
                    most: MAX_COORDINATE,
                });
            }
        }
        for (triangle, &vertices) in self.triangles.iter().enumerate() {
            if let Some(&vertex) = vertices.iter().find(|&&v| v as usize >= n_vertices) {
                return Err(MeshFault::IndexOutOfRange {
                    triangle,
                    vertex,
                    n_vertices,
                });
            }
            let [a, b, c] = self.corners(triangle);
            let longest = (b - a).norm_squared().max((c - b).norm_squared());
            let longest = longest.max((a - c).norm_squared());
            // The length of the area vector is the height times the longest edge.
            if self.area_vector(triangle).norm() <= LEAST_HEIGHT * longest {
                return Err(MeshFault::Degenerate { triangle, vertices });
            }
        }
        Ok(())
    }

    /// Fails unless each edge belongs to two triangles that list its vertices in opposite order.
    fn check_edges(&self) -> Result<(), MeshFault> {
        let edges = self.edges();
        let first = Self::edge_faults(&edges).next();
        first.map_or(Ok(()), |(fault, _)| Err(fault))
    }

    /// Faults of the sorted edges, each with a triangle of the edge.
    pub(crate) fn edge_faults(edges: &[EdgeUse]) -> impl Iterator<Item = (MeshFault, u32)> {
        let edges = edges.chunk_by(|a, b| a.0 == b.0);
        edges.filter_map(|uses| Some((edge_fault(uses)?, uses[0].1)))
    }

    /// All edges of all triangles, sorted.
    pub(crate) fn edges(&self) -> Vec<EdgeUse> {
        let mut edges = Vec::with_capacity(3 * self.triangles.len());
        for (index, &[a, b, c]) in self.triangles.iter().enumerate() {
            for [from, to] in [[a, b], [b, c], [c, a]] {
                edges.push(([from.min(to), from.max(to)], index as u32, from < to));
            }
        }
        edges.sort_unstable();
        edges
    }
}

/// Fault of an edge; `uses` are all its entries.
fn edge_fault(uses: &[EdgeUse]) -> Option<MeshFault> {
    let edge = uses[0].0;
    match uses {
        [_] => Some(MeshFault::BoundaryEdge { edge }),
        [(_, a, up), (_, b, down)] if up == down => {
            let triangles = [*a as usize, *b as usize];
            Some(MeshFault::InconsistentOrientation { edge, triangles })
        }
        [_, _] => None,
        _ => {
            let n_triangles = uses.len();
            Some(MeshFault::NonManifoldEdge { edge, n_triangles })
        }
    }
}

/// Fails if `count` of `what` exceeds `most`.
///
/// # Errors
/// [`MeshFault::TooLarge`].
pub fn check_count(what: &'static str, count: usize, most: usize) -> Result<(), MeshFault> {
    if count <= most {
        return Ok(());
    }
    Err(MeshFault::TooLarge { what, count, most })
}
