//! State of a condensed body and its step.

use std::sync::Arc;

use insonate_settings::check_range;
use nalgebra::{Matrix3, Vector3};

use super::balance::{Balance, Iterate, Linearization, Matrix, Triangle};
use super::candidates::{Reference, into_tool, weighted};
use super::dense::Factors;
use super::layer::{Contact, Layer};
use super::model::CondensedModel;
use super::region::{OUTSIDE, Region};
use crate::stress::{gradient, linear};
use crate::tool::{ContactPoint, ContactPoints, PointImpulse, Tool, Wrench};
use crate::{Divergence, Material, SoftTissue, TissueError, TissueStress};

/// Distance from a tool within which sample points take part in a step [m]. Tools and skin approach each other by less in a step.
const NEAR: f64 = 0.002;
/// Force below which a vertex counts as relaxed [N].
const RELAXED: f64 = 1e-9;

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
    /// The region of the state's references; `None`: not known yet.
    region: Option<Region>,
    /// Factors of the matrix of the state's linearization.
    factors: Option<Factors>,
    /// Vertices of the skin with forces or rates, in ascending order.
    loaded: Vec<usize>,
    memory: Memory,
    pub(super) state: State,
}

/// Memory that steps use again.
#[derive(Debug, Default)]
struct Memory {
    /// Displacements of the region's rows after they have relaxed [m], shape `[n_rows, 3]`.
    relaxed: Vec<f64>,
    triangles: Vec<Triangle>,
    anchors: Vec<Vector3<f64>>,
    iterates: [Iterate; 2],
}

/// What a step changes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct State {
    /// Forces on the vertices of the skin that would hold them where they are [N]: the tools' forces with the tissue's retardation.
    pub(super) forces: Vec<Vector3<f64>>,
    /// Change of these forces in the last step, per time [N/s].
    pub(super) rates: Vec<Vector3<f64>>,
    /// Force on each vertex near tools that is the first guess of the next step [N].
    pub(super) guesses: Vec<(u32, Vector3<f64>)>,
    /// Points in contact: tool, sample point, and position on the tool at which the layer is not sheared [m].
    pub(super) anchors: Vec<(u32, u32, Vector3<f64>)>,
    /// Poses of tools from which the region near them was chosen; none for tools that hold the body.
    pub(super) references: Vec<Option<Reference>>,
    /// What the matrix of the last iteration was made of.
    pub(super) linearization: Option<Linearization>,
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
            region: None,
            factors: None,
            loaded: Vec::new(),
            memory: Memory::default(),
        })
    }

    /// Sample points in contact at the end of the last step.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Displacement of a vertex of the skin by the forces on the loaded vertices, times a factor [m].
    fn displacement(&self, vertex: usize, factor: f64) -> Vector3<f64> {
        let n_skin = self.model.compliance.n_skin();
        let mut sum = Vector3::zeros();
        for &other in &self.loaded {
            let columns = self.model.compliance.columns(other);
            for axis in 0..3 {
                let start = 3 * (n_skin * axis + vertex);
                sum += Vector3::from_column_slice(&columns[start..start + 3])
                    * self.state.forces[other][axis];
            }
        }
        sum * factor
    }

    /// The region near the tools, with the displacements of its rows after they have relaxed, times a factor. It is chosen again if tools or
    /// skin have moved so far that other triangles could be near.
    fn region(&mut self, tools: &[Tool], factor: f64) -> Region {
        let references = &mut self.state.references;
        if references.len() != tools.len() {
            *references = vec![None; tools.len()];
            self.region = None;
        }
        let known = self.region.take();
        let mut region =
            known.unwrap_or_else(|| Region::new(&self.model, tools, &self.state.references));
        let mut furthest = self.relax(&mut region, factor);
        let presses = |tool: &Tool| tool.friction.is_finite();
        let serves = |references: &[Option<Reference>], furthest: f64| {
            tools.iter().zip(references).all(|(tool, reference)| {
                !presses(tool) || reference.is_some_and(|it| it.serves(tool, furthest + NEAR))
            })
        };
        if !serves(&self.state.references, furthest) {
            // No vertex without force moves further than those with forces.
            for &vertex in &self.loaded {
                furthest = furthest.max(self.displacement(vertex, factor).norm());
            }
            for (tool, reference) in tools.iter().zip(&mut self.state.references) {
                *reference = presses(tool).then(|| Reference::new(tool, furthest + NEAR));
            }
            region = Region::new(&self.model, tools, &self.state.references);
            self.relax(&mut region, factor);
        }
        region
    }

    /// Computes the displacements of the region's rows after they have relaxed, and returns the largest [m].
    fn relax(&mut self, region: &mut Region, factor: f64) -> f64 {
        let forces = &self.state.forces;
        let loaded = self.loaded.iter().map(|&vertex| (vertex, forces[vertex]));
        let relaxed = &mut self.memory.relaxed;
        region.displacements(&self.model, loaded, factor, relaxed);
        let squared = relaxed
            .chunks_exact(3)
            .map(|u| u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        squared.fold(0.0, f64::max).sqrt()
    }

    /// Finds the triangles with sample points near the tools, and the anchors of these points.
    fn approach(&mut self, region: &mut Region, tools: &[Tool], into_tools: &[Matrix3<f64>]) {
        let model = &self.model;
        let skin = &model.skin;
        let Memory {
            relaxed,
            triangles,
            anchors,
            ..
        } = &mut self.memory;
        triangles.clear();
        anchors.clear();
        for (index, tool) in tools.iter().enumerate() {
            if region.tools[index].triangles.is_empty() {
                continue;
            }
            let turn = &into_tools[index];
            let in_tool = |vertex: usize| {
                turn * (Vector3::from(model.mesh.positions[vertex]) - tool.position)
            };
            let key = |&(tool, sample, _): &(u32, u32, Vector3<f64>)| (tool, sample);
            let mut known = self.state.anchors.partition_point(|it| it.0 < index as u32);
            for candidate in 0..region.tools[index].triangles.len() {
                let number = region.tools[index].triangles[candidate].number;
                let triangle = &skin.triangles[number as usize];
                let rows = triangle
                    .corners
                    .map(|corner| corner.map_or(OUTSIDE, |vertex| region.rows[vertex]));
                let corners = std::array::from_fn(|i| {
                    let mut corner = in_tool(triangle.vertices[i]);
                    if rows[i] != OUTSIDE {
                        let start = 3 * rows[i] as usize;
                        corner += turn * Vector3::from_column_slice(&relaxed[start..start + 3]);
                    }
                    corner
                });
                let least = region.tools[index].least(candidate, &corners, skin, &tool.shape);
                if least > NEAR {
                    continue;
                }
                triangles.push(Triangle {
                    tool: index,
                    candidate,
                    rows,
                    corners,
                    area: triangle.area,
                    start: anchors.len(),
                });
                let first = number * skin.samples.len() as u32;
                for (sample, weights) in (first..).zip(&skin.samples) {
                    let wanted = (index as u32, sample);
                    let anchor_list = &self.state.anchors;
                    while anchor_list.get(known).is_some_and(|it| key(it) < wanted) {
                        known += 1;
                    }
                    let found = anchor_list.get(known).filter(|it| key(it) == wanted);
                    anchors.push(found.map_or_else(|| weighted(&corners, weights), |it| it.2));
                }
            }
        }
    }

    /// Puts the first guess of forces on the rows of the region into the first iterate.
    fn guess(&mut self, region: &Region) {
        let guess = &mut self.memory.iterates[0].forces;
        guess.clear();
        guess.resize(3 * region.vertices.len(), 0.0);
        for (vertex, force) in &self.state.guesses {
            let row = region.rows[*vertex as usize];
            if row != OUTSIDE {
                let start = 3 * row as usize;
                guess[start..start + 3].copy_from_slice(force.as_slice());
            }
        }
    }

    /// Lets the forces that hold the tissue follow those of the tools.
    fn advance(&mut self, region: &Region, time: f64) {
        let remaining = self.damping_time / (time + self.damping_time);
        let state = &mut self.state;
        for &vertex in &self.loaded {
            let force = &mut state.forces[vertex];
            state.rates[vertex] = -*force;
            *force *= remaining;
            if force.amax() < RELAXED {
                *force = Vector3::zeros();
            }
        }
        state.guesses.clear();
        let tractions = &self.memory.iterates[0].tractions;
        for (&vertex, force) in region.vertices.iter().zip(tractions) {
            if *force != Vector3::zeros() {
                state.guesses.push((vertex as u32, *force));
                state.forces[vertex] += force * (1.0 - remaining);
                self.loaded.push(vertex);
            }
        }
        self.loaded.sort_unstable();
        self.loaded.dedup();
        let is_loaded = |&vertex: &usize| {
            let rate = (state.rates[vertex] + state.forces[vertex]) / time;
            state.rates[vertex] = rate;
            rate != Vector3::zeros() || state.forces[vertex] != Vector3::zeros()
        };
        self.loaded.retain(is_loaded);
    }

    /// Wrenches, contacts and anchors of the points in contact.
    fn record(&mut self, region: &Region, tools: &[Tool]) {
        self.wrenches.clear();
        self.wrenches.resize(tools.len(), Wrench::default());
        self.contacts.clear();
        let n_samples = self.model.skin.samples.len() as u32;
        let holder = tools.iter().position(|tool| tool.friction.is_infinite());
        let anchors = &mut self.state.anchors;
        anchors.clear();
        for touching in &self.memory.iterates[0].touching {
            let triangle = &self.memory.triangles[touching.triangle];
            let tool = &tools[triangle.tool];
            let response = &touching.response;
            let traction = tool.rotation * response.traction;
            let position = tool.position + tool.rotation * touching.position;
            let force = traction * triangle.area;
            let add = |wrench: &mut Wrench, about: &Vector3<f64>, force: Vector3<f64>| {
                wrench.force += force;
                wrench.torque += (position - about).cross(&force);
            };
            add(&mut self.wrenches[triangle.tool], &tool.position, -force);
            if let Some(holder) = holder {
                add(&mut self.wrenches[holder], &tools[holder].position, force);
            }
            self.contacts.push(Contact {
                tool: triangle.tool,
                position,
                normal: tool.rotation * response.normal,
                area: triangle.area,
                traction,
            });
            let number = region.tools[triangle.tool].triangles[triangle.candidate].number;
            anchors.push((
                triangle.tool as u32,
                number * n_samples + touching.sample as u32,
                touching.position - response.sheared,
            ));
        }
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

    fn start_from(&mut self, state: State) {
        let is_loaded = |&vertex: &usize| {
            state.forces[vertex] != Vector3::zeros() || state.rates[vertex] != Vector3::zeros()
        };
        self.loaded = (0..state.forces.len()).filter(is_loaded).collect();
        self.state = state;
        (self.region, self.factors) = (None, None);
        self.contacts.clear();
        self.contact_points.clear();
        self.wrenches.clear();
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
        let mut region = self.region(&tools, remaining / self.young_modulus);
        let into_tools: Vec<Matrix3<f64>> = tools.iter().map(into_tool).collect();
        self.approach(&mut region, &tools, &into_tools);
        self.guess(&region);
        let balance = Balance {
            model: &self.model,
            layer: self.layer,
            scale: (1.0 - remaining) / self.young_modulus,
            tools: &tools,
            into_tools: &into_tools,
            triangles: &self.memory.triangles,
            anchors: &self.memory.anchors,
        };
        let mut matrix = Matrix {
            linearization: self.state.linearization.take(),
            factors: self.factors.take(),
        };
        let [iterate, spare] = &mut self.memory.iterates;
        let balanced = balance.solve(&mut region, &mut matrix, iterate, spare);
        (self.state.linearization, self.factors) = (matrix.linearization, matrix.factors);
        if balanced.is_none() {
            let reason = Divergence::NotFinite;
            self.state.diverged = Some(reason);
            return Err(TissueError::Diverged {
                reason,
                time: self.state.time,
            });
        }
        self.advance(&region, time);
        self.record(&region, &tools);
        self.region = Some(region);
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

    /// The stress of the forces that hold the tissue where it is.
    fn stress(&self) -> Option<TissueStress> {
        let mesh = &self.model.mesh;
        let mut all = TissueStress {
            points: self.positions(),
            tets: mesh.tets.clone(),
            ..TissueStress::default()
        };
        let volumes = mesh.volumes();
        for (index, tet) in mesh.tets.iter().enumerate() {
            let factor = self.model.factors.get(index).copied().unwrap_or(1.0);
            let material = Material {
                young_modulus: factor * self.young_modulus,
                poisson_ratio: self.model.poisson_ratio,
                ..Material::default()
            };
            let now = tet.map(|vertex| Vector3::from(all.points[vertex as usize]));
            let f = gradient(&mesh.corners(index), &now)?;
            let (strains, stress) = linear(&f, [material.lame_lambda(), material.lame_mu()]);
            all.volumes.push(volumes[index]);
            all.principal_strains.push(strains);
            all.stresses.push(stress);
        }
        Some(all)
    }

    fn time(&self) -> f64 {
        self.state.time
    }

    fn reset(&mut self) {
        self.start_from(State::at_rest(self.model.compliance.n_skin()));
    }

    fn save(&self) -> Vec<u8> {
        self.state.to_bytes()
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), TissueError> {
        let n_samples = self.model.skin.triangles.len() * self.model.skin.samples.len();
        let n_skin = self.model.compliance.n_skin();
        self.start_from(State::from_bytes(state, n_skin, n_samples)?);
        Ok(())
    }
}
