//! Robot arms, one file each, as values: their MJCF and what that does not say.
//!
//! Conventions shared by all arms that carry a probe ([`Robot::flange`]), kept by generic tests:
//! * The root body is the base; its frame is the mounting plane, z up, x forward.
//! * Joint `i` turns about the z axis of its body, as in the published Denavit–Hartenberg tables.
//! * Actuators are torque motors named after their joints, with the published torque limits.
//! * Gravity is compensated on every moving body, so zero torque holds still.
//! * Mass comes from `inertial` elements only; shapes have none.
//! * Shells (class `visual`, group 2) do not collide. Capsules (classes `trunk` and `wrist`, group 3) do:
//!
//! | who | contype | conaffinity | collides with |
//! |---|---|---|---|
//! | trunk: base to upper arm | 1 | 2 | surroundings, wrist |
//! | wrist: forearm to flange, and the probe | 3 | 0 | surroundings, trunk |
//! | surroundings: floor, table, torso | 0 | 1 | trunk, wrist |
//!
//! Links of one class never collide with each other, surroundings never among themselves.
//!
//! A robot without a flange holds an instrument of its own and its own rules: [`psm`] is a closed mechanism.

mod arm;
mod from_file;
pub mod panda;
pub mod psm;
mod robot;
pub mod ur5e;

pub use from_file::{FileOptions, LoadedRobot, from_file};
pub use robot::Robot;

/// Makes a robot.
pub type MakeRobot = fn() -> Robot;

/// All robots: name and maker.
pub const ALL: &[(&str, MakeRobot)] = &[
    ("panda", panda::panda),
    ("ur5e", ur5e::ur5e),
    ("psm", psm::psm),
];

/// The robot called `name`.
pub fn by_name(name: &str) -> Option<Robot> {
    ALL.iter()
        .find(|(known, _)| *known == name)
        .map(|(_, make)| make())
}
