//! The arm's state and dynamics at one moment, in buffers that are filled anew for every step.

use crate::arm::{Arm, InertiaEntry};
use crate::{Physics, SimError};

/// Positions, velocities, inertia and bias of an arm's joints, and the torques that a controller puts together for them.
#[derive(Debug, Clone)]
pub struct JointSpace {
    arm: Arm,
    entries: Vec<InertiaEntry>,
    /// Joint positions [rad or m], shape `[n_joints]`.
    pub positions: Vec<f64>,
    /// Joint velocities [rad/s or m/s], shape `[n_joints]`.
    pub velocities: Vec<f64>,
    /// Joint-space inertia [kg·m²], row-major, shape `[n_joints, n_joints]`.
    pub inertia: Vec<f64>,
    /// Joint torques [N·m] to be applied; [`JointSpace::read`] sets them to those that cancel Coriolis forces and what gravity is left.
    pub torques: Vec<f64>,
}

impl JointSpace {
    /// The joints of a scene's arm.
    ///
    /// # Errors
    /// As [`Arm::new`].
    pub fn new(physics: &Physics) -> Result<Self, SimError> {
        let arm = Arm::new(physics.model())?;
        let n = arm.n_joints();
        let mut joints = Self {
            entries: arm.inertia_entries(physics.model()),
            positions: vec![0.0; n],
            velocities: vec![0.0; n],
            inertia: vec![0.0; n * n],
            torques: vec![0.0; n],
            arm,
        };
        joints.read(physics);
        Ok(joints)
    }

    /// The arm.
    pub fn arm(&self) -> &Arm {
        &self.arm
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are none, which [`Arm::new`] refuses.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Looks at the present state.
    pub fn read(&mut self, physics: &Physics) {
        let data = physics.data();
        let (qpos, qvel) = (data.qpos(), data.qvel());
        let (bias, compensated) = (data.qfrc_bias(), data.qfrc_gravcomp());
        for (place, joint) in self.arm.joints.iter().enumerate() {
            self.positions[place] = qpos[joint.qpos];
            self.velocities[place] = qvel[joint.dof];
            self.torques[place] = bias[joint.dof] - compensated[joint.dof];
        }
        let (values, n) = (data.m(), self.positions.len());
        for entry in &self.entries {
            let value = values[entry.address];
            self.inertia[entry.row * n + entry.column] = value;
            self.inertia[entry.column * n + entry.row] = value;
        }
    }

    /// Adds the torques that accelerate the joints so [rad/s² or m/s²], by the inertia alone.
    pub fn accelerate(&mut self, acceleration: &[f64]) {
        let rows = self.inertia.chunks_exact(self.positions.len());
        for (torque, row) in self.torques.iter_mut().zip(rows) {
            *torque += row
                .iter()
                .zip(acceleration)
                .map(|(inertia, acceleration)| inertia * acceleration)
                .sum::<f64>();
        }
    }

    /// Writes the torques to `ctrl`, each within its motor's range; tells whether one was cut.
    pub fn apply(&self, physics: &mut Physics) -> bool {
        self.arm.apply_torques(physics, &self.torques)
    }
}
