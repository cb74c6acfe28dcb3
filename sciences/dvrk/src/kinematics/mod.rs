//! Kinematics: frames of all links, the tool's pose and Jacobian, and inverse kinematics.

mod forward;
mod inverse;
mod jacobian;

pub(crate) use jacobian::{LinkJacobian, axis_column};
