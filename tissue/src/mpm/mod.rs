//! MLS-MPM: tissue as particles that exchange momentum over a grid.

mod block;
mod chunk;
mod config;
mod grid_update;
mod sort;
mod tile;
mod transfer;
mod world;

pub use config::{MpmConfig, WALL_NODES, Wall};
pub use world::{MlsMpm, MpmBody};
