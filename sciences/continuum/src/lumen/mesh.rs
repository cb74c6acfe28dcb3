//! A lumen inside a closed triangle mesh.

use std::path::Path;

use insonate_meshes::{ClosestPoint, SurfaceTree, TriangleMesh};
use nalgebra::Vector3;

use super::{Lumen, WallPoint};
use crate::ContinuumError;

/// Walls whose normals differ by less than 30° (this cosine) are treated as one.
const SAME_NORMAL: f64 = 0.866;

/// The free space inside a closed mesh.
#[derive(Debug, Clone)]
pub struct MeshLumen {
    mesh: TriangleMesh,
    tree: SurfaceTree,
}

impl MeshLumen {
    /// The interior of a mesh. Triangles that face inwards are reversed.
    ///
    /// # Errors
    /// [`ContinuumError::Mesh`] for a mesh that is open, crosses itself, or is no surface.
    pub fn new(mesh: TriangleMesh) -> Result<Self, ContinuumError> {
        let mesh = mesh.into_closed()?;
        let tree = SurfaceTree::new(&mesh)?;
        tree.check_crossing()?;
        Ok(Self { mesh, tree })
    }

    /// Reads an OBJ, STL or PLY file. Its lengths are in units of `unit` [m].
    ///
    /// # Errors
    /// [`ContinuumError::MeshFile`] naming the file for what cannot be read; [`ContinuumError::File`] as [`new`](Self::new).
    pub fn read(path: impl AsRef<Path>, unit: f64) -> Result<Self, ContinuumError> {
        let path = path.as_ref();
        if !(1e-9..=1e3).contains(&unit) {
            return Err(ContinuumError::setting(
                "unit",
                unit,
                "between 1e-9 and 1000 m",
            ));
        }
        let mut mesh = TriangleMesh::read(path)?;
        mesh.transform(&nalgebra::Isometry3::identity(), unit);
        mesh.weld(0.0);
        Self::new(mesh).map_err(|error| ContinuumError::File {
            path: path.display().to_string(),
            problem: error.to_string(),
        })
    }

    /// Mesh of the wall. Triangles face outwards.
    pub fn mesh(&self) -> &TriangleMesh {
        &self.mesh
    }

    /// Signed distance from the wall [m], positive inside.
    ///
    /// # Panics
    /// If the point is not finite.
    pub fn clearance(&self, point: &Vector3<f64>) -> f64 {
        -self.tree.signed_distance(point)
    }

    /// Entry point from above: the centre of the cross-section at a depth [m] below the highest point. If the section
    /// has several pieces, the greatest one counts.
    ///
    /// # Errors
    /// [`ContinuumError::Setting`] where there is no cross-section.
    pub fn entry_from_above(&self, depth: f64) -> Result<Vector3<f64>, ContinuumError> {
        let z = self.mesh.bounds()[1][2] - depth;
        let sections = super::section::sections(&self.mesh, z);
        let greatest = sections.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
        greatest.map(|(middle, _)| middle).ok_or_else(|| {
            let allowed = "within the height of the mesh, in m";
            ContinuumError::setting("depth of the entry", depth, allowed)
        })
    }
}

impl Lumen for MeshLumen {
    fn walls_near(&self, point: &Vector3<f64>, within: f64, walls: &mut Vec<WallPoint>) {
        let mut found: Vec<ClosestPoint> = Vec::new();
        self.tree.local_minima_within(point, within, &mut found);
        found.sort_by(|a, b| a.distance.abs().total_cmp(&b.distance.abs()));
        let first = walls.len();
        for wall in found {
            let normal = -wall.normal;
            let is_new = walls[first..]
                .iter()
                .all(|other| other.normal.dot(&normal) < SAME_NORMAL);
            // Behind the wall only the nearest wall point gives the direction of the free space.
            let counts = wall.distance <= 0.0 || walls.len() == first;
            if is_new && counts {
                walls.push(WallPoint {
                    position: wall.position,
                    normal,
                    distance: -wall.distance,
                });
                if wall.distance > 0.0 {
                    return;
                }
            }
        }
    }
}
