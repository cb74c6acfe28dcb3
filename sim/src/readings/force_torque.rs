//! The force-torque sensor at the tip, compensated for the weight and inertia of the bodies below it.
//!
//! MuJoCo's force sensor gives the force $F$ that the parent body exerts on the sensor's body, so with the
//! spatial inertia $I_b$, velocity $v_b$ and proper acceleration $a_b$ (gravity included) of every body $b$
//! below the sensor, the wrench of the surroundings on the probe is (Featherstone 2008, eq. 2.74)
//!
//! $$ W = \sum_b (I_b a_b + v_b \times^* I_b v_b) - F - \text{bias}. $$
//!
//! Gravity compensation (`gravcomp`) acts as a joint torque and does not change $F$ or this equation.
//!
//! MuJoCo leaves contacts with flexes out of the external forces from which it computes $F$ (measured in 3.17.0). The
//! force of flexes is therefore missing in $W$ and is added from the contact list.

use std::ops::Range;
use std::sync::OnceLock;

use mujoco_rs::wrappers::mj_model::MjModel;
use nalgebra::{Matrix3, Vector3};

use super::subtree::{geoms_of, subtree};
use super::{FORCE_SENSOR, FORCE_TORQUE_SITE, TORQUE_SENSOR};
use crate::ffi::{Contact, Data};
use crate::names::{self, ObjectType};
use crate::{SimError, Wrench};

/// A force-torque sensor and its last measurement.
#[derive(Debug, Clone)]
pub struct ForceTorque {
    site: usize,
    /// The body to which all com-based quantities of this tree refer.
    root: usize,
    below: Vec<usize>,
    /// Whether each geom of the model hangs below the sensor, shape `[ngeom]`.
    is_below: Vec<bool>,
    force: Range<usize>,
    torque: Range<usize>,
    measurement: Measurement,
    bias_in_sensor: Wrench,
}

/// Quantities from which the wrench is computed on demand; a step only copies them.
#[derive(Debug, Clone, Default)]
struct Measurement {
    /// Position of the sensor in world [m], and its axes as columns.
    position: Vector3<f64>,
    axes: Matrix3<f64>,
    /// MuJoCo's force and torque, in the sensor's frame.
    sensor: Wrench,
    /// Point that the com-based quantities refer to, in world [m].
    center: Vector3<f64>,
    /// The bodies below the sensor.
    bodies: Vec<BodyMotion>,
    /// Wrench of flexes on these bodies about the sensor, in world axes.
    flexes: Wrench,
    /// The result, once it was computed.
    wrench: OnceLock<Wrench>,
}

/// MuJoCo's com-based `cinert`, `cvel` and `cacc` of one body.
#[derive(Debug, Clone, Copy, PartialEq)]
struct BodyMotion {
    inertia: [f64; 10],
    velocity: [f64; 6],
    acceleration: [f64; 6],
}

impl ForceTorque {
    /// Looks up the sensors `probe/force` and `probe/torque` at the site `probe/ft`.
    ///
    /// # Errors
    /// [`SimError::UnknownName`].
    pub fn new(model: &MjModel) -> Result<Self, SimError> {
        let site = names::find(model, ObjectType::Site, FORCE_TORQUE_SITE)?;
        let body = model.site_bodyid()[site] as usize;
        let below = subtree(model, body);
        Ok(Self {
            site,
            root: model.body_rootid()[body] as usize,
            is_below: geoms_of(model, &below),
            below,
            force: names::sensor(model, FORCE_SENSOR)?,
            torque: names::sensor(model, TORQUE_SENSOR)?,
            measurement: Measurement::default(),
            bias_in_sensor: Wrench::default(),
        })
    }

    /// Reads the sensor. Accelerations and poses must belong to the same state.
    pub(crate) fn measure(&mut self, data: &Data, contacts: &[Contact]) {
        let read =
            |range: &Range<usize>| Vector3::from_column_slice(&data.sensordata()[range.clone()]);
        let measurement = &mut self.measurement;
        measurement.position = data.site_xpos()[self.site].into();
        measurement.axes = Matrix3::from_row_slice(&data.site_xmat()[self.site]);
        measurement.sensor = Wrench {
            force: read(&self.force),
            torque: read(&self.torque),
        };
        measurement.center = data.subtree_com()[self.root].into();
        measurement.bodies.clear();
        measurement
            .bodies
            .extend(self.below.iter().map(|&body| BodyMotion {
                inertia: data.cinert()[body],
                velocity: data.cvel()[body],
                acceleration: data.cacc()[body],
            }));
        self.measurement.flexes = self.flex_contacts(contacts);
        self.measurement.wrench.take();
    }

    /// Wrench of flexes on the bodies below the sensor, about the sensor, in world axes.
    fn flex_contacts(&self, contacts: &[Contact]) -> Wrench {
        let owns = |geom: i32| usize::try_from(geom).is_ok_and(|geom| self.is_below[geom]);
        let mut total = Wrench::default();
        for contact in contacts {
            let sign = match (contact.geom.map(owns), contact.flex.map(|flex| flex >= 0)) {
                ([false, true], [true, false]) => 1.0,
                ([true, false], [false, true]) => -1.0,
                _ => continue,
            };
            let force = Vector3::from(contact.force_in_world()) * sign;
            let arm = Vector3::from(contact.position) - self.measurement.position;
            total.force += force;
            total.torque += arm.cross(&force);
        }
        total
    }

    /// Makes the current measurement the zero.
    pub fn tare(&mut self) {
        self.bias_in_sensor = self.measurement.wrench_in_sensor();
    }

    /// Wrench of the surroundings on the probe about the sensor, in the sensor's frame.
    pub fn wrench_in_sensor(&self) -> Wrench {
        self.measurement.wrench_in_sensor() - self.bias_in_sensor
    }

    /// Wrench of the surroundings on the probe about the sensor, in world axes.
    pub fn wrench_in_world(&self) -> Wrench {
        let wrench = self.wrench_in_sensor();
        Wrench {
            force: self.measurement.axes * wrench.force,
            torque: self.measurement.axes * wrench.torque,
        }
    }
}

impl Measurement {
    /// Wrench of the surroundings including the bias, in the sensor's frame.
    fn wrench_in_sensor(&self) -> Wrench {
        *self.wrench.get_or_init(|| {
            let inertial = self.inertial_in_world();
            let in_sensor = Wrench {
                force: self.axes.tr_mul(&(inertial.force + self.flexes.force)),
                torque: self.axes.tr_mul(&(inertial.torque + self.flexes.torque)),
            };
            in_sensor - self.sensor
        })
    }

    /// Wrench that carries and accelerates the bodies below the sensor, about the sensor, in world axes.
    fn inertial_in_world(&self) -> Wrench {
        let mut total = Wrench::default();
        for body in &self.bodies {
            let (velocity, acceleration) = (split(body.velocity), split(body.acceleration));
            let momentum = times_inertia(&body.inertia, velocity);
            let rate = times_inertia(&body.inertia, acceleration);
            let (angular, linear) = velocity;
            total.force += rate.force + angular.cross(&momentum.force);
            total.torque +=
                rate.torque + angular.cross(&momentum.torque) + linear.cross(&momentum.force);
        }
        total.torque += (self.center - self.position).cross(&total.force);
        total
    }
}

/// Rotational and translational part of MuJoCo's `[rotation; translation]` motion vector.
fn split(motion: [f64; 6]) -> (Vector3<f64>, Vector3<f64>) {
    let [wx, wy, wz, vx, vy, vz] = motion;
    ([wx, wy, wz].into(), [vx, vy, vz].into())
}

/// Spatial inertia times motion; MuJoCo stores `[Ixx Iyy Izz Ixy Ixz Iyz, m c, m]`.
fn times_inertia(inertia: &[f64; 10], motion: (Vector3<f64>, Vector3<f64>)) -> Wrench {
    let (w, v) = motion;
    let [xx, yy, zz, xy, xz, yz, mcx, mcy, mcz, mass] = *inertia;
    let first_moment = Vector3::new(mcx, mcy, mcz);
    let rotated = Vector3::new(
        xx * w.x + xy * w.y + xz * w.z,
        xy * w.x + yy * w.y + yz * w.z,
        xz * w.x + yz * w.y + zz * w.z,
    );
    Wrench {
        force: mass * v - first_moment.cross(&w),
        torque: rotated + first_moment.cross(&v),
    }
}
