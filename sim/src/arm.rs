//! The robot as controllers see it: its driven joints, their torque limits, Jacobian, inertia and bias.

use mujoco_rs::wrappers::mj_model::{MjModel, MjtBias, MjtGain, MjtJoint, MjtTrn};
use nalgebra::{DVector, Dyn, OMatrix, U6, Vector3};

use crate::names::{self, JointAddress, ObjectType};
use crate::readings::ROBOT_PREFIX;
use crate::{Physics, SimError};

/// A Jacobian of linear (rows 0-2) and angular (rows 3-5) velocity in world, shape `[6, n_joints]`.
pub type Jacobian = OMatrix<f64, U6, Dyn>;

/// The joints of a robot that torque motors drive, in model order.
#[derive(Debug, Clone, PartialEq)]
pub struct Arm {
    /// Addresses of each joint in `qpos` and `qvel`.
    pub joints: Vec<JointAddress>,
    /// Motor of each joint.
    motors: Vec<Motor>,
    /// Lowest and highest position of each joint [rad or m]; infinite if the joint has no limits.
    pub position_range: Vec<[f64; 2]>,
    /// Damping of each joint that controllers feed forward [N·m·s/rad, N·s/m for a slide]; 0 if it is small compared with the motor's torque.
    fed_damping: Vec<f64>,
}

/// Speed at which a hinge's damping is compared with its motor's torque [rad/s]; for a slide, a fifth of it in m/s.
const DAMPED_SPEED: f64 = 0.5;
/// Share of the motor's torque above which damping at that speed is fed forward.
const DAMPED_SHARE: f64 = 0.1;

/// One entry of the arm's inertia.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InertiaEntry {
    pub(crate) row: usize,
    pub(crate) column: usize,
    /// Index among MuJoCo's non-zeros.
    pub(crate) address: usize,
}

/// One torque motor.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Motor {
    /// Index in `ctrl`.
    ctrl: usize,
    /// Joint torque per unit of `ctrl`.
    gain: f64,
    /// Range of `ctrl`.
    range: [f64; 2],
}

impl Arm {
    /// The joints below `robot/` that a motor drives; in a scene without that prefix, all driven joints.
    ///
    /// # Errors
    /// [`SimError::NotTorque`] if an actuator is not a torque motor, [`SimError::NoArm`] if no joint is driven.
    pub fn new(model: &MjModel) -> Result<Self, SimError> {
        let mut driven = driven_joints(model)?;
        if driven.iter().any(|&(joint, _)| is_robot(model, joint)) {
            driven.retain(|&(joint, _)| is_robot(model, joint));
        }
        if driven.is_empty() {
            return Err(SimError::NoArm);
        }
        driven.sort_by_key(|&(joint, _)| joint);
        let (joints, motors): (Vec<usize>, Vec<Motor>) = driven.into_iter().unzip();
        Ok(Self {
            fed_damping: joints
                .iter()
                .zip(&motors)
                .map(|(&joint, motor)| fed_damping(model, joint, motor))
                .collect(),
            position_range: joints
                .iter()
                .map(|&joint| position_range(model, joint))
                .collect(),
            joints: joints
                .iter()
                .map(|&joint| names::joint_address(model, joint))
                .collect(),
            motors,
        })
    }

    /// Number of joints.
    pub fn n_joints(&self) -> usize {
        self.joints.len()
    }

    /// Joint positions [rad or m].
    pub fn positions(&self, physics: &Physics) -> DVector<f64> {
        self.gather(physics.qpos(), |joint| joint.qpos)
    }

    /// Smallest distance of a joint from its limits [rad or m]: negative beyond a limit, infinite without limits.
    pub fn joint_limit_margin(&self, physics: &Physics) -> f64 {
        let qpos = physics.qpos();
        self.joints
            .iter()
            .zip(&self.position_range)
            .map(|(joint, [low, high])| (qpos[joint.qpos] - low).min(high - qpos[joint.qpos]))
            .fold(f64::INFINITY, f64::min)
    }

    /// Joint velocities [rad/s or m/s].
    pub fn velocities(&self, physics: &Physics) -> DVector<f64> {
        self.gather(physics.qvel(), |joint| joint.dof)
    }

    /// Torques that cancel Coriolis and centrifugal forces, the gravity that `gravcomp` does not cancel, and strong damping [N·m].
    ///
    /// MuJoCo's `qfrc_bias` holds all of gravity, even if `gravcomp` cancels it in `qfrc_gravcomp`.
    pub fn bias(&self, physics: &Physics) -> DVector<f64> {
        let (bias, compensated) = (physics.data().qfrc_bias(), physics.data().qfrc_gravcomp());
        let qvel = physics.qvel();
        let torque = |(place, joint): (usize, &JointAddress)| {
            bias[joint.dof] - compensated[joint.dof] + self.damping_torque(place, qvel[joint.dof])
        };
        DVector::from_iterator(self.n_joints(), self.joints.iter().enumerate().map(torque))
    }

    /// Torque that cancels the damping of a joint at a velocity [N·m, N for a slide], if the damping is strong.
    pub(crate) fn damping_torque(&self, joint: usize, velocity: f64) -> f64 {
        self.fed_damping[joint] * velocity
    }

    /// Addresses of the lower triangle of the arm's inertia in MuJoCo's sparse inertia; missing entries are zero.
    pub(crate) fn inertia_entries(&self, model: &MjModel) -> Vec<InertiaEntry> {
        let (counts, starts) = (model.m_rownnz(), model.m_rowadr());
        let mut entries = Vec::new();
        for (row, joint) in self.joints.iter().enumerate() {
            let start = starts[joint.dof] as usize;
            for address in start..start + counts[joint.dof] as usize {
                let dof = model.m_colind()[address] as usize;
                // MuJoCo keeps the lower triangle, so the column's joint comes first.
                let column = self.joints[..=row]
                    .iter()
                    .position(|other| other.dof == dof);
                entries.extend(column.map(|column| InertiaEntry {
                    row,
                    column,
                    address,
                }));
            }
        }
        entries
    }

    /// Jacobian of a world point [m] fixed to `body`.
    pub fn jacobian(&self, physics: &Physics, point: &Vector3<f64>, body: usize) -> Jacobian {
        let (model, data) = (physics.model(), physics.data());
        let center = Vector3::from(data.subtree_com()[model.body_rootid()[body] as usize]);
        let arm = point - center;
        let mut jacobian = Jacobian::zeros(self.n_joints());
        for (column, joint) in self.joints.iter().enumerate() {
            if !moves(model, joint, body) {
                continue;
            }
            let [wx, wy, wz, vx, vy, vz] = data.cdof()[joint.dof];
            let angular = Vector3::new(wx, wy, wz);
            let linear = Vector3::new(vx, vy, vz) + angular.cross(&arm);
            jacobian
                .fixed_view_mut::<3, 1>(0, column)
                .copy_from(&linear);
            jacobian
                .fixed_view_mut::<3, 1>(3, column)
                .copy_from(&angular);
        }
        jacobian
    }

    /// Writes joint torques [N·m] to `ctrl`, each within its motor's range; returns whether one was clipped.
    pub fn apply(&self, physics: &mut Physics, torques: &[f64]) -> bool {
        let ctrl = physics.ctrl_mut();
        let mut is_saturated = false;
        for (motor, torque) in self.motors.iter().zip(torques) {
            let wanted = torque / motor.gain;
            ctrl[motor.ctrl] = wanted.clamp(motor.range[0], motor.range[1]);
            is_saturated |= wanted < motor.range[0] || wanted > motor.range[1];
        }
        is_saturated
    }

    /// Torque that the motor of a joint applies [N·m, N for a slide].
    pub fn torque(&self, physics: &Physics, joint: usize) -> f64 {
        let motor = &self.motors[joint];
        motor.gain * physics.ctrl()[motor.ctrl]
    }

    /// Lowest and highest torque of the motor of a joint [N·m, N for a slide]; infinite if the motor has no limits.
    pub fn torque_range(&self, joint: usize) -> [f64; 2] {
        let motor = &self.motors[joint];
        let ends = motor.range.map(|end| motor.gain * end);
        [ends[0].min(ends[1]), ends[0].max(ends[1])]
    }

    /// Whether each joint slides, shape `[n_joints]`.
    pub fn slides(&self, model: &MjModel) -> Vec<bool> {
        let is_slide = |joint: &JointAddress| model.jnt_type()[joint.id] == MjtJoint::mjJNT_SLIDE;
        self.joints.iter().map(is_slide).collect()
    }

    fn gather(&self, values: &[f64], index: fn(&JointAddress) -> usize) -> DVector<f64> {
        DVector::from_iterator(
            self.n_joints(),
            self.joints.iter().map(|joint| values[index(joint)]),
        )
    }
}

fn is_robot(model: &MjModel, joint: usize) -> bool {
    names::name_of(model, ObjectType::Joint, joint).starts_with(ROBOT_PREFIX)
}

/// Whether a joint moves `body`.
pub(crate) fn moves(model: &MjModel, joint: &JointAddress, body: usize) -> bool {
    carries(model, model.jnt_bodyid()[joint.id] as usize, body)
}

/// Whether `body` is `ancestor` or below it.
fn carries(model: &MjModel, ancestor: usize, mut body: usize) -> bool {
    let parents = model.body_parentid();
    while body > ancestor {
        body = parents[body] as usize;
    }
    body == ancestor
}

/// Hinge and slide joints with the motor that drives each.
fn driven_joints(model: &MjModel) -> Result<Vec<(usize, Motor)>, SimError> {
    let mut driven = Vec::new();
    for actuator in 0..model.ffi().nu as usize {
        if model.actuator_trntype()[actuator] != MjtTrn::mjTRN_JOINT {
            continue;
        }
        let joint = model.actuator_trnid()[actuator][0] as usize;
        if !matches!(
            model.jnt_type()[joint],
            MjtJoint::mjJNT_HINGE | MjtJoint::mjJNT_SLIDE
        ) {
            continue;
        }
        let plain = model.actuator_gaintype()[actuator] == MjtGain::mjGAIN_FIXED
            && model.actuator_biastype()[actuator] == MjtBias::mjBIAS_NONE;
        if !plain {
            let name = names::name_of(model, ObjectType::Actuator, actuator).to_owned();
            return Err(SimError::NotTorque { actuator: name });
        }
        driven.push((joint, motor(model, actuator)));
    }
    Ok(driven)
}

/// Damping of a joint if it takes a large share of its motor's torque, else 0.
fn fed_damping(model: &MjModel, joint: usize, motor: &Motor) -> f64 {
    let damping = model.dof_damping()[model.jnt_dofadr()[joint] as usize];
    let is_slide = model.jnt_type()[joint] == MjtJoint::mjJNT_SLIDE;
    let speed = if is_slide { 0.2 } else { 1.0 } * DAMPED_SPEED;
    let most = motor
        .range
        .iter()
        .map(|end| (motor.gain * end).abs())
        .fold(0.0, f64::max);
    if damping * speed > DAMPED_SHARE * most {
        damping
    } else {
        0.0
    }
}

fn motor(model: &MjModel, actuator: usize) -> Motor {
    let gain = model.actuator_gear()[actuator][0] * model.actuator_gainprm()[actuator][0];
    let unlimited = [f64::NEG_INFINITY, f64::INFINITY];
    let limited = model.actuator_ctrllimited()[actuator];
    let range = if limited {
        model.actuator_ctrlrange()[actuator]
    } else {
        unlimited
    };
    Motor {
        ctrl: actuator,
        gain,
        range,
    }
}

fn position_range(model: &MjModel, joint: usize) -> [f64; 2] {
    if model.jnt_limited()[joint] {
        model.jnt_range()[joint]
    } else {
        [f64::NEG_INFINITY, f64::INFINITY]
    }
}
