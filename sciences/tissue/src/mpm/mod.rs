//! MLS-MPM: tissue as particles that exchange momentum through a background grid.

mod advance;
mod block;
mod body;
mod chunk;
mod config;
mod contact;
mod damage;
mod grid_update;
mod grips;
mod hold;
mod near;
mod sort;
mod state;
mod tile;
mod transfer;
mod window;
mod world;

pub use body::MpmBody;
pub use config::{Contact, Formulation, MpmConfig, WALL_NODES, Wall};
#[cfg(feature = "gpu")]
pub(crate) use damage::remaining_stress;
pub use world::MlsMpm;
