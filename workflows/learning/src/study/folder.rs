//! The files of a study, and the check that a resumed study is the same.
//!
//! `study.toml` contains everything that fitted torsos and policies depend on, `torsos.json` the fitted torsos. `policies/NAME/` are
//! trainings.

use std::fs;
use std::path::{Path, PathBuf};

use insonate_experiments::SoftnessFit;
use insonate_files::{FileError, OutputFolder};

use super::{StudyPlan, StudyStart};
use crate::LearningError;

const SETTINGS: &str = "study.toml";
const TORSOS: &str = "torsos.json";
/// Results that are removed when a study is overwritten, so that they do not remain if the new study is interrupted.
const RESULTS: [&str; 3] = [TORSOS, "study.json", "study.html"];
/// Maximum size of a file that is read [bytes].
const MAX_SIZE: u64 = 1 << 20;

/// Starts a study in a folder, or resumes it.
pub(super) fn open(plan: &StudyPlan, folder: &OutputFolder) -> Result<(), LearningError> {
    let path = folder.path().join(SETTINGS);
    let ours = plan.to_table().to_string();
    let earlier = path.exists();
    match plan.start {
        StudyStart::New if earlier => {
            return Err(LearningError::Exists {
                path,
                what: "study",
            });
        }
        StudyStart::Resume if earlier => {
            let theirs = read(&path)?;
            let differs = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b);
            if let Some((ours, theirs)) = differs {
                return Err(LearningError::OtherStudy {
                    theirs: theirs.to_owned(),
                    ours: ours.to_owned(),
                    path,
                });
            }
            if ours.lines().count() != theirs.lines().count() {
                return Err(LearningError::OtherLogs { path });
            }
            return Ok(());
        }
        StudyStart::Overwrite => {
            for path in RESULTS.map(|name| folder.path().join(name)) {
                if path.exists() {
                    fs::remove_file(&path).map_err(LearningError::io("remove", &path))?;
                }
            }
        }
        StudyStart::New | StudyStart::Resume => {}
    }
    folder.write(SETTINGS, ours.as_bytes())?;
    Ok(())
}

/// Reads the fitted torsos.
pub(super) fn torsos(folder: &OutputFolder) -> Result<Vec<SoftnessFit>, LearningError> {
    let path = folder.path().join(TORSOS);
    if !path.exists() {
        return Ok(Vec::new());
    }
    serde_json::from_str(&read(&path)?).map_err(|source| LearningError::Damaged { path, source })
}

/// Writes the fitted torsos.
pub(super) fn keep_torsos(
    folder: &OutputFolder,
    torsos: &[SoftnessFit],
) -> Result<(), LearningError> {
    let json = serde_json::to_string_pretty(torsos)?;
    folder.write(TORSOS, format!("{json}\n").as_bytes())?;
    Ok(())
}

/// Folder of a policy's training.
///
/// # Errors
/// [`insonate_files::FileError`].
pub(super) fn policy(folder: &OutputFolder, name: &str) -> Result<PathBuf, FileError> {
    folder.folder(&format!("policies/{name}"))
}

fn read(path: &Path) -> Result<String, LearningError> {
    let reading = LearningError::io("read", path);
    let size = fs::metadata(path).map_err(&reading)?.len();
    if size > MAX_SIZE {
        return Err(LearningError::Content {
            path: path.to_owned(),
            problem: format!("has {size} bytes; it must have at most {MAX_SIZE} bytes"),
        });
    }
    fs::read_to_string(path).map_err(reading)
}
