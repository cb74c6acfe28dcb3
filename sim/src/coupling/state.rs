//! The tissue next to one MuJoCo state, and its step.

use std::fmt;
use std::sync::Arc;

use insonate_models::torsos::Breathing;
use insonate_tissue::tool::{ContactPoint, Shape, Tool, Wrench};
use insonate_tissue::{Divergence, SoftTissue, TissueError, TissueStress};
use mujoco_rs::wrappers::mj_model::MjModel;
use nalgebra::Vector3;

use super::breath::Breath;
use super::geoms::{GeomTool, geom_tools};
use super::model::TissueModel;
use super::moving_least_squares::MovingLeastSquares;
use super::solver::{self, HOLDER_HEIGHT};
use crate::SimError;
use crate::applied_wrenches::AppliedWrenches;
use crate::ffi::{Contact, Data};
use crate::names::{self, ObjectType};
use crate::spatial::contact_frame;

/// Tissue next to one MuJoCo state.
pub struct Coupling {
    model: Arc<TissueModel>,
    tissue: Box<dyn SoftTissue>,
    interpolation: Arc<MovingLeastSquares>,
    geoms: Vec<GeomTool>,
    /// The body that the lower points are fixed to.
    base: usize,
    /// How the base breathes, if it does.
    breath: Option<Breath>,
    /// Displacement of the base by breath, in world [m]. Tissue is stepped as if the base stood still: breath accelerates it by about
    /// 0.02 m/s², 1/500 of gravity.
    rise: Vector3<f64>,
    /// Velocity of the base in world [m/s].
    base_velocity: Vector3<f64>,
    timestep: f64,
    contacts: Vec<Contact>,
    /// Points of the last step with their geoms, if they were recorded.
    points: Option<Vec<(usize, ContactPoint)>>,
    records_points: bool,
    /// Whether the tools are placed for a step that the tissue knows of.
    is_announced: bool,
    applied: AppliedWrenches,
    diverged: Option<Divergence>,
}

impl fmt::Debug for Coupling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coupling")
            .field("model", &self.model.solver)
            .field("time", &self.tissue.time())
            .finish_non_exhaustive()
    }
}

impl Coupling {
    /// Tissue at rest, for a state of `model`, the scene without the tissue.
    ///
    /// # Errors
    /// [`SimError::Tissue`] if the solver rejects it.
    pub fn new(tissue_model: Arc<TissueModel>, model: &MjModel) -> Result<Self, SimError> {
        let (mut tissue, spacing) = solver::build(&tissue_model)?;
        let base = names::find(model, ObjectType::Body, &tissue_model.base)?;
        let (geoms, tools): (Vec<_>, Vec<_>) =
            geom_tools(model, tissue_model.friction).into_iter().unzip();
        let holder = Tool {
            rotation: tissue_model.frame.rotation,
            position: tissue_model.frame.position,
            friction: f64::INFINITY,
            ..Tool::new(Shape::HalfSpace)
        };
        tissue.tools_mut().push(holder);
        tissue.tools_mut().extend(tools);
        let lattice = &tissue_model.mesh.positions;
        let interpolation = tissue_model.interpolation.get_or_init(|| {
            let interpolation = MovingLeastSquares::new(lattice, &tissue.positions(), spacing);
            Arc::new(interpolation)
        });
        Ok(Self {
            interpolation: Arc::clone(interpolation),
            geoms,
            base,
            breath: Breath::of(model, base),
            rise: Vector3::zeros(),
            base_velocity: Vector3::zeros(),
            timestep: model.opt().timestep,
            contacts: Vec::new(),
            points: None,
            records_points: false,
            is_announced: false,
            applied: AppliedWrenches::default(),
            diverged: None,
            model: tissue_model,
            tissue,
        })
    }

    /// Resets to rest.
    pub(crate) fn reset(&mut self) {
        self.tissue.reset();
        self.contacts.clear();
        self.points = None;
        self.is_announced = false;
        (self.rise, self.base_velocity) = (Vector3::zeros(), Vector3::zeros());
        self.diverged = None;
    }

    /// Replaces the material; the tissue is then at rest. The numbers are Young's modulus [Pa], Poisson's ratio, density [kg/m³] and damping
    /// time [s], as [`TorsoKind::tissue_material`](insonate_models::torsos::TorsoKind::tissue_material) gives them.
    ///
    /// # Errors
    /// [`SimError::Tissue`] for numbers out of range.
    pub fn set_material(&mut self, numbers: [f64; 4]) -> Result<(), SimError> {
        let model = self.model.with_material(numbers)?;
        let (new, old) = (&model.material, &self.model.material);
        let is_alike = new.poisson_ratio == old.poisson_ratio && new.density == old.density;
        let softness = (new.young_modulus, model.damping_time);
        if !(is_alike && self.tissue.set_softness(softness.0, softness.1)?) {
            let (mut tissue, _) = solver::build(&model)?;
            std::mem::swap(tissue.tools_mut(), self.tissue.tools_mut());
            self.tissue = tissue;
        }
        self.model = Arc::new(model);
        self.reset();
        Ok(())
    }

    /// Sets rate, amplitude and phase [rad] of a breathing base.
    ///
    /// # Errors
    /// [`SimError::Solid`] if the scene was compiled without breathing.
    pub(crate) fn set_breathing(
        &mut self,
        breathing: &Breathing,
        phase: f64,
        data: &mut Data,
    ) -> Result<(), SimError> {
        let breath = self.breath.as_mut().ok_or_else(|| SimError::Solid {
            problem: "was compiled without breathing".to_owned(),
        })?;
        breath.set(breathing);
        breath.set_phase(data, phase);
        self.follow_base(data);
        Ok(())
    }

    /// Rise of the base [m] and its rate [m/s]; `None` if it does not breathe.
    pub(crate) fn breath(&self, data: &Data) -> Option<[f64; 2]> {
        self.breath.map(|breath| breath.motion(data))
    }

    /// The constants.
    pub fn model(&self) -> &TissueModel {
        &self.model
    }

    /// The tissue, as if the base stood still. Its first tool holds the lower points; the other tools are geoms.
    pub fn tissue(&self) -> &dyn SoftTissue {
        &*self.tissue
    }

    /// Points of the lattice in world [m], shape `[n_points, 3]`.
    pub fn positions(&self) -> Vec<[f64; 3]> {
        self.follow(&self.tissue.positions(), self.rise)
    }

    /// Velocities of the lattice's points in world [m/s], shape `[n_points, 3]`.
    pub fn velocities(&self) -> Vec<[f64; 3]> {
        self.follow(&self.tissue.velocities(), self.base_velocity)
    }

    /// Positions of the tissue's own points in world [m], shape `[n_points, 3]`.
    pub fn tissue_positions(&self) -> Vec<[f64; 3]> {
        let positions = self.tissue.positions().into_iter();
        positions
            .map(|point| (Vector3::from(point) + self.rise).into())
            .collect()
    }

    /// Strain and stress of the tissue's elements in world; `None` if its solver has none.
    pub fn stress(&self) -> Option<TissueStress> {
        let mut stress = self.tissue.stress()?;
        for point in &mut stress.points {
            *point = (Vector3::from(*point) + self.rise).into();
        }
        Some(stress)
    }

    /// Values of the tissue interpolated at the lattice points, plus a part that all points share.
    fn follow(&self, tissue: &[[f64; 3]], part: Vector3<f64>) -> Vec<[f64; 3]> {
        let values = self.interpolation.follow(tissue);
        values
            .map(|value| (Vector3::from(value) + part).into())
            .collect()
    }

    /// Contacts of the last step, one per geom that tissue pushed, with the whole force at the centre of pressure, along the normal.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Geoms and points at which tissue pushed them in the last step, with forces in world that sum to those of [`Self::contacts`], shape
    /// `[n_points]`; `None` unless [`Physics::record_contact_points`](crate::Physics::record_contact_points) was called before, and if a GPU pushed a
    /// geom.
    pub fn contact_points(&self) -> Option<&[(usize, ContactPoint)]> {
        self.points.as_deref()
    }

    /// Whether the next steps record contact points.
    pub(crate) fn record_contact_points(&mut self, records: bool) {
        self.records_points = records;
        for tool in &mut self.tissue.tools_mut()[1..] {
            tool.records_points = records;
        }
    }

    /// Mean wrench of the tissue on its base over the last step, about the torso's origin, in world.
    pub fn base_wrench(&self) -> Wrench {
        self.tissue.wrench(0)
    }

    /// Why the tissue diverged, if it did.
    pub(crate) fn divergence(&self) -> Option<Divergence> {
        self.diverged
    }

    /// Copies the lattice into `qpos` of the scene compiled with the solid.
    pub(crate) fn write_into(&self, qpos: &mut [f64]) {
        let unturn = self.model.frame.rotation.inverse();
        let lattice = self.positions();
        for &(address, point) in &self.model.points {
            let moved =
                Vector3::from(lattice[point]) - Vector3::from(self.model.mesh.positions[point]);
            qpos[address..address + 3].copy_from_slice((unturn * moved).as_slice());
        }
    }

    /// Places the tools and announces the step of the tissue.
    ///
    /// Needs `data` after `mj_step1`.
    pub(crate) fn announce_step(&mut self, data: &Data) {
        self.place_tools(data);
        self.tissue.announce_step(self.timestep);
        self.is_announced = true;
    }

    /// First half of a step: moves the tissue and adds its wrenches to `xfrc_applied`.
    ///
    /// Needs `data` after `mj_step1`.
    pub(crate) fn begin_step(&mut self, data: &mut Data) {
        self.contacts.clear();
        self.points = None;
        if !std::mem::take(&mut self.is_announced) {
            self.place_tools(data);
        }
        if let Err(error) = self.tissue.step(self.timestep) {
            self.diverged = Some(match error {
                TissueError::Diverged { reason, .. } => reason,
                TissueError::Gpu(_) => Divergence::Gpu,
                _ => Divergence::NotFinite,
            });
            return;
        }
        self.points = self.records_points.then(Vec::new);
        if let Some(breath) = &self.breath {
            let up = self.model.frame.rotation * Vector3::z();
            let force = up * breath.missing_force(data);
            self.applied.add(data, self.base, force.into(), [0.0; 3]);
        }
        for index in 0..self.geoms.len() {
            let wrench = self.tissue.wrench(index + 1);
            if wrench.force != Vector3::zeros() || wrench.torque != Vector3::zeros() {
                self.apply(index, &wrench, data);
            }
        }
    }

    /// Second half, after `mj_step2`: restores `xfrc_applied`.
    pub(crate) fn end_step(&mut self, data: &mut Data) {
        self.applied.restore(data);
    }

    fn place_tools(&mut self, data: &Data) {
        self.follow_base(data);
        let tools = self.tissue.tools_mut();
        let up = self.model.frame.rotation * Vector3::z();
        tools[0].position = self.model.frame.position + up * HOLDER_HEIGHT;
        for (geom, tool) in self.geoms.iter().zip(&mut tools[1..]) {
            geom.place(data, tool);
            tool.position -= self.rise;
            tool.linear -= self.base_velocity;
        }
    }

    /// Moves the tissue with its base.
    fn follow_base(&mut self, data: &Data) {
        let up = self.model.frame.rotation * Vector3::z();
        let [rise, rate] = self.breath(data).unwrap_or_default();
        (self.rise, self.base_velocity) = (up * rise, up * rate);
    }

    /// Applies the wrench of the tissue on a geom to its body and lists the contact.
    fn apply(&mut self, index: usize, wrench: &Wrench, data: &mut Data) {
        let geom = &self.geoms[index];
        // Origin of the wrench; the tool has moved since.
        let mut tool = self.tissue.tools_mut()[index + 1].clone();
        let end = tool.position;
        geom.place(data, &mut tool);
        let origin = tool.position;
        // A solver on a GPU lists no points.
        let recorded = self.tissue.contact_points(index + 1);
        self.points = self
            .points
            .take()
            .zip(recorded)
            .map(|(mut points, recorded)| {
                points.extend(recorded.iter().map(|point| {
                    let position = point.position - end + origin;
                    (geom.geom, ContactPoint { position, ..*point })
                }));
                points
            });
        let body = geom.body;
        let arm = origin - Vector3::from(data.xipos()[body]);
        let torque = wrench.torque + arm.cross(&wrench.force);
        self.applied
            .add(data, body, wrench.force.into(), torque.into());
        let size = wrench.force.norm();
        if size > 0.0 {
            let normal = -wrench.force / size;
            let position = origin + wrench.force.cross(&wrench.torque) / (size * size);
            self.contacts
                .push(contact(geom.geom, normal, position, size));
        }
    }
}

/// The force of tissue on a geom as one contact; the second side is tissue, which is not a geom.
fn contact(geom: usize, normal: Vector3<f64>, position: Vector3<f64>, force: f64) -> Contact {
    Contact {
        geom: [geom as i32, -1],
        flex: [-1; 2],
        position: position.into(),
        frame: contact_frame(&normal).map(Into::into),
        distance: 0.0,
        force_in_contact: [force, 0.0, 0.0],
    }
}
