//! Patient-side manipulator (PSM) of the da Vinci Research Kit, classic, with its instrument.
//!
//! The real mechanism, not a serial equivalent of it:
//!
//! ```text
//! base ─yaw─ yaw_link ─pitch─ pitch_link ┬─ counterweight        slides as the carriage does
//!                 │                      ├─ upper_bar ─────────┐
//!                 │                      └─ lower_bar ┬─ rail ─┴ insertion ─ roll ─ wrist ┬─ jaw_a
//!                 └────────────────────── support ────┘                                   └─ jaw_b
//! ```
//!
//! * Both parallelograms are bodies; two `connect` equalities close them where the drawing has no other way round.
//! * The transmission is a joint equality: the counterweight rises by as much as the carriage sinks.
//! * Motors 1 to 4 act on yaw, pitch, insertion and roll; 5 to 7 act on fixed tendons whose lengths are their angles, coupled as
//!   the instrument's cables couple them. `ctrl` is the motor's torque [N·m], of motor 3 its force [N].
//! * Friction is `frictionloss` (Coulomb) and `damping` (viscous) where it was identified: on joints, on the motors' tendons, and
//!   between the jaws. The constant offsets of the identified friction are a bias of the actuators.
//! * Nothing compensates gravity: the counterweight does what it does, the rest is the controller's.
//! * The robot carries no probe ([`Robot::flange`] is `None`): its hand is the instrument.
//!
//! Frames are those of Wang et al. 2019 ([`parameters`] gives the source): each body is a row of their table.
//! The base's frame is the mounting plane, z up, x towards the remote centre, as of every robot here.

mod instrument;
mod links;
mod mechanism;
pub mod parameters;
mod shells;

pub use instrument::Instrument;

use std::sync::LazyLock;

use super::robot::Robot;

/// Height of the yaw axis, and of the remote centre, above the mounting plane [m].
pub const REMOTE_CENTER_HEIGHT: f64 = 0.30;
/// The remote centre lies so far in front of the mount [m]: over the middle of the table, on the arena's pedestal.
pub const REMOTE_CENTER_REACH: f64 = 0.56;
/// Insertion of the start pose [m].
pub const HOME_INSERTION: f64 = 0.12;

/// A PSM as it is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PsmConfig {
    /// What it holds.
    pub instrument: Instrument,
    /// Whether the counterweight is mounted.
    pub counterweight: bool,
}

impl Default for PsmConfig {
    fn default() -> Self {
        Self {
            instrument: Instrument::LargeNeedleDriver,
            counterweight: true,
        }
    }
}

/// The PSM with a large needle driver.
pub fn psm() -> Robot {
    // Its surfaces are made once.
    static MADE: LazyLock<Robot> = LazyLock::new(|| configured(PsmConfig::default()));
    MADE.clone()
}

/// A PSM with this instrument, with or without its counterweight.
pub fn configured(config: PsmConfig) -> Robot {
    let mjcf = mechanism::build(config);
    // In the tree's order: every joint at zero but carriage and counterweight.
    let home = |joint: &&str| match *joint {
        "insertion" | "counterweight" => HOME_INSERTION,
        _ => 0.0,
    };
    let joints = mjcf.names(crate::mjcf::Namespace::Joint);
    let home_qpos = joints.iter().map(home).collect();
    Robot {
        name: "psm".into(),
        summary: "da Vinci Research Kit PSM: parallelograms, counterweight, 7 motors, its own instrument instead of a probe".into(),
        home_qpos,
        velocity_limits: Vec::new(),
        flange: None,
        mjcf,
    }
}
