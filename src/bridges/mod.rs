//! Bridges to other programs: 3D Slicer and Foxglove show a running scan or policy, and 3D Slicer can steer the probe.
//!
//! ```text
//!                      ┌─► newest state ─► camera, B-mode (a thread each) ─┐
//! LiveSource (scan, …) ┴─► pose, force ─► ras ──────────────────────────┴► openigtlink::Server ─► 3D Slicer
//!                                                                       and foxglove::Server ─► a browser
//!        ▲                                                                    │
//!        └── Steering: workspace, speed ◄── world ◄── ras ◄───────────────────┘ target
//! ```
//!
//! `roslibpy` and the dVRK's tools command the identified PSM: [`serve_psm()`].

mod b_mode;
mod devices;
mod frame;
mod live;
mod newest;
mod outlets;
mod pictures;
mod ras;
mod serve;
mod serve_psm;
mod skin;
mod steering;
mod watchers;

pub use b_mode::BModePlan;
pub use devices::DEVICES;
pub use live::{LivePolicy, LiveSource};
pub use outlets::Outlets;
pub use serve::{ServePlan, SessionStatistics, serve};
pub use serve_psm::{PsmSession, ServePsmPlan, psm_topics, serve_psm};
pub use skin::skin_message;
pub use steering::{Steering, Workspace};
