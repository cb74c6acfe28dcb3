//! Model of the patient-side manipulator.

use nalgebra::Vector3;

use crate::drive::Drive;
use crate::geometry::Geometry;
use crate::inertia::Inertia;
use crate::joints::{N_DRIVES, N_LINKS};
use crate::link::Link;

/// Index of the counterweight, which moves opposite to the insertion.
const COUNTERWEIGHT: usize = 9;

/// A patient-side manipulator: geometry, inertia of its links, and drives of its joints.
#[derive(Debug, Clone, PartialEq)]
pub struct Psm {
    /// Lengths [m], from which `links` is built.
    pub geometry: Geometry,
    /// The links; indices are the frame numbers of Wang et al. 2019, and 0 is the base.
    pub links: [Link; N_LINKS],
    /// Friction, motors and springs.
    pub drives: [Drive; N_DRIVES],
    /// Acceleration of gravity in the base frame [m/s²].
    pub gravity: Vector3<f64>,
}

impl Psm {
    /// The same arm without its counterweight.
    pub fn without_counterweight(mut self) -> Self {
        self.links[COUNTERWEIGHT].inertia = Inertia::ZERO;
        self
    }

    /// The same arm without friction, motor inertia and spring: only rigid bodies.
    pub fn without_drives(mut self) -> Self {
        for drive in &mut self.drives {
            drive.coulomb_friction = 0.0;
            drive.viscous_friction = 0.0;
            drive.offset = 0.0;
            drive.motor_inertia = 0.0;
            drive.stiffness = 0.0;
        }
        self
    }

    /// The same arm with `payload` rigidly attached to link `link`; the payload is given in that link's frame.
    ///
    /// # Panics
    ///
    /// If `link` is not below [`N_LINKS`].
    pub fn with_payload(mut self, link: usize, payload: Inertia) -> Self {
        self.links[link].inertia += payload;
        self
    }

    /// The remote centre of motion in the base frame [m].
    pub fn remote_centre(&self) -> Vector3<f64> {
        Vector3::new(0.0, self.geometry.l_2l2, 0.0)
    }
}
