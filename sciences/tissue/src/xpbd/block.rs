//! The state of one world, or of sixteen worlds side by side.

use std::sync::Arc;

use insonate_meshes::TriangleMesh;
use nalgebra::Vector3;

use super::alive::IntactMask;
use super::held::{HeldVertex, nearest};
use super::lane_layout::{LaneLayout, LaneSet};
use super::model::Model;
use super::points::RowOfPoints as _;
use super::slab_state::SlabState;
use super::state::WorldState;
use super::window::{N_KEPT, Windows};
use crate::TissueError;
use crate::threads::Threads;

/// One world, or sixteen worlds.
#[derive(Debug, Clone)]
pub(super) struct Block<Y: LaneLayout> {
    pub(super) model: Arc<Model<Y>>,
    pub(super) windows: Windows<Y>,
    /// x, relative to the origin [m].
    pub(super) positions: Vec<Y::Points>,
    /// v [m/s].
    pub(super) velocities: Vec<Y::Points>,
    /// x̃ [m].
    pub(super) predicted: Vec<Y::Points>,
    /// Sums of corrections [m]; empty for Gauss–Seidel sweeps.
    pub(super) sums: Vec<Y::Points>,
    pub(super) parts: Vec<SlabState<Y>>,
    /// Threads that solve the parts.
    pub(super) threads: Threads,
    pub(super) alive: IntactMask,
    /// Positions and velocities at the start of the step.
    pub(super) start: [Vec<Y::Points>; 2],
    /// Buffer for search results.
    pub(super) found: Vec<LaneSet>,
    pub(super) worlds: Vec<WorldState>,
}

impl<Y: LaneLayout> Block<Y> {
    pub(super) fn new(model: Arc<Model<Y>>, n_worlds: usize, threads: Threads) -> Self {
        let rows = vec![Y::Points::ZERO; model.n_rows];
        let has_sums = model.has_sums();
        let mut block = Self {
            positions: rows.clone(),
            velocities: rows.clone(),
            predicted: rows.clone(),
            sums: if has_sums { rows.clone() } else { Vec::new() },
            parts: SlabState::all(&model),
            threads,
            alive: IntactMask::new(&model),
            start: [rows.clone(), rows],
            found: Vec::new(),
            worlds: vec![WorldState::default(); n_worlds],
            windows: Windows::new(&model),
            model,
        };
        for world in 0..16 / Y::WIDTH {
            block.reset(world);
        }
        block
    }

    /// Resets a world to the rest shape. Tools stay.
    pub(super) fn reset(&mut self, world: usize) {
        self.windows.is_set = false;
        let topology = &self.model.topology;
        for (i, (rest, velocity)) in topology.rest.iter().zip(&topology.velocities).enumerate() {
            let (row, lane) = Y::row_and_lane(i, world);
            self.positions[row].set(lane, rest.map(|x| x as f32).into());
            self.velocities[row].set(lane, velocity.map(|v| v as f32).into());
        }
        self.alive.reset::<Y>(world);
        if let Some(world) = self.worlds.get_mut(world) {
            world.reset();
        }
    }

    /// Moves only the points within reach of the tools.
    pub(super) fn choose_window(&mut self) {
        if self.windows.cubes.is_empty() {
            return;
        }
        let topology = &self.model.topology;
        let tools = self.worlds.iter().flat_map(|world| &world.tools);
        let near = self.windows.near(&topology.origin, tools);
        let windows = &mut self.windows;
        let known = windows.kept.iter().position(|(cubes, _)| *cubes == near);
        if known == Some(0) && windows.is_set {
            return;
        }
        let window = known.and_then(|index| windows.kept.remove(index));
        let window = window.unwrap_or_else(|| {
            // Anchor points of attachments keep the positions that the caller set.
            let n_vertices = topology.n_vertices;
            let is_free =
                |point: usize| point >= n_vertices || near[windows.cube_of[point] as usize];
            let (config, topology) = (self.model.config.clone(), topology.clone());
            let model = Model::within(config, topology, is_free);
            (near.clone(), Arc::new(model))
        });
        // Points outside the window do not move.
        for row in 0..self.positions.len() {
            if window.1.rows.binary_search(&(row as u32)).is_err() {
                self.velocities[row] = Y::Points::ZERO;
                self.predicted[row] = self.positions[row];
            }
        }
        self.model = window.1.clone();
        self.parts = SlabState::all(&self.model);
        self.windows.kept.push_front(window);
        self.windows.kept.truncate(N_KEPT);
        self.windows.is_set = true;
    }
    /// Removes an element, and its constraints and vertices that belong to no other element.
    pub(super) fn remove(&mut self, tet: usize, world: usize) {
        for vertex in self.alive.remove(&self.model, tet, world) {
            let (row, lane) = Y::row_and_lane(vertex as usize, world);
            let position = self.positions[row].at(lane);
            self.worlds[world].detach(vertex, position);
        }
    }

    /// Position of a vertex in the world frame [m].
    pub(super) fn position(&self, vertex: usize, world: usize) -> Vector3<f64> {
        let (row, lane) = Y::row_and_lane(vertex, world);
        self.positions[row].get(lane) + self.model.topology.origin
    }

    /// Positions of all vertices in the world frame [m].
    pub(super) fn positions(&self, world: usize) -> Vec<[f64; 3]> {
        let all = 0..self.model.topology.n_vertices;
        all.map(|vertex| self.position(vertex, world).into())
            .collect()
    }

    /// Velocities of all vertices [m/s].
    pub(super) fn velocities(&self, world: usize) -> Vec<[f64; 3]> {
        let all = 0..self.model.topology.n_vertices;
        all.map(|vertex| {
            let (row, lane) = Y::row_and_lane(vertex, world);
            self.velocities[row].get(lane).into()
        })
        .collect()
    }

    /// Whether an element is not torn.
    pub(super) fn has_tet(&self, tet: usize, world: usize) -> bool {
        self.alive.has_tet::<Y>(tet, world)
    }

    /// Surface of the intact tetrahedra.
    pub(super) fn surface(&self, world: usize) -> TriangleMesh {
        let topology = &self.model.topology;
        let faces = topology.surface(|tet| self.has_tet(tet, world));
        TriangleMesh {
            positions: self.positions(world),
            triangles: faces.iter().map(|face| face.vertices).collect(),
        }
    }

    /// Lets a tool hold the vertices that are nearest to a point. Returns their number.
    pub(super) fn grasp(
        &mut self,
        world: usize,
        tool: usize,
        at: Vector3<f64>,
        radius: f64,
        most: usize,
    ) -> usize {
        let topology = &self.model.topology;
        let Some(holder) = self.worlds[world].tools.get(tool).cloned() else {
            return 0;
        };
        let free = (0..topology.n_vertices)
            .filter(|vertex| topology.inv_masses[*vertex] > 0.0)
            .filter(|vertex| !self.worlds[world].is_untouchable(*vertex as u32))
            .map(|vertex| (vertex as u32, self.position(vertex, world)));
        let near = nearest(free, at, radius, most);
        for vertex in &near {
            let arm = self.position(*vertex as usize, world) - holder.position;
            self.worlds[world].hold(HeldVertex {
                vertex: *vertex,
                tool: tool as u32,
                sticks: false,
                at: holder.rotation.inverse_transform_vector(&arm),
            });
        }
        near.len()
    }

    /// Changes the velocity of a vertex [m/s], and its position by this change over a time [s].
    pub(super) fn add_velocity(
        &mut self,
        world: usize,
        vertex: usize,
        change: Vector3<f64>,
        time: f64,
    ) {
        let (row, lane) = Y::row_and_lane(vertex, world);
        let velocity = self.velocities[row].get(lane) + change;
        let position = self.positions[row].get(lane) + change * time;
        self.velocities[row].set(lane, velocity.map(|v| v as f32).into());
        self.positions[row].set(lane, position.map(|x| x as f32).into());
    }

    /// Moves the anchor point of an attachment [m].
    pub(super) fn move_anchor(
        &mut self,
        world: usize,
        anchor: usize,
        to: [f64; 3],
    ) -> Result<(), TissueError> {
        let (point, there) = self.model.topology.anchor(anchor, to)?;
        let (row, lane) = Y::row_and_lane(point, world);
        self.positions[row].set(lane, there);
        Ok(())
    }
}
