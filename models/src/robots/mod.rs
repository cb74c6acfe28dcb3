//! Robot arms, one file each: their MJCF and further data.
//!
//! Conventions of all arms that carry a probe ([`Robot::flange`]), checked by generic tests:
//! * The root body is the base; its frame is the mounting plane, z up, x forward.
//! * Joint `i` rotates about the z axis of its body, as in the published Denavit–Hartenberg tables.
//! * Actuators are torque motors with the names of their joints and the published torque limits.
//! * Gravity is compensated on every moving body, so an arm at rest with zero torque stays at rest.
//! * Mass comes from `inertial` elements only; geoms have no mass.
//! * Shells (class `visual`, group 2) do not collide. Capsules (classes `trunk` and `wrist`, group 3) do:
//!
//! | geoms | contype | conaffinity | collides with |
//! |---|---|---|---|
//! | trunk: base to upper arm | 1 | 2 | surroundings, wrist |
//! | wrist: forearm to flange, and the probe | 3 | 0 | surroundings, trunk |
//! | surroundings: floor, table, torso | 0 | 1 | trunk, wrist |
//!
//! Links of one class do not collide with each other, and the surroundings do not collide with each other.
//!
//! A robot without a flange has its own instrument and its own rules: [`psm`] is a closed mechanism.

mod arm;
mod from_file;
pub mod panda;
pub mod psm;
mod robot;
pub mod ur5e;

pub use from_file::{FileOptions, from_file};
pub use robot::Robot;

/// A function that creates a robot.
pub type MakeRobot = fn() -> Robot;

/// All robots: name and function.
pub const ALL: &[(&str, MakeRobot)] = &[
    ("panda", panda::panda),
    ("ur5e", ur5e::ur5e),
    ("psm", psm::psm),
];

/// Returns the robot called `name`, or `None`.
pub fn by_name(name: &str) -> Option<Robot> {
    ALL.iter()
        .find(|(known, _)| *known == name)
        .map(|(_, make)| make())
}
