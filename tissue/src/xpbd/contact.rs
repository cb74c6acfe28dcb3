//! Contact of vertices and faces with tools.
//!
//! A point inside of a tool is moved to its surface by $\Delta_n$, and against its motion along the surface by at most
//! $\mu_f \Delta_n$ (Coulomb; as in Macklin et al. 2014, doi:10.1145/2601097.2601152, § 6.1). The momentum m Δx / Δt that this gives
//! to the tissue is taken from the tool, whose wrench is the sum of all of them over a step's time: action equals reaction.
//!
//! Sixteen points at once are held against a rod around each tool, or its plane; those that are near are computed in f64, one by one.

#![expect(
    clippy::inline_always,
    reason = "kernels must be part of the function that has the processor's features"
)]

use nalgebra::Vector3;

use super::block::World;
use super::groups::Model;
use super::hold::Held;
use super::layout::{self, Layout, Point};
use super::vector::{self, Vec3};
use crate::lanes::{Kernel, Lanes, Row};
use crate::tool::{Shape, Tool};

/// Part by which bounds are wider than tools, for rounding in f32.
const MARGIN: f64 = 1e-5;

/// What lies around one tool of each lane's world, relative to the origin.
#[derive(Debug)]
pub(super) struct Bounds {
    /// Middle of a rod and the way from it to its end [m].
    center: [Row; 3],
    half: [Row; 3],
    /// 1 / |half|², or 0.
    per_square: Row,
    /// Radius of the rod [m]; negative: there is none.
    radius: Row,
    /// Plane of a half-space: outward normal, and distance from the origin [m].
    normal: [Row; 3],
    offset: Row,
    has_rods: bool,
    has_planes: bool,
}

impl Bounds {
    /// Bounds of the tools in one slot; `tool` is that of a lane.
    pub(super) fn new<'a>(origin: &Vector3<f64>, tool: impl Fn(usize) -> Option<&'a Tool>) -> Self {
        let mut bounds = Self {
            center: [[0.0; 16]; 3],
            half: [[0.0; 16]; 3],
            per_square: [0.0; 16],
            radius: [-1.0; 16],
            normal: [[0.0; 16]; 3],
            offset: [f32::MIN; 16],
            has_rods: false,
            has_planes: false,
        };
        for lane in 0..16 {
            let Some(tool) = tool(lane) else { continue };
            let center = tool.position - origin;
            if matches!(tool.shape, Shape::HalfSpace) {
                let normal = tool.rotation * Vector3::z();
                let offset = normal.dot(&center);
                bounds.offset[lane] = (offset + MARGIN * (1e-2 + offset.abs())) as f32;
                for axis in 0..3 {
                    bounds.normal[axis][lane] = normal[axis] as f32;
                }
                bounds.has_planes = true;
                continue;
            }
            let (half, radius) = match tool.shape {
                Shape::Capsule {
                    radius,
                    half_length,
                }
                | Shape::Cylinder {
                    radius,
                    half_length,
                } => (tool.rotation * Vector3::z() * half_length, radius),
                _ => (Vector3::zeros(), tool.shape.reach()),
            };
            for axis in 0..3 {
                bounds.center[axis][lane] = center[axis] as f32;
                bounds.half[axis][lane] = half[axis] as f32;
            }
            let square = half.norm_squared();
            if square > 0.0 {
                bounds.per_square[lane] = (1.0 / square) as f32;
            }
            let size = radius + half.norm() + center.norm();
            bounds.radius[lane] = (radius + MARGIN * size) as f32;
            bounds.has_rods = true;
        }
        bounds
    }

    /// Lanes whose point, with a ball of a radius around it, may touch.
    #[inline(always)]
    fn near<L: Lanes>(&self, l: L, point: Vec3<L>, around: L::V) -> u16 {
        let mut lanes = 0;
        if self.has_rods {
            let center = [
                l.load(&self.center[0]),
                l.load(&self.center[1]),
                l.load(&self.center[2]),
            ];
            let half = [
                l.load(&self.half[0]),
                l.load(&self.half[1]),
                l.load(&self.half[2]),
            ];
            let arm = vector::sub(l, point, center);
            let along = l.mul(vector::dot(l, arm, half), l.load(&self.per_square));
            let along = l.max(l.min(along, l.splat(1.0)), l.splat(-1.0));
            let way = vector::neg_mul_add(l, half, along, arm);
            let reach = l.add(l.load(&self.radius), around);
            let is_near = l.less(vector::dot(l, way, way), l.mul(reach, reach));
            lanes |= is_near & l.less(l.splat(0.0), l.load(&self.radius));
        }
        if self.has_planes {
            let normal = [
                l.load(&self.normal[0]),
                l.load(&self.normal[1]),
                l.load(&self.normal[2]),
            ];
            let height = l.sub(vector::dot(l, point, normal), around);
            lanes |= l.less(height, l.load(&self.offset));
        }
        lanes
    }
}

/// Finds the points that may be within a tool.
pub(super) struct FindVertices<'a> {
    pub(super) bounds: &'a Bounds,
    pub(super) positions: &'a [Point],
    /// Row and lanes.
    pub(super) found: &'a mut Vec<(u32, u16)>,
}

impl Kernel for FindVertices<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        for (point, row) in self.positions.iter().zip(0..) {
            let lanes = self.bounds.near(l, layout::load(l, point), l.splat(0.0));
            if lanes != 0 {
                self.found.push((row, lanes));
            }
        }
    }
}

/// Finds the faces that may touch a tool.
pub(super) struct FindFaces<'a, Y: Layout> {
    pub(super) bounds: &'a Bounds,
    pub(super) model: &'a Model<Y>,
    pub(super) positions: &'a [Point],
    /// Row and lanes.
    pub(super) found: &'a mut Vec<(u32, u16)>,
}

impl<Y: Layout> Kernel for FindFaces<'_, Y> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let third = l.splat(1.0 / 3.0);
        for (group, row) in self.model.faces.iter().zip(0..) {
            let a = Y::load(l, self.positions, &group.vertices[0]);
            let b = Y::load(l, self.positions, &group.vertices[1]);
            let c = Y::load(l, self.positions, &group.vertices[2]);
            let center = vector::scale(l, vector::add(l, a, vector::add(l, b, c)), third);
            let [a, b, c] = [
                vector::sub(l, a, center),
                vector::sub(l, b, center),
                vector::sub(l, c, center),
            ];
            let second = l.max(vector::dot(l, a, a), vector::dot(l, b, b));
            let around = l.sqrt(l.max(second, vector::dot(l, c, c)));
            let lanes = self.bounds.near(l, center, around);
            if lanes != 0 {
                self.found.push((row, lanes));
            }
        }
    }
}

/// Points of worlds on their way through a substep, one by one in f64.
pub(super) struct Touch<'a, Y: Layout> {
    pub(super) model: &'a Model<Y>,
    pub(super) positions: &'a mut [Point],
    pub(super) predicted: &'a [Point],
    pub(super) velocities: &'a [Point],
    /// Length of the substep [s].
    pub(super) dt: f64,
}

impl<Y: Layout> Touch<'_, Y> {
    pub(super) fn position(&self, vertex: u32, world: usize) -> Vector3<f64> {
        let (row, lane) = Y::place(vertex as usize, world);
        read(&self.positions[row], lane) + self.model.topology.origin
    }

    fn moved(&self, vertex: u32, world: usize) -> Vector3<f64> {
        let (row, lane) = Y::place(vertex as usize, world);
        let corrected = read(&self.positions[row], lane) - read(&self.predicted[row], lane);
        corrected + read(&self.velocities[row], lane) * self.dt
    }

    /// Moves a vertex and takes its momentum from the tool.
    fn shift(&mut self, vertex: u32, way: Vector3<f64>, place: &Place<'_>, state: &mut World) {
        let (row, lane) = Y::place(vertex as usize, place.world);
        let point = &mut self.positions[row];
        let before = read(point, lane);
        for axis in 0..3 {
            point.0[axis][lane] = (before[axis] + way[axis]) as f32;
        }
        let after = read(point, lane);
        let mass = self.model.topology.masses[vertex as usize];
        let impulse = (before - after) * (mass / self.dt);
        let arm = after + self.model.topology.origin - place.tool.position;
        let total = &mut state.impulses[place.slot];
        total.force += impulse;
        total.torque += arm.cross(&impulse);
    }

    /// A vertex that may be within a tool.
    pub(super) fn meet_vertex(&mut self, vertex: u32, place: &Place<'_>, state: &mut World) {
        if self.model.topology.inv_masses[vertex as usize] == 0.0 || state.is_exempt(vertex) {
            return;
        }
        self.meet(&[(vertex, 1.0)], place, state);
    }

    /// A point between vertices, as a sum of them with weights, that may be within a tool.
    pub(super) fn meet(&mut self, vertices: &[(u32, f64)], place: &Place<'_>, state: &mut World) {
        let tool = place.tool;
        let mut point = Vector3::zeros();
        for (vertex, weight) in vertices {
            point += self.position(*vertex, place.world) * *weight;
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
                let at = arm - normal * surface.distance;
                state.hold(Held {
                    vertex: *vertex,
                    tool: place.slot as u32,
                    sticks: true,
                    at: tool.rotation.inverse_transform_vector(&at),
                });
            }
            return;
        }
        let mut inv_mass = 0.0;
        let mut moved = Vector3::zeros();
        for (vertex, weight) in vertices {
            inv_mass += self.model.topology.inv_masses[*vertex as usize] * weight * weight;
            moved += self.moved(*vertex, place.world) * *weight;
        }
        if inv_mass == 0.0 {
            return;
        }
        let carried = (tool.linear + tool.angular.cross(&arm)) * self.dt;
        let most = self.model.config.push_speed * self.dt + carried.dot(&normal).max(0.0);
        let push = (-surface.distance).min(most);
        let relative = moved + normal * push - carried;
        let along = relative - normal * relative.dot(&normal);
        let length = along.norm();
        let mut way = normal * push;
        if length > 0.0 {
            way -= along * (tool.friction * push / length).min(1.0);
        }
        for (vertex, weight) in vertices {
            let share = self.model.topology.inv_masses[*vertex as usize] * weight / inv_mass;
            if share > 0.0 {
                self.shift(*vertex, way * share, place, state);
            }
        }
    }

    /// Moves all that a tool holds along with it.
    pub(super) fn carry(&mut self, place: &Place<'_>, state: &mut World) {
        for index in 0..state.held.len() {
            let held = state.held[index];
            if held.tool as usize != place.slot {
                continue;
            }
            let there = place.tool.position + place.tool.rotation * held.at;
            let way = there - self.position(held.vertex, place.world);
            self.shift(held.vertex, way, place, state);
        }
    }
}

/// A tool of a world.
#[derive(Debug)]
pub(super) struct Place<'a> {
    pub(super) world: usize,
    /// The tool's number.
    pub(super) slot: usize,
    pub(super) tool: &'a Tool,
}

/// One of sixteen points.
pub(super) fn read(point: &Point, lane: usize) -> Vector3<f64> {
    Vector3::new(point.0[0][lane], point.0[1][lane], point.0[2][lane]).map(f64::from)
}
