//! State and dynamics of the arm in joint space, in buffers that each step refills.

use crate::arm::Arm;
use crate::{Physics, SimError};

/// Positions, velocities, inertia and bias of an arm's joints, and the torques of a controller.
#[derive(Debug, Clone)]
pub struct JointSpace {
    arm: Arm,
    /// Indices of the lower triangle's entries: in MuJoCo's inertia, in `inertia`, and mirrored in `inertia`.
    entries: Vec<[usize; 3]>,
    /// Joint positions [rad or m], shape `[n_joints]`.
    pub positions: Vec<f64>,
    /// Joint velocities [rad/s or m/s], shape `[n_joints]`.
    pub velocities: Vec<f64>,
    /// Joint-space inertia [kg·m²], row-major, shape `[n_joints, n_joints]`.
    pub inertia: Vec<f64>,
    /// Joint torques [N·m] to be applied. [`JointSpace::read`] sets them to the torques that cancel Coriolis forces, the remaining gravity
    /// and strong damping.
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
            entries: arm
                .inertia_entries(physics.model())
                .into_iter()
                .map(|entry| {
                    let (row, column) = (entry.row, entry.column);
                    [entry.address, row * n + column, column * n + row]
                })
                .collect(),
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

    /// Whether there are no joints; [`Arm::new`] rejects such scenes.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Reads the current state.
    pub fn read(&mut self, physics: &Physics) {
        let data = physics.data();
        let (qpos, qvel) = (data.qpos(), data.qvel());
        let (bias, compensated) = (data.qfrc_bias(), data.qfrc_gravcomp());
        for (place, joint) in self.arm.joints.iter().enumerate() {
            self.positions[place] = qpos[joint.qpos];
            self.velocities[place] = qvel[joint.dof];
            self.torques[place] = bias[joint.dof] - compensated[joint.dof]
                + self.arm.damping_torque(place, qvel[joint.dof]);
        }
        let values = data.m();
        for &[address, lower, upper] in &self.entries {
            self.inertia[lower] = values[address];
            self.inertia[upper] = values[address];
        }
    }

    /// Adds the torques of an acceleration [rad/s² or m/s²]: inertia · acceleration.
    pub fn accelerate(&mut self, acceleration: &[f64]) {
        // Loops of constant length are unrolled.
        match self.positions.len() {
            6 => add_product(6, &mut self.torques, &self.inertia, acceleration),
            7 => add_product(7, &mut self.torques, &self.inertia, acceleration),
            n => add_product(n, &mut self.torques, &self.inertia, acceleration),
        }
    }

    /// Writes the torques to `ctrl`, each within its motor's range; returns whether one was clipped.
    pub fn apply(&self, physics: &mut Physics) -> bool {
        self.arm.apply(physics, &self.torques)
    }
}

/// `torques += inertia · acceleration` for a symmetric inertia.
#[expect(
    clippy::inline_always,
    reason = "loops are unrolled where the caller's length is known"
)]
#[inline(always)]
fn add_product(n: usize, torques: &mut [f64], inertia: &[f64], acceleration: &[f64]) {
    let torques = &mut torques[..n];
    for (column, factor) in inertia.chunks_exact(n).zip(&acceleration[..n]) {
        for (torque, entry) in torques.iter_mut().zip(column) {
            *torque += factor * entry;
        }
    }
}
