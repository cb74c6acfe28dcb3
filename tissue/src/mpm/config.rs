//! Settings of a world of particles.

use super::tile::BLOCK;
use crate::error::check_range;
use crate::{ElasticLaw, Material, TissueError};

/// Layers of nodes along each side of the domain that belong to its walls.
pub const WALL_NODES: usize = 3;

/// Cells that a pressure wave may cross in a substep.
const MAX_WAVE_COURANT: f64 = 0.4;

/// Boundary condition of a wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wall {
    /// No velocity.
    Sticky,
    /// No normal velocity.
    Slip,
    /// No velocity into the wall.
    #[default]
    Separate,
}

/// On what tools of finite friction act. Those of infinite friction hold nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Contact {
    /// Particles: a tool as narrow as a cell feels the tissue, and contact begins where the surface is.
    #[default]
    Particles,
    /// Nodes, as other engines do: cheaper, but tissue slips around tools that are narrower than some cells.
    Nodes,
}

/// Where the weights between particles and nodes are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Formulation {
    /// Where particles are (updated Lagrangian): tissue may flow, meet other tissue and be held by tools that move. Weights change as it
    /// moves, so that it creeps under a load that lasts.
    #[default]
    UpdatedLagrangian,
    /// Where they were at rest (total Lagrangian; de Vaucorbeil, Nguyen and Hutchinson 2020, doi:10.1016/j.cma.2019.112783): a body comes
    /// back from any deformation. Bodies that share nodes at rest are one for good, tools of infinite friction hold what they touched at rest,
    /// and walls are met by what is at rest near them.
    TotalLagrangian,
}

/// Settings of [`MlsMpm`](super::MlsMpm).
#[derive(Debug, Clone, PartialEq)]
pub struct MpmConfig {
    /// First corner of the domain in world [m].
    pub origin: [f64; 3],
    /// Width of a cell Δx [m].
    pub cell_width: f64,
    /// Cells along x, y, z; made up to multiples of four.
    pub cells: [usize; 3],
    /// Longest substep [s]; infinite: as long as stability allows.
    pub substep: f64,
    /// Gravity [m/s²].
    pub gravity: [f64; 3],
    /// Elastic law of all tissue.
    pub law: ElasticLaw,
    /// Where weights are taken.
    pub formulation: Formulation,
    /// Walls at the low and the high end of x, y, z.
    pub walls: [[Wall; 2]; 3],
    /// On what tools of finite friction act.
    pub contact: Contact,
    /// A node this near to a tool that pushes nodes, in cells, is pushed. Particles end half a cell before their nodes do.
    pub contact_distance: f64,
    /// Farther than this from all tools but planes, counted at rest, particles stand still where they are [m]; infinite: all move.
    pub reach: f64,
    /// Threads; 0: one for each core. Results do not depend on it.
    pub n_threads: usize,
}

impl Default for MpmConfig {
    fn default() -> Self {
        Self {
            origin: [0.0; 3],
            cell_width: 1.0 / 64.0,
            cells: [64; 3],
            substep: f64::INFINITY,
            gravity: [0.0, 0.0, -9.81],
            law: ElasticLaw::NeoHookean,
            formulation: Formulation::default(),
            walls: [[Wall::default(); 2]; 3],
            contact: Contact::default(),
            contact_distance: 0.5,
            reach: f64::INFINITY,
            n_threads: 0,
        }
    }
}

impl MpmConfig {
    /// Checks the ranges of all settings.
    ///
    /// # Errors
    /// [`TissueError::Setting`].
    pub fn check(&self) -> Result<(), TissueError> {
        check_range("cell_width", self.cell_width, 1e-5, 10.0)?;
        check_range("substep", self.substep, 1e-9, f64::INFINITY)?;
        check_range("contact_distance", self.contact_distance, -2.0, 2.0)?;
        if self.reach != f64::INFINITY {
            check_range("reach", self.reach, 1e-6, 1e3)?;
        }
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            check_range(&format!("origin.{name}"), self.origin[axis], -1e4, 1e4)?;
            check_range(&format!("gravity.{name}"), self.gravity[axis], -1e4, 1e4)?;
            // Positions in cells are kept in f32: at 1024 cells to 1e-4 of one.
            check_range(
                &format!("cells.{name}"),
                self.cells[axis] as f64,
                8.0,
                1024.0,
            )?;
        }
        Ok(())
    }

    /// Longest substep at which materials are stable [s]: pressure waves cross 0.4 cells (at 1 the scheme is lost, and tissue under
    /// compression is stiffer than at rest), and shear does not diffuse beyond a cell.
    pub fn stable_substep<'a>(&self, materials: impl Iterator<Item = &'a Material>) -> f64 {
        let width = self.cell_width;
        let of = |material: &Material| {
            let elastic = MAX_WAVE_COURANT * width / material.wave_speed();
            let viscous = width * width * material.density / (8.0 * material.viscosity);
            elastic.min(viscous)
        };
        materials.map(of).fold(f64::INFINITY, f64::min)
    }

    /// Blocks along each axis.
    pub(super) fn blocks(&self) -> [usize; 3] {
        self.cells.map(|cells| cells.div_ceil(BLOCK))
    }

    /// Least and greatest position of particles [m].
    pub fn bounds(&self) -> [[f64; 3]; 2] {
        let at = |cells: [f64; 3]| {
            std::array::from_fn(|axis| self.origin[axis] + cells[axis] * self.cell_width)
        };
        // A particle reaches three nodes, and a block beyond its own must be there.
        let least = BLOCK as f64 / 4.0;
        let most = self.blocks().map(|blocks| (blocks * BLOCK) as f64 - 2.0);
        [at([least; 3]), at(most)]
    }
}
