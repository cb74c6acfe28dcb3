//! The force-torque sensor at the tip, freed from the weight and inertia of what hangs below it.
//!
//! MuJoCo's force sensor gives the force $F$ that the parent body exerts on the sensor's body, so with the
//! spatial inertia $I_b$, velocity $v_b$ and proper acceleration $a_b$ (gravity included) of every body $b$
//! below the sensor, the wrench of the surroundings on the probe is (Featherstone 2008, eq. 2.74)
//!
//! $$ W = \sum_b (I_b a_b + v_b \times^* I_b v_b) - F - \text{bias}. $$
//!
//! Gravity compensation (`gravcomp`) acts as a joint torque and leaves $F$ and this equation as they are.
//!
//! MuJoCo leaves contacts with flexes out of the external forces from which it computes $F$ (measured in 3.17.0), so
//! what flexes exert is missing in $W$ and is added from the contact list.

use std::ops::Range;

use mujoco_rs::wrappers::mj_model::MjModel;
use nalgebra::Vector3;

use super::contact::{geoms_of, subtree};
use super::{FORCE_SENSOR, FORCE_TORQUE_SITE, TORQUE_SENSOR};
use crate::ffi::{Contact, Data};
use crate::names::{self, Kind};
use crate::{Pose, SimError, Wrench};

/// A force-torque sensor and its last measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct ForceTorque {
    site: usize,
    /// The body that all com-based quantities of this tree refer to.
    root: usize,
    below: Vec<usize>,
    /// Whether each geom of the model hangs below the sensor, shape `[ngeom]`.
    is_below: Vec<bool>,
    force: Range<usize>,
    torque: Range<usize>,
    world_from_sensor: Pose,
    measured_in_sensor: Wrench,
    bias_in_sensor: Wrench,
}

impl ForceTorque {
    /// Looks up the sensors `probe/force` and `probe/torque` at the site `probe/ft`.
    ///
    /// # Errors
    /// [`SimError::UnknownName`].
    pub fn new(model: &MjModel) -> Result<Self, SimError> {
        let site = names::find(model, Kind::Site, FORCE_TORQUE_SITE)?;
        let body = model.site_bodyid()[site] as usize;
        let below = subtree(model, body);
        Ok(Self {
            site,
            root: model.body_rootid()[body] as usize,
            is_below: geoms_of(model, &below),
            below,
            force: names::sensor(model, FORCE_SENSOR)?,
            torque: names::sensor(model, TORQUE_SENSOR)?,
            world_from_sensor: Pose::from_quat([0.0; 3], [1.0, 0.0, 0.0, 0.0]),
            measured_in_sensor: Wrench::default(),
            bias_in_sensor: Wrench::default(),
        })
    }

    /// Reads the sensor; to be called while accelerations and poses belong to the same state.
    pub(crate) fn measure(&mut self, data: &Data, contacts: &[Contact]) {
        let site = self.site;
        self.world_from_sensor = Pose::from_matrix(data.site_xpos()[site], data.site_xmat()[site]);
        let read =
            |range: &Range<usize>| Vector3::from_column_slice(&data.sensordata()[range.clone()]);
        let sensor = Wrench {
            force: read(&self.force),
            torque: read(&self.torque),
        };
        let mut in_world = self.inertial_in_world(data);
        self.add_flex_contacts(&mut in_world, contacts);
        self.measured_in_sensor =
            in_world.rotated(&self.world_from_sensor.rotation.inverse()) - sensor;
    }

    /// Adds the wrench of flexes on the bodies below the sensor, about the sensor, in world axes.
    fn add_flex_contacts(&self, total: &mut Wrench, contacts: &[Contact]) {
        let owns = |geom: i32| usize::try_from(geom).is_ok_and(|geom| self.is_below[geom]);
        for contact in contacts {
            let on_second = Vector3::from(contact.force_in_world());
            let force = match (contact.geom.map(owns), contact.flex.map(|flex| flex >= 0)) {
                ([false, true], [true, false]) => on_second,
                ([true, false], [false, true]) => -on_second,
                _ => continue,
            };
            let arm = Vector3::from(contact.position) - self.world_from_sensor.position;
            total.force += force;
            total.torque += arm.cross(&force);
        }
    }

    /// Makes the present measurement the zero.
    pub fn tare(&mut self) {
        self.bias_in_sensor = self.measured_in_sensor;
    }

    /// Sets the measurement that counts as zero, in the sensor's frame.
    pub fn set_bias(&mut self, bias_in_sensor: Wrench) {
        self.bias_in_sensor = bias_in_sensor;
    }

    /// Wrench of the surroundings on the probe about the sensor, in the sensor's frame.
    pub fn wrench_in_sensor(&self) -> Wrench {
        self.measured_in_sensor - self.bias_in_sensor
    }

    /// Wrench of the surroundings on the probe about the sensor, in world axes.
    pub fn wrench_in_world(&self) -> Wrench {
        self.wrench_in_sensor()
            .rotated(&self.world_from_sensor.rotation)
    }

    /// What it takes to hold and accelerate the bodies below the sensor, about the sensor, in world axes.
    fn inertial_in_world(&self, data: &Data) -> Wrench {
        let mut total = Wrench::default();
        for &body in &self.below {
            let inertia = &data.cinert()[body];
            let (velocity, acceleration) = (split(data.cvel()[body]), split(data.cacc()[body]));
            let momentum = times_inertia(inertia, velocity);
            let rate = times_inertia(inertia, acceleration);
            let (angular, linear) = velocity;
            total.force += rate.force + angular.cross(&momentum.force);
            total.torque +=
                rate.torque + angular.cross(&momentum.torque) + linear.cross(&momentum.force);
        }
        let center = Vector3::from(data.subtree_com()[self.root]);
        total.torque += (center - self.world_from_sensor.position).cross(&total.force);
        total
    }
}

/// MuJoCo's `[rotation; translation]` motion vector in two parts.
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
