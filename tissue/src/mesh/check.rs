//! Is a mesh the surface of a solid?

use super::{MeshFault, TriangleMesh};

/// Most vertices, and half of the most triangles, that a mesh may have.
pub const MAX_VERTICES: usize = 2_000_000;

/// Greatest coordinate [m].
pub const MAX_COORDINATE: f64 = 1e4;

/// A triangle whose height is below this part of its longest edge has no area.
const LEAST_HEIGHT: f64 = 1e-10;

impl TriangleMesh {
    /// Fails unless it is closed, with all triangles facing out.
    ///
    /// Whether it cuts through itself is not checked.
    ///
    /// # Errors
    /// The first [`MeshFault`] found; [`MeshFault::Flat`] if all triangles face inwards.
    pub fn check_closed(&self) -> Result<(), MeshFault> {
        self.check_shape()?;
        self.check_edges()?;
        let volume = self.volume();
        if volume > 0.0 {
            return Ok(());
        }
        Err(MeshFault::Flat { volume })
    }

    /// The mesh with all triangles facing out, turned over if all of them faced in.
    ///
    /// # Errors
    /// As [`check_closed`](Self::check_closed).
    pub fn into_closed(mut self) -> Result<Self, MeshFault> {
        self.check_shape()?;
        self.check_edges()?;
        let volume = self.volume();
        if volume == 0.0 {
            return Err(MeshFault::Flat { volume });
        }
        if volume < 0.0 {
            self.flip();
        }
        Ok(self)
    }

    /// Fails unless there are triangles, with an area each, of vertices that are there.
    ///
    /// # Errors
    /// The first [`MeshFault`] found.
    pub fn check_shape(&self) -> Result<(), MeshFault> {
        let n_vertices = self.positions.len();
        check_count("vertices", n_vertices, MAX_VERTICES)?;
        check_count("triangles", self.triangles.len(), 2 * MAX_VERTICES)?;
        if self.triangles.is_empty() {
            return Err(MeshFault::Empty);
        }
        for (vertex, &position) in self.positions.iter().enumerate() {
            if !position.iter().all(|x| x.abs() <= MAX_COORDINATE) {
                return Err(MeshFault::Position {
                    vertex,
                    position,
                    most: MAX_COORDINATE,
                });
            }
        }
        for (triangle, &vertices) in self.triangles.iter().enumerate() {
            if let Some(&vertex) = vertices.iter().find(|&&v| v as usize >= n_vertices) {
                return Err(MeshFault::NoVertex {
                    triangle,
                    vertex,
                    n_vertices,
                });
            }
            let [a, b, c] = self.corners(triangle);
            let longest = (b - a).norm_squared().max((c - b).norm_squared());
            let longest = longest.max((a - c).norm_squared());
            // The area vector's length is the height times the longest edge.
            if self.area_vector(triangle).norm() <= LEAST_HEIGHT * longest {
                return Err(MeshFault::Degenerate { triangle, vertices });
            }
        }
        Ok(())
    }

    /// Fails unless each edge has two triangles, which run along it in opposite directions.
    fn check_edges(&self) -> Result<(), MeshFault> {
        for uses in self.edges().chunk_by(|a, b| a.0 == b.0) {
            let edge = uses[0].0;
            match uses {
                [_] => return Err(MeshFault::Open { edge }),
                [(_, a, up), (_, b, down)] if up == down => {
                    let triangles = [*a as usize, *b as usize];
                    return Err(MeshFault::Twisted { edge, triangles });
                }
                [_, _] => {}
                _ => {
                    let n_triangles = uses.len();
                    return Err(MeshFault::Crowded { edge, n_triangles });
                }
            }
        }
        Ok(())
    }

    /// Each edge of each triangle, sorted: its vertices, the lesser first, the triangle, and whether that runs from the lesser to the greater.
    pub(crate) fn edges(&self) -> Vec<([u32; 2], u32, bool)> {
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

pub(super) fn check_count(what: &'static str, count: usize, most: usize) -> Result<(), MeshFault> {
    if count <= most {
        return Ok(());
    }
    Err(MeshFault::Huge { what, count, most })
}
