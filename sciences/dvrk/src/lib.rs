//! The arm of the da Vinci Research Kit in pure Rust: kinematics, identified dynamics, and identification from logs.
//!
//! ```text
//! classic() ──► Psm { links, drives, gravity } ── forward_kinematics, tool_pose, tool_jacobian, inverse_kinematics
//!                    │                         └─ inverse_dynamics, mass_matrix, coriolis, gravity_torque, friction
//! ```
//!
//! # Joint coordinates
//!
//! A [`JointVector`] is `[yaw, pitch, insertion, roll, wrist pitch, jaw a, jaw b]` in rad, with the insertion in m. These are the coordinates of the mechanism: each jaw has its own angle about the wrist's yaw axis.
//! The dVRK's software reports wrist yaw `(a + b)/2` and jaw opening `b - a` instead, and its logs use motor coordinates; [`coupling`] converts positions and torques.
//!
//! # Frames
//!
//! `base` is frame 0 of Wang et al. 2019: z up, the yaw axis along -y through the origin, the remote centre of motion at [`Psm::remote_centre`].

pub mod coupling;
mod drive;
mod dynamics;
mod error;
mod geometry;
pub mod identification;
mod inertia;
mod joints;
mod kinematics;
mod link;
mod parameters;
mod psm;

pub use drive::Drive;
pub use dynamics::{BaseParameters, N_PARAMETERS, Regressor, parameter_name};
pub use error::DvrkError;
pub use geometry::Geometry;
pub use inertia::Inertia;
pub use joints::{JOINT_NAMES, JointVector, N_JOINTS, N_LINKS};
pub use link::{Link, Motion};
pub use parameters::{classic, identified};
pub use psm::Psm;
