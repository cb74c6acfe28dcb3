//! Settings of a world of particles.

use insonate_settings::check_range;

use super::tile::BLOCK;
use crate::tool::Tool;
use crate::{ElasticLaw, Material, TissueError};

/// Layers of nodes along each side of the domain in which wall conditions apply.
pub const WALL_NODES: usize = 3;

/// Courant limit of pressure waves: cells per substep.
const MAX_WAVE_COURANT: f64 = 0.4;

/// Boundary condition of a wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wall {
    /// No velocity at the wall.
    Sticky,
    /// No velocity normal to the wall.
    Slip,
    /// No velocity into the wall; tissue may separate.
    #[default]
    Separate,
}

/// Contact method of tools with finite friction. Tools with infinite friction hold nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Contact {
    /// Contact with particles. A tool as narrow as a cell feels the tissue, and contact begins at the surface.
    #[default]
    Particles,
    /// Contact with nodes, as in other engines. It is cheaper, but tissue slips around tools that are narrower than
    /// a few cells.
    Nodes,
}

/// Configuration in which the weights between particles and nodes are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Formulation {
    /// Current configuration (updated Lagrangian). Tissue may flow, meet other tissue and be grasped by moving tools.
    /// The weights change as it moves, so it creeps under a lasting load.
    #[default]
    UpdatedLagrangian,
    /// Rest configuration (total Lagrangian; de Vaucorbeil, Nguyen and Hutchinson 2020, doi:10.1016/j.cma.2019.112783).
    /// A body recovers from any deformation. Bodies that share nodes at rest stay connected, tools of infinite friction
    /// hold the tissue that they touched at rest, and walls act on the tissue that was near them at rest.
    TotalLagrangian,
}

/// Settings of [`MlsMpm`](super::MlsMpm).
#[derive(Debug, Clone, PartialEq)]
pub struct MpmConfig {
    /// Lower corner of the domain in the world frame [m].
    pub origin: [f64; 3],
    /// Width of a cell Δx [m].
    pub cell_width: f64,
    /// Number of cells along x, y, z, rounded up to multiples of four.
    pub cells: [usize; 3],
    /// Longest substep [s]; infinite: the stability limit.
    pub substep: f64,
    /// Gravity [m/s²].
    pub gravity: [f64; 3],
    /// Elastic law of all bodies.
    pub law: ElasticLaw,
    /// Configuration in which weights are computed.
    pub formulation: Formulation,
    /// Walls at the low and the high end of the x, y and z axes.
    pub walls: [[Wall; 2]; 3],
    /// Contact method of tools with finite friction.
    pub contact: Contact,
    /// Distance in cells below which a tool that pushes nodes acts on a node. Particles end half a cell before their
    /// nodes.
    pub contact_distance: f64,
    /// Reach [m]: particles farther than this from all tools except planes, measured at rest, do not move. Infinite:
    /// all particles move.
    pub active_radius: f64,
    /// Number of threads; 0: one per core. Results do not depend on it.
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
            active_radius: f64::INFINITY,
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
        check_range("cell_width", self.cell_width, [1e-5, 10.0], "m")?;
        check_range("substep", self.substep, [1e-9, f64::INFINITY], "s")?;
        check_range(
            "contact_distance",
            self.contact_distance,
            [-2.0, 2.0],
            "cells",
        )?;
        if self.active_radius != f64::INFINITY {
            check_range("reach", self.active_radius, [1e-6, 1e3], "m")?;
        }
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            check_range(
                &format!("origin.{name}"),
                self.origin[axis],
                [-1e4, 1e4],
                "m",
            )?;
            check_range(
                &format!("gravity.{name}"),
                self.gravity[axis],
                [-1e4, 1e4],
                "m/s²",
            )?;
            // Positions in cells are stored as f32: the resolution at 1024 cells is 1e-4 cells.
            check_range(
                &format!("cells.{name}"),
                self.cells[axis] as f64,
                [8.0, 1024.0],
                "",
            )?;
        }
        Ok(())
    }

    /// Longest stable substep for some materials [s]. Pressure waves cross at most 0.4 cells and shear diffuses by at
    /// most one cell. At 1 cell the scheme is unstable; the margin covers compressed tissue, which is stiffer.
    pub fn stable_substep<'a>(&self, materials: impl Iterator<Item = &'a Material>) -> f64 {
        let width = self.cell_width;
        let of = |material: &Material| {
            let elastic = MAX_WAVE_COURANT * width / material.wave_speed();
            let viscous = width * width * material.density / (8.0 * material.viscosity);
            elastic.min(viscous)
        };
        materials.map(of).fold(f64::INFINITY, f64::min)
    }

    /// Checks the tools of a world. Tools of infinite friction must not move in the total Lagrangian formulation, where nodes do not move.
    pub(crate) fn check_tools(&self, tools: &[Tool]) -> Result<(), TissueError> {
        tools.iter().try_for_each(Tool::check)?;
        if self.formulation == Formulation::UpdatedLagrangian {
            return Ok(());
        }
        let holders = tools.iter().filter(|tool| tool.friction.is_infinite());
        match holders
            .map(|tool| tool.speed(1.0))
            .find(|speed| *speed > 0.0)
        {
            None => Ok(()),
            Some(speed) => {
                let allowed =
                    "0 for a tool of infinite friction in the total Lagrangian formulation";
                Err(TissueError::setting("tool.linear", speed, allowed))
            }
        }
    }

    /// Number of blocks along each axis.
    pub(super) fn blocks(&self) -> [usize; 3] {
        self.cells.map(|cells| cells.div_ceil(BLOCK))
    }

    /// Lower and upper bounds of particle positions [m].
    pub fn bounds(&self) -> [[f64; 3]; 2] {
        let at = |cells: [f64; 3]| {
            std::array::from_fn(|axis| self.origin[axis] + cells[axis] * self.cell_width)
        };
        // A particle reaches three nodes, and the block next to its own must exist.
        let least = BLOCK as f64 / 4.0;
        let most = self.blocks().map(|blocks| (blocks * BLOCK) as f64 - 2.0);
        [at([least; 3]), at(most)]
    }
}
