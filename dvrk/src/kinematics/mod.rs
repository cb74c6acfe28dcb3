//! Where everything is: frames of all links, the tool's pose and Jacobian, and joints from a pose.

mod forward;
mod inverse;
mod jacobian;

pub(crate) use jacobian::{LinkJacobian, axis_column};
