//! The files of a benchmark: `suite.toml`, `pieces/NAME.json`, and `trainings/NAME/`.

use std::fs;
use std::path::Path;

use insonate_files::OutputFolder;

use super::{BenchmarkPlan, Piece, PieceResult};
use crate::LearningError;

const SUITE: &str = "suite.toml";
const PIECES: &str = "pieces";
/// Largest file of a piece [bytes]; a million episodes with twenty metrics have less.
const MAX_SIZE: u64 = 1 << 30;

/// Starts a benchmark in a folder, or goes on with it.
pub(super) fn open(plan: &BenchmarkPlan, folder: &OutputFolder) -> Result<(), LearningError> {
    let path = folder.path().join(SUITE);
    let ours = text(plan)?;
    if path.exists() {
        if !plan.resume {
            return Err(LearningError::Exists {
                path,
                what: "benchmark",
            });
        }
        let theirs = fs::read_to_string(&path).map_err(LearningError::io("read", &path))?;
        let lines = ours.lines().zip(theirs.lines());
        let differs = lines.into_iter().find(|(ours, theirs)| ours != theirs);
        if let Some((ours, theirs)) = differs {
            return Err(LearningError::OtherBenchmark {
                theirs: theirs.to_owned(),
                ours: ours.to_owned(),
                path,
            });
        }
        if ours.lines().count() != theirs.lines().count() {
            let problem = "is another suite".to_owned();
            return Err(LearningError::Content { path, problem });
        }
        return Ok(());
    }
    folder.write(SUITE, ours.as_bytes())?;
    Ok(())
}

/// The suite as TOML, which is what pieces depend on.
fn text(plan: &BenchmarkPlan) -> Result<String, LearningError> {
    let version = env!("CARGO_PKG_VERSION");
    let text = toml::to_string(&plan.suite).map_err(LearningError::Toml)?;
    Ok(format!("# insonate {version}\n{text}"))
}

fn file(piece: &Piece) -> String {
    format!("{PIECES}/{}.json", piece.name())
}

/// Result of a piece in a folder, if it is finished and of the same policy file.
fn result(folder: &Path, piece: &Piece) -> Result<Option<PieceResult>, LearningError> {
    let path = folder.join(file(piece));
    let found = path.is_file().then(|| read(&path)).transpose()?;
    Ok(found.filter(|found| found.policy_sha256.as_deref() == piece.sha256()))
}

/// Writes the result of a piece.
pub(super) fn keep(
    folder: &OutputFolder,
    piece: &Piece,
    result: &PieceResult,
) -> Result<(), LearningError> {
    let pieces = folder.path().join(PIECES);
    fs::create_dir_all(&pieces).map_err(LearningError::io("make", &pieces))?;
    let json = serde_json::to_string(result)?;
    folder.write(&file(piece), format!("{json}\n").as_bytes())?;
    Ok(())
}

/// Checks that the other folders have the same suite.
pub(super) fn check_others(plan: &BenchmarkPlan) -> Result<(), LearningError> {
    let ours = text(plan)?;
    for other in &plan.others {
        let path = other.join(SUITE);
        let theirs = fs::read_to_string(&path).map_err(LearningError::io("read", &path))?;
        if theirs != ours {
            let problem = "is another suite than this benchmark's".to_owned();
            return Err(LearningError::Content { path, problem });
        }
    }
    Ok(())
}

/// Copies finished pieces of other folders.
pub(super) fn take_finished(
    plan: &BenchmarkPlan,
    folder: &OutputFolder,
) -> Result<(), LearningError> {
    let pieces = plan.pieces()?;
    for other in &plan.others {
        for piece in &pieces {
            if result(folder.path(), piece)?.is_some() {
                continue;
            }
            if let Some(found) = result(other, piece)? {
                keep(folder, piece, &found)?;
            }
        }
    }
    Ok(())
}

/// Results of the pieces; `None` for those that are not finished.
pub(super) fn finished(
    folder: &OutputFolder,
    pieces: &[Piece],
) -> Result<Vec<Option<PieceResult>>, LearningError> {
    let all = pieces.iter().map(|piece| result(folder.path(), piece));
    all.collect()
}

fn read(path: &Path) -> Result<PieceResult, LearningError> {
    let reading = LearningError::io("read", path);
    let size = fs::metadata(path).map_err(&reading)?.len();
    if size > MAX_SIZE {
        return Err(LearningError::Content {
            path: path.to_owned(),
            problem: format!("has {size} bytes; it must have at most {MAX_SIZE} bytes"),
        });
    }
    let text = fs::read_to_string(path).map_err(reading)?;
    serde_json::from_str(&text).map_err(|source| LearningError::Damaged {
        path: path.to_owned(),
        source,
    })
}
