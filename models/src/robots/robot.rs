//! A robot arm as a value.

use std::borrow::Cow;

use crate::mjcf::Mjcf;

/// A robot arm.
#[derive(Clone, Debug)]
pub struct Robot {
    /// Name on the command line.
    pub name: Cow<'static, str>,
    /// One line for lists.
    pub summary: Cow<'static, str>,
    /// The model; its only root body is the base.
    pub mjcf: Mjcf,
    /// Body that carries the probe, with +z out of the flange; `None`: the robot holds an instrument of its own.
    pub flange: Option<String>,
    /// Joint positions of the start pose [rad or m], in MJCF order.
    pub home_qpos: Vec<f64>,
    /// Greatest joint speeds [rad/s], in MJCF order; empty where unknown. MuJoCo does not enforce them.
    pub velocity_limits: Vec<f64>,
}
