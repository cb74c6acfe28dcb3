//! Reads a recorded episode of either format.

use std::path::Path;

#[cfg(feature = "lerobot")]
use crate::lerobot::recording as lerobot_recording;
#[cfg(feature = "robomimic")]
use crate::robomimic::recording as robomimic_recording;
use crate::{DatasetError, Recording};

/// Reads an episode, counted from 0, of a LeRobot folder (v2.1, as Open-H's, or v3.0) or of a robomimic file.
///
/// # Errors
/// [`DatasetError::Read`]; [`DatasetError::Invalid`] if it is not a data set of these formats, damaged or too large, if it has no such
/// episode, and if its times do not increase; [`DatasetError::NotBuilt`] without the feature of the format.
pub fn read_recording(path: &Path, episode: usize) -> Result<Recording, DatasetError> {
    let recording = if path.is_dir() {
        lerobot_recording(path, episode)?
    } else {
        robomimic_recording(path, episode)?
    };
    if recording.n_rows == 0 {
        let problem = format!("has no row in episode {episode}");
        return Err(DatasetError::invalid(path, problem));
    }
    let times = recording.time.iter().flat_map(|time| time.windows(2));
    for (row, pair) in times.enumerate() {
        // Also if one of them is not a number.
        if !(pair[1] > pair[0] && pair[0].is_finite()) {
            let problem = format!(
                "has the times {} s and {} s in rows {row} and {} of episode {episode}; they must increase",
                pair[0],
                pair[1],
                row + 1
            );
            return Err(DatasetError::invalid(path, problem));
        }
    }
    Ok(recording)
}

#[cfg(not(feature = "lerobot"))]
fn lerobot_recording(path: &Path, _: usize) -> Result<Recording, DatasetError> {
    Err(DatasetError::no_lerobot(path))
}

#[cfg(not(feature = "robomimic"))]
fn robomimic_recording(path: &Path, _: usize) -> Result<Recording, DatasetError> {
    Err(DatasetError::no_robomimic(path))
}
