//! Patient-side manipulator (PSM) of the da Vinci Research Kit, classic, with its instrument.
//!
//! The model is the real mechanism, instead of an equivalent serial arm:
//!
//! ```text
//! base ─yaw─ yaw_link ─pitch─ pitch_link ┬─ counterweight        slides with the carriage
//!                 │                      ├─ upper_bar ─────────┐
//!                 │                      └─ lower_bar ┬─ rail ─┴ insertion ─ roll ─ wrist ┬─ jaw_a
//!                 └────────────────────── support ────┘                                   └─ jaw_b
//! ```
//!
//! * Both parallelograms are made of bodies; two `connect` equalities close the loops.
//! * The transmission is a joint equality: the counterweight rises by the distance that the carriage sinks.
//! * Motors 1 to 4 act on yaw, pitch, insertion and roll; 5 to 7 act on fixed tendons whose lengths are the motor angles, coupled as
//!   by the cables of the instrument. `ctrl` is the torque of the motor [N·m], for motor 3 its force [N].
//! * Friction is `frictionloss` (Coulomb) and `damping` (viscous) where it was identified: on joints, on the motors' tendons, and
//!   between the jaws. The constant offsets of the identified friction are a bias of the actuators.
//! * Gravity is not compensated in the model: the counterweight balances a part, and the controller must compensate the rest.
//! * The robot carries no probe ([`Robot::flange`] is `None`): it holds the instrument.
//!
//! Frames are those of Wang et al. 2019 ([`parameters`] gives the source): each body is a row of their table.
//! The frame of the base is the mounting plane, z up, x towards the remote centre, as for every robot here.

mod geoms;
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
/// Horizontal distance of the remote centre in front of the mount [m]: above the centre of the table, on the arena's pedestal.
pub const REMOTE_CENTER_REACH: f64 = 0.56;
/// Insertion in the start pose [m].
pub const HOME_INSERTION: f64 = 0.12;

/// Configuration of a PSM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PsmConfig {
    /// Instrument that it holds.
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
    // The surfaces are generated once.
    static MADE: LazyLock<Robot> = LazyLock::new(|| configured(PsmConfig::default()));
    MADE.clone()
}

/// A PSM with this instrument, with or without its counterweight.
pub fn configured(config: PsmConfig) -> Robot {
    let mjcf = mechanism::build(config);
    // In the order of the tree: all joints at zero except carriage and counterweight.
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
        notes: Vec::new(),
        flange: None,
        mjcf,
    }
}
