//! The body in each world.

use crate::TissueError;
use crate::error::check_range;
use crate::mesh::TetMesh;

/// A body of tetrahedra held by springs.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuXpbdBody {
    /// Its tetrahedra at rest [m].
    pub mesh: TetMesh,
    /// Density [kg/m³].
    pub density: f64,
    /// Compliance of an edge [m/N].
    pub distance_compliance: f64,
    /// Compliance of a tetrahedron's volume [m³/Pa].
    pub volume_compliance: f64,
    /// Velocity [m/s].
    pub velocity: [f64; 3],
    /// Vertices that never move.
    pub fixed: Vec<u32>,
}

impl GpuXpbdBody {
    /// Fails for bodies that cannot be.
    ///
    /// # Errors
    /// [`TissueError::Setting`].
    pub fn check(&self) -> Result<(), TissueError> {
        check_range("body.density", self.density, 1.0, 2e4)?;
        check_range(
            "body.distance_compliance",
            self.distance_compliance,
            0.0,
            1e6,
        )?;
        check_range("body.volume_compliance", self.volume_compliance, 0.0, 1e6)?;
        for v in self.velocity {
            check_range("body.velocity", v, -1e3, 1e3)?;
        }
        let (n, n_tets) = (self.mesh.positions.len(), self.mesh.tets.len());
        check_range("body.mesh.tets.len", n_tets as f64, 1.0, 1e8)?;
        for (i, position) in self.mesh.positions.iter().enumerate() {
            for x in position {
                check_range(&format!("body.mesh.positions[{i}]"), *x, -1e4, 1e4)?;
            }
        }
        let below = format!("vertices below {n}");
        let mut is_used = vec![false; n];
        for (i, tet) in self.mesh.tets.iter().enumerate() {
            for vertex in tet {
                let Some(used) = is_used.get_mut(*vertex as usize) else {
                    let field = format!("body.mesh.tets[{i}]");
                    return Err(TissueError::setting(field, tet, below));
                };
                *used = true;
            }
        }
        if let Some(vertex) = is_used.iter().position(|used| !used) {
            return Err(TissueError::setting(
                format!("body.mesh.positions[{vertex}]"),
                "part of no tetrahedron",
                "part of one: it would have no mass",
            ));
        }
        match self.fixed.iter().find(|vertex| **vertex as usize >= n) {
            None => Ok(()),
            Some(vertex) => Err(TissueError::setting("body.fixed", vertex, below)),
        }
    }
}
