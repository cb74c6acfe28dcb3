//! Demonstrations: episodes of an expert as data sets, and policies learnt from them.
//!
//! ```text
//! expert (script, policy, person) ─► record ─► datasets (robomimic, LeRobot) ─► imitate ─► policy ─► evaluate, train --from-policy
//! ```

mod imitate;
mod record;
mod scene_cameras;
pub mod teleoperation;

pub use imitate::{Lesson, imitate};
pub use record::{Choice, Demonstrator, RecordPlan, Recorded, dataset_info, record};
