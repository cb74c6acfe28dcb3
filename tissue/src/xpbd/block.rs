//! What moves: the state of one world, or of sixteen, and how it goes through a substep.

use std::sync::Arc;

use nalgebra::Vector3;

use super::config::Sweep;
use super::contact::{Bounds, FindFaces, FindVertices, Place, Touch, read};
use super::distance::SolveDistances;
use super::groups::Model;
use super::hold::{Held, nearest};
use super::jacobi::{Moves, ShareOut};
use super::layout::{Layout, Point};
use super::neo_hookean::SolveSolids;
use super::predict::Predict;
use super::tear::{FindStretched, is_torn};
use super::update::Update;
use super::volume::SolveVolumes;
use crate::lanes::{self, Row};
use crate::tool::{Tool, Wrench};
use crate::{Divergence, TissueError};

/// What each world has of its own, besides points.
#[derive(Debug, Clone, Default)]
pub(super) struct World {
    pub(super) tools: Vec<Tool>,
    pub(super) wrenches: Vec<Wrench>,
    /// Impulse on each tool in this step [N·s, N·m·s].
    pub(super) impulses: Vec<Wrench>,
    pub(super) held: Vec<Held>,
    /// Vertices whose elements are all torn, and where they stay, relative to the origin [m].
    pub(super) loose: Vec<(u32, [f32; 3])>,
    /// Impulse in this step on loose vertices by being kept where they are [N·s].
    pub(super) stopped: Vector3<f64>,
    /// Of each vertex whether tools do not meet it, as it is held or loose; empty: they meet all.
    exempt: Vec<bool>,
    /// Simulated time [s].
    pub(super) time: f64,
    pub(super) diverged: Option<Divergence>,
}

impl World {
    pub(super) fn is_exempt(&self, vertex: u32) -> bool {
        self.exempt.get(vertex as usize).is_some_and(|is| *is)
    }

    fn exempt(&mut self, vertex: u32, is_exempt: bool) {
        if self.exempt.len() <= vertex as usize {
            self.exempt.resize(vertex as usize + 1, false);
        }
        self.exempt[vertex as usize] = is_exempt;
    }

    pub(super) fn hold(&mut self, held: Held) {
        self.exempt(held.vertex, true);
        self.held.push(held);
    }

    pub(super) fn loosen(&mut self, vertex: u32, at: [f32; 3]) {
        self.let_go(|held| held.vertex == vertex);
        self.exempt(vertex, true);
        self.loose.push((vertex, at));
    }

    /// Lets go of what is held and meets a condition.
    pub(super) fn let_go(&mut self, condition: impl Fn(&Held) -> bool) {
        let (gone, kept): (Vec<Held>, _) = self.held.iter().partition(|held| condition(held));
        self.held = kept;
        for held in gone {
            self.exempt(held.vertex, false);
        }
    }

    pub(super) fn forget(&mut self) {
        self.held.clear();
        self.loose.clear();
        self.exempt.clear();
        self.wrenches.clear();
        self.stopped = Vector3::zeros();
        self.time = 0.0;
        self.diverged = None;
    }
}

/// Elements around edges and vertices, where any can tear.
#[derive(Debug, Clone, Default)]
struct Neighbours {
    /// Edges of each tetrahedron.
    tet_edges: Vec<Vec<u32>>,
    /// Tetrahedra of each vertex.
    vertex_tets: Vec<Vec<u32>>,
}

/// One world, or sixteen.
#[derive(Debug, Clone)]
pub(super) struct Block<Y: Layout> {
    pub(super) model: Arc<Model<Y>>,
    pub(super) positions: Vec<Point>,
    pub(super) velocities: Vec<Point>,
    predicted: Vec<Point>,
    sums: Vec<Point>,
    edge_multipliers: Vec<Row>,
    tet_multipliers: Vec<[Row; 2]>,
    /// 1 where a constraint is there, 0 where it is torn; empty where nothing can tear.
    edges_alive: Vec<Row>,
    pub(super) tets_alive: Vec<Row>,
    /// Positions and velocities at the start of the step.
    start: [Vec<Point>; 2],
    found: Vec<(u32, u16)>,
    neighbours: Arc<Neighbours>,
    pub(super) worlds: Vec<World>,
}

const ZERO: Point = Point([[0.0; 16]; 3]);

impl<Y: Layout> Block<Y> {
    pub(super) fn new(model: Arc<Model<Y>>, n_worlds: usize) -> Self {
        let rows = vec![ZERO; model.n_rows];
        let topology = &model.topology;
        let is_jacobi = model.config.sweep != Sweep::GaussSeidel;
        let remembers = model.config.iterations > 1;
        let n_tets = model.solids.len() + model.volumes.len();
        let mut neighbours = Neighbours::default();
        if topology.tears {
            neighbours.tet_edges = vec![Vec::new(); topology.tets.len()];
            for (tets, edge) in topology.edge_tets.iter().zip(0..) {
                for tet in tets {
                    neighbours.tet_edges[*tet as usize].push(edge);
                }
            }
            neighbours.vertex_tets = vec![Vec::new(); topology.rest.len()];
            for (tet, number) in topology.tets.iter().zip(0..) {
                for vertex in tet.vertices {
                    neighbours.vertex_tets[vertex as usize].push(number);
                }
            }
        }
        let rows_if = |n: usize, is_wanted: bool| if is_wanted { n } else { 0 };
        let mut block = Self {
            positions: rows.clone(),
            velocities: rows.clone(),
            predicted: rows.clone(),
            sums: vec![ZERO; rows_if(model.n_rows, is_jacobi)],
            edge_multipliers: vec![[0.0; 16]; rows_if(model.edges.len(), remembers)],
            tet_multipliers: vec![[[0.0; 16]; 2]; rows_if(n_tets, remembers)],
            edges_alive: vec![[1.0; 16]; rows_if(model.edges.len(), topology.tears)],
            tets_alive: vec![[1.0; 16]; rows_if(n_tets, topology.tears)],
            start: [rows.clone(), rows],
            found: Vec::new(),
            neighbours: Arc::new(neighbours),
            worlds: vec![World::default(); n_worlds],
            model,
        };
        for world in 0..16 / Y::WIDTH {
            block.reset(world);
        }
        block
    }

    /// Back to the rest shape; tools stay.
    pub(super) fn reset(&mut self, world: usize) {
        let model = self.model.clone();
        for (i, rest) in model.topology.rest.iter().enumerate() {
            let (row, lane) = Y::place(i, world);
            let velocity = model.topology.velocities[i];
            for axis in 0..3 {
                self.positions[row].0[axis][lane] = rest[axis] as f32;
                self.velocities[row].0[axis][lane] = velocity[axis] as f32;
            }
        }
        for rows in [&mut self.edges_alive, &mut self.tets_alive] {
            for slot in 0..rows.len() * Y::WIDTH {
                let (row, lane) = Y::place(slot, world);
                rows[row][lane] = 1.0;
            }
        }
        if let Some(world) = self.worlds.get_mut(world) {
            world.forget();
        }
    }

    /// Advances all worlds that can be advanced; of each other one says why not.
    pub(super) fn step(&mut self, time: f64) -> Vec<Option<TissueError>> {
        let config = self.model.config.clone();
        let crossing = config.max_courant * self.model.topology.crossing_time;
        let longest = config.substep.min(crossing);
        let n_substeps = (time / longest - 1e-9).ceil().max(0.0) as usize;
        let mut errors: Vec<Option<TissueError>> = vec![None; self.worlds.len()];
        // Worlds that stand still, and what they are to be again after the others have moved.
        let mut still = Vec::new();
        for (index, slot) in errors.iter_mut().enumerate() {
            let world = &self.worlds[index];
            let error = match world.diverged {
                Some(reason) => Some(TissueError::Diverged {
                    reason,
                    time: world.time,
                }),
                None => world.tools.iter().find_map(|tool| tool.check().err()),
            };
            if error.is_some() {
                still.push((index, self.save(index)));
            }
            *slot = error;
        }
        if n_substeps == 0 || still.len() == self.worlds.len() {
            return errors;
        }
        let dt = time / n_substeps as f64;
        self.start[0].copy_from_slice(&self.positions);
        self.start[1].copy_from_slice(&self.velocities);
        for world in &mut self.worlds {
            world.stopped = Vector3::zeros();
            world.impulses.clear();
            world.impulses.resize(world.tools.len(), Wrench::default());
            let tools = std::mem::take(&mut world.tools);
            world.let_go(|held| {
                let tool = tools.get(held.tool as usize);
                tool.is_none_or(|tool| held.sticks && tool.friction != f64::INFINITY)
            });
            world.tools = tools;
        }
        let (mut fastest, mut poison) = ([0.0; 16], [0.0; 16]);
        for index in 0..n_substeps {
            let after = (index + 1) as f64 * dt;
            let tools: Vec<Vec<Tool>> = self
                .worlds
                .iter()
                .zip(&errors)
                .map(|(world, error)| match error {
                    None => world.tools.iter().map(|tool| tool.after(after)).collect(),
                    Some(_) => Vec::new(),
                })
                .collect();
            self.substep(dt, &tools, &mut fastest, &mut poison);
        }
        for (index, error) in errors.iter_mut().enumerate() {
            if error.is_none() {
                *error = self.finish(index, time, &fastest, &poison);
            }
        }
        for (index, state) in still {
            self.put_back(index, &state);
        }
        errors
    }

    /// Moves the tools of a world on, or stops it.
    fn finish(
        &mut self,
        index: usize,
        time: f64,
        fastest: &Row,
        poison: &Row,
    ) -> Option<TissueError> {
        let lanes = if Y::WIDTH == 1 {
            index..index + 1
        } else {
            0..16
        };
        let most = self.model.config.max_speed;
        let square = lanes
            .clone()
            .fold(0.0f32, |most, lane| most.max(fastest[lane]));
        let is_finite = lanes.clone().all(|lane| poison[lane] == 0.0);
        let speed = f64::from(square).sqrt();
        let world = &mut self.worlds[index];
        if is_finite && speed <= most {
            world.time += time;
            for tool in &mut world.tools {
                *tool = tool.after(time);
            }
            world.wrenches.clone_from(&world.impulses);
            for wrench in &mut world.wrenches {
                wrench.force /= time;
                wrench.torque /= time;
            }
            return None;
        }
        let reason = if is_finite {
            Divergence::Runaway { speed, most }
        } else {
            Divergence::NotFinite
        };
        world.diverged = Some(reason);
        world.wrenches.clear();
        let time = world.time;
        // What it was before, so that nobody sees what is not a number.
        let [positions, velocities] = &self.start;
        for row in 0..self.positions.len() {
            for axis in 0..3 {
                for lane in lanes.clone() {
                    self.positions[row].0[axis][lane] = positions[row].0[axis][lane];
                    self.velocities[row].0[axis][lane] = velocities[row].0[axis][lane];
                }
            }
        }
        Some(TissueError::Diverged { reason, time })
    }

    fn substep(&mut self, dt: f64, tools: &[Vec<Tool>], fastest: &mut Row, poison: &mut Row) {
        let model = self.model.clone();
        let config = &model.config;
        // gravity => predicted positions
        lanes::run(Predict::<Y> {
            positions: &mut self.positions,
            predicted: &mut self.predicted,
            velocities: &mut self.velocities,
            movable: &model.movable,
            gravity: config.gravity.map(|g| g as f32),
            dt: dt as f32,
        });
        self.edge_multipliers.fill([0.0; 16]);
        self.tet_multipliers.fill([[0.0; 16]; 2]);
        for _ in 0..config.iterations {
            // elastic constraints => positions
            self.solve(&model, dt);
            // contact, what tools hold => positions, impulses on tools
            self.meet(&model, dt, tools);
        }
        // positions => velocities
        lanes::run(Update {
            positions: &self.positions,
            predicted: &self.predicted,
            velocities: &mut self.velocities,
            dt: dt as f32,
            kept: (1.0 - config.drag * dt) as f32,
            fastest,
            poison,
        });
        // strain => elements torn
        if model.topology.tears {
            self.tear(&model);
            self.keep_loose();
        }
    }

    fn solve(&mut self, model: &Model<Y>, dt: f64) {
        macro_rules! moves {
            () => {
                Moves {
                    positions: &mut self.positions,
                    sums: &mut self.sums,
                    predicted: &self.predicted,
                    velocities: &self.velocities,
                    dt: dt as f32,
                }
            };
        }
        let n_solids = model.solids.len();
        let (solids_alive, volumes_alive) = match self.tets_alive.split_at_checked(n_solids) {
            Some(split) => split,
            None => (&[][..], &[][..]),
        };
        let (of_solids, of_volumes) = match self.tet_multipliers.split_at_mut_checked(n_solids) {
            Some(split) => split,
            None => (&mut [][..], &mut [][..]),
        };
        let is_damped = model.topology.is_damped;
        if !model.edges.is_empty() {
            lanes::run(SolveDistances {
                groups: &model.edges,
                moves: moves!(),
                is_damped,
                alive: &self.edges_alive,
                multipliers: &mut self.edge_multipliers,
            });
        }
        if !model.solids.is_empty() {
            lanes::run(SolveSolids {
                groups: &model.solids,
                moves: moves!(),
                alive: solids_alive,
                multipliers: of_solids,
            });
        }
        if !model.volumes.is_empty() {
            lanes::run(SolveVolumes {
                groups: &model.volumes,
                moves: moves!(),
                is_damped,
                alive: volumes_alive,
                multipliers: of_volumes,
            });
        }
        if !self.sums.is_empty() {
            lanes::run(ShareOut::<Y> {
                positions: &mut self.positions,
                sums: &mut self.sums,
                share: &model.share,
            });
        }
    }

    fn meet(&mut self, model: &Model<Y>, dt: f64, tools: &[Vec<Tool>]) {
        let n_slots = tools.iter().map(Vec::len).max().unwrap_or(0);
        let mut found = std::mem::take(&mut self.found);
        for slot in 0..n_slots {
            let of_lane = |lane: usize| tools.get(Y::at(0, lane).1)?.get(slot);
            let bounds = Bounds::new(&model.topology.origin, of_lane);
            found.clear();
            lanes::run(FindVertices {
                bounds: &bounds,
                positions: &self.positions,
                found: &mut found,
            });
            let mut touch = Touch {
                model,
                positions: &mut self.positions,
                predicted: &self.predicted,
                velocities: &self.velocities,
                dt,
            };
            for_each::<Y>(&found, model.topology.n_vertices, |vertex, world| {
                if let Some(tool) = tools[world].get(slot) {
                    let place = Place { world, slot, tool };
                    touch.meet_vertex(vertex as u32, &place, &mut self.worlds[world]);
                }
            });
            if model.config.face_contact {
                found.clear();
                lanes::run(FindFaces {
                    bounds: &bounds,
                    model,
                    positions: touch.positions,
                    found: &mut found,
                });
                for_each::<Y>(&found, model.topology.faces.len(), |face, world| {
                    let tet = model.topology.faces[face].tet as usize;
                    let (row, lane) = Y::place(model.tet_slots[tet] as usize, world);
                    let is_alive = self.tets_alive.get(row).is_none_or(|row| row[lane] > 0.0);
                    if let Some(tool) = tools[world].get(slot).filter(|_| is_alive) {
                        let place = Place { world, slot, tool };
                        touch.meet_face(face, &place, &mut self.worlds[world]);
                    }
                });
            }
            for (world, tools) in tools.iter().enumerate() {
                if let Some(tool) = tools.get(slot) {
                    let place = Place { world, slot, tool };
                    touch.carry(&place, &mut self.worlds[world]);
                }
            }
        }
        self.found = found;
    }

    fn tear(&mut self, model: &Model<Y>) {
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        let n_solids = model.solids.len();
        for (groups, first) in [(&model.solids, 0), (&model.volumes, n_solids)] {
            lanes::run(FindStretched {
                groups,
                positions: &self.positions,
                alive: &self.tets_alive[first..],
                found: &mut found,
                first: first as u32,
            });
        }
        for_each::<Y>(&found, model.slot_tets.len(), |slot, world| {
            let number = model.slot_tets[slot] as usize;
            // Lanes without an element or a world.
            let Some(tet) = model.topology.tets.get(number) else {
                return;
            };
            if world >= self.worlds.len() {
                return;
            }
            let corners = tet.vertices.map(|vertex| {
                let (row, lane) = Y::place(vertex as usize, world);
                read(&self.positions[row], lane)
            });
            if is_torn(tet, corners) {
                self.remove(number, world);
            }
        });
        self.found = found;
    }

    /// Removes an element, and what was there by it alone.
    pub(super) fn remove(&mut self, tet: usize, world: usize) {
        let model = self.model.clone();
        let neighbours = self.neighbours.clone();
        let (row, lane) = Y::place(model.tet_slots[tet] as usize, world);
        self.tets_alive[row][lane] = 0.0;
        for edge in &neighbours.tet_edges[tet] {
            let around = &model.topology.edge_tets[*edge as usize];
            if !around.iter().any(|tet| self.is_alive(*tet as usize, world)) {
                let (row, lane) = Y::place(model.edge_slots[*edge as usize] as usize, world);
                self.edges_alive[row][lane] = 0.0;
            }
        }
        for vertex in model.topology.tets[tet].vertices {
            let around = &neighbours.vertex_tets[vertex as usize];
            if !around.iter().any(|tet| self.is_alive(*tet as usize, world)) {
                let (row, lane) = Y::place(vertex as usize, world);
                let at = [0, 1, 2].map(|axis| self.positions[row].0[axis][lane]);
                self.worlds[world].loosen(vertex, at);
            }
        }
    }

    /// Whether an element is not torn.
    pub(super) fn is_alive(&self, tet: usize, world: usize) -> bool {
        let (row, lane) = Y::place(self.model.tet_slots[tet] as usize, world);
        self.tets_alive.get(row).is_none_or(|row| row[lane] > 0.0)
    }

    fn keep_loose(&mut self) {
        for (index, world) in self.worlds.iter_mut().enumerate() {
            for (vertex, at) in &world.loose {
                let (row, lane) = Y::place(*vertex as usize, index);
                let mass = self.model.topology.masses[*vertex as usize];
                world.stopped -= read(&self.velocities[row], lane) * mass;
                for (axis, x) in at.iter().enumerate() {
                    self.positions[row].0[axis][lane] = *x;
                    self.velocities[row].0[axis][lane] = 0.0;
                }
            }
        }
    }

    /// Position of a vertex [m].
    pub(super) fn position(&self, vertex: usize, world: usize) -> Vector3<f64> {
        let (row, lane) = Y::place(vertex, world);
        read(&self.positions[row], lane) + self.model.topology.origin
    }

    /// Velocity of a vertex [m/s].
    pub(super) fn velocity(&self, vertex: usize, world: usize) -> Vector3<f64> {
        let (row, lane) = Y::place(vertex, world);
        read(&self.velocities[row], lane)
    }

    pub(super) fn positions(&self, world: usize) -> Vec<[f64; 3]> {
        let all = 0..self.model.topology.n_vertices;
        all.map(|vertex| self.position(vertex, world).into())
            .collect()
    }

    pub(super) fn velocities(&self, world: usize) -> Vec<[f64; 3]> {
        let all = 0..self.model.topology.n_vertices;
        all.map(|vertex| self.velocity(vertex, world).into())
            .collect()
    }

    /// Lets a tool hold the vertices that are nearest to a point; their number.
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
            .filter(|vertex| !self.worlds[world].is_exempt(*vertex as u32))
            .map(|vertex| (vertex as u32, self.position(vertex, world)));
        let near = nearest(free, at, radius, most);
        for vertex in &near {
            let arm = self.position(*vertex as usize, world) - holder.position;
            self.worlds[world].hold(Held {
                vertex: *vertex,
                tool: tool as u32,
                sticks: false,
                at: holder.rotation.inverse_transform_vector(&arm),
            });
        }
        near.len()
    }
}

/// Calls for each lane that was found, of constraints or vertices below `n`.
fn for_each<Y: Layout>(found: &[(u32, u16)], n: usize, mut f: impl FnMut(usize, usize)) {
    for (row, lanes) in found {
        let mut left = *lanes;
        while left != 0 {
            let (index, world) = Y::at(*row as usize, left.trailing_zeros() as usize);
            left &= left - 1;
            if index < n {
                f(index, world);
            }
        }
    }
}
