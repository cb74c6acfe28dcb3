//! One organ with an instrument in it.

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

/// Shaft and clamps.
pub(super) const N_PARTS: usize = 3;

/// One organ with an instrument in it. The instrument's position is between the ends of its clamps.
#[derive(Debug)]
pub struct SurgeryState {
    model: Arc<SurgeryModel>,
    worlds: Arc<Worlds>,
    /// Its place among the worlds.
    index: usize,
    gripper: Gripper,
    /// What carries the instrument, if anything.
    arm: Option<PsmArm>,
    point: Vector3<f64>,
    opening: f64,
    /// Point and opening after the step that has begun.
    target: (Vector3<f64>, f64),
    positions: Vec<[f64; 3]>,
    parts: [(Vector3<f64>, UnitQuaternion<f64>); N_PARTS],
    /// Wrench of the tissue on the whole instrument, the mean over the last step, about its position.
    wrench: Wrench,
    peak_force: f64,
    time: f64,
}

impl SurgeryState {
    /// The organ of world `index`, at rest, with the instrument at a place [m], its clamps barely open.
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

    /// Resets: the organ at rest, the instrument at a point [m] of the workspace, its clamps open by a share of the whole.
    ///
    /// # Errors
    /// As [`SurgeryState::new`].
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

    /// Begins a step that moves the instrument by a displacement [m], as far as the workspace goes, and its clamps to a share of their
    /// opening. Closing clamps grasp at once. An arm is told to, and moves against the tissue's wrench of the last step.
    ///
    /// # Errors
    /// [`TissueError::Setting`] for an invalid place of the instrument.
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

    /// Advances this world and the others of its group in which a step has begun.
    pub(super) fn advance_group(&self) {
        self.worlds.advance(self.model.time.control_timestep);
    }

    /// Ends the step, after advancing if that has not been done with the group.
    ///
    /// # Errors
    /// [`TissueError::Diverged`]; organ and instrument are then as they were.
    pub(super) fn finish_step(&mut self) -> Result<(), TissueError> {
        let time = self.model.time.control_timestep;
        self.worlds.finish(self.index, time)?;
        // (world) => what is read of it
        (self.point, self.opening) = self.target;
        self.time += time;
        (self.positions, self.wrench, self.parts) = self.worlds.with(self.index, |world| {
            (world.positions(), self.gripper.wrench(world), parts(world))
        });
        // From the tip of the shaft to the instrument's position.
        self.wrench.torque += (self.gripper.tip() - self.point).cross(&self.wrench.force);
        self.peak_force = self.peak_force.max(self.force());
        Ok(())
    }

    /// The group of worlds that advance together.
    pub(super) fn group(&self) -> usize {
        Arc::as_ptr(&self.worlds).addr()
    }

    /// What it shares with other environments.
    pub fn model(&self) -> &Arc<SurgeryModel> {
        &self.model
    }

    /// Where the instrument is [m].
    pub fn point(&self) -> Vector3<f64> {
        self.point
    }

    /// How far the clamps are open: 0 closed, 1 as far as they go.
    pub fn openness(&self) -> f64 {
        self.opening / OPEN
    }

    /// Whether the clamps hold tissue.
    pub fn holds(&self) -> bool {
        self.gripper.holds()
    }

    /// Where a point of the organ is [m].
    pub fn place(&self, point: &MaterialPoint) -> Vector3<f64> {
        point.at(&self.positions)
    }

    /// Vertices of the organ [m], shape `[n_vertices, 3]`.
    pub fn positions(&self) -> &[[f64; 3]] {
        &self.positions
    }

    /// Force of the tissue on the instrument, the mean over the last step [N].
    pub fn force(&self) -> f64 {
        self.wrench.force.norm()
    }

    /// Force with which the tissue that the clamps hold pulls at the instrument, the mean over the last step [N]; 0 where they hold none.
    pub fn grasp_force(&self) -> f64 {
        if self.holds() { self.force() } else { 0.0 }
    }

    /// The arm that carries the instrument, if any.
    pub(super) fn arm(&self) -> Option<&PsmArm> {
        self.arm.as_ref()
    }

    /// The greatest such force since the start [N].
    pub fn peak_force(&self) -> f64 {
        self.peak_force
    }

    /// Simulated time since the start [s].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Centres and rotations of shaft and clamps, which lie along z.
    pub(super) fn parts(&self) -> &[(Vector3<f64>, UnitQuaternion<f64>); N_PARTS] {
        &self.parts
    }
}

/// Middles and directions of shaft and clamps.
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

/// The clamps' angle [rad] for a share of their opening.
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

/// Where the shaft ends and the clamps begin, with their ends at a point.
fn shaft_tip(model: &SurgeryModel, point: Vector3<f64>) -> Vector3<f64> {
    let back = Vector3::from(model.instrument.trocar) - point;
    point + back * (model.instrument.clamp_length / back.norm())
}
