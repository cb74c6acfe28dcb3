//! Description and state of a rod.

mod config;
mod section;
mod state;

pub use config::{Cables, RodConfig, Routing, Segment, TableRow};
pub use section::Section;
pub use state::RodState;
