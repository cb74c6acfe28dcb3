//! Experiments with a probe on a torso: [`press`] at a site, [`scan`] along a path, [`fit_scene`] to a recorded press;
//! [`tissue`]: motions of surgery on soft tissue alone.
//!
//! Each runs a scene, records every step in a [`Record`], and ends in a [`Summary`]; [`crate::files`] keeps what they made.

mod base_search;
mod film;
mod filming;
pub mod fit_scene;
pub mod follow;
pub(crate) mod fonts;
mod knobs;
pub mod palpate;
mod pictures;
mod plot;
pub mod press;
mod progress;
mod record;
mod recorder;
pub mod scan;
mod stage;
mod summary;
pub mod tissue;
mod tuning;

pub use film::Film;
pub use filming::Filming;
pub use fit_scene::{SceneFit, fit_scene};
pub use palpate::{Palpation, Recorded, Site, SiteTruth, five_sites, palpate};
pub use pictures::Pictures;
pub use plot::{Plot, force_indentation_plot, time_plot};
pub use press::{Press, press};
pub use progress::{Interrupted, Progress};
pub use record::{Record, Sample};
pub use recorder::{Recorder, Trace};
pub use scan::{Scan, scan};
pub use summary::Summary;
