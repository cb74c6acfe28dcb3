//! One recorded episode as named columns, of insonate or of another program.

use std::path::Path;

#[cfg(feature = "lerobot")]
use crate::lerobot::recording as lerobot_recording;
#[cfg(feature = "robomimic")]
use crate::robomimic::recording as robomimic_recording;
use crate::{DatasetError, DatasetInfo, EpisodeKind};

/// A recorded episode: columns of numbers, without pictures and texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// What insonate noted; `None` for a data set of another program.
    pub own: Option<OwnRecording>,
    /// Number of rows.
    pub n_rows: usize,
    /// Time of each row [s], shape `[n_rows]`, increasing; `None` if the data set has neither times nor a rate.
    pub time: Option<Vec<f64>>,
    /// Columns, in the order of the data set.
    pub columns: Vec<RecordedColumn>,
}

/// What insonate notes about an episode.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnRecording {
    /// Information that all episodes share.
    pub info: DatasetInfo,
    /// Seed of the episode.
    pub seed: u64,
    /// What it shows.
    pub kind: EpisodeKind,
}

/// A column of a recorded episode.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedColumn {
    /// Name: that of a LeRobot feature, `state.NAME` and `action.NAME` for a part that `modality.json` names, or the path of an array
    /// in a robomimic file.
    pub name: String,
    /// Names of the numbers in a row.
    pub entries: Vec<String>,
    /// Numbers row by row, shape `[n_rows, n_entries]`.
    pub values: Vec<f64>,
}

impl RecordedColumn {
    /// Number of numbers in a row.
    pub fn width(&self) -> usize {
        self.entries.len()
    }

    /// The rows.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.values.chunks_exact(self.width().max(1))
    }
}

impl Recording {
    /// A column by its name.
    pub fn column(&self, name: &str) -> Option<&RecordedColumn> {
        self.columns.iter().find(|column| column.name == name)
    }
}

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

/// The error for an episode that a data set does not have.
#[cfg(any(feature = "lerobot", feature = "robomimic"))]
pub(crate) fn no_episode(path: &Path, episode: usize, n_episodes: usize) -> DatasetError {
    let problem =
        format!("has {n_episodes} episodes, counted from 0: there is no episode {episode}");
    DatasetError::invalid(path, problem)
}
