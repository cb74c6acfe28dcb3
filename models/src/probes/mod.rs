//! Ultrasound probes, one file each, as values: transducer data, mass, and the MJCF that goes on a robot's flange.
//!
//! Conventions shared by all, kept by generic tests:
//! * The root body `probe` has its origin in the flange-side mounting plane, +z towards the face, +x lateral (along the
//!   array), +y elevational.
//! * Geom `face` is the only shape meant to touch tissue: one convex mesh with rounded edges, so that each particle of a torso
//!   makes one contact.
//! * Sites `face_center` and `ft` lie on the face centre with the probe's axes; `imaging_plane` is a thin box that shows the
//!   imaged plane, centred at half the depth it shows.
//! * Sensors `force` and `torque` give the wrench between probe and flange, expressed in and taken about site `ft`.
//!   **Sign**: MuJoCo reports what the robot exerts on the probe. With the weight taken off, that is what the probe exerts on
//!   the tissue: pressing along +z reads a positive z component.
//!   Readings contain the probe's weight and inertia, as a real sensor's do; [`Probe::mass`] and [`Probe::center_of_mass`]
//!   serve to remove them. A force in place of contact belongs on body `probe`.
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

/// Makes a probe.
pub type MakeProbe = fn() -> Probe;

/// All probes: name and maker.
pub const ALL: &[(&str, MakeProbe)] = &[("c5-2", c5_2), ("l12-5", l12_5)];

/// The probe called `name`.
pub fn by_name(name: &str) -> Option<Probe> {
    ALL.iter()
        .find(|(known, _)| *known == name)
        .map(|(_, make)| make())
}
