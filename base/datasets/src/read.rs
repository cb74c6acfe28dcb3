//! Reads a data set of either format.

use std::path::Path;

#[cfg(feature = "lerobot")]
use crate::lerobot::read as read_lerobot;
#[cfg(feature = "robomimic")]
use crate::robomimic::read as read_robomimic;
use crate::{Dataset, DatasetError};

/// Options for reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// Whether to read the camera images.
    pub frames: bool,
}

/// Reads a LeRobot folder (v3.0) or a robomimic file.
///
/// # Errors
/// [`DatasetError::Read`]; [`DatasetError::Invalid`] if it is not a data set of these formats, damaged
/// or too large; [`DatasetError::NotBuilt`] without the feature of the format.
pub fn read(path: &Path, options: ReadOptions) -> Result<Dataset, DatasetError> {
    let dataset = if path.is_dir() {
        read_lerobot(path, options)?
    } else {
        read_robomimic(path, options)?
    };
    check(path, &dataset)?;
    Ok(dataset)
}

#[cfg(not(feature = "lerobot"))]
fn read_lerobot(path: &Path, _: ReadOptions) -> Result<Dataset, DatasetError> {
    Err(DatasetError::no_lerobot(path))
}

#[cfg(not(feature = "robomimic"))]
fn read_robomimic(path: &Path, _: ReadOptions) -> Result<Dataset, DatasetError> {
    Err(DatasetError::no_robomimic(path))
}

/// Fails for values that are not finite, because nothing can be learnt from them.
fn check(path: &Path, dataset: &Dataset) -> Result<(), DatasetError> {
    if dataset.demonstrations.is_empty() {
        return Err(DatasetError::invalid(path, "has no demonstrations"));
    }
    for (index, demonstration) in dataset.demonstrations.iter().enumerate() {
        let parts = [
            ("an observation", &demonstration.observations),
            ("an action", &demonstration.actions),
            ("a reward", &demonstration.rewards),
        ];
        for (what, values) in parts {
            if let Some(value) = values.iter().find(|value| !value.is_finite()) {
                let problem = format!("has {what} of {value} in demonstration {index}");
                return Err(DatasetError::invalid(path, problem));
            }
        }
    }
    Ok(())
}
