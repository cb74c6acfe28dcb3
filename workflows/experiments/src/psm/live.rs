//! A PSM that is commanded while it is simulated, as the dVRK's software commands the real arm.

use insonate_models::Scene;
use insonate_sim::names::{ObjectType, find};
use insonate_sim::psm::dvrk::coupling::{
    console_from_joint, joint_from_console, joint_torque_from_console, joint_torque_from_motor,
};
use insonate_sim::psm::dvrk::{JOINT_NAMES, JointVector, N_JOINTS, Psm};
use insonate_sim::psm::{ComputedTorqueConfig, JointLaw as _, JointState, PsmArm, model_of};
use insonate_sim::readings::ProbeContact;
use insonate_sim::{CompiledScene, Physics, SimError};
use nalgebra::{IsometryMatrix3, Vector3};

use crate::ExperimentError;

/// Maximum speed of the reference, in the console's joints [rad/s, m/s]: that of the identification's motions (Wang et al. 2019).
const MAX_SPEED: [f64; N_JOINTS] = [1.7, 1.7, 0.35, 2.0, 2.0, 2.0, 3.0];

/// Time after which torques are no longer applied [s].
const EFFORT_TIMEOUT: f64 = 0.1;

/// Index of the jaw in the console's joints.
const JAW: usize = 6;

/// State in the console's joints: yaw, pitch, insertion, roll, wrist pitch, wrist yaw, jaw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PsmReading {
    /// Simulated time [s].
    pub time: f64,
    /// Positions [rad, m].
    pub position: JointVector,
    /// Velocities [rad/s, m/s].
    pub velocity: JointVector,
    /// Torques of the motors in these joints [N·m, N].
    pub effort: JointVector,
    /// Positions of the reference [rad, m].
    pub setpoint: JointVector,
    /// Pose of the tool in the arm's base, as the dVRK reports it.
    pub base_from_tool: IsometryMatrix3<f64>,
    /// Force of the surroundings on the instrument, in the axes of the arm's base [N].
    pub force: Vector3<f64>,
}

/// A PSM that moves as it is told.
#[derive(Debug)]
pub struct LivePsm {
    compiled: CompiledScene,
    physics: Physics,
    arm: PsmArm,
    psm: Psm,
    contact: ProbeContact,
    law: ComputedTorqueConfig,
    /// Ranges of the joints [rad, m].
    ranges: [[f64; 2]; N_JOINTS],
    /// Where the reference goes, and the reference, in the console's joints.
    goal: JointVector,
    reference: JointVector,
    /// Torques of the console's joints without the jaw, and the time until which they are applied.
    effort: Option<(JointVector, f64)>,
    /// Time that is still to be simulated [s].
    owed: f64,
}

impl LivePsm {
    /// An arm that holds the start pose of its scene.
    ///
    /// # Errors
    /// If the scene has another robot or does not compile.
    pub fn new(scene: &Scene) -> Result<Self, ExperimentError> {
        let compiled = CompiledScene::compile(&scene.to_mjcf()?)?;
        let physics = Physics::from_scene(&compiled)?;
        let arm = PsmArm::new(physics.model())?;
        let reference = console_from_joint(&arm.positions(&physics));
        Ok(Self {
            psm: model_of(physics.model())?,
            contact: ProbeContact::below(physics.model(), &format!("{}shaft", arm.prefix()))?,
            law: ComputedTorqueConfig::default(),
            ranges: ranges(&physics, &arm)?,
            goal: reference,
            reference,
            effort: None,
            owed: 0.0,
            compiled,
            physics,
            arm,
        })
    }

    /// The scene.
    pub fn scene(&self) -> (&CompiledScene, &Physics) {
        (&self.compiled, &self.physics)
    }

    /// Moves to positions of the console's joints without the jaw [rad, m]. Returns whether they are within the limits; otherwise the nearest ones are taken.
    pub fn servo_joints(&mut self, position: [f64; JAW]) -> bool {
        let mut goal = self.goal;
        goal.as_mut_slice()[..JAW].copy_from_slice(&position);
        self.hold_from_torques();
        self.set_goal(goal)
    }

    /// Moves the tool to a pose in the arm's base. Returns whether its joints are within the limits.
    ///
    /// # Errors
    /// If no joints reach it.
    pub fn servo_pose(
        &mut self,
        base_from_tool: &IsometryMatrix3<f64>,
    ) -> Result<bool, ExperimentError> {
        let joints = self
            .psm
            .inverse_kinematics(base_from_tool, self.goal[JAW])?;
        let console = console_from_joint(&joints);
        self.hold_from_torques();
        Ok(self.set_goal(console))
    }

    /// Opens the jaw to an angle [rad]. Returns whether it is within the limits.
    pub fn servo_jaw(&mut self, opening: f64) -> bool {
        let mut goal = self.goal;
        goal[JAW] = opening;
        self.set_goal(goal)
    }

    /// Applies torques of the console's joints without the jaw, in addition to those that hold the arm at rest [N·m, N], for 0.1 s.
    pub fn servo_efforts(&mut self, effort: [f64; JAW]) {
        let mut all = JointVector::zeros();
        all.as_mut_slice()[..JAW].copy_from_slice(&effort);
        self.effort = Some((all, self.physics.time() + EFFORT_TIMEOUT));
    }

    /// Simulates approximately `time` [s]. The remainder is carried over to the next call.
    ///
    /// # Errors
    /// When the simulation diverges.
    pub fn advance(&mut self, time: f64) -> Result<(), ExperimentError> {
        self.owed += time;
        let step = self.physics.timestep();
        while self.owed > 0.5 * step {
            let torque = self.torque(step);
            self.arm.apply(&mut self.physics, &torque);
            self.physics.step()?;
            self.owed -= step;
        }
        Ok(())
    }

    /// The current state.
    pub fn reading(&self) -> PsmReading {
        let joints = self.arm.positions(&self.physics);
        let motors = self.arm.motor_torques(&self.physics);
        let base = self.arm.world_from_base(&self.physics).rotation;
        PsmReading {
            time: self.physics.time(),
            position: console_from_joint(&joints),
            velocity: console_from_joint(&self.arm.velocities(&self.physics)),
            effort: console_torque_from_joint(&joint_torque_from_motor(&motors)),
            setpoint: self.reference,
            base_from_tool: self.psm.tool_pose(&joints),
            force: base.inverse() * self.contact.force_in_world(&self.physics),
        }
    }

    /// Torques of the joints for the next step.
    fn torque(&mut self, step: f64) -> JointVector {
        if self
            .effort
            .is_some_and(|(_, until)| self.physics.time() >= until)
        {
            self.hold_from_torques();
        }
        let before = self.reference;
        for (joint, speed) in MAX_SPEED.iter().enumerate() {
            let travel = speed * step;
            let way = self.goal[joint] - before[joint];
            self.reference[joint] += way.clamp(-travel, travel);
        }
        let target = JointState {
            q: joint_from_console(&self.reference),
            dq: joint_from_console(&((self.reference - before) / step)),
            ddq: JointVector::zeros(),
        };
        let q = self.arm.positions(&self.physics);
        let dq = self.arm.velocities(&self.physics);
        let held = self.law.torque(&self.psm, &q, &dq, &target);
        match &self.effort {
            None => held,
            Some((effort, _)) => {
                let mut console = *effort;
                // The jaw is held in its place.
                console[JAW] = console_torque_from_joint(&held)[JAW];
                joint_torque_from_console(&console) + self.resting_torque(&q)
            }
        }
    }

    /// Torque that holds the arm at rest without friction: its weight, spring, and the constant offsets of its drives.
    fn resting_torque(&self, q: &JointVector) -> JointVector {
        let mut torque = self.psm.gravity_torque(q);
        for drive in &self.psm.drives {
            let c = &drive.coefficients;
            torque.axpy(drive.offset + drive.stiffness * c.dot(q), c, 1.0);
        }
        torque
    }

    /// Ends torques, if there are any, and holds the arm where it is.
    fn hold_from_torques(&mut self) {
        if self.effort.take().is_some() {
            let jaw = [self.goal[JAW], self.reference[JAW]];
            self.reference = console_from_joint(&self.arm.positions(&self.physics));
            self.goal = self.reference;
            [self.goal[JAW], self.reference[JAW]] = jaw;
        }
    }

    fn set_goal(&mut self, console: JointVector) -> bool {
        let wanted = joint_from_console(&console);
        let mut joints = wanted;
        for (joint, [low, high]) in joints.iter_mut().zip(self.ranges) {
            *joint = joint.clamp(low, high);
        }
        self.goal = console_from_joint(&joints);
        joints == wanted
    }
}

/// Ranges of the joints [rad, m].
fn ranges(physics: &Physics, arm: &PsmArm) -> Result<[[f64; 2]; N_JOINTS], SimError> {
    let model = physics.model();
    let mut ranges = [[0.0; 2]; N_JOINTS];
    for (range, name) in ranges.iter_mut().zip(JOINT_NAMES) {
        let joint = find(model, ObjectType::Joint, &format!("{}{name}", arm.prefix()))?;
        *range = model.jnt_range()[joint];
    }
    Ok(ranges)
}

/// Torques of wrist yaw and jaw opening from those of the two jaws, with the same power.
fn console_torque_from_joint(joint: &JointVector) -> JointVector {
    let mut console = *joint;
    console[5] = joint[5] + joint[6];
    console[JAW] = 0.5 * (joint[6] - joint[5]);
    console
}
