//! Benchmarks: tasks × algorithms × seeds in one run that can be interrupted, resumed and spread over machines: `insonate benchmark`.
//!
//! ```text
//! suite ─► pieces (one policy and seed each) ─► pieces/NAME.json ─► rows, comparisons ─► benchmark.json
//! ```
//!
//! A [`Suite`] lists problems. Every policy of a problem acts in the same episodes, which no training uses. A piece is one training with its
//! evaluation, or the evaluation of a policy that needs no training. Its file is its whole result, so pieces of other folders count too.

mod folder;
mod machine;
mod piece;
mod plan;
mod result;
mod scores;
mod spread;
mod suite;

use std::ops::ControlFlow;

use insonate_experiments::Interrupted;
use insonate_files::OutputFolder;

use crate::LearningError;
use crate::training::Event;

pub use piece::{Piece, PieceEpisodes, PieceResult, PieceTiming, PieceTraining, Policy};
pub use plan::{AddedPolicy, BenchmarkPlan, Shard};
pub use result::{Aggregate, BenchmarkResult, Comparison, ReturnAgainstRule, Row, Score, Times};
pub use scores::{improvement_probability, interquartile_mean};
pub use spread::{Spread, bootstrap};
pub use suite::{Learner, Problem, SUITES, Suite};

/// Progress of a benchmark, for its observer.
#[derive(Debug)]
pub enum BenchmarkEvent<'a> {
    /// A piece starts: the piece, its place in this run from 0 on, the number of pieces of this run, and the steps of its training.
    Piece(&'a Piece, usize, usize, Option<usize>),
    /// Progress of a training.
    Training(&'a Event<'a>),
    /// Share of the evaluation's episodes that is done.
    Evaluating(f64),
}

/// Callback that receives the progress of a benchmark. `Break` ends it and keeps finished pieces, and a training's checkpoint, for a resume.
pub type Observer<'a> = &'a mut dyn FnMut(&BenchmarkEvent<'_>) -> ControlFlow<()>;

/// Runs the pieces of a benchmark that the folder lacks, and returns the result of all pieces that are there.
///
/// # Errors
/// [`Interrupted`] if the observer interrupts; errors of [`BenchmarkPlan::check`], simulation, training and files; an error if the folder
/// contains another benchmark.
pub fn benchmark(
    plan: &BenchmarkPlan,
    folder: &OutputFolder,
    observer: Observer<'_>,
) -> Result<BenchmarkResult, LearningError> {
    plan.check()?;
    folder::open(plan, folder)?;
    folder::take_finished(plan, folder)?;
    let pieces = plan.pieces()?;
    let earlier = folder::finished(folder, &pieces)?;
    let own: Vec<&Piece> = pieces
        .iter()
        .zip(&earlier)
        .enumerate()
        .filter(|(index, (_, result))| plan.shard.has(*index) && result.is_none())
        .map(|(_, (piece, _))| piece)
        .collect();
    for (index, piece) in own.iter().enumerate() {
        let event = BenchmarkEvent::Piece(piece, index, own.len(), piece.steps());
        if observer(&event).is_break() {
            return Err(Interrupted.into());
        }
        let result = piece::run(piece, plan, folder, observer)?;
        folder::keep(folder, piece, &result)?;
    }
    let finished = folder::finished(folder, &pieces)?;
    Ok(BenchmarkResult::of(plan, &pieces, &finished))
}
