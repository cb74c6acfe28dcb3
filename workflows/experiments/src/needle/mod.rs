//! A needle that a hand pushes into a block of layered tissue, towards a target in it.
//!
//! * [`Preset`]: tissues with the sources of their numbers.
//! * [`NeedlePlan`]: needle, layers, target and angle; it refuses what no needle can do.
//! * [`insert_needle`]: the insertion; [`NeedleRecord`] is its log, [`NeedleFilm`] its pictures, [`needle_force_plot`] its curves.

mod film;
mod holder;
mod plan;
mod plot;
mod probe_place;
mod record;
mod run;
mod scanner;

pub use film::NeedleFilm;
pub use insonate_sim::needle::Preset;
pub use plan::{NeedlePlan, PlannedLayer};
pub use plot::needle_force_plot;
pub use record::{NeedleRecord, NeedleSample};
pub use run::{LayerSummary, NeedleSummary, insert_needle};
