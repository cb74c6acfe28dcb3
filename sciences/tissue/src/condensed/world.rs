//! State of a condensed body and its step.

use std::sync::Arc;

use insonate_settings::check_range;
use nalgebra::Vector3;

use super::balance::{Balance, Balanced, Point};
use super::candidates::Candidates;
use super::dense::Factors;
use super::layer::{Contact, Layer};
use super::model::CondensedModel;
use crate::tool::{ContactPoint, ContactPoints, PointImpulse, Tool, Wrench};
use crate::{Divergence, SoftTissue, TissueError};

/// Distance from a tool within which sample points take part in a step [m]. Tools and skin approach each other by less in a step.
const NEAR: f64 = 0.002;
/// Force below which a vertex counts as relaxed [N].
const RELAXED: f64 = 1e-12;

/// A condensed body with tools.
///
/// Tools with infinite friction are not pressed into the skin: they hold the fixed vertices, and the first of them feels the reaction.
#[derive(Debug)]
pub struct Condensed {
    pub(super) model: Arc<CondensedModel>,
    young_modulus: f64,
    damping_time: f64,
    layer: Layer,
    tools: Vec<Tool>,
    wrenches: Vec<Wrench>,
    contacts: Vec<Contact>,
    contact_points: ContactPoints,
    near: Near,
    /// Triangles near each tool.
    candidates: Vec<Option<Candidates>>,
    pub(super) state: State,
}

/// Vertices near tools, and the inverse of the compliance at them for a Young's modulus of 1 Pa [N/m], row by row. It is kept while the
/// vertices are the same.
#[derive(Debug, Default)]
struct Near {
    vertices: Vec<usize>,
    stiffness: Vec<f64>,
}

/// What a step changes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct State {
    /// Forces on the vertices of the skin that would hold them where they are [N]: the tools' forces with the tissue's retardation.
    pub(super) forces: Vec<Vector3<f64>>,
    /// Change of these forces in the last step, per time [N/s].
    pub(super) rates: Vec<Vector3<f64>>,
    /// Displacement of each vertex near tools in the last step from where it would have relaxed to: the first guess of the next one [m].
    pub(super) guesses: Vec<(u32, Vector3<f64>)>,
    /// Points in contact: tool, sample point, and position on the tool at which the layer is not sheared [m].
    pub(super) anchors: Vec<(u32, u32, Vector3<f64>)>,
    pub(super) time: f64,
    pub(super) diverged: Option<Divergence>,
}

impl State {
    pub(super) fn at_rest(n_skin: usize) -> Self {
        let zeros = vec![Vector3::zeros(); n_skin];
        Self {
            forces: zeros.clone(),
            rates: zeros,
            ..Self::default()
        }
    }
}

impl Condensed {
    /// A body at rest. The retardation time τ [s] is the ratio of damping to stiffness.
    ///
    /// # Errors
    /// [`TissueError::Setting`] if a number is out of range.
    pub fn new(
        model: Arc<CondensedModel>,
        young_modulus: f64,
        damping_time: f64,
        layer: Layer,
    ) -> Result<Self, TissueError> {
        check_range("young_modulus", young_modulus, [1.0, 1e9], "Pa")?;
        check_range("damping_time", damping_time, [0.0, 10.0], "s")?;
        check_range("layer.thickness", layer.thickness, [1e-6, 1.0], "m")?;
        check_range("layer.compression", layer.compression, [1e3, 1e13], "Pa/m")?;
        check_range("layer.shear", layer.shear, [1e2, 1e13], "Pa/m")?;
        Ok(Self {
            state: State::at_rest(model.compliance.n_skin()),
            model,
            young_modulus,
            damping_time,
            layer,
            tools: Vec::new(),
            wrenches: Vec::new(),
            contacts: Vec::new(),
            contact_points: ContactPoints::default(),
            near: Near::default(),
            candidates: Vec::new(),
        })
    }

    /// Sample points in contact at the end of the last step.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Displacement of a vertex of the skin by the forces on the loaded vertices, times a factor [m].
    fn displacement(&self, vertex: usize, loaded: &[usize], factor: f64) -> Vector3<f64> {
        let n_skin = self.model.compliance.n_skin();
        let mut sum = Vector3::zeros();
        for &other in loaded {
            let columns = self.model.compliance.columns(other);
            for axis in 0..3 {
                let start = 3 * (n_skin * axis + vertex);
                sum += Vector3::from_column_slice(&columns[start..start + 3])
                    * self.state.forces[other][axis];
            }
        }
        sum * factor
    }

    /// Sample points near the tools, and the vertices that they move. In the time of a step the tissue relaxes to the part `remaining` of its
    /// displacement.
    fn points(&mut self, tools: &[Tool], remaining: f64) -> (Vec<Point>, Vec<usize>) {
        let loaded = self.loaded();
        let factor = remaining / self.young_modulus;
        let mut relaxed = Relaxed::new(self.model.compliance.n_skin());
        // No vertex without force moves further than those with forces.
        let mut furthest: f64 = 0.0;
        for &vertex in &loaded {
            let moved = self.displacement(vertex, &loaded, factor);
            furthest = furthest.max(moved.norm());
            relaxed.set(vertex, moved);
        }
        self.candidates.resize(tools.len(), None);
        let model = self.model.clone();
        let skin = &model.skin;
        let mut points = Vec::new();
        let mut vertices = Vec::new();
        for (index, tool) in tools.iter().enumerate() {
            if tool.friction.is_infinite() {
                continue;
            }
            for number in Candidates::near(&mut self.candidates[index], skin, tool, furthest + NEAR)
            {
                let triangle = &skin.triangles[number as usize];
                let moved = triangle.corners.map(|corner| {
                    corner.map_or_else(Vector3::zeros, |vertex| {
                        relaxed.get_or(vertex, || self.displacement(vertex, &loaded, factor))
                    })
                });
                let corners: [Vector3<f64>; 3] = std::array::from_fn(|i| {
                    Vector3::from(model.mesh.positions[triangle.vertices[i]]) + moved[i]
                });
                let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
                let radius = corners
                    .iter()
                    .map(|corner| (corner - middle).norm())
                    .fold(0.0, f64::max);
                if tool.shape.least_distance(&in_tool(tool, &middle)) > radius + NEAR {
                    continue;
                }
                for (sample, weights) in skin.samples.iter().enumerate() {
                    let relaxed = (0..3)
                        .map(|i| corners[i] * weights[i])
                        .sum::<Vector3<f64>>();
                    let own = in_tool(tool, &relaxed);
                    if tool.shape.distance(&own) > NEAR {
                        continue;
                    }
                    let sample = number * skin.samples.len() as u32 + sample as u32;
                    vertices.extend(triangle.corners.iter().flatten());
                    points.push(Point {
                        tool: index,
                        sample,
                        relaxed,
                        corners: std::array::from_fn(|i| (triangle.corners[i], weights[i])),
                        area: triangle.area,
                        anchor: self.anchor(index, sample).unwrap_or(own),
                    });
                }
            }
        }
        vertices.sort_unstable();
        vertices.dedup();
        for point in &mut points {
            for (corner, _) in &mut point.corners {
                *corner = corner.and_then(|vertex| vertices.binary_search(&vertex).ok());
            }
        }
        (points, vertices)
    }

    /// Vertices of the skin on which forces act, in ascending order.
    fn loaded(&self) -> Vec<usize> {
        let forces = self.state.forces.iter().enumerate();
        forces
            .filter(|(_, force)| **force != Vector3::zeros())
            .map(|(vertex, _)| vertex)
            .collect()
    }

    fn anchor(&self, tool: usize, sample: u32) -> Option<Vector3<f64>> {
        let key = (tool as u32, sample);
        let found = self
            .state
            .anchors
            .binary_search_by_key(&key, |&(tool, sample, _)| (tool, sample));
        found.ok().map(|index| self.state.anchors[index].2)
    }

    /// Computes the stiffness at vertices, if they are not those of the last step.
    fn look_near(&mut self, vertices: Vec<usize>) {
        if self.near.vertices == vertices {
            return;
        }
        let n_skin = self.model.compliance.n_skin();
        let width = 3 * vertices.len();
        let mut matrix = vec![0.0; width * width];
        for (column, &vertex) in vertices.iter().enumerate() {
            let columns = self.model.compliance.columns(vertex);
            for axis in 0..3 {
                let of_axis = &columns[3 * n_skin * axis..3 * n_skin * (axis + 1)];
                for (row, &other) in vertices.iter().enumerate() {
                    for i in 0..3 {
                        matrix[(3 * row + i) * width + 3 * column + axis] = of_axis[3 * other + i];
                    }
                }
            }
        }
        let stiffness = Factors::new(width, matrix).inverse();
        self.near = Near {
            vertices,
            stiffness,
        };
    }

    fn guess(&self) -> Vec<f64> {
        let mut guess = vec![0.0; 3 * self.near.vertices.len()];
        let known = &self.state.guesses;
        for (row, &vertex) in self.near.vertices.iter().enumerate() {
            if let Ok(index) = known.binary_search_by_key(&(vertex as u32), |&(vertex, _)| vertex) {
                guess[3 * row..3 * row + 3].copy_from_slice(known[index].1.as_slice());
            }
        }
        guess
    }

    /// Lets the forces that hold the tissue follow those of the tools.
    fn advance(&mut self, balanced: &Balanced, time: f64) {
        let remaining = self.damping_time / (time + self.damping_time);
        let state = &mut self.state;
        for (rate, force) in state.rates.iter_mut().zip(&mut state.forces) {
            *rate = -*force;
            *force *= remaining;
            if force.amax() < RELAXED {
                *force = Vector3::zeros();
            }
        }
        state.guesses.clear();
        for (row, &vertex) in self.near.vertices.iter().enumerate() {
            let three = |values: &[f64]| Vector3::from_column_slice(&values[3 * row..3 * row + 3]);
            let force = three(&balanced.forces);
            if force != Vector3::zeros() {
                state
                    .guesses
                    .push((vertex as u32, three(&balanced.displacements)));
                state.forces[vertex] += force * (1.0 - remaining);
            }
        }
        for (rate, force) in state.rates.iter_mut().zip(&state.forces) {
            *rate = (*rate + force) / time;
        }
    }

    /// Wrenches, contacts and anchors of the points in contact.
    fn record(&mut self, points: &[Point], balanced: &Balanced, tools: &[Tool]) {
        self.wrenches = vec![Wrench::default(); tools.len()];
        self.contacts.clear();
        let holder = tools.iter().position(|tool| tool.friction.is_infinite());
        let mut anchors = Vec::with_capacity(balanced.touching.len());
        for (index, position, response) in &balanced.touching {
            let point = &points[*index];
            let tool = &tools[point.tool];
            let force = response.traction * point.area;
            let add = |wrench: &mut Wrench, about: &Vector3<f64>, force: Vector3<f64>| {
                wrench.force += force;
                wrench.torque += (position - about).cross(&force);
            };
            add(&mut self.wrenches[point.tool], &tool.position, -force);
            if let Some(holder) = holder {
                add(&mut self.wrenches[holder], &tools[holder].position, force);
            }
            self.contacts.push(Contact {
                tool: point.tool,
                position: *position,
                normal: response.normal,
                area: point.area,
                traction: response.traction,
            });
            let unsheared = position - response.sheared - tool.position;
            let anchor = tool.rotation.inverse_transform_vector(&unsheared);
            anchors.push((point.tool as u32, point.sample, anchor));
        }
        anchors.sort_unstable_by_key(|&(tool, sample, _)| (tool, sample));
        self.state.anchors = anchors;
        self.record_points(tools);
    }

    /// Contact points of the tools that record them. The reaction on a tool that holds the fixed vertices acts at no point of its surface.
    fn record_points(&mut self, tools: &[Tool]) {
        let records = |tool: &Tool| tool.records_points && tool.friction.is_finite();
        // Forces over a second.
        let impulses: Vec<PointImpulse> = self
            .contacts
            .iter()
            .filter(|contact| records(&tools[contact.tool]))
            .map(|contact| PointImpulse {
                tool: contact.tool,
                arm: contact.position - tools[contact.tool].position,
                impulse: -contact.traction * contact.area,
            })
            .collect();
        self.contact_points = ContactPoints::of_step(tools, records, &impulses, 1.0);
    }

    /// Values of all vertices of the mesh that correspond to forces on the skin [N], times a factor.
    fn everywhere(&self, forces: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        if forces.iter().all(|force| *force == Vector3::zeros()) {
            return vec![Vector3::zeros(); self.model.unknowns.len()];
        }
        let free = self.model.compliance.everywhere(forces);
        let value = |index: usize| Vector3::from_column_slice(&free[3 * index..3 * index + 3]);
        let values = self.model.unknowns.iter();
        values
            .map(|unknown| {
                unknown.map_or_else(Vector3::zeros, |index| value(index) / self.young_modulus)
            })
            .collect()
    }
}

/// A point in world in a tool's frame [m].
fn in_tool(tool: &Tool, point: &Vector3<f64>) -> Vector3<f64> {
    tool.rotation
        .inverse_transform_vector(&(point - tool.position))
}

/// Displacements of vertices, each computed once a step.
struct Relaxed(Vec<Option<Vector3<f64>>>);

impl Relaxed {
    fn new(n: usize) -> Self {
        Self(vec![None; n])
    }

    fn set(&mut self, vertex: usize, moved: Vector3<f64>) {
        self.0[vertex] = Some(moved);
    }

    fn get_or(&mut self, vertex: usize, compute: impl FnOnce() -> Vector3<f64>) -> Vector3<f64> {
        *self.0[vertex].get_or_insert_with(compute)
    }
}

impl SoftTissue for Condensed {
    fn tools_mut(&mut self) -> &mut Vec<Tool> {
        &mut self.tools
    }

    fn step(&mut self, time: f64) -> Result<(), TissueError> {
        check_range("time", time, [1e-7, 1.0], "s")?;
        for tool in &self.tools {
            tool.check()?;
        }
        if let Some(reason) = self.state.diverged {
            return Err(TissueError::Diverged {
                reason,
                time: self.state.time,
            });
        }
        let tools: Vec<Tool> = self.tools.iter().map(|tool| tool.after(time)).collect();
        let remaining = self.damping_time / (time + self.damping_time);
        let (points, vertices) = self.points(&tools, remaining);
        self.look_near(vertices);
        let scale = self.young_modulus / (1.0 - remaining);
        let stiffness: Vec<f64> = self
            .near
            .stiffness
            .iter()
            .map(|entry| scale * entry)
            .collect();
        let balance = Balance {
            layer: self.layer,
            tools: &tools,
            points: &points,
            stiffness: &stiffness,
            n: self.near.vertices.len(),
        };
        let Some(balanced) = balance.solve(self.guess()) else {
            let reason = Divergence::NotFinite;
            self.state.diverged = Some(reason);
            return Err(TissueError::Diverged {
                reason,
                time: self.state.time,
            });
        };
        self.advance(&balanced, time);
        self.record(&points, &balanced, &tools);
        self.tools = tools;
        self.state.time += time;
        Ok(())
    }

    fn wrench(&self, tool: usize) -> Wrench {
        self.wrenches.get(tool).copied().unwrap_or_default()
    }

    fn contact_points(&self, tool: usize) -> Option<&[ContactPoint]> {
        self.contact_points.of_tool(tool)
    }

    fn positions(&self) -> Vec<[f64; 3]> {
        let moved = self.everywhere(&self.state.forces);
        let rest = self.model.mesh.positions.iter();
        rest.zip(moved)
            .map(|(rest, moved)| (Vector3::from(*rest) + moved).into())
            .collect()
    }

    fn velocities(&self) -> Vec<[f64; 3]> {
        self.everywhere(&self.state.rates)
            .into_iter()
            .map(Into::into)
            .collect()
    }

    fn time(&self) -> f64 {
        self.state.time
    }

    fn reset(&mut self) {
        self.state = State::at_rest(self.model.compliance.n_skin());
        self.contacts.clear();
        self.contact_points.clear();
        self.wrenches.clear();
    }

    fn save(&self) -> Vec<u8> {
        self.state.to_bytes()
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), TissueError> {
        self.state = State::from_bytes(state, self.model.compliance.n_skin())?;
        self.contacts.clear();
        self.contact_points.clear();
        self.wrenches.clear();
        Ok(())
    }
}
