//! One recorded episode as named columns, of insonate or of another program.

#[cfg(any(feature = "lerobot", feature = "robomimic"))]
use std::path::Path;

#[cfg(any(feature = "lerobot", feature = "robomimic"))]
use crate::DatasetError;
use crate::{DatasetInfo, EpisodeKind};

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

/// The error for an episode that a data set does not have.
#[cfg(any(feature = "lerobot", feature = "robomimic"))]
pub(crate) fn no_episode(path: &Path, episode: usize, n_episodes: usize) -> DatasetError {
    let problem =
        format!("has {n_episodes} episodes, counted from 0: there is no episode {episode}");
    DatasetError::invalid(path, problem)
}
