//! The PSM's mechanism in reduced coordinates: seven independent joints of the closed chains, and seven motors.

use insonate_dvrk::{JOINT_NAMES, JointVector, N_JOINTS, coupling};
use mujoco_rs::wrappers::mj_model::MjModel;
use nalgebra::{IsometryMatrix3, Rotation3, Translation3, Vector3};

use crate::names::{self, JointAddress, ObjectType};
use crate::readings::ROBOT_PREFIX;
use crate::{Physics, Pose, SimError};

/// Joints of the mechanism that follow another joint: name, index of the leader, factor.
const FOLLOWERS: [(&str, usize, f64); 5] = [
    ("upper_bar", 1, -1.0),
    ("lower_bar", 1, -1.0),
    ("support", 1, 1.0),
    ("rail", 1, 1.0),
    ("counterweight", 2, 1.0),
];

/// Joints, motors and frames of a PSM in a scene.
#[derive(Debug, Clone)]
pub struct PsmArm {
    joints: [JointAddress; N_JOINTS],
    /// Joints of the closed chains: address, the joint that they follow, factor.
    followers: Vec<(JointAddress, usize, f64)>,
    motors: [usize; N_JOINTS],
    limits: JointVector,
    frame_0: usize,
    shaft: usize,
    remote_center: usize,
    /// Sites at the tips of the jaws.
    tips: [usize; 2],
    prefix: &'static str,
}

impl PsmArm {
    /// The PSM below `robot/`, or without a prefix.
    ///
    /// # Errors
    /// [`SimError::UnknownName`] if the scene's robot is not a PSM.
    pub fn new(model: &MjModel) -> Result<Self, SimError> {
        let scoped = names::try_find(model, ObjectType::Body, &format!("{ROBOT_PREFIX}base"));
        let prefix = if scoped.is_some() { ROBOT_PREFIX } else { "" };
        let find = |kind, name: &str| names::find(model, kind, &format!("{prefix}{name}"));
        let joint = |name: &str| names::joint(model, &format!("{prefix}{name}"));
        let mut joints = [JointAddress {
            id: 0,
            qpos: 0,
            dof: 0,
        }; N_JOINTS];
        let mut motors = [0; N_JOINTS];
        for (index, name) in JOINT_NAMES.iter().enumerate() {
            joints[index] = joint(name)?;
            motors[index] = find(ObjectType::Actuator, &format!("motor_{}", index + 1))?;
        }
        let mut followers = Vec::new();
        for (name, leader, factor) in FOLLOWERS {
            match joint(name) {
                Ok(address) => followers.push((address, leader, factor)),
                // The counterweight can be removed.
                Err(_) if name == "counterweight" => {}
                Err(error) => return Err(error),
            }
        }
        let limit = |index: usize, _| model.actuator_ctrlrange()[motors[index]][1];
        Ok(Self {
            limits: JointVector::from_fn(limit),
            joints,
            motors,
            followers,
            frame_0: find(ObjectType::Body, "frame_0")?,
            shaft: find(ObjectType::Body, "shaft")?,
            remote_center: find(ObjectType::Site, "remote_center")?,
            tips: [
                find(ObjectType::Site, "tip_a")?,
                find(ObjectType::Site, "tip_b")?,
            ],
            prefix,
        })
    }

    /// Prefix of the arm's names in the scene.
    pub fn prefix(&self) -> &'static str {
        self.prefix
    }

    /// Joint positions [rad, m].
    pub fn positions(&self, physics: &Physics) -> JointVector {
        JointVector::from_fn(|joint, _| physics.qpos()[self.joints[joint].qpos])
    }

    /// Joint velocities [rad/s, m/s].
    pub fn velocities(&self, physics: &Physics) -> JointVector {
        JointVector::from_fn(|joint, _| physics.qvel()[self.joints[joint].dof])
    }

    /// Generalised forces of the mechanism, shape `[nv]`, as torques of the seven joints; followers add their work to their leader.
    pub fn reduce(&self, forces: &[f64]) -> JointVector {
        let mut reduced = JointVector::from_fn(|joint, _| forces[self.joints[joint].dof]);
        for &(address, leader, factor) in &self.followers {
            reduced[leader] += factor * forces[address.dof];
        }
        reduced
    }

    /// Joint velocities or accelerations of the whole mechanism, shape `[nv]`; other joints of the scene get zero.
    pub fn expand(&self, joints: &JointVector, n_dofs: usize) -> Vec<f64> {
        let mut all = vec![0.0; n_dofs];
        for (address, value) in self.joints.iter().zip(joints.iter()) {
            all[address.dof] = *value;
        }
        for &(address, leader, factor) in &self.followers {
            all[address.dof] = factor * joints[leader];
        }
        all
    }

    /// Sets the state of the mechanism, with both loops closed.
    pub fn set_state(
        &self,
        physics: &mut Physics,
        positions: &JointVector,
        velocities: &JointVector,
    ) {
        for (joint, address) in self.joints.iter().enumerate() {
            physics.qpos_mut()[address.qpos] = positions[joint];
            physics.qvel_mut()[address.dof] = velocities[joint];
        }
        for &(address, leader, factor) in &self.followers {
            physics.qpos_mut()[address.qpos] = factor * positions[leader];
            physics.qvel_mut()[address.dof] = factor * velocities[leader];
        }
        physics.forward();
    }

    /// Writes the motor torques for these joint torques to `ctrl`, each within its limit; returns whether one was clipped.
    pub fn apply(&self, physics: &mut Physics, joint_torques: &JointVector) -> bool {
        let wanted = coupling::motor_torque_from_joint(joint_torques);
        let mut is_saturated = false;
        for (motor, (&ctrl, &limit)) in self.motors.iter().zip(self.limits.iter()).enumerate() {
            let torque = wanted[motor];
            is_saturated |= torque.abs() > limit;
            physics.ctrl_mut()[ctrl] = torque.clamp(-limit, limit);
        }
        is_saturated
    }

    /// Commanded torques of the motors, in motor coordinates [N·m, motor 3: N].
    pub fn motor_torques(&self, physics: &Physics) -> JointVector {
        JointVector::from_fn(|motor, _| physics.ctrl()[self.motors[motor]])
    }

    /// Whether one of these motor torques is at its limit.
    pub fn is_saturated(&self, motor_torques: &JointVector) -> bool {
        motor_torques
            .iter()
            .zip(self.limits.iter())
            .any(|(torque, limit)| torque.abs() >= *limit)
    }

    /// Pose of frame 0 of the arm's tables in world; constant.
    pub fn world_from_base(&self, physics: &Physics) -> Pose {
        let data = physics.data();
        Pose::from_matrix(data.xpos()[self.frame_0], data.xmat()[self.frame_0])
    }

    /// Pose of a body of the arm, such as `rail`, in frame 0.
    ///
    /// # Errors
    /// [`SimError::UnknownName`].
    pub fn base_from_body(
        &self,
        physics: &Physics,
        body: &str,
    ) -> Result<IsometryMatrix3<f64>, SimError> {
        let name = format!("{}{body}", self.prefix);
        let body = names::find(physics.model(), ObjectType::Body, &name)?;
        let data = physics.data();
        let isometry = |body: usize| {
            let rotation = nalgebra::Matrix3::from_row_slice(&data.xmat()[body]);
            IsometryMatrix3::from_parts(
                Translation3::from(Vector3::from(data.xpos()[body])),
                Rotation3::from_matrix_unchecked(rotation),
            )
        };
        Ok(isometry(self.frame_0).inverse() * isometry(body))
    }

    /// Distance of the shaft's axis from the fixed remote centre [m].
    pub fn remote_center_error(&self, physics: &Physics) -> f64 {
        let data = physics.data();
        let axis = nalgebra::Matrix3::from_row_slice(&data.xmat()[self.shaft])
            .column(2)
            .into_owned();
        let offset = Vector3::from(data.site_xpos()[self.remote_center])
            - Vector3::from(data.xpos()[self.shaft]);
        axis.cross(&offset).norm()
    }

    /// Largest deviation of the following joints from the positions that their leaders prescribe [rad, m].
    pub fn closure_error(&self, physics: &Physics) -> f64 {
        let q = self.positions(physics);
        let followers = self.followers.iter();
        let errors = followers.map(|&(address, leader, factor)| {
            (physics.qpos()[address.qpos] - factor * q[leader]).abs()
        });
        errors.fold(0.0, f64::max)
    }

    /// The point between the jaws' tips in the world [m].
    pub fn tip(&self, physics: &Physics) -> Vector3<f64> {
        let sites = physics.data().site_xpos();
        self.tips
            .iter()
            .map(|&tip| Vector3::from(sites[tip]))
            .sum::<Vector3<f64>>()
            / 2.0
    }
}
