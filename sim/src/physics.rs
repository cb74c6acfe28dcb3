//! One simulated scene: the shared constant model, one state, and a step that detects divergence.
//!
//! A step runs MuJoCo's second half and then the first half of the next step, as dm_control does
//! (Tunyasuvunakool et al. 2020, doi:10.1016/j.simpa.2020.100022): after [`Physics::step`] all poses, velocities,
//! Jacobians and inertias belong to the current `qpos` and `qvel`. The trajectory equals the one of `mj_step`.

use std::sync::Arc;

use insonate_models::torsos::Device;
use mujoco_rs::wrappers::mj_data::{MjData, MjtWarning};
use mujoco_rs::wrappers::mj_model::{MjModel, MjtIntegrator};

use crate::SimError;
use crate::co_simulation::CoSimulatedTorso;
use crate::coupling::Coupling;
use crate::divergence::{Divergence, DivergenceReason, MAX_CONTACT_FORCE};
use crate::ffi::{Contact, Data};
use crate::names::{self, ObjectType};
use crate::readings::ForceTorque;
use crate::scene::CompiledScene;
use crate::shell::Shell;
use crate::step_record::StepRecord;

/// Name of the keyframe of [`Physics::reset`].
const HOME: &str = "home";

/// A running scene: shared constant model and one state.
#[derive(Debug)]
pub struct Physics {
    data: Data,
    record: StepRecord,
    diverged: Option<Divergence>,
    /// The torso that is stepped outside MuJoCo, if the scene has one.
    torso: Option<CoSimulatedTorso>,
    /// Whether the state was written to, so that the first half of the step must run again.
    stale: bool,
    /// Keyframe `home`, if the scene has it.
    home: Option<usize>,
}

impl Physics {
    /// A state of the model at keyframe `home`, or at `qpos0` if there is no such keyframe.
    ///
    /// # Errors
    /// [`SimError::Allocation`] if MuJoCo has no memory for the state.
    pub fn new(model: Arc<MjModel>) -> Result<Self, SimError> {
        let record = StepRecord::new(&model);
        let home = names::try_find(&model, ObjectType::Keyframe, HOME);
        let data = MjData::try_new(model).map_err(|_| SimError::Allocation)?;
        let mut physics = Self {
            data,
            record,
            diverged: None,
            torso: None,
            stale: true,
            home,
        };
        physics.reset();
        Ok(physics)
    }

    /// A state of a compiled scene, with the torso that is stepped outside MuJoCo.
    ///
    /// # Errors
    /// As [`Physics::new`], [`Shell::new`] and [`Coupling::new`].
    pub fn from_scene(scene: &CompiledScene) -> Result<Self, SimError> {
        let mut physics = Self::new(scene.physics_model().clone())?;
        physics.torso = scene.torso_at_rest()?;
        Ok(physics)
    }

    /// Compiles MJCF text and creates a state of it.
    ///
    /// # Errors
    /// As [`crate::compile()`] and [`Physics::new`].
    pub fn from_xml(xml: &str) -> Result<Self, SimError> {
        Self::new(crate::compile(xml)?)
    }

    /// Announces the next [`step`](Self::step), when `ctrl` is set, so that a GPU steps the torsos of all states of the scene that have announced
    /// theirs at once. Results do not change. Until the step, the state must not be written to.
    pub fn announce_step(&mut self) {
        if self.diverged.is_some() {
            return;
        }
        self.refresh();
        if let Some(torso) = &mut self.torso {
            torso.announce_step(&self.data);
        }
    }

    /// Advances by one timestep.
    ///
    /// # Errors
    /// The divergence, now and on every later call until a reset.
    pub fn step(&mut self) -> Result<(), Divergence> {
        if let Some(divergence) = self.diverged {
            return Err(divergence);
        }
        let time = self.time();
        self.refresh();
        // (ctrl, xfrc_applied) => qacc, contact forces => qpos, qvel
        self.advance();
        // The solver's arrays are valid until the next line.
        self.take_record();
        // (qpos, qvel) => poses, contacts, inertia, velocity terms
        self.data.step1();
        self.check(time)
    }

    /// (qpos, qvel) => poses, contacts, inertia, velocity terms, if the state was written to
    fn refresh(&mut self) {
        if self.stale {
            self.data.step1();
            self.stale = false;
        }
    }

    /// Advances by `n` timesteps with the same `ctrl`.
    ///
    /// # Errors
    /// As [`Physics::step`].
    pub fn step_n(&mut self, n: usize) -> Result<(), Divergence> {
        (0..n).try_for_each(|_| self.step())
    }

    /// Updates every derived quantity for the current `qpos`, `qvel` and `ctrl` without advancing time.
    pub fn forward(&mut self) {
        self.data.forward();
        self.take_record();
        self.stale = false;
    }

    /// Resets to keyframe `home`, or to `qpos0` if there is no such keyframe.
    pub fn reset(&mut self) {
        self.reset_to_key(self.home);
    }

    /// Resets to a named keyframe.
    ///
    /// # Errors
    /// [`SimError::UnknownName`].
    pub fn reset_to(&mut self, keyframe: &str) -> Result<(), SimError> {
        let key = names::find(self.model(), ObjectType::Keyframe, keyframe)?;
        self.reset_to_key(Some(key));
        Ok(())
    }

    fn take_record(&mut self) {
        let adjacent = self
            .torso
            .as_ref()
            .map_or(&[][..], CoSimulatedTorso::contacts);
        self.record.take(&self.data, adjacent);
    }

    /// Second half of a step. The classic Runge-Kutta scheme is not split into halves.
    fn advance(&mut self) {
        if let Some(torso) = &mut self.torso {
            torso.begin_step(&mut self.data);
            self.data.step2();
            torso.end_step(&mut self.data);
        } else if self.model().opt().integrator == MjtIntegrator::mjINT_RK4 as i32 {
            self.data.step();
        } else {
            self.data.step2();
        }
    }

    fn reset_to_key(&mut self, key: Option<usize>) {
        match key {
            Some(key) => self
                .data
                .reset_keyframe(key)
                .expect("the keyframe was looked up in this model"),
            None => self.data.reset(),
        }
        self.diverged = None;
        if let Some(torso) = &mut self.torso {
            torso.reset();
        }
        self.forward();
    }

    fn check(&mut self, time: f64) -> Result<(), Divergence> {
        let warning = self.data.warning();
        let raised = |kind: MjtWarning| {
            let stat = &warning[kind as usize];
            (stat.number > 0).then_some(stat.lastinfo as usize)
        };
        let reason = raised(MjtWarning::mjWARN_BADQACC)
            .map(DivergenceReason::Qacc)
            .or_else(|| raised(MjtWarning::mjWARN_BADQPOS).map(DivergenceReason::Qpos))
            .or_else(|| raised(MjtWarning::mjWARN_BADQVEL).map(DivergenceReason::Qvel))
            .or_else(|| raised(MjtWarning::mjWARN_BADCTRL).map(DivergenceReason::Ctrl))
            .or_else(|| self.torso.as_ref().and_then(CoSimulatedTorso::divergence))
            .or_else(|| self.huge_force());
        self.diverged = reason.map(|reason| Divergence { reason, time });
        self.diverged.map_or(Ok(()), Err)
    }

    /// A contact force that is too large to be plausible.
    fn huge_force(&self) -> Option<DivergenceReason> {
        let forces = self.record.contacts.iter();
        let forces = forces.map(|contact| contact.force_in_contact[0].abs());
        let most = forces.fold(0.0, f64::max);
        (most > MAX_CONTACT_FORCE).then_some(DivergenceReason::ContactForce(most))
    }

    /// The divergence that stopped this state, if any.
    pub fn diverged(&self) -> Option<Divergence> {
        self.diverged
    }

    /// Contacts of the last step with the forces that acted during it.
    pub fn contacts(&self) -> &[Contact] {
        &self.record.contacts
    }

    /// Whether the next steps record where tissue pushes the robot, for [`FacePressure`](crate::readings::FacePressure). Contact points of the
    /// other torsos are always known. It changes no other result; torsos of tissue do not record by default.
    pub fn record_contact_points(&mut self, records: bool) {
        if let Some(coupling) = self.coupling_mut() {
            coupling.record_contact_points(records);
        }
    }

    /// Whether a GPU steps the torso.
    pub fn has_torso_on_gpu(&self) -> bool {
        self.coupling()
            .is_some_and(|coupling| coupling.model().device == Device::Gpu)
    }

    /// The force-torque sensor at the tip with its last measurement, if the scene has one.
    pub fn force_torque(&self) -> Option<&ForceTorque> {
        self.record.force_torque.as_ref()
    }

    /// The force-torque sensor, for setting its zero.
    pub fn force_torque_mut(&mut self) -> Option<&mut ForceTorque> {
        self.record.force_torque.as_mut()
    }

    /// Flex vertices in world [m] at the start of the last step, shape `[nflexvert, 3]`.
    pub(crate) fn flex_vertices_before(&self) -> &[[f64; 3]] {
        &self.record.flex_vertices
    }

    /// The torso that is stepped outside MuJoCo, if the scene has one.
    pub(crate) fn torso(&self) -> Option<&CoSimulatedTorso> {
        self.torso.as_ref()
    }

    /// The shell of a `fast` torso, if the scene has one.
    pub fn shell(&self) -> Option<&Shell> {
        match self.torso.as_ref()? {
            CoSimulatedTorso::Shell(shell) => Some(shell),
            CoSimulatedTorso::Tissue(_) => None,
        }
    }

    /// The shell of a `fast` torso, for writing its state.
    pub fn shell_mut(&mut self) -> Option<&mut Shell> {
        match self.torso.as_mut()? {
            CoSimulatedTorso::Shell(shell) => Some(shell),
            CoSimulatedTorso::Tissue(_) => None,
        }
    }

    /// The torso's tissue, if the scene has an `mpm` or `xpbd` torso.
    pub fn coupling(&self) -> Option<&Coupling> {
        match self.torso.as_ref()? {
            CoSimulatedTorso::Tissue(coupling) => Some(coupling),
            CoSimulatedTorso::Shell(_) => None,
        }
    }

    /// The torso's tissue, for changing its material.
    pub fn coupling_mut(&mut self) -> Option<&mut Coupling> {
        match self.torso.as_mut()? {
            CoSimulatedTorso::Tissue(coupling) => Some(coupling),
            CoSimulatedTorso::Shell(_) => None,
        }
    }

    /// The torso's tissue, if there is any, and MuJoCo's state, both for writing.
    pub(crate) fn coupling_and_data(&mut self) -> (Option<&mut Coupling>, &mut Data) {
        self.stale = true;
        let coupling = match &mut self.torso {
            Some(CoSimulatedTorso::Tissue(coupling)) => Some(&mut **coupling),
            _ => None,
        };
        (coupling, &mut self.data)
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.data.time()
    }

    /// Length of one step [s].
    pub fn timestep(&self) -> f64 {
        self.model().opt().timestep
    }

    /// The constant model.
    pub fn model(&self) -> &MjModel {
        self.data.model()
    }

    /// The constant model, for sharing with another state.
    pub fn model_arc(&self) -> Arc<MjModel> {
        self.data.model_clone()
    }

    /// MuJoCo's state.
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// MuJoCo's state for writing; the next step recomputes every derived quantity.
    pub fn data_mut(&mut self) -> &mut Data {
        self.stale = true;
        &mut self.data
    }

    /// Joint positions [m or rad], shape `[nq]`.
    pub fn qpos(&self) -> &[f64] {
        self.data.qpos()
    }

    /// Joint positions for writing; call [`Physics::forward`] before reading quantities that depend on them.
    pub fn qpos_mut(&mut self) -> &mut [f64] {
        self.stale = true;
        self.data.qpos_mut()
    }

    /// Joint velocities [m/s or rad/s], shape `[nv]`.
    pub fn qvel(&self) -> &[f64] {
        self.data.qvel()
    }

    /// Joint velocities for writing; call [`Physics::forward`] before reading quantities that depend on them.
    pub fn qvel_mut(&mut self) -> &mut [f64] {
        self.stale = true;
        self.data.qvel_mut()
    }

    /// Actuator inputs, shape `[nu]`; torques [N·m] for the motors of this project's robots.
    pub fn ctrl(&self) -> &[f64] {
        self.data.ctrl()
    }

    /// Actuator inputs for writing.
    pub fn ctrl_mut(&mut self) -> &mut [f64] {
        self.data.ctrl_mut()
    }

    /// Force and torque on each body in world [N, N·m], shape `[nbody, 6]`, for writing.
    pub fn xfrc_applied_mut(&mut self) -> &mut [[f64; 6]] {
        self.data.xfrc_applied_mut()
    }
}
