//! Bodies of tetrahedra.

use insonate_settings::check_range;

use super::elasticity::Elasticity;
use crate::mesh::TetMesh;
use crate::{Material, TissueError};

/// A body of tetrahedra.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct XpbdBody {
    /// Tetrahedra at rest [m].
    pub mesh: TetMesh,
    /// Material of all tetrahedra if `tet_materials` is empty. Viscosity and tearing of materials are not
    /// used.
    pub material: Material,
    /// Material of each tetrahedron; empty: all have `material`.
    pub tet_materials: Vec<Material>,
    /// Elastic constraints.
    pub elasticity: Elasticity,
    /// Kelvin–Voigt damping time, the ratio of viscous stress per strain rate to elastic stress per strain [s]: β =
    /// damping time / α for springs, and a viscosity of μ times the damping time for materials.
    pub damping_time: f64,
    /// Initial velocity [m/s].
    pub velocity: [f64; 3],
    /// Fixed vertices.
    pub fixed: Vec<u32>,
    /// Tetrahedra whose greatest principal strain (stretch − 1) exceeds this value are removed; `None` if the body does
    /// not tear.
    pub tear_strain: Option<f64>,
}

impl XpbdBody {
    /// Fails for an invalid body. The error names its index.
    pub(super) fn check(&self, index: usize) -> Result<(), TissueError> {
        let name = |field: &str| format!("bodies[{index}].{field}");
        self.material.check()?;
        let (n_materials, n_tets) = (self.tet_materials.len(), self.mesh.tets.len());
        if n_materials != 0 && n_materials != n_tets {
            let allowed = format!("0 or {n_tets}, one for each tetrahedron");
            let field = name("tet_materials.len");
            return Err(TissueError::setting(field, n_materials, allowed));
        }
        self.tet_materials.iter().try_for_each(Material::check)?;
        check_range(&name("damping_time"), self.damping_time, [0.0, 1e3], "s")?;
        if let Elasticity::Springs {
            distance_compliance,
            volume_compliance,
        } = self.elasticity
        {
            let field = name("elasticity.distance_compliance");
            check_range(&field, distance_compliance, [0.0, 1e6], "m/N")?;
            let field = name("elasticity.volume_compliance");
            check_range(&field, volume_compliance, [0.0, 1e6], "m³/Pa")?;
        }
        for v in self.velocity {
            check_range(&name("velocity"), v, [-1e3, 1e3], "m/s")?;
        }
        if let Some(strain) = self.tear_strain {
            check_range(&name("tear_strain"), strain, [1e-3, 1e3], "")?;
        }
        let n = self.mesh.positions.len();
        for (i, position) in self.mesh.positions.iter().enumerate() {
            for x in position {
                check_range(&name(&format!("mesh.positions[{i}]")), *x, [-1e4, 1e4], "m")?;
            }
        }
        check_range(
            &name("mesh.tets.len"),
            self.mesh.tets.len() as f64,
            [1.0, 1e8],
            "tetrahedra",
        )?;
        let mut is_used = vec![false; n];
        for (i, tet) in self.mesh.tets.iter().enumerate() {
            for vertex in tet {
                let Some(used) = is_used.get_mut(*vertex as usize) else {
                    let field = name(&format!("mesh.tets[{i}]"));
                    return Err(TissueError::setting(
                        field,
                        tet,
                        format!("vertices below {n}"),
                    ));
                };
                *used = true;
            }
        }
        if let Some(vertex) = is_used.iter().position(|used| !used) {
            return Err(TissueError::setting(
                name(&format!("mesh.positions[{vertex}]")),
                "part of no tetrahedron",
                "part of one: it would have no mass",
            ));
        }
        match self.fixed.iter().find(|vertex| **vertex as usize >= n) {
            None => Ok(()),
            Some(vertex) => Err(TissueError::setting(
                name("fixed"),
                vertex,
                format!("below {n}"),
            )),
        }
    }
}
