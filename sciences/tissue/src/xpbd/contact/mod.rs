//! Contact of vertices and faces with tools.
//!
//! A point inside a tool is moved to its surface by $\Delta_n$, and against its motion along the surface by at most
//! $\mu_f \Delta_n$ (Coulomb friction; as in Macklin et al. 2014, doi:10.1145/2601097.2601152, § 6.1). The tissue
//! receives the momentum m Δx / Δt, and the tool the opposite. The wrench on a tool is the sum of these over a step
//! divided by its time, so action equals reaction.
//!
//! Points near a tool are found sixteen at once and handled one by one in f64.

mod broad_phase;
mod face;

use nalgebra::Vector3;

use super::alive::IntactMask;
use super::held::HeldVertex;
use super::lane_layout::{LaneLayout, LaneSet};
use super::model::Model;
use super::points::RowOfPoints as _;
use super::state::WorldState;
use crate::lanes;
use crate::tool::{PointImpulse, Tool};
use broad_phase::{Bounds, Extent, FindFaces, FindVertices};

/// Points of worlds during a substep.
pub(super) struct Contacts<'a, Y: LaneLayout> {
    pub(super) model: &'a Model<Y>,
    pub(super) positions: &'a mut [Y::Points],
    pub(super) predicted: &'a [Y::Points],
    pub(super) velocities: &'a [Y::Points],
    pub(super) alive: &'a IntactMask,
    /// Length of the substep [s].
    pub(super) dt: f64,
}

/// A tool of a world.
struct WorldTool<'a> {
    world: usize,
    /// The tool's index in its world.
    index: usize,
    tool: &'a Tool,
}

impl<Y: LaneLayout> Contacts<'_, Y> {
    /// Solves contact with the tools of each world one after another, and moves held vertices
    /// along.
    pub(super) fn solve(
        mut self,
        tools: &[Vec<Tool>],
        worlds: &mut [WorldState],
        found: &mut Vec<LaneSet>,
    ) {
        let topology = &self.model.topology;
        let n_tools = tools.iter().map(Vec::len).max().unwrap_or(0);
        // Bounds of the points before the last tool that moved any of them.
        let mut extent = None;
        for index in 0..n_tools {
            let tool = |world: usize| {
                let tool = tools.get(world)?.get(index)?;
                Some(WorldTool { world, index, tool })
            };
            let near =
                extent.get_or_insert_with(|| Extent::of::<Y>(self.positions, &self.model.rows));
            let bounds = Bounds::new::<Y>(&topology.origin, near, |lane| {
                tools.get(Y::index_and_world(0, lane).1)?.get(index)
            });
            if !bounds.is_empty() {
                self.touch(&bounds, &tool, worlds, found);
                extent = None;
            }
            for (world, state) in worlds.iter_mut().enumerate() {
                if let Some(tool) = tool(world).filter(|_| !state.held.is_empty()) {
                    self.carry(&tool, state);
                    extent = None;
                }
            }
        }
    }

    /// Solves contact with one tool of each world.
    fn touch<'t>(
        &mut self,
        bounds: &Bounds,
        tool: &impl Fn(usize) -> Option<WorldTool<'t>>,
        worlds: &mut [WorldState],
        found: &mut Vec<LaneSet>,
    ) {
        let topology = &self.model.topology;
        found.clear();
        lanes::run(FindVertices::<Y> {
            bounds,
            positions: self.positions,
            rows: &self.model.rows,
            found,
        });
        Y::for_each(found, topology.n_vertices, |vertex, world| {
            if let Some(tool) = tool(world) {
                self.solve_vertex(vertex as u32, &tool, &mut worlds[world]);
            }
        });
        if !self.model.config.face_contact {
            return;
        }
        found.clear();
        lanes::run(FindFaces {
            bounds,
            faces: &self.model.face_groups,
            positions: self.positions,
            found,
        });
        let model = self.model;
        Y::for_each(found, model.faces.len(), |face, world| {
            let face = &model.faces[face];
            let is_there = self.alive.has_tet::<Y>(face.tet as usize, world);
            if let Some(tool) = tool(world).filter(|_| is_there) {
                self.solve_face(face, &tool, &mut worlds[world]);
            }
        });
    }

    fn position(&self, vertex: u32, world: usize) -> Vector3<f64> {
        let (row, lane) = Y::row_and_lane(vertex as usize, world);
        self.positions[row].get(lane) + self.model.topology.origin
    }

    /// x − xⁿ.
    fn displacement(&self, vertex: u32, world: usize) -> Vector3<f64> {
        let (row, lane) = Y::row_and_lane(vertex as usize, world);
        let corrected = self.positions[row].get(lane) - self.predicted[row].get(lane);
        corrected + self.velocities[row].get(lane) * self.dt
    }

    /// Corrects a vertex and subtracts its momentum from the tool.
    fn correct(
        &mut self,
        vertex: u32,
        correction: Vector3<f64>,
        at: &WorldTool<'_>,
        state: &mut WorldState,
    ) {
        let (row, lane) = Y::row_and_lane(vertex as usize, at.world);
        let point = &mut self.positions[row];
        let before = point.get(lane);
        point.set(lane, (before + correction).map(|x| x as f32).into());
        let after = point.get(lane);
        let mass = self.model.topology.masses[vertex as usize];
        let impulse = (before - after) * (mass / self.dt);
        let arm = after + self.model.topology.origin - at.tool.position;
        let total = &mut state.impulses[at.index];
        total.force += impulse;
        total.torque += arm.cross(&impulse);
        if at.tool.records_points {
            state.points.push(PointImpulse {
                tool: at.index,
                arm,
                impulse,
            });
        }
    }

    /// Solves contact of a vertex that may be inside a tool.
    fn solve_vertex(&mut self, vertex: u32, at: &WorldTool<'_>, state: &mut WorldState) {
        let can_move = self.model.inv_masses[vertex as usize] != 0.0;
        if can_move && !state.is_untouchable(vertex) {
            self.solve_point(&[(vertex, 1.0)], 0.0, at, state);
        }
    }

    /// Solves contact of a point that may be inside a tool: a weighted sum of vertices, and its compliance
    /// [m/N].
    fn solve_point(
        &mut self,
        vertices: &[(u32, f64)],
        compliance: f64,
        at: &WorldTool<'_>,
        state: &mut WorldState,
    ) {
        let tool = at.tool;
        let mut point = Vector3::zeros();
        for (vertex, weight) in vertices {
            point += self.position(*vertex, at.world) * *weight;
        }
        let arm = point - tool.position;
        let surface = tool
            .shape
            .surface(&tool.rotation.inverse_transform_vector(&arm));
        if surface.distance >= 0.0 || !surface.distance.is_finite() {
            return;
        }
        let normal = tool.rotation * surface.normal;
        if tool.friction == f64::INFINITY {
            if let [(vertex, _)] = vertices {
                let on_surface = arm - normal * surface.distance;
                state.hold(HeldVertex {
                    vertex: *vertex,
                    tool: at.index as u32,
                    sticks: true,
                    at: tool.rotation.inverse_transform_vector(&on_surface),
                });
            }
            return;
        }
        let mut inv_mass = 0.0;
        let mut displacement = Vector3::zeros();
        for (vertex, weight) in vertices {
            inv_mass += self.model.inv_masses[*vertex as usize] * weight * weight;
            displacement += self.displacement(*vertex, at.world) * *weight;
        }
        if inv_mass == 0.0 {
            return;
        }
        let tool_displacement = (tool.linear + tool.angular.cross(&arm)) * self.dt;
        let max_depth =
            self.model.config.push_speed * self.dt + tool_displacement.dot(&normal).max(0.0);
        let given = inv_mass / (inv_mass + compliance / (self.dt * self.dt));
        let delta_n = (-surface.distance * given).min(max_depth);
        let slip = displacement + normal * delta_n - tool_displacement;
        let slip = slip - normal * slip.dot(&normal);
        let length = slip.norm();
        let mut correction = normal * delta_n;
        if length > 0.0 {
            correction -= slip * (tool.friction * delta_n / length).min(1.0);
        }
        for (vertex, weight) in vertices {
            let share = self.model.inv_masses[*vertex as usize] * weight / inv_mass;
            if share > 0.0 {
                self.correct(*vertex, correction * share, at, state);
            }
        }
    }

    /// Moves the vertices that a tool holds along with it.
    fn carry(&mut self, at: &WorldTool<'_>, state: &mut WorldState) {
        for index in 0..state.held.len() {
            let held = state.held[index];
            let can_move = self.model.inv_masses[held.vertex as usize] != 0.0;
            if can_move && held.tool as usize == at.index {
                let there = at.tool.position + at.tool.rotation * held.at;
                let correction = there - self.position(held.vertex, at.world);
                self.correct(held.vertex, correction, at, state);
            }
        }
    }
}
