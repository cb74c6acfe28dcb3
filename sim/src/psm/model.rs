//! The analytic model of the PSM in a scene, read from the compiled file.

use insonate_dvrk::{Drive, Inertia, Psm, classic, coupling};
use mujoco_rs::wrappers::mj_model::MjModel;
use nalgebra::{Matrix3, Quaternion, UnitQuaternion};

use crate::SimError;
use crate::names::{self, ObjectType};
use crate::readings::ROBOT_PREFIX;

/// Bodies of the mechanism by the numbers of their frames.
const BODIES: [(usize, &str); 12] = [
    (1, "yaw_link"),
    (2, "pitch_link"),
    (4, "lower_bar"),
    (5, "upper_bar"),
    (6, "rail"),
    (7, "support"),
    (8, "carriage"),
    (9, "counterweight"),
    (10, "shaft"),
    (11, "wrist"),
    (12, "jaw_a"),
    (13, "jaw_b"),
];

/// Drives on joints, then drives on tendons, by their index in [`Psm::drives`].
const JOINT_DRIVES: [(usize, &str); 7] = [
    (0, "yaw"),
    (1, "pitch"),
    (2, "insertion"),
    (3, "roll"),
    (4, "wrist_pitch"),
    (5, "jaw_a"),
    (6, "jaw_b"),
];
const TENDON_DRIVES: [(usize, &str); 3] = [(7, "motor_6"), (8, "motor_7"), (9, "jaws")];

/// The model with the masses, friction, rotors, springs, offsets and instrument length of the compiled file.
///
/// # Errors
/// [`SimError::UnknownName`] if the scene's robot is not a PSM.
pub fn model_of(model: &MjModel) -> Result<Psm, SimError> {
    let scoped = names::try_find(model, ObjectType::Body, &format!("{ROBOT_PREFIX}base"));
    let prefix = if scoped.is_some() { ROBOT_PREFIX } else { "" };
    let mut psm = classic();
    for (frame, name) in BODIES {
        let body = names::find(model, ObjectType::Body, &format!("{prefix}{name}"));
        psm.links[frame].inertia = match body {
            Ok(body) => inertia(model, body),
            Err(_) if name == "counterweight" => Inertia::ZERO,
            Err(error) => return Err(error),
        };
    }
    for (drive, name) in JOINT_DRIVES {
        let joint = names::joint(model, &format!("{prefix}{name}"))?;
        psm.drives[drive] = Drive {
            coulomb_friction: model.dof_frictionloss()[joint.dof],
            viscous_friction: model.dof_damping()[joint.dof],
            motor_inertia: model.dof_armature()[joint.dof],
            stiffness: model.jnt_stiffness()[joint.id],
            offset: 0.0,
            ..psm.drives[drive]
        };
    }
    for (drive, name) in TENDON_DRIVES {
        let tendon = names::find(model, ObjectType::Tendon, &format!("{prefix}{name}"))?;
        psm.drives[drive] = Drive {
            coulomb_friction: model.tendon_frictionloss()[tendon],
            viscous_friction: model.tendon_damping()[tendon],
            motor_inertia: model.tendon_armature()[tendon],
            stiffness: 0.0,
            offset: 0.0,
            ..psm.drives[drive]
        };
    }
    let wrist_per_motor = coupling::joint_from_motor_matrix()[(4, 4)];
    // Motor: the drive that its offset belongs to, and that drive's position per motor angle.
    let offsets = [
        (0, 1.0),
        (1, 1.0),
        (2, 1.0),
        (3, 1.0),
        (4, wrist_per_motor),
        (7, 1.0),
        (8, 1.0),
    ];
    for (motor, (drive, per_motor)) in offsets.into_iter().enumerate() {
        let name = format!("{prefix}motor_{}", motor + 1);
        let actuator = names::find(model, ObjectType::Actuator, &name)?;
        psm.drives[drive].offset = -model.actuator_biasprm()[actuator][0] / per_motor;
    }
    let tip = names::find(model, ObjectType::Site, &format!("{prefix}tip_a"))?;
    psm.geometry.l_clip = -model.site_pos()[tip][1];
    Ok(psm)
}

/// The body's inertia in its own frame.
fn inertia(model: &MjModel, body: usize) -> Inertia {
    let [w, x, y, z] = model.body_iquat()[body];
    let axes = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z)).to_rotation_matrix();
    let principal = Matrix3::from_diagonal(&model.body_inertia()[body].into());
    let about = axes.matrix() * principal * axes.matrix().transpose();
    let entries = [
        about[(0, 0)],
        about[(0, 1)],
        about[(0, 2)],
        about[(1, 1)],
        about[(1, 2)],
        about[(2, 2)],
    ];
    Inertia::about_centre(model.body_mass()[body], model.body_ipos()[body], entries)
}
