//! Names → indices, looked up once. The error for an unknown name lists similar names.

use std::ops::Range;

use insonate_settings::similar;
use mujoco_rs::wrappers::mj_model::{MjModel, MjtObjBase};

use crate::SimError;

/// Largest number of similar names in an error message.
const MAX_NEAR: usize = 3;

/// Types of named objects, as MuJoCo's `mjtObj`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectType {
    /// Rigid body.
    Body,
    /// Joint.
    Joint,
    /// Geom.
    Geom,
    /// Site.
    Site,
    /// Camera.
    Camera,
    /// Sensor.
    Sensor,
    /// Actuator.
    Actuator,
    /// Tendon.
    Tendon,
    /// Flex.
    Flex,
    /// Keyframe.
    Keyframe,
    /// Custom numbers.
    Numeric,
}

impl ObjectType {
    /// Name in MJCF, such as `joint`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Joint => "joint",
            Self::Geom => "geom",
            Self::Site => "site",
            Self::Camera => "camera",
            Self::Sensor => "sensor",
            Self::Actuator => "actuator",
            Self::Tendon => "tendon",
            Self::Flex => "flex",
            Self::Keyframe => "keyframe",
            Self::Numeric => "numeric",
        }
    }

    fn object(self) -> MjtObjBase {
        match self {
            Self::Body => MjtObjBase::mjOBJ_BODY,
            Self::Joint => MjtObjBase::mjOBJ_JOINT,
            Self::Geom => MjtObjBase::mjOBJ_GEOM,
            Self::Site => MjtObjBase::mjOBJ_SITE,
            Self::Camera => MjtObjBase::mjOBJ_CAMERA,
            Self::Sensor => MjtObjBase::mjOBJ_SENSOR,
            Self::Actuator => MjtObjBase::mjOBJ_ACTUATOR,
            Self::Tendon => MjtObjBase::mjOBJ_TENDON,
            Self::Flex => MjtObjBase::mjOBJ_FLEX,
            Self::Keyframe => MjtObjBase::mjOBJ_KEY,
            Self::Numeric => MjtObjBase::mjOBJ_NUMERIC,
        }
    }

    fn count(self, model: &MjModel) -> usize {
        let raw = model.ffi();
        let count = match self {
            Self::Body => raw.nbody,
            Self::Joint => raw.njnt,
            Self::Geom => raw.ngeom,
            Self::Site => raw.nsite,
            Self::Camera => raw.ncam,
            Self::Sensor => raw.nsensor,
            Self::Actuator => raw.nu,
            Self::Tendon => raw.ntendon,
            Self::Flex => raw.nflex,
            Self::Keyframe => raw.nkey,
            Self::Numeric => raw.nnumeric,
        };
        count as usize
    }
}

/// Index of a named object.
///
/// # Errors
/// [`SimError::UnknownName`] with similar names.
pub fn find(model: &MjModel, object_type: ObjectType, name: &str) -> Result<usize, SimError> {
    try_find(model, object_type, name).ok_or_else(|| SimError::UnknownName {
        kind: object_type.name(),
        name: name.to_owned(),
        near: near_matches(model, object_type, name),
    })
}

/// Index of a named object, if the model has it.
pub fn try_find(model: &MjModel, object_type: ObjectType, name: &str) -> Option<usize> {
    // No name contains a zero byte, and the binding panics if it gets one.
    if name.contains('\0') {
        return None;
    }
    model.name_to_id(object_type.object(), name)
}

/// Name of an object; empty if the object has no name.
pub fn name_of(model: &MjModel, object_type: ObjectType, id: usize) -> &str {
    model
        .id_to_name(object_type.object(), id)
        .unwrap_or_default()
}

/// All named objects of a type, `(index, name)`, in model order.
pub fn all(model: &MjModel, object_type: ObjectType) -> impl Iterator<Item = (usize, &str)> {
    (0..object_type.count(model))
        .map(move |id| (id, name_of(model, object_type, id)))
        .filter(|(_, name)| !name.is_empty())
}

/// All objects of a type whose name starts with `prefix`, in model order.
pub fn with_prefix(model: &MjModel, object_type: ObjectType, prefix: &str) -> Vec<usize> {
    all(model, object_type)
        .filter(|(_, name)| name.starts_with(prefix))
        .map(|(id, _)| id)
        .collect()
}

/// Addresses of one joint in `qpos` and `qvel`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JointAddress {
    /// Index of the joint.
    pub id: usize,
    /// First index in `qpos`.
    pub qpos: usize,
    /// First index in `qvel`.
    pub dof: usize,
}

/// Looks up a joint by name.
///
/// # Errors
/// [`SimError::UnknownName`].
pub fn joint(model: &MjModel, name: &str) -> Result<JointAddress, SimError> {
    find(model, ObjectType::Joint, name).map(|id| joint_address(model, id))
}

/// Addresses of the joint with index `id`.
pub fn joint_address(model: &MjModel, id: usize) -> JointAddress {
    JointAddress {
        id,
        qpos: model.jnt_qposadr()[id] as usize,
        dof: model.jnt_dofadr()[id] as usize,
    }
}

/// Range of a sensor in `sensordata`, by name.
///
/// # Errors
/// [`SimError::UnknownName`].
pub fn sensor(model: &MjModel, name: &str) -> Result<Range<usize>, SimError> {
    let id = find(model, ObjectType::Sensor, name)?;
    let start = model.sensor_adr()[id] as usize;
    Ok(start..start + model.sensor_dim()[id] as usize)
}

fn near_matches(model: &MjModel, object_type: ObjectType, name: &str) -> Vec<String> {
    let known = all(model, object_type).map(|(_, known)| known);
    let near = similar(name, known).into_iter().take(MAX_NEAR);
    near.map(str::to_owned).collect()
}
