//! Bridges to other programs: 3D Slicer shows a running scan or policy and can steer the probe.
//!
//! ```text
//!                      ┌─► newest state ─► picture (a thread) ─┐
//! LiveSource (scan, …) ┴─► pose, force ─► ras ────────────────┴► openigtlink::Server ─► 3D Slicer
//!        ▲                                                          │
//!        └── Steering: workspace, speed ◄── world ◄── ras ◄─────────┘ target
//! ```

mod frame;
mod live;
mod pictures;
mod ras;
mod serve;
mod steering;

pub use live::{LivePolicy, LiveSource};
pub use serve::{DEVICES, ServePlan, SessionStatistics, serve};
pub use steering::{Steering, Workspace};
