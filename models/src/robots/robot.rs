//! The data of a robot arm.

use std::borrow::Cow;

use crate::mjcf::Mjcf;

/// A robot arm.
#[derive(Clone, Debug)]
pub struct Robot {
    /// Name on the command line.
    pub name: Cow<'static, str>,
    /// One-line description.
    pub summary: Cow<'static, str>,
    /// The model; its only root body is the base.
    pub mjcf: Mjcf,
    /// Body that carries the probe, with +z out of the flange; `None`: the robot holds its own instrument.
    pub flange: Option<String>,
    /// Joint positions of the start pose [rad or m], in MJCF order.
    pub home_qpos: Vec<f64>,
    /// Upper limits of joint speeds [rad/s], in MJCF order; empty if unknown. MuJoCo does not enforce them.
    pub velocity_limits: Vec<f64>,
    /// Notes to the user about differences from a robot file; empty for the robots of the registry.
    pub notes: Vec<String>,
}
