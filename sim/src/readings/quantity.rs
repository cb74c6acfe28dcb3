//! The registry of readable quantities, by name, with units and shapes.

use super::{FacePressure, Joints, ProbeContact, ProbeFrame, TorsoParticles};
use crate::{Physics, SimError};

/// A quantity that can be read from a scene.
#[derive(Debug, Clone, Copy)]
pub struct Quantity {
    /// Name, such as `force_in_world`.
    pub name: &'static str,
    /// Unit, such as `N`.
    pub unit: &'static str,
    /// Shape, such as `[n_joints]`.
    pub shape: &'static str,
    /// Description in one line.
    pub summary: &'static str,
    /// The values in row-major order; empty if the scene does not have them.
    read: fn(&Readings, &Physics) -> Vec<f64>,
}

/// Pictures of every camera, with the feature `render`: name, unit, shape and description in one line.
pub const IMAGES: [[&str; 4]; 2] = [
    ["rgb", "1", "[height, width, 3]", "colours, 0 to 255"],
    [
        "depth",
        "m",
        "[height, width]",
        "distance along the camera's axis",
    ],
];

/// All quantities of one scene, with names looked up once.
#[derive(Debug, Clone, PartialEq)]
pub struct Readings {
    /// The robot's joints.
    pub joints: Joints,
    /// The probe's face.
    pub probe: ProbeFrame,
    /// The probe's contacts.
    pub contact: ProbeContact,
    /// Pressure on the probe's face.
    pub pressure: FacePressure,
    /// The torso's particles; `None` if the scene has no torso.
    pub particles: Option<TorsoParticles>,
}

impl Readings {
    /// Looks up all quantities of the scene.
    ///
    /// # Errors
    /// [`SimError::UnknownName`] if the scene has no probe.
    pub fn new(physics: &Physics) -> Result<Self, SimError> {
        let model = physics.model();
        Ok(Self {
            joints: Joints::new(model),
            probe: ProbeFrame::new(model)?,
            contact: ProbeContact::new(model)?,
            pressure: FacePressure::new(physics)?,
            particles: TorsoParticles::of(physics),
        })
    }

    /// Reads the quantity with this name, in row-major order; empty if the scene does not have it.
    ///
    /// # Errors
    /// [`SimError::UnknownName`] with all names.
    pub fn read(&self, physics: &Physics, name: &str) -> Result<Vec<f64>, SimError> {
        let quantity = QUANTITIES.iter().find(|quantity| quantity.name == name);
        let quantity = quantity.ok_or_else(|| SimError::UnknownName {
            kind: "quantity",
            name: name.to_owned(),
            near: QUANTITIES
                .iter()
                .map(|known| known.name.to_owned())
                .collect(),
        })?;
        Ok((quantity.read)(self, physics))
    }
}

/// All quantities.
pub const QUANTITIES: &[Quantity] = &[
    Quantity {
        name: "time",
        unit: "s",
        shape: "[1]",
        summary: "simulated time",
        read: |_, physics| vec![physics.time()],
    },
    Quantity {
        name: "joint_positions",
        unit: "rad",
        shape: "[n_joints]",
        summary: "the robot's joint angles (slides in m)",
        read: |readings, physics| readings.joints.positions(physics).collect(),
    },
    Quantity {
        name: "joint_velocities",
        unit: "rad/s",
        shape: "[n_joints]",
        summary: "their rates (slides in m/s)",
        read: |readings, physics| readings.joints.velocities(physics).collect(),
    },
    Quantity {
        name: "probe_position",
        unit: "m",
        shape: "[3]",
        summary: "centre of the probe's face in world",
        read: |readings, physics| {
            let pose = readings.probe.world_from_probe(physics);
            pose.position.as_slice().to_vec()
        },
    },
    Quantity {
        name: "probe_orientation",
        unit: "1",
        shape: "[4]",
        summary: "quaternion wxyz, world from probe",
        read: |readings, physics| readings.probe.world_from_probe(physics).quat().to_vec(),
    },
    Quantity {
        name: "probe_linear_velocity",
        unit: "m/s",
        shape: "[3]",
        summary: "velocity of the face's centre in world",
        read: |readings, physics| {
            let twist = readings.probe.twist_in_world(physics);
            twist.linear.as_slice().to_vec()
        },
    },
    Quantity {
        name: "probe_angular_velocity",
        unit: "rad/s",
        shape: "[3]",
        summary: "angular velocity in world",
        read: |readings, physics| {
            let twist = readings.probe.twist_in_world(physics);
            twist.angular.as_slice().to_vec()
        },
    },
    Quantity {
        name: "force_in_sensor",
        unit: "N",
        shape: "[3]",
        summary: "measured force on the probe in the sensor's frame, without weight, inertia and bias",
        read: |_, physics| measured(physics, |sensor| sensor.wrench_in_sensor().force),
    },
    Quantity {
        name: "torque_in_sensor",
        unit: "N*m",
        shape: "[3]",
        summary: "measured torque about the sensor in the sensor's frame, without weight, inertia and bias",
        read: |_, physics| measured(physics, |sensor| sensor.wrench_in_sensor().torque),
    },
    Quantity {
        name: "force_in_world",
        unit: "N",
        shape: "[3]",
        summary: "measured force on the probe in the world frame, without weight, inertia and bias",
        read: |_, physics| measured(physics, |sensor| sensor.wrench_in_world().force),
    },
    Quantity {
        name: "torque_in_world",
        unit: "N*m",
        shape: "[3]",
        summary: "measured torque about the sensor in world axes",
        read: |_, physics| measured(physics, |sensor| sensor.wrench_in_world().torque),
    },
    Quantity {
        name: "contact",
        unit: "1",
        shape: "[1]",
        summary: "1 while a contact carries force, else 0",
        read: |readings, physics| vec![f64::from(u8::from(readings.contact.in_contact(physics)))],
    },
    Quantity {
        name: "contact_force",
        unit: "N",
        shape: "[3]",
        summary: "force on the probe in world, summed from the contact list",
        read: |readings, physics| {
            let force = readings.contact.force_in_world(physics);
            force.as_slice().to_vec()
        },
    },
    Quantity {
        name: "face_pressure",
        unit: "Pa",
        shape: "[n_x, n_y]",
        summary: "pressure on the probe's face in elements of 5 mm, x along the array",
        read: |readings, physics| {
            let map = readings.pressure.read(physics);
            map.map_or_else(Vec::new, |map| map.pressures)
        },
    },
    Quantity {
        name: "particle_positions",
        unit: "m",
        shape: "[n_particles, 3]",
        summary: "the torso's particles in world",
        read: |readings, physics| {
            let particles = readings.particles.as_ref();
            particles.map_or_else(Vec::new, |particles| particles.positions(physics).concat())
        },
    },
    Quantity {
        name: "particle_velocities",
        unit: "m/s",
        shape: "[n_particles, 3]",
        summary: "their velocities in world",
        read: |readings, physics| {
            let particles = readings.particles.as_ref();
            particles.map_or_else(Vec::new, |particles| particles.velocities(physics).concat())
        },
    },
];

fn measured(
    physics: &Physics,
    pick: fn(&super::ForceTorque) -> nalgebra::Vector3<f64>,
) -> Vec<f64> {
    let sensor = physics.force_torque();
    sensor.map_or_else(Vec::new, |sensor| pick(sensor).as_slice().to_vec())
}
