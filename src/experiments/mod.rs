//! Experiments with a probe on a torso: [`press`] at a site, [`scan`] along a path.
//!
//! Each runs a scene, records every step in a [`Record`], and ends in a [`Summary`]; [`OutputFolder`] keeps what they made.

mod output;
mod pictures;
mod plot;
pub mod press;
mod record;
pub mod scan;
mod stage;
mod summary;

pub use output::{OutputFolder, write_file};
pub use pictures::Pictures;
pub use plot::{Plot, force_indentation_plot, time_plot};
pub use press::{Press, press};
pub use record::{Record, Sample};
pub use scan::{Scan, scan};
pub use summary::Summary;
