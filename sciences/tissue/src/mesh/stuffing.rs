//! Tetrahedral meshes of solids: isosurface stuffing (Labelle & Shewchuk 2007, doi:10.1145/1276377.1276448).
//!
//! A body-centred cubic lattice covers the solid, and the cut points of its edges with the surface are found. Vertices
//! close to a cut point are warped onto it, and stencils replace the tetrahedra that are still cut. For any solid, all
//! dihedral angles are between 10.78° and 164.74°, the bounds of the paper.

mod cut;
mod lattice;

use insonate_settings::check_range;
use nalgebra::Vector3;
use rayon::prelude::*;

use self::cut::Cutter;
use self::lattice::Lattice;
use super::TetMesh;
use crate::TissueError;
use insonate_meshes::{MeshFault, SurfaceTree, TriangleMesh};

/// A cut point violates a vertex of a long edge if it is nearer than this part of the edge length.
///
/// The pair of values maximises the least angles of the stencils: both {+, 0, 0, 0} and {+, +, −, 0} have 10.78° then.
const ALPHA_LONG: f64 = 0.2851;
/// The same limit for a short edge.
const ALPHA_SHORT: f64 = 0.3988;

impl TetMesh {
    /// Fills a solid with tetrahedra with edges of about a length [m]. The solid is where a signed distance [m] is
    /// negative, within bounds [m].
    ///
    /// Details smaller than the edge may be lost, and sharp edges are cut off. If gaps or walls are thinner than the
    /// edge, the boundary may touch itself along an edge ([`MeshFault::NonManifoldEdge`]).
    ///
    /// # Errors
    /// [`TissueError::Mesh`] if the solid is empty or the edge is too short; [`TissueError::Setting`] for
    /// invalid bounds or edge.
    pub fn fill(
        distance: impl Fn(&Vector3<f64>) -> f64 + Sync,
        [low, high]: [[f64; 3]; 2],
        edge: f64,
    ) -> Result<Self, TissueError> {
        check_range("edge", edge, [1e-6, 1e3], "m")?;
        for axis in 0..3 {
            check_range("bounds", high[axis] - low[axis], [0.0, 1e4], "m")?;
        }
        let lattice = Lattice::over(low, high, edge)?;
        let mut points: Vec<Vector3<f64>> =
            (0..lattice.n_vertices()).map(|v| lattice.at(v)).collect();
        // Positive inside.
        let mut depths: Vec<f64> = points.par_iter().map(|point| -distance(point)).collect();
        if let Some(vertex) = depths.iter().position(|depth| !depth.is_finite()) {
            let position = points[vertex].as_slice();
            return Err(TissueError::setting(
                "distance",
                position,
                "finite everywhere",
            ));
        }
        let mut cutter = Cutter::new(&lattice, &points, &depths, |point| -distance(point));
        warp(&lattice, &mut points, &mut depths, &cutter);
        let mut tets = Vec::new();
        lattice.for_each_tet(|tet| cutter.add_stencil(tet, &points, &depths, &mut tets));
        let mesh = cutter.into_mesh(&points, &tets);
        if mesh.tets.is_empty() {
            return Err(MeshFault::Empty.into());
        }
        Ok(mesh)
    }

    /// Fills a closed surface with tetrahedra with edges of about a length [m].
    ///
    /// # Errors
    /// As [`fill`](Self::fill), and if the surface is not closed.
    pub fn from_surface(surface: &TriangleMesh, edge: f64) -> Result<Self, TissueError> {
        let nearest = SurfaceTree::new(surface)?;
        Self::fill(
            |point| nearest.signed_distance(point),
            surface.bounds(),
            edge,
        )
    }
}

/// Warps violated vertices one after the other onto their relatively nearest cut points. This discards the cut points
/// of their other edges.
fn warp(lattice: &Lattice, points: &mut [Vector3<f64>], depths: &mut [f64], cutter: &Cutter) {
    for vertex in 0..points.len() {
        let mut nearest = (1.0, None);
        lattice.for_each_neighbour(vertex, |other, is_long| {
            if depths[vertex] * depths[other] >= 0.0 {
                return;
            }
            let Some(cut) = cutter.cut(vertex, other) else {
                return;
            };
            let alpha = if is_long { ALPHA_LONG } else { ALPHA_SHORT };
            let part = (cut - points[vertex]).norm() / (alpha * lattice.length(is_long));
            if part < nearest.0 {
                nearest = (part, Some(cut));
            }
        });
        if let Some(cut) = nearest.1 {
            points[vertex] = cut;
            depths[vertex] = 0.0;
        }
    }
}
