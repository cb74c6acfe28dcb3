//! Demonstrations: episodes of an expert as data sets, and policies learnt from them.
//!
//! ```text
//! expert (script, policy, person) ─► record ─► datasets (robomimic, LeRobot) ─► imitate ─► policy ─► evaluate, train --from-policy
//! ```

mod disturbance;
mod imitate;
mod imitation_files;
mod picture_defects;
mod record;
mod record_plan;
mod recorded_json;
mod replay;
mod rig;
mod rounds;
mod scene_cameras;
mod signals;
pub mod teleoperation;
mod ultrasound_frames;
mod wordings;

pub use imitate::{ImitationData, imitate};
pub use imitation_files::{imitation_json, losses_csv, rounds_csv};
pub use record::{Choice, Demonstrator, Recorded, Shortfall, dataset_info, record};
pub use record_plan::RecordPlan;
pub use recorded_json::recorded_json;
pub use replay::{
    ColumnMap, Quantity, RecordedFrame, RecordedTrack, Replay, ReplayRow, replay_actions,
    replay_plot, replay_poses,
};
pub use rounds::{Round, RoundObserver, RoundProgress, RoundsPlan, imitate_in_rounds};
pub use signals::SceneSignals;
pub use ultrasound_frames::{ULTRASOUND, UltrasoundFrames};
