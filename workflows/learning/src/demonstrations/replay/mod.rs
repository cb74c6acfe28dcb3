//! Replay of a recorded episode in the simulation, and the comparison of poses and forces.
//!
//! By actions, an own recording is repeated in the environment of its task from its seed: the same numbers, bit by bit. By poses, the probe of a scene
//! moves through the recorded poses, also those of another laboratory: forces then differ by what the scene does not know of the tissue.

mod actions;
mod compare;
mod track;

use std::ops::ControlFlow;

use insonate_datasets::Recording;
use insonate_envs::ResetOptions;
use insonate_experiments::follow_poses;
use insonate_models::Scene;
use nalgebra::Vector3;

pub use compare::{Replay, ReplayRow, replay_plot};
pub use track::{ColumnMap, Quantity, RecordedFrame, RecordedTrack};

use crate::LearningError;

/// Repeats the actions of an own recording. `options` are the parameters that were fixed in the recording.
///
/// # Errors
/// [`insonate_envs::EnvError::Config`] if the recording has no actions that can be repeated; errors of the environment.
pub fn replay_actions(
    recording: &Recording,
    options: &ResetOptions,
    progress: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<Replay, LearningError> {
    let repeated = actions::repeat_actions(recording, options, progress)?;
    let base = recording.own.as_ref().and_then(|own| own.info.rig.as_ref());
    let base = base.map_or(Vector3::zeros(), |rig| rig.base_position.into());
    let track = RecordedTrack::of(recording, &ColumnMap::default(), base)?;
    let states = repeated.states.get(track.first_row..).unwrap_or_default();
    let mut replay = Replay::new("actions", &track, states);
    replay.compared_bits = repeated.compared;
    replay.different_bits = repeated.different;
    Ok(replay)
}

/// Moves the probe of a scene through the poses of a recording.
///
/// # Errors
/// Those of [`RecordedTrack::of`] and [`follow_poses`].
pub fn replay_poses(
    scene: &Scene,
    recording: &Recording,
    map: &ColumnMap,
    progress: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<Replay, LearningError> {
    let track = RecordedTrack::of(recording, map, scene.robot_position.into())?;
    let states = follow_poses(scene, &track.time, &track.poses, progress)?;
    Ok(Replay::new("poses", &track, &states))
}
