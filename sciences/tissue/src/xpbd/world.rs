//! One world of tetrahedra.

use std::sync::Arc;

use insonate_meshes::TriangleMesh;
use insonate_settings::check_range;
use nalgebra::Vector3;

use super::attachment::Attachment;
use super::block::Block;
use super::body::XpbdBody;
use super::config::XpbdConfig;
use super::lane_layout::OneWorld;
use super::model::Model;
use super::stress;
use super::topology::Topology;
use crate::graspable::Graspable;
use crate::threads::Threads;
use crate::tool::{ContactPoint, Tool, Wrench};
use crate::{SoftTissue, TissueError, TissueStress};

/// A world of XPBD. It solves sixteen constraints at once; Jacobi sweeps over some thousand tetrahedra use several
/// threads.
#[derive(Debug, Clone)]
pub struct Xpbd {
    block: Block<OneWorld>,
}

impl Xpbd {
    /// A world of bodies at rest shape.
    ///
    /// # Errors
    /// [`TissueError::Setting`].
    pub fn new(
        config: XpbdConfig,
        bodies: &[XpbdBody],
        attachments: &[Attachment],
    ) -> Result<Self, TissueError> {
        config.check()?;
        let topology = Topology::new(bodies, attachments)?;
        if topology.tears {
            config.check_whole()?;
        }
        let model = Arc::new(Model::new(config, Arc::new(topology)));
        let threads = Threads::new(model.config.n_threads)?;
        Ok(Self {
            block: Block::new(model, 1, threads),
        })
    }

    /// See [`SoftTissue::tools_mut`].
    pub fn tools_mut(&mut self) -> &mut Vec<Tool> {
        &mut self.block.worlds[0].tools
    }

    /// See [`SoftTissue::wrench`].
    pub fn wrench(&self, tool: usize) -> Wrench {
        self.block.worlds[0].wrench(tool)
    }

    /// Velocities in world [m/s], shape `[n_vertices, 3]`.
    pub fn velocities(&self) -> Vec<[f64; 3]> {
        self.block.velocities(0)
    }

    /// Masses of the vertices [kg], including fixed ones.
    pub fn masses(&self) -> &[f64] {
        let topology = &self.block.model.topology;
        &topology.masses[..topology.n_vertices]
    }

    /// Inverse masses of the vertices [1/kg]; 0 for fixed ones.
    pub fn inverse_masses(&self) -> &[f64] {
        let topology = &self.block.model.topology;
        &topology.inv_masses[..topology.n_vertices]
    }

    /// Position of a vertex in world [m].
    ///
    /// # Panics
    /// If the vertex does not exist.
    pub fn position(&self, vertex: usize) -> Vector3<f64> {
        self.block.position(vertex, 0)
    }

    /// Adds an impulse [N·s] to a vertex after a substep of a length [s], as a constraint in that substep would have done: the position
    /// changes with the velocity. A fixed vertex takes it without moving.
    ///
    /// It couples bodies of other kinds to this world: step one substep, then balance their forces by such impulses.
    ///
    /// # Panics
    /// If the vertex does not exist.
    pub fn push(&mut self, vertex: usize, impulse: Vector3<f64>, substep: f64) {
        let inverse_mass = self.block.model.topology.inv_masses[vertex];
        self.block
            .add_velocity(0, vertex, impulse * inverse_mass, substep);
    }

    /// Longest substep that the settings allow [s].
    pub fn longest_substep(&self) -> f64 {
        self.block.model.longest_substep()
    }

    /// Momentum of all vertices [kg·m/s].
    pub fn momentum(&self) -> Vector3<f64> {
        let velocities = self.velocities();
        let sum = |sum, (mass, v): (&f64, &[f64; 3])| sum + Vector3::from(*v) * *mass;
        self.masses()
            .iter()
            .zip(&velocities)
            .fold(Vector3::zeros(), sum)
    }

    /// Impulse of the last step that stops vertices whose elements are all torn [N·s].
    pub fn stopped_impulse(&self) -> Vector3<f64> {
        self.block.worlds[0].stopped
    }

    /// Number of tetrahedra that are not torn.
    pub fn n_tets(&self) -> usize {
        let all = 0..self.block.model.topology.tets.len();
        all.filter(|tet| self.block.has_tet(*tet, 0)).count()
    }

    /// Vertices of the tetrahedra that are not torn.
    pub fn tets(&self) -> Vec<[u32; 4]> {
        let tets = self.block.model.topology.tets.iter().enumerate();
        tets.filter(|(number, _)| self.block.has_tet(*number, 0))
            .map(|(_, tet)| tet.vertices)
            .collect()
    }

    /// Closed surface of the intact tetrahedra, with all vertices.
    pub fn surface(&self) -> TriangleMesh {
        self.block.surface(0)
    }

    /// Moves an anchor point to which a vertex is attached [m]. Anchors are counted in the order of their
    /// attachments.
    ///
    /// # Errors
    /// [`TissueError::Setting`] if the anchor does not exist or the position is out of
    /// range.
    pub fn move_anchor(&mut self, anchor: usize, to: [f64; 3]) -> Result<(), TissueError> {
        self.block.move_anchor(0, anchor, to)
    }

    /// See [`SoftTissue::step`].
    ///
    /// # Errors
    /// As [`SoftTissue::step`].
    pub fn step(&mut self, time: f64) -> Result<(), TissueError> {
        check_range("time", time, [0.0, 1e3], "s")?;
        match self.block.step(time, |_| true).swap_remove(0) {
            None => Ok(()),
            Some(error) => Err(error),
        }
    }
}

impl SoftTissue for Xpbd {
    fn tools_mut(&mut self) -> &mut Vec<Tool> {
        Xpbd::tools_mut(self)
    }

    fn step(&mut self, time: f64) -> Result<(), TissueError> {
        Xpbd::step(self, time)
    }

    fn wrench(&self, tool: usize) -> Wrench {
        Xpbd::wrench(self, tool)
    }

    fn contact_points(&self, tool: usize) -> Option<&[ContactPoint]> {
        self.block.worlds[0].contact_points.of_tool(tool)
    }

    fn positions(&self) -> Vec<[f64; 3]> {
        self.block.positions(0)
    }

    fn velocities(&self) -> Vec<[f64; 3]> {
        Xpbd::velocities(self)
    }

    fn stress(&self) -> Option<TissueStress> {
        let is_intact = |tet| self.block.has_tet(tet, 0);
        stress::of(
            &self.block.model.topology,
            self.block.positions(0),
            1.0,
            is_intact,
        )
    }

    fn time(&self) -> f64 {
        self.block.worlds[0].time
    }

    fn reset(&mut self) {
        self.block.reset(0);
    }

    fn save(&self) -> Vec<u8> {
        self.block.save(0)
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), TissueError> {
        self.block.restore(0, state)
    }
}

impl Graspable for Xpbd {
    fn tools_mut(&mut self) -> &mut Vec<Tool> {
        self.tools_mut()
    }

    fn wrench(&self, tool: usize) -> Wrench {
        self.wrench(tool)
    }

    fn grasp(&mut self, tool: usize, at: Vector3<f64>, radius: f64, most: usize) -> usize {
        self.block.grasp(0, tool, at, radius, most)
    }

    fn release(&mut self, tool: usize) {
        self.block.worlds[0].release_grasp(tool);
    }
}
