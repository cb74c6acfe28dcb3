//! Operational-space dynamics of the probe (Khatib 1987, doi:10.1109/JRA.1987.1087068).
//!
//! With Jacobian $J$ and joint-space inertia $M = L D L^T$, where the diagonal of $L$ is 1, the probe's mobility is
//! $J M^{-1} J^T = W^T D^{-1} W$ with $W = L^{-1} J^T$, and the task inertia $\Lambda$ is its inverse. Torques $\tau_0$ act without moving
//! the probe as $N^T \tau_0 = \tau_0 - J^T \Lambda J M^{-1} \tau_0$. If the torques are given by joint accelerations, $\tau_0 = M a_0$, this is
//! $M a_0 - J^T \Lambda J a_0$. One solution with $\Lambda$ then serves the task and the null space, for 7 joints and for 6.
//! (With 6 joints there is a null space only near singular postures. There the posture keeps the lost direction from drifting.)
//!
//! Nothing is allocated after [`OperationalSpace::new`].

use nalgebra::Vector3;

use super::JointSpace;
use super::damped::damped_solve;
use crate::arm::moves;
use crate::readings::ProbeFrame;
use crate::{Physics, Pose, SimError, Twist};

/// Distance from a joint's limit at which the arm starts to avoid it [rad or m], and the stiffness there [1/s²]; chosen.
const LIMIT_REACH: f64 = 0.3;
const LIMIT_STIFFNESS: f64 = 400.0;

/// Force and torque, or linear and angular velocity, or linear and angular acceleration, in world.
pub type SpatialVector = [f64; 6];

/// Pose, twist and dynamics of the probe at one moment.
#[derive(Debug, Clone)]
pub struct OperationalSpace {
    /// Pose of the face.
    pub world_from_probe: Pose,
    /// Velocity of the face in world.
    pub twist: Twist,
    probe: ProbeFrame,
    /// The body whose subtree's centre of mass MuJoCo's motion axes refer to.
    root: usize,
    /// Whether each joint moves the probe, and the index of its motion axis.
    joint_axes: Vec<(bool, usize)>,
    /// Linear and angular velocity of the face per joint velocity, shape `[n_joints, 6]`.
    jacobian: Vec<SpatialVector>,
    work: MobilityScratch,
    /// $J M^{-1} J^T$: acceleration in world per force.
    mobility: [SpatialVector; 6],
    /// Wanted joint accelerations in the null space.
    desired: Vec<f64>,
}

impl OperationalSpace {
    /// The probe of a scene, moved by the arm's joints.
    ///
    /// # Errors
    /// As [`ProbeFrame::new`].
    pub fn new(physics: &Physics, joints: &JointSpace) -> Result<Self, SimError> {
        let model = physics.model();
        let probe = ProbeFrame::new(model)?;
        let n = joints.len();
        let arm = joints.arm();
        Ok(Self {
            world_from_probe: probe.world_from_probe(physics),
            twist: Twist::default(),
            root: model.body_rootid()[probe.body] as usize,
            joint_axes: arm
                .joints
                .iter()
                .map(|joint| (moves(model, joint, probe.body), joint.dof))
                .collect(),
            probe,
            jacobian: vec![[0.0; 6]; n],
            work: MobilityScratch {
                factor: vec![0.0; n * n],
                scaled: vec![0.0; n * n],
                weighted: vec![[0.0; 6]; n],
            },
            mobility: [[0.0; 6]; 6],
            desired: vec![0.0; n],
        })
    }

    /// The probe's face.
    pub fn probe(&self) -> &ProbeFrame {
        &self.probe
    }

    /// Reads the current state; `joints` must have read it before. Returns `false` if the state is not finite.
    pub fn read(&mut self, physics: &Physics, joints: &JointSpace) -> bool {
        self.world_from_probe = self.probe.world_from_probe(physics);
        self.read_jacobian(physics);
        let mut twist = [0.0; 6];
        for (column, velocity) in self.jacobian.iter().zip(&joints.velocities) {
            add_scaled(&mut twist, *velocity, column);
        }
        let [vx, vy, vz, wx, wy, wz] = twist;
        self.twist = Twist {
            linear: Vector3::new(vx, vy, vz),
            angular: Vector3::new(wx, wy, wz),
        };
        let (inertia, jacobian, work) = (&joints.inertia, &self.jacobian, &mut self.work);
        // Loops of constant length are unrolled.
        let mobility = match self.joint_axes.len() {
            6 => mobility(6, inertia, jacobian, work),
            7 => mobility(7, inertia, jacobian, work),
            n => mobility(n, inertia, jacobian, work),
        };
        if let Some(mobility) = mobility {
            self.mobility = mobility;
        }
        mobility.is_some()
    }

    fn read_jacobian(&mut self, physics: &Physics) {
        let data = physics.data();
        let arm = self.world_from_probe.position - Vector3::from(data.subtree_com()[self.root]);
        let axes = data.cdof();
        for (column, &(moves, dof)) in self.jacobian.iter_mut().zip(&self.joint_axes) {
            if moves {
                let [wx, wy, wz, vx, vy, vz] = axes[dof];
                let angular = Vector3::new(wx, wy, wz);
                let linear = Vector3::new(vx, vy, vz) + angular.cross(&arm);
                *column = [linear.x, linear.y, linear.z, wx, wy, wz];
            }
        }
    }

    /// Force and torque on the probe [N, N·m] that give it an acceleration [m/s², rad/s²]: $\Lambda a$.
    pub fn wrench(&self, acceleration: &SpatialVector) -> SpatialVector {
        damped_solve(&self.mobility, acceleration)
    }

    /// As [`OperationalSpace::wrench`], with the inertias of position and orientation decoupled.
    pub fn uncoupled_wrench(&self, acceleration: &SpatialVector) -> SpatialVector {
        let part = |start: usize| {
            let block: [[f64; 3]; 3] = std::array::from_fn(|i| {
                std::array::from_fn(|j| self.mobility[start + i][start + j])
            });
            damped_solve(&block, &std::array::from_fn(|i| acceleration[start + i]))
        };
        let ([fx, fy, fz], [tx, ty, tz]) = (part(0), part(3));
        [fx, fy, fz, tx, ty, tz]
    }

    /// Adds the joint torques that pull the arm to a posture and keep a redundant arm away from its joint limits. Returns the acceleration
    /// of the probe that they cause, which the task must compensate.
    ///
    /// `stiffness` [1/s²] is the stiffness of the joint accelerations, which are critically damped.
    pub fn add_posture_torques(
        &mut self,
        joints: &mut JointSpace,
        posture: &[f64],
        stiffness: f64,
    ) -> SpatialVector {
        let damping = 2.0 * stiffness.sqrt();
        let limits = &joints.arm().position_range;
        // With six joints the posture cannot be chosen.
        let is_redundant = limits.len() > 6;
        let state = joints.positions.iter().zip(&joints.velocities).zip(posture);
        let mut acceleration = [0.0; 6];
        for (((desired, ((position, velocity), wanted)), limits), column) in self
            .desired
            .iter_mut()
            .zip(state)
            .zip(limits)
            .zip(&self.jacobian)
        {
            *desired = (wanted - position) * stiffness - velocity * damping;
            if is_redundant {
                *desired += away_from_limits(*position, *velocity, limits);
            }
            add_scaled(&mut acceleration, *desired, column);
        }
        joints.accelerate(&self.desired);
        acceleration
    }

    /// Adds the joint torques of a force and torque on the probe in world [N, N·m].
    pub fn add_wrench(&self, joints: &mut JointSpace, wrench: &SpatialVector) {
        for (torque, column) in joints.torques.iter_mut().zip(&self.jacobian) {
            *torque += dot(column, wrench);
        }
    }
}

/// Acceleration that keeps a joint off its limits [rad/s² or m/s²]: a spring that begins at [`LIMIT_REACH`], and damping that grows with
/// the spring's force up to critical damping.
fn away_from_limits(position: f64, velocity: f64, [low, high]: &[f64; 2]) -> f64 {
    let depth = |room: f64| (LIMIT_REACH - room).max(0.0);
    let (below, above) = (depth(position - low), depth(high - position));
    let share = below.max(above) / LIMIT_REACH;
    LIMIT_STIFFNESS * (below - above) - 2.0 * LIMIT_STIFFNESS.sqrt() * share * velocity
}

/// Scratch memory of [`mobility`].
#[derive(Debug, Clone)]
struct MobilityScratch {
    /// $L$ below its diagonal, row-major, shape `[n_joints, n_joints]`.
    factor: Vec<f64>,
    /// $L D$ below its diagonal, row-major, shape `[n_joints, n_joints]`.
    scaled: Vec<f64>,
    /// $W$, shape `[n_joints, 6]`.
    weighted: Vec<SpatialVector>,
}

/// $J M^{-1} J^T$ of `n` joints; `None` if the inertia is not positive or a number is not finite.
#[expect(
    clippy::inline_always,
    reason = "loops are unrolled where the caller's length is known"
)]
#[inline(always)]
fn mobility(
    n: usize,
    inertia: &[f64],
    jacobian: &[SpatialVector],
    work: &mut MobilityScratch,
) -> Option<[SpatialVector; 6]> {
    let (factor, scaled) = (&mut work.factor[..n * n], &mut work.scaled[..n * n]);
    let (inertia, jacobian) = (&inertia[..n * n], &jacobian[..n]);
    let weighted = &mut work.weighted[..n];
    let mut mobility = [[0.0; 6]; 6];
    for row in 0..n {
        let mut pivot = inertia[row * n + row];
        let mut weight = jacobian[row];
        for column in 0..row {
            let mut rest = inertia[row * n + column];
            for k in 0..column {
                rest -= scaled[row * n + k] * factor[column * n + k];
            }
            // The diagonal of `factor` holds 1 / D.
            let entry = rest * factor[column * n + column];
            scaled[row * n + column] = rest;
            factor[row * n + column] = entry;
            pivot -= rest * entry;
            add_scaled(&mut weight, -entry, &weighted[column]);
        }
        if pivot.is_nan() || pivot <= 0.0 {
            return None;
        }
        let inverse = 1.0 / pivot;
        factor[row * n + row] = inverse;
        weighted[row] = weight;
        for (sums, entry) in mobility.iter_mut().zip(weight) {
            add_scaled(sums, entry * inverse, &weight);
        }
    }
    let is_finite = mobility.iter().flatten().all(|value| value.is_finite());
    is_finite.then_some(mobility)
}

/// `sum += factor · x`.
fn add_scaled(sum: &mut SpatialVector, factor: f64, x: &SpatialVector) {
    for (sum, x) in sum.iter_mut().zip(x) {
        *sum += factor * x;
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
