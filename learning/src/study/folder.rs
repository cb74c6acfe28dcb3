//! The files of a study, and the check that a resumed study is the same.
//!
//! `study.toml` contains everything that fitted torsos and policies depend on, `torsos.json` the fitted torsos. `policies/NAME/` are
//! trainings.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use insonate_experiments::SoftnessFit;
use insonate_files::{FileError, OutputFolder};

use super::{StudyPlan, StudyStart};

const SETTINGS: &str = "study.toml";
const TORSOS: &str = "torsos.json";
/// Results that are removed when a study is overwritten, so that they do not remain if the new study is interrupted.
const RESULTS: [&str; 3] = [TORSOS, "study.json", "study.html"];
/// Maximum size of a file that is read [bytes].
const MAX_SIZE: u64 = 1 << 20;

/// Starts a study in a folder, or resumes it.
pub(super) fn open(plan: &StudyPlan, folder: &OutputFolder) -> anyhow::Result<()> {
    let path = folder.path().join(SETTINGS);
    let ours = plan.to_table().to_string();
    let earlier = path.exists();
    match plan.start {
        StudyStart::New if earlier => anyhow::bail!(
            "{} already exists from another study: --resume it, --overwrite it, or choose another --output",
            path.display()
        ),
        StudyStart::Resume if earlier => {
            let theirs = read(&path)?;
            let differs = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b);
            if let Some((ours, theirs)) = differs {
                anyhow::bail!(
                    "{} says {theirs}, but this study {ours}: --resume keeps logs, steps and seed; or choose another --output",
                    path.display()
                );
            }
            anyhow::ensure!(
                ours.lines().count() == theirs.lines().count(),
                "{} names other logs: --resume keeps them; or choose another --output",
                path.display()
            );
            return Ok(());
        }
        StudyStart::Overwrite => {
            for path in RESULTS.map(|name| folder.path().join(name)) {
                if path.exists() {
                    let removing = || format!("cannot remove {}", path.display());
                    fs::remove_file(&path).with_context(removing)?;
                }
            }
        }
        StudyStart::New | StudyStart::Resume => {}
    }
    folder.write(SETTINGS, ours.as_bytes())?;
    Ok(())
}

/// Reads the fitted torsos.
pub(super) fn torsos(folder: &OutputFolder) -> anyhow::Result<Vec<SoftnessFit>> {
    let path = folder.path().join(TORSOS);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let reading = || format!("{} is damaged: --overwrite the study", path.display());
    serde_json::from_str(&read(&path)?).with_context(reading)
}

/// Writes the fitted torsos.
pub(super) fn keep_torsos(folder: &OutputFolder, torsos: &[SoftnessFit]) -> anyhow::Result<()> {
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

fn read(path: &Path) -> anyhow::Result<String> {
    let reading = || format!("cannot read {}", path.display());
    let size = fs::metadata(path).with_context(reading)?.len();
    anyhow::ensure!(
        size <= MAX_SIZE,
        "{} has {size} bytes; it must have at most {MAX_SIZE} bytes",
        path.display()
    );
    fs::read_to_string(path).with_context(reading)
}
