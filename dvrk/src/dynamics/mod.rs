//! Torques: of the whole arm by recursive Newton-Euler, its mass, Coriolis and gravity terms, and the parameters that they are linear in.
//!
//! M(q) q̈ + C(q, q̇) q̇ + g(q) + friction = τ, with motor inertia in M and the roll spring in g.

mod base_parameters;
mod matrices;
mod newton_euler;
mod regressor;

pub use base_parameters::BaseParameters;
pub(crate) use regressor::{FRICTION, HEAVY_LINKS, MOTOR_INERTIA, N_INERTIAL};
pub use regressor::{N_PARAMETERS, Regressor, parameter_name};
