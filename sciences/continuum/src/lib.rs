//! A slender, cable-driven rod in a narrow lumen: corotational beam elements, many contacts, quasi-static and dynamic.
//!
//! The crate depends on no robot and no physics engine: the caller moves the base of the rod and reads shape and
//! contact forces. The method is that of Chen et al. 2024, "Accelerated Quasi-Static FEM for Real-Time Modeling of
//! Continuum Robots with Multiple Contacts and Large Deformation" (Acc-FEM); `docs/why/continuum.md` lists the
//! differences.

mod actuation;
mod bed;
mod contact;
mod element;
mod error;
pub mod lumen;
pub mod navigation;
mod rod;
mod rotation;
mod simulation;
mod solver;

pub use actuation::Actuation;
pub use bed::RodOnBed;
pub use contact::Contact;
pub use error::ContinuumError;
pub use lumen::{Lumen, WallPoint};
pub use rod::{Cables, RodConfig, RodState, Routing, Section, Segment, TableRow};
pub use simulation::{
    BaseWrench, Dynamics, Equilibrium, Simulation, StepReport, StepSettings, StopReason,
};
pub use solver::Solver;
