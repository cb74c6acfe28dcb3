//! Operational-space control of the probe's pose (Khatib 1987), with the gains and semantics of robosuite's
//! `OSC_POSE` (Zhu et al. 2020, arXiv:2009.12293).
//!
//! $$ \tau = J^T (\Lambda (k_p e + k_d (v_d - v)) + W_{ff}) + \tau_{bias} + N^T M (k_n (q_0 - q) - d_n \dot q), \quad
//! k_d = 2 \zeta \sqrt{k_p} $$
//!
//! The orientation error is the rotation vector from the current to the wanted orientation.
//! Stiffness and damping are diagonal in world or in the goal's frame, which allows a soft axis of the probe with stiff lateral motion.
//! Stiffness, damping, the wanted twist $v_d$ and the wrench $W_{ff}$ may change with every call.

use nalgebra::{Rotation3, UnitQuaternion, Vector3};

use super::{Controller, JointSpace, OperationalSpace};
use crate::ik::pose_error;
use crate::{Physics, Pose, SimError, Twist, Wrench};

/// Axes in which [`OscPoseConfig::stiffness`] and damping are diagonal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StiffnessFrame {
    /// The axes of the world.
    #[default]
    World,
    /// The axes of the goal; its z axis is the beam's direction, its x axis lies along the array.
    Goal,
}

/// Gains and scales of [`OscPose`]. Arrays of six hold x, y, z, then rotations about them, in the axes of `stiffness_frame`.
#[derive(Debug, Clone, PartialEq)]
pub struct OscPoseConfig {
    /// Stiffness per unit of task inertia [1/s²]; robosuite 150, the thesis 300.
    pub stiffness: [f64; 6],
    /// Ratio of the damping to the critical damping.
    pub damping_ratio: [f64; 6],
    /// Axes of stiffness and damping.
    pub stiffness_frame: StiffnessFrame,
    /// Translation of a full-scale input [m].
    pub position_scale: f64,
    /// Rotation of a full-scale input [rad].
    pub orientation_scale: f64,
    /// Whether the inertias of position and orientation are decoupled.
    pub uncouple_pos_ori: bool,
    /// Stiffness of the posture in the null space [1/s²].
    pub null_stiffness: f64,
}

impl Default for OscPoseConfig {
    fn default() -> Self {
        Self {
            stiffness: [150.0; 6],
            damping_ratio: [1.0; 6],
            stiffness_frame: StiffnessFrame::World,
            position_scale: 0.05,
            orientation_scale: 0.5,
            uncouple_pos_ori: true,
            null_stiffness: 10.0,
        }
    }
}

/// Target of [`OscPose`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OscTarget {
    /// Go to this pose.
    Pose(Pose),
    /// Move from the current pose by these shares of full scale, in world; each share is clipped to -1..1.
    Delta([f64; 6]),
}

/// Operational-space control of the probe's pose.
#[derive(Debug, Clone)]
pub struct OscPose {
    /// Gains and scales.
    pub config: OscPoseConfig,
    /// Velocity of the goal in world, to which damping refers; zero unless set.
    pub goal_twist: Twist,
    /// Additional wrench that the probe exerts, about the face's centre, in world [N, N·m]; zero unless set.
    pub feed_forward: Wrench,
    joints: JointSpace,
    space: OperationalSpace,
    goal: Pose,
    posture: Vec<f64>,
}

impl OscPose {
    /// A controller that holds the probe and the posture where they are.
    ///
    /// # Errors
    /// As [`crate::Arm::new`] and [`crate::readings::ProbeFrame::new`].
    pub fn new(physics: &Physics, config: OscPoseConfig) -> Result<Self, SimError> {
        let joints = JointSpace::new(physics)?;
        let space = OperationalSpace::new(physics, &joints)?;
        Ok(Self {
            config,
            goal_twist: Twist::default(),
            feed_forward: Wrench::default(),
            goal: space.world_from_probe,
            posture: joints.positions.clone(),
            joints,
            space,
        })
    }

    /// The goal pose.
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

    /// Wanted acceleration of the probe in world [m/s², rad/s²].
    fn acceleration(&self) -> [f64; 6] {
        let error = pose_error(&self.goal, &self.space.world_from_probe);
        let (twist, wanted) = (&self.space.twist, &self.goal_twist);
        let errors: [Vector3<f64>; 2] = [
            error.fixed_rows::<3>(0).into(),
            error.fixed_rows::<3>(3).into(),
        ];
        let rates = [twist.linear - wanted.linear, twist.angular - wanted.angular];
        let axes = match self.config.stiffness_frame {
            StiffnessFrame::World => Rotation3::identity(),
            StiffnessFrame::Goal => self.goal.rotation.to_rotation_matrix(),
        };
        let mut acceleration = [0.0; 6];
        for part in 0..2 {
            let (error, rate) = (axes.inverse() * errors[part], axes.inverse() * rates[part]);
            let along = axes
                * Vector3::from_fn(|axis, _| {
                    let stiffness = self.config.stiffness[3 * part + axis];
                    let ratio = self.config.damping_ratio[3 * part + axis];
                    stiffness * error[axis] - 2.0 * ratio * stiffness.sqrt() * rate[axis]
                });
            acceleration[3 * part..3 * part + 3].copy_from_slice(along.as_slice());
        }
        acceleration
    }
}

impl Controller for OscPose {
    type Target = OscTarget;

    fn reset(&mut self, physics: &Physics) {
        self.goal = self.space.probe().world_from_probe(physics);
        self.joints.read(physics);
        self.posture.copy_from_slice(&self.joints.positions);
        self.goal_twist = Twist::default();
        self.feed_forward = Wrench::default();
    }

    fn set_target(&mut self, physics: &Physics, target: OscTarget) {
        self.goal = match target {
            OscTarget::Pose(pose) => pose,
            OscTarget::Delta(delta) => {
                let pose = self.space.probe().world_from_probe(physics);
                self.moved_by(&pose, delta)
            }
        };
    }

    fn control(&mut self, physics: &mut Physics) {
        // (qpos, qvel) => pose, twist, inertia of the task
        self.joints.read(physics);
        if !self.space.read(physics, &self.joints) {
            // The next step reports the divergence.
            return;
        }
        // error => wanted acceleration => wrench => torques
        let task = self.acceleration();
        let null = self.config.null_stiffness;
        let posture = self
            .space
            .add_posture_torques(&mut self.joints, &self.posture, null);
        let mut wrench = if self.config.uncouple_pos_ori {
            let (task, posture) = (
                self.space.uncoupled_wrench(&task),
                self.space.wrench(&posture),
            );
            std::array::from_fn(|i| task[i] - posture[i])
        } else {
            self.space
                .wrench(&std::array::from_fn(|i| task[i] - posture[i]))
        };
        let Wrench { force, torque } = &self.feed_forward;
        for (entry, more) in wrench.iter_mut().zip(force.iter().chain(torque.iter())) {
            *entry += more;
        }
        self.space.add_wrench(&mut self.joints, &wrench);
        self.joints.apply(physics);
    }
}
