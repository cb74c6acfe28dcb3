//! All quantities that can be measured in a scene, by name, with units.

mod contact;
mod deformed_torso;
mod face_pressure;
mod force_torque;
mod free_body;
mod joints;
mod probe;
mod quantity;
mod subtree;
mod tissue_points;
mod tissue_stress;
mod torso_particles;

pub use contact::{ArmContact, ProbeContact};
pub use deformed_torso::{DeformedTorso, torso_from_probe};
pub use face_pressure::{FacePressure, PRESSURE_ELEMENT, PressureMap};
pub use force_torque::ForceTorque;
pub use free_body::FreeBody;
pub use joints::Joints;
pub use probe::ProbeFrame;
pub use quantity::{IMAGES, QUANTITIES, Quantity, Readings};
pub use tissue_points::{TissueKind, TissuePoints};
pub use tissue_stress::StressReading;
pub use torso_particles::TorsoParticles;

/// Prefix of the robot's names in a scene.
pub const ROBOT_PREFIX: &str = "robot/";
/// Site on the centre of the probe's face; z points out of the probe, x along the array.
pub const FACE_CENTER: &str = "probe/face_center";
/// Site of the force-torque sensor.
pub const FORCE_TORQUE_SITE: &str = "probe/ft";
/// Force sensor at the tip.
pub const FORCE_SENSOR: &str = "probe/force";
/// Torque sensor at the tip.
pub const TORQUE_SENSOR: &str = "probe/torque";
/// Prefix of the bodies that are particles of a torso.
pub const PARTICLE_PREFIX: &str = "torso/B";
/// Prefix of the torso's names in a scene.
pub const TORSO_PREFIX: &str = "torso/";
