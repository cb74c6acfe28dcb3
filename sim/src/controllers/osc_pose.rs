//! Operational-space control of the probe's pose (Khatib 1987), with the gains and semantics of robosuite's
//! `OSC_POSE` (Zhu et al. 2020, arXiv:2009.12293).
//!
//! $$ \tau = J^T \Lambda (k_p e - k_d v) + \tau_{bias} + N^T M (k_n (q_0 - q) - d_n \dot q), \quad
//! k_d = 2 \zeta \sqrt{k_p} $$
//!
//! The orientation error is the rotation vector from the present to the wanted orientation.

use nalgebra::{DVector, UnitQuaternion, Vector3, Vector6};

use super::{Controller, OperationalSpace};
use crate::arm::Arm;
use crate::ik::pose_error;
use crate::readings::ProbeFrame;
use crate::{Physics, Pose, SimError};

/// Gains and scales of [`OscPose`]; order of sixes: x, y, z, then rotations about them, in world.
#[derive(Debug, Clone, PartialEq)]
pub struct OscPoseConfig {
    /// Stiffness per unit of task inertia [1/s²]; robosuite 150, the thesis 300.
    pub stiffness: [f64; 6],
    /// Damping over the critical damping.
    pub damping_ratio: [f64; 6],
    /// Translation of a full-scale input [m].
    pub position_scale: f64,
    /// Rotation of a full-scale input [rad].
    pub orientation_scale: f64,
    /// Whether position and orientation are given inertia as if the other were free.
    pub uncouple_pos_ori: bool,
    /// Stiffness of the posture in the null space [1/s²].
    pub null_stiffness: f64,
}

impl Default for OscPoseConfig {
    fn default() -> Self {
        Self {
            stiffness: [150.0; 6],
            damping_ratio: [1.0; 6],
            position_scale: 0.05,
            orientation_scale: 0.5,
            uncouple_pos_ori: true,
            null_stiffness: 10.0,
        }
    }
}

/// What [`OscPose`] is told to do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OscTarget {
    /// Go to this pose.
    Pose(Pose),
    /// Go from where the probe is now by these shares of full scale, in world; each is cut to -1..1.
    Delta([f64; 6]),
}

/// Operational-space control of the probe's pose.
#[derive(Debug, Clone)]
pub struct OscPose {
    /// Gains and scales.
    pub config: OscPoseConfig,
    arm: Arm,
    probe: ProbeFrame,
    goal: Pose,
    posture: DVector<f64>,
}

impl OscPose {
    /// A controller that holds the probe where it is; the present posture is that of the null space.
    ///
    /// # Errors
    /// As [`Arm::new`] and [`ProbeFrame::new`].
    pub fn new(physics: &Physics, config: OscPoseConfig) -> Result<Self, SimError> {
        let arm = Arm::new(physics.model())?;
        let probe = ProbeFrame::new(physics.model())?;
        let (goal, posture) = (probe.world_from_probe(physics), arm.positions(physics));
        Ok(Self {
            config,
            arm,
            probe,
            goal,
            posture,
        })
    }

    /// The pose that the controller goes to.
    pub fn goal(&self) -> &Pose {
        &self.goal
    }

    fn moved_by(&self, pose: &Pose, delta: [f64; 6]) -> Pose {
        let [x, y, z, rx, ry, rz] = delta.map(|share| share.clamp(-1.0, 1.0));
        let turn = Vector3::new(rx, ry, rz) * self.config.orientation_scale;
        Pose {
            position: pose.position + Vector3::new(x, y, z) * self.config.position_scale,
            rotation: UnitQuaternion::from_scaled_axis(turn) * pose.rotation,
        }
    }
}

impl Controller for OscPose {
    type Target = OscTarget;

    fn reset(&mut self, physics: &Physics) {
        self.goal = self.probe.world_from_probe(physics);
        self.posture = self.arm.positions(physics);
    }

    fn set_target(&mut self, physics: &Physics, target: OscTarget) {
        self.goal = match target {
            OscTarget::Pose(pose) => pose,
            OscTarget::Delta(delta) => self.moved_by(&self.probe.world_from_probe(physics), delta),
        };
    }

    fn control(&mut self, physics: &mut Physics) {
        // (qpos, qvel) => pose, twist, inertia of the task
        let Some(space) = OperationalSpace::new(physics, &self.arm, &self.probe) else {
            // The next step reports the divergence.
            return;
        };
        let inertia = space.task_inertia();
        // error => wanted acceleration
        let stiffness = Vector6::from(self.config.stiffness);
        let ratio = Vector6::from(self.config.damping_ratio);
        let damping: Vector6<f64> = stiffness.map(f64::sqrt).component_mul(&ratio) * 2.0;
        let (v, w) = (space.twist.linear, space.twist.angular);
        let velocity = Vector6::new(v.x, v.y, v.z, w.x, w.y, w.z);
        let acceleration = stiffness
            .component_mul(&pose_error(&self.goal, &space.world_from_probe))
            - damping.component_mul(&velocity);
        // acceleration => wrench => torques
        let wrench = if self.config.uncouple_pos_ori {
            space.uncoupled_task_inertia() * acceleration
        } else {
            inertia * acceleration
        };
        let posture = space.posture_torques(
            &(self.arm.positions(physics) - &self.posture),
            &self.arm.velocities(physics),
            self.config.null_stiffness,
            1.0,
            &inertia,
        );
        let torques = space.torques(&wrench) + self.arm.bias(physics) + posture;
        self.arm.apply(physics, &torques);
    }
}
