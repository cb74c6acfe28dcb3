//! The registry of readable quantities: one name, unit, shape and line of text each.

use super::{Joints, Particles, ProbeContact, ProbeFrame};
use crate::{Physics, SimError};

/// A quantity that can be read from a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// Simulated time.
    Time,
    /// Joint positions.
    JointPositions,
    /// Joint velocities.
    JointVelocities,
    /// Position of the probe's face.
    ProbePosition,
    /// Orientation of the probe.
    ProbeOrientation,
    /// Linear velocity of the probe's face.
    ProbeLinearVelocity,
    /// Angular velocity of the probe.
    ProbeAngularVelocity,
    /// Force at the tip, sensor frame.
    ForceInSensor,
    /// Torque at the tip, sensor frame.
    TorqueInSensor,
    /// Force at the tip, world.
    ForceInWorld,
    /// Torque at the tip, world axes.
    TorqueInWorld,
    /// Whether the probe touches anything.
    Contact,
    /// Contact force on the probe, world.
    ContactForce,
    /// Positions of the torso's particles.
    ParticlePositions,
    /// Velocities of the torso's particles.
    ParticleVelocities,
}

impl Quantity {
    /// Every quantity, in the order of the listing.
    pub const ALL: &'static [Self] = &[
        Self::Time,
        Self::JointPositions,
        Self::JointVelocities,
        Self::ProbePosition,
        Self::ProbeOrientation,
        Self::ProbeLinearVelocity,
        Self::ProbeAngularVelocity,
        Self::ForceInSensor,
        Self::TorqueInSensor,
        Self::ForceInWorld,
        Self::TorqueInWorld,
        Self::Contact,
        Self::ContactForce,
        Self::ParticlePositions,
        Self::ParticleVelocities,
    ];

    /// `[name, unit, shape, text]`.
    const fn row(self) -> [&'static str; 4] {
        match self {
            Self::Time => ["time", "s", "[1]", "simulated time"],
            Self::JointPositions => [
                "joint_positions",
                "rad",
                "[n_joints]",
                "the robot's joint angles (slides in m)",
            ],
            Self::JointVelocities => [
                "joint_velocities",
                "rad/s",
                "[n_joints]",
                "their rates (slides in m/s)",
            ],
            Self::ProbePosition => [
                "probe_position",
                "m",
                "[3]",
                "centre of the probe's face in world",
            ],
            Self::ProbeOrientation => [
                "probe_orientation",
                "1",
                "[4]",
                "quaternion wxyz, world from probe",
            ],
            Self::ProbeLinearVelocity => [
                "probe_linear_velocity",
                "m/s",
                "[3]",
                "velocity of the face's centre in world",
            ],
            Self::ProbeAngularVelocity => [
                "probe_angular_velocity",
                "rad/s",
                "[3]",
                "angular velocity in world",
            ],
            Self::ForceInSensor => [
                "force_in_sensor",
                "N",
                "[3]",
                "measured force on the probe in the sensor's frame, without weight, inertia and bias",
            ],
            Self::TorqueInSensor => [
                "torque_in_sensor",
                "N*m",
                "[3]",
                "measured torque about the sensor, likewise",
            ],
            Self::ForceInWorld => [
                "force_in_world",
                "N",
                "[3]",
                "measured force on the probe in world, likewise",
            ],
            Self::TorqueInWorld => [
                "torque_in_world",
                "N*m",
                "[3]",
                "measured torque about the sensor in world axes",
            ],
            Self::Contact => [
                "contact",
                "1",
                "[1]",
                "1 while a contact carries force, else 0",
            ],
            Self::ContactForce => [
                "contact_force",
                "N",
                "[3]",
                "force on the probe in world, summed from the contact list",
            ],
            Self::ParticlePositions => [
                "particle_positions",
                "m",
                "[n_particles, 3]",
                "the torso's particles in world",
            ],
            Self::ParticleVelocities => [
                "particle_velocities",
                "m/s",
                "[n_particles, 3]",
                "their velocities in world",
            ],
        }
    }

    /// The name, such as `force_in_world`.
    pub fn name(self) -> &'static str {
        self.row()[0]
    }

    /// The unit, such as `N`.
    pub fn unit(self) -> &'static str {
        self.row()[1]
    }

    /// The shape, such as `[n_joints]`.
    pub fn shape(self) -> &'static str {
        self.row()[2]
    }

    /// One line of text.
    pub fn doc(self) -> &'static str {
        self.row()[3]
    }

    /// The quantity of that name.
    ///
    /// # Errors
    /// [`SimError::UnknownName`] listing every name.
    pub fn from_name(name: &str) -> Result<Self, SimError> {
        Self::ALL
            .iter()
            .copied()
            .find(|quantity| quantity.name() == name)
            .ok_or_else(|| SimError::UnknownName {
                kind: "quantity",
                name: name.to_owned(),
                near: Self::ALL
                    .iter()
                    .map(|quantity| quantity.name().to_owned())
                    .collect(),
            })
    }
}

/// A picture that every camera gives, with the feature `render`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image {
    /// Its name.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Its shape.
    pub shape: &'static str,
    /// One line of text.
    pub doc: &'static str,
}

/// The pictures that every camera gives.
pub const IMAGES: &[Image] = &[
    Image {
        name: "rgb",
        unit: "1",
        shape: "[height, width, 3]",
        doc: "colours, 0 to 255",
    },
    Image {
        name: "depth",
        unit: "m",
        shape: "[height, width]",
        doc: "distance along the camera's axis",
    },
];

/// Every quantity of one scene, with names looked up once.
#[derive(Debug, Clone, PartialEq)]
pub struct Readings {
    /// The robot's joints.
    pub joints: Joints,
    /// The probe's face.
    pub probe: ProbeFrame,
    /// The probe's contacts.
    pub contact: ProbeContact,
    /// The torso's particles; none: the scene has no torso.
    pub particles: Option<Particles>,
}

impl Readings {
    /// Looks up everything that the scene has.
    ///
    /// # Errors
    /// [`SimError::UnknownName`] when the scene has no probe.
    pub fn new(physics: &Physics) -> Result<Self, SimError> {
        let model = physics.model();
        Ok(Self {
            joints: Joints::new(model),
            probe: ProbeFrame::new(model)?,
            contact: ProbeContact::new(model)?,
            particles: Particles::of(physics),
        })
    }

    /// Reads one quantity, flattened in row-major order; empty where the scene does not have it.
    pub fn read(&self, physics: &Physics, quantity: Quantity) -> Vec<f64> {
        let wrench = |pick: fn(&super::ForceTorque) -> nalgebra::Vector3<f64>| {
            physics
                .force_torque()
                .map_or_else(Vec::new, |sensor| pick(sensor).as_slice().to_vec())
        };
        let flat = |points: Option<Vec<[f64; 3]>>| points.unwrap_or_default().concat();
        match quantity {
            Quantity::Time => vec![physics.time()],
            Quantity::JointPositions => self.joints.positions(physics).collect(),
            Quantity::JointVelocities => self.joints.velocities(physics).collect(),
            Quantity::ProbePosition => self
                .probe
                .world_from_probe(physics)
                .position
                .as_slice()
                .to_vec(),
            Quantity::ProbeOrientation => self.probe.world_from_probe(physics).quat().to_vec(),
            Quantity::ProbeLinearVelocity => self
                .probe
                .twist_in_world(physics)
                .linear
                .as_slice()
                .to_vec(),
            Quantity::ProbeAngularVelocity => self
                .probe
                .twist_in_world(physics)
                .angular
                .as_slice()
                .to_vec(),
            Quantity::ForceInSensor => wrench(|sensor| sensor.wrench_in_sensor().force),
            Quantity::TorqueInSensor => wrench(|sensor| sensor.wrench_in_sensor().torque),
            Quantity::ForceInWorld => wrench(|sensor| sensor.wrench_in_world().force),
            Quantity::TorqueInWorld => wrench(|sensor| sensor.wrench_in_world().torque),
            Quantity::Contact => vec![f64::from(u8::from(self.contact.in_contact(physics)))],
            Quantity::ContactForce => self.contact.force_in_world(physics).as_slice().to_vec(),
            Quantity::ParticlePositions => flat(
                self.particles
                    .as_ref()
                    .map(|particles| particles.positions(physics)),
            ),
            Quantity::ParticleVelocities => flat(
                self.particles
                    .as_ref()
                    .map(|particles| particles.velocities(physics)),
            ),
        }
    }
}
