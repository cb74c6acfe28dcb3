//! One organ with an instrument.

use std::sync::Arc;

use insonate_tissue::TissueError;
use insonate_tissue::tool::Wrench;
use insonate_tissue::xpbd::{BatchWorld, Gripper};
use nalgebra::{UnitQuaternion, Vector3};

use super::model::SurgeryModel;
use super::organ::MaterialPoint;
use super::psm_arm::PsmArm;
use super::settings::{CLOSED, OPEN, SurgeryRobot};
use super::worlds::Worlds;

/// Number of parts: the shaft and two clamps.
pub(super) const N_PARTS: usize = 3;

/// One organ with an instrument. The instrument's position is the point between the tips of its clamps.
#[derive(Debug)]
pub struct SurgeryState {
    model: Arc<SurgeryModel>,
    worlds: Arc<Worlds>,
    /// Index of its world.
    index: usize,
    gripper: Gripper,
    /// The arm that holds the instrument, if any.
    arm: Option<PsmArm>,
    point: Vector3<f64>,
    opening: f64,
    /// Target position and opening of the current step.
    target: (Vector3<f64>, f64),
    positions: Vec<[f64; 3]>,
    parts: [(Vector3<f64>, UnitQuaternion<f64>); N_PARTS],
    /// Wrench of the tissue on the whole instrument about its position, averaged over the last step.
    wrench: Wrench,
    peak_force: f64,
    time: f64,
}

impl SurgeryState {
    /// Creates the state of world `index`: the organ at rest, the instrument at a position [m], its clamps almost closed.
    ///
    /// # Errors
    /// [`TissueError::Setting`] for an invalid instrument.
    pub(super) fn new(
        model: Arc<SurgeryModel>,
        worlds: Arc<Worlds>,
        index: usize,
        at: Vector3<f64>,
    ) -> Result<Self, TissueError> {
        let mut point = into_workspace(&model, at);
        let arm = match model.robot {
            SurgeryRobot::Floating => None,
            SurgeryRobot::Psm => Some(PsmArm::new(model.instrument.trocar.into(), point)),
        };
        if let Some(arm) = &arm {
            point = arm.tip();
        }
        let (gripper, parts) = begin(&model, &worlds, index, point, CLOSED)?;
        Ok(Self {
            positions: model.organ.positions().to_vec(),
            model,
            worlds,
            index,
            gripper,
            arm,
            point,
            opening: CLOSED,
            target: (point, CLOSED),
            parts,
            wrench: Wrench::default(),
            peak_force: 0.0,
            time: 0.0,
        })
    }

    /// Resets the organ to rest and the instrument to a position [m] in the workspace, with its clamps open by a fraction.
    ///
    /// # Errors
    /// Those of [`SurgeryState::new`].
    pub fn reset(&mut self, at: Vector3<f64>, openness: f64) -> Result<(), TissueError> {
        let mut point = into_workspace(&self.model, at);
        if let Some(arm) = &mut self.arm {
            arm.reset(point);
            point = arm.tip();
        }
        let opening = opening(openness);
        (self.gripper, self.parts) = begin(&self.model, &self.worlds, self.index, point, opening)?;
        self.point = point;
        self.opening = opening;
        self.positions.copy_from_slice(self.model.organ.positions());
        self.wrench = Wrench::default();
        (self.peak_force, self.time) = (0.0, 0.0);
        Ok(())
    }

    /// Begins a step: the instrument moves by a displacement [m], limited to the workspace, and its clamps to a fraction of their opening.
    /// Closing clamps grasp immediately. An arm is commanded instead and moves against the tissue's wrench of the previous step.
    ///
    /// # Errors
    /// [`TissueError::Setting`] if the position of the instrument is invalid.
    pub(super) fn begin_step(
        &mut self,
        displacement: Vector3<f64>,
        openness: f64,
    ) -> Result<(), TissueError> {
        let opening = opening(openness);
        let time = self.model.time.control_timestep;
        let point = match &mut self.arm {
            None => into_workspace(&self.model, self.point + displacement),
            Some(arm) => {
                let command = into_workspace(&self.model, arm.commanded_tip() + displacement);
                arm.step(command, &self.wrench, time);
                arm.tip()
            }
        };
        let tip = shaft_tip(&self.model, point);
        let gripper = &mut self.gripper;
        self.worlds.with(self.index, |world| {
            gripper.move_to(world, tip, 0.0, opening, time)
        })?;
        self.target = (point, opening);
        self.worlds.set_due(self.index);
        Ok(())
    }

    /// Advances this world and the others of its group that have begun a step.
    pub(super) fn advance_group(&self) {
        self.worlds.advance(self.model.time.control_timestep);
    }

    /// Ends the step. Advances first if the group has not been advanced.
    ///
    /// # Errors
    /// [`TissueError::Diverged`]. Organ and instrument are then unchanged.
    pub(super) fn finish_step(&mut self) -> Result<(), TissueError> {
        let time = self.model.time.control_timestep;
        self.worlds.finish(self.index, time)?;
        // (world) => position, opening, wrench
        (self.point, self.opening) = self.target;
        self.time += time;
        (self.positions, self.wrench, self.parts) = self.worlds.with(self.index, |world| {
            (world.positions(), self.gripper.wrench(world), parts(world))
        });
        // Moves the reference point of the torque from the tip of the shaft to the instrument's position.
        self.wrench.torque += (self.gripper.tip() - self.point).cross(&self.wrench.force);
        self.peak_force = self.peak_force.max(self.force());
        Ok(())
    }

    /// The group of worlds that advance together.
    pub(super) fn group(&self) -> usize {
        Arc::as_ptr(&self.worlds).addr()
    }

    /// The model shared with other environments.
    pub fn model(&self) -> &Arc<SurgeryModel> {
        &self.model
    }

    /// Position of the instrument [m].
    pub fn point(&self) -> Vector3<f64> {
        self.point
    }

    /// Opening of the clamps: 0 closed, 1 fully open.
    pub fn openness(&self) -> f64 {
        self.opening / OPEN
    }

    /// Whether the clamps hold tissue.
    pub fn holds(&self) -> bool {
        self.gripper.holds()
    }

    /// Position of a point of the organ [m].
    pub fn place(&self, point: &MaterialPoint) -> Vector3<f64> {
        point.at(&self.positions)
    }

    /// Positions of the organ's vertices [m], shape `[n_vertices, 3]`.
    pub fn positions(&self) -> &[[f64; 3]] {
        &self.positions
    }

    /// Force of the tissue on the instrument, averaged over the last step [N].
    pub fn force(&self) -> f64 {
        self.wrench.force.norm()
    }

    /// Force of the grasped tissue on the instrument, averaged over the last step [N]. 0 without a grasp.
    pub fn grasp_force(&self) -> f64 {
        if self.holds() { self.force() } else { 0.0 }
    }

    /// The arm that holds the instrument, if any.
    pub(super) fn arm(&self) -> Option<&PsmArm> {
        self.arm.as_ref()
    }

    /// Maximum of [`SurgeryState::force`] since the start [N].
    pub fn peak_force(&self) -> f64 {
        self.peak_force
    }

    /// Simulated time since the start [s].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Centres and rotations of shaft and clamps. Their axes are along z.
    pub(super) fn parts(&self) -> &[(Vector3<f64>, UnitQuaternion<f64>); N_PARTS] {
        &self.parts
    }
}

/// Centres and rotations of shaft and clamps.
type Parts = [(Vector3<f64>, UnitQuaternion<f64>); N_PARTS];

fn begin(
    model: &SurgeryModel,
    worlds: &Worlds,
    index: usize,
    point: Vector3<f64>,
    opening: f64,
) -> Result<(Gripper, Parts), TissueError> {
    worlds.reset(index, &model.organ)?;
    worlds.with(index, |world| {
        let gripper = Gripper::new(
            world,
            model.instrument.geometry(),
            model.instrument.trocar.into(),
            shaft_tip(model, point),
            0.0,
            opening,
        )?;
        Ok((gripper, parts(world)))
    })
}

fn parts(world: &mut BatchWorld<'_>) -> Parts {
    let tools = world.tools_mut();
    std::array::from_fn(|part| (tools[part].position, tools[part].rotation))
}

/// Angle of the clamps [rad] for a fraction of their opening.
fn opening(openness: f64) -> f64 {
    openness.clamp(0.0, 1.0) * OPEN
}

fn into_workspace(model: &SurgeryModel, at: Vector3<f64>) -> Vector3<f64> {
    let (low, high) = (
        model.instrument.workspace_low,
        model.instrument.workspace_high,
    );
    Vector3::from_fn(|axis, _| at[axis].clamp(low[axis], high[axis]))
}

/// End of the shaft, for a position of the clamps' tips.
fn shaft_tip(model: &SurgeryModel, point: Vector3<f64>) -> Vector3<f64> {
    let back = Vector3::from(model.instrument.trocar) - point;
    point + back * (model.instrument.clamp_length / back.norm())
}
