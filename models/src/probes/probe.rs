//! The data of a probe.

use std::borrow::Cow;

use super::transducer::Transducer;
use crate::mjcf::Mjcf;

/// An ultrasound probe with its holder.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Name on the command line.
    pub name: Cow<'static, str>,
    /// One-line description.
    pub summary: Cow<'static, str>,
    /// The array and its acoustics.
    pub transducer: Transducer,
    /// The model; its only root body is `probe`.
    pub mjcf: Mjcf,
    /// Mass of probe and holder [kg].
    pub mass: f64,
    /// Centre of mass in the probe's frame [m].
    pub center_of_mass: [f64; 3],
    /// Distance from the mounting plane to the face centre, along +z [m].
    pub face_offset: f64,
    /// Width of the face across the imaging plane, including its edges [m].
    pub thickness: f64,
}
