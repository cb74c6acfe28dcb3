//! Experiments with a slender rod, alone or in a lumen: bending, insertion and steering to a target.
//!
//! * [`bend`]: bends a rod under a force, a moment or cables to equilibrium.
//! * [`Passage`]: a lumen with its entry, its mesh for pictures, and the line to a target in it.
//! * [`insert`]: pushes a rod through a passage, or steers it along a line; [`InsertionRecord`] is its log, [`InsertionFilm`] its
//!   pictures.

mod bend;
mod film;
mod insert;
mod passage;
mod record;

pub use bend::{BendPlan, Bending, bend};
pub use film::InsertionFilm;
pub use insert::{Insertion, InsertionPlan, Steering, insert};
pub use passage::Passage;
pub use record::{InsertionRecord, InsertionSample};
