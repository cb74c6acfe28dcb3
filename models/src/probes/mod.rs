//! Ultrasound probes, one file each: transducer data, mass, and the MJCF that is attached to a robot's flange.
//!
//! Conventions of all probes, checked by generic tests:
//! * The root body `probe` has its origin in the flange-side mounting plane, +z towards the face, +x lateral (along the
//!   array), +y elevational.
//! * Geom `face` is the only shape for contact with tissue: one convex mesh with rounded edges, so that each particle of a torso
//!   makes one contact.
//! * Sites `face_center` and `ft` are at the face centre with the probe's axes; `imaging_plane` is a thin box that shows the
//!   imaging plane, centred at half of the depth that it shows.
//! * Sensors `force` and `torque` measure the wrench between probe and flange, expressed in and taken about site `ft`.
//!   **Sign**: MuJoCo reports the wrench that the robot exerts on the probe. After the weight is subtracted, this is the wrench that
//!   the probe exerts on the tissue: pressing along +z gives a positive z component.
//!   Readings contain the probe's weight and inertia, as those of a real sensor do. Use [`Probe::mass`] and [`Probe::center_of_mass`]
//!   to remove them. A force that replaces contact must be applied to body `probe`.
//! * Sensors `position`, `orientation`, `linear_velocity`, `angular_velocity` give pose and twist of `face_center` in the world.

mod c5_2;
mod housing;
mod l12_5;
mod probe;
mod transducer;

pub use c5_2::c5_2;
pub use l12_5::l12_5;
pub use probe::Probe;
pub use transducer::{ArrayKind, ElementPose, Transducer};

/// A function that creates a probe.
pub type MakeProbe = fn() -> Probe;

/// All probes: name and function.
pub const ALL: &[(&str, MakeProbe)] = &[("c5-2", c5_2), ("l12-5", l12_5)];

/// Returns the probe called `name`, or `None`.
pub fn by_name(name: &str) -> Option<Probe> {
    ALL.iter()
        .find(|(known, _)| *known == name)
        .map(|(_, make)| make())
}
