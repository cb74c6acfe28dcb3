//! Tissue on scenes that other engines' benchmarks share, particle by particle and vertex by vertex.

mod generator;
mod mpm;

pub use mpm::{MpmPlan, MpmSpeed, measure as measure_mpm};
