//! Files in the folder of a training.

use std::fs;
use std::path::{Path, PathBuf};

use insonate_files::OutputFolder;
use insonate_rl::run::{CHECKPOINT, POLICY, PROGRESS};

use crate::LearningError;

/// Settings.
pub(super) const CONFIG: &str = "config.toml";
/// The policy of the best evaluation.
pub(super) const BEST_POLICY: &str = "best_policy.safetensors";
/// Table with one row per evaluation.
pub(super) const EVALUATIONS: &str = "evaluations.csv";
/// Summary.
pub(super) const SUMMARY: &str = "summary.json";
/// File name of the learning curve without its extension.
pub(super) const CURVE: &str = "learning_curve";
/// Prefix of TensorBoard files.
const EVENTS: &str = "events.out.tfevents.";

/// Whether the folder contains a training checkpoint.
pub(super) fn has_checkpoint(folder: &Path) -> bool {
    folder.join(CHECKPOINT).exists()
}

/// Files of an earlier training. A new training would overwrite them or mix with them.
///
/// # Errors
/// If the folder cannot be read.
pub(super) fn earlier(folder: &Path) -> Result<Vec<PathBuf>, LearningError> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let curves = ["svg", "png"].map(|ending| format!("{CURVE}.{ending}"));
    let ours = [
        CHECKPOINT,
        POLICY,
        PROGRESS,
        CONFIG,
        BEST_POLICY,
        EVALUATIONS,
        SUMMARY,
    ];
    let reading = LearningError::io("read the folder", folder);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(&reading)? {
        let entry = entry.map_err(&reading)?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if ours.contains(&&*name) || curves.contains(&name.to_string()) || name.starts_with(EVENTS)
        {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// Adds the files of a training to the folder's list, including files that are written later.
///
/// # Errors
/// If the folder cannot be read or written.
pub(super) fn list(folder: &OutputFolder) -> Result<(), LearningError> {
    for name in [CHECKPOINT, POLICY, PROGRESS, BEST_POLICY, EVALUATIONS] {
        folder.file(name)?;
    }
    for path in earlier(folder.path())? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        folder.file(&name)?;
    }
    Ok(())
}

/// Removes the files of an earlier training and no other files.
///
/// # Errors
/// If a file cannot be removed.
pub(super) fn clear(folder: &Path) -> Result<(), LearningError> {
    for file in earlier(folder)? {
        fs::remove_file(&file).map_err(LearningError::io("remove", &file))?;
    }
    Ok(())
}
