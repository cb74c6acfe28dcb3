//! One world of tetrahedra.

use std::sync::Arc;

use nalgebra::Vector3;

use super::attachment::Attachment;
use super::block::Block;
use super::body::XpbdBody;
use super::config::XpbdConfig;
use super::groups::Model;
use super::layout::{Layout, OneWorld};
use super::topology::Topology;
use crate::error::check_range;
use crate::holds::Holds;
use crate::tool::{Tool, Wrench};
use crate::{SoftTissue, TissueError};
use insonate_meshes::TriangleMesh;

/// A world of XPBD, on one thread: sixteen constraints at once.
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
        let model = Arc::new(Model::new(config, topology));
        Ok(Self {
            block: Block::new(model, 1),
        })
    }

    /// See [`SoftTissue::tools_mut`].
    pub fn tools_mut(&mut self) -> &mut Vec<Tool> {
        &mut self.block.worlds[0].tools
    }

    /// See [`SoftTissue::wrench`].
    pub fn wrench(&self, tool: usize) -> Wrench {
        let wrenches = &self.block.worlds[0].wrenches;
        wrenches.get(tool).copied().unwrap_or_default()
    }

    /// Velocities in world [m/s], shape `[n_vertices, 3]`.
    pub fn velocities(&self) -> Vec<[f64; 3]> {
        self.block.velocities(0)
    }

    /// Masses of the vertices [kg], fixed ones too.
    pub fn masses(&self) -> &[f64] {
        let topology = &self.block.model.topology;
        &topology.masses[..topology.n_vertices]
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

    /// Impulse of the last step on vertices that have lost all their elements by tearing, as they are stopped and kept where they are [N·s].
    pub fn stopped_impulse(&self) -> Vector3<f64> {
        self.block.worlds[0].stopped
    }

    /// Number of tetrahedra that are not torn.
    pub fn n_tets(&self) -> usize {
        let all = 0..self.block.model.topology.tets.len();
        all.filter(|tet| self.block.is_alive(*tet, 0)).count()
    }

    /// Tetrahedra that are not torn, by vertices.
    pub fn tets(&self) -> Vec<[u32; 4]> {
        let tets = self.block.model.topology.tets.iter().enumerate();
        tets.filter(|(number, _)| self.block.is_alive(*number, 0))
            .map(|(_, tet)| tet.vertices)
            .collect()
    }

    /// Surface of what is not torn, with all vertices; closed, as each triangle is a side of one tetrahedron.
    pub fn surface(&self) -> TriangleMesh {
        surface(&self.block, 0)
    }

    /// Moves the point of an attachment that has one, given by its place among those that have [m].
    ///
    /// # Errors
    /// [`TissueError::Setting`]: there is no such point, or it is not finite.
    pub fn move_anchor(&mut self, anchor: usize, to: [f64; 3]) -> Result<(), TissueError> {
        move_anchor(&mut self.block, 0, anchor, to)
    }

    /// See [`SoftTissue::step`].
    ///
    /// # Errors
    /// As there.
    pub fn step(&mut self, time: f64) -> Result<(), TissueError> {
        check_range("time", time, 0.0, 1e3)?;
        match self.block.step(time).swap_remove(0) {
            None => Ok(()),
            Some(error) => Err(error),
        }
    }
}

pub(super) fn surface<Y: Layout>(block: &Block<Y>, world: usize) -> TriangleMesh {
    let faces = block
        .model
        .topology
        .surface(|tet| block.is_alive(tet, world));
    TriangleMesh {
        positions: block.positions(world),
        triangles: faces.iter().map(|face| face.vertices).collect(),
    }
}

pub(super) fn move_anchor<Y: Layout>(
    block: &mut Block<Y>,
    world: usize,
    anchor: usize,
    to: [f64; 3],
) -> Result<(), TissueError> {
    let topology = &block.model.topology;
    let n_anchors = topology.rest.len() - topology.n_vertices;
    if anchor >= n_anchors {
        let allowed = format!("below {n_anchors}");
        return Err(TissueError::setting("anchor", anchor, allowed));
    }
    for x in to {
        check_range("anchor.to", x, -1e4, 1e4)?;
    }
    let there = Vector3::from(to) - topology.origin;
    let (row, lane) = Y::place(topology.n_vertices + anchor, world);
    for axis in 0..3 {
        block.positions[row].0[axis][lane] = there[axis] as f32;
    }
    Ok(())
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

    fn positions(&self) -> Vec<[f64; 3]> {
        self.block.positions(0)
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

impl Holds for Xpbd {
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
        self.block.worlds[0].let_go(|held| held.tool as usize == tool && !held.sticks);
    }
}
