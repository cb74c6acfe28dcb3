//! Tissue on scenes that other engines' benchmarks share, particle by particle and vertex by vertex.

mod device;
mod generator;
mod mpm;
mod xpbd;

pub use device::Device;
pub(crate) use device::Place;
pub use mpm::{MpmPlan, MpmSpeed, measure as measure_mpm};
pub use xpbd::{XpbdPlan, XpbdSpeed, measure as measure_xpbd};
