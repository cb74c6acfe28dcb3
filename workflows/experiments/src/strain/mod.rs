//! Strain imaging: two frames of a body under two loads, and the strain along the lines between them.
//!
//! * [`Inclusion`]: a block with a ball of another stiffness; [`PressedBlock`]: the block between two plates, by finite elements.
//! * [`strain_map`]: two loads → strain. [`StrainFigures`]: what it is measured for.
//! * [`strain_picture`]: the strain next to the B-mode image.

mod inclusion;
mod picture;
mod pressed_block;

pub use inclusion::{Inclusion, InclusionFigures};
pub use picture::strain_picture;
pub use pressed_block::PressedBlock;

use insonate_ultrasound::b_mode::Iq;
use insonate_ultrasound::deformation::Deformation;
use insonate_ultrasound::measure::{StrainMap, StrainSettings};
use insonate_ultrasound::phantom::Phantom;
use insonate_ultrasound::transducer::Transducer;
use insonate_ultrasound::{BMode, Settings, UltrasoundError, View};
use nalgebra::Isometry3;
use serde::Serialize;

/// Correlation below which a window is left out of figures and pictures.
const LEAST_CORRELATION: f32 = 0.8;

/// A body under a load, and the probe on it.
#[derive(Clone, Copy)]
pub struct LoadedBody<'a> {
    /// Deformation of the body.
    pub deformation: &'a dyn Deformation,
    /// Pose of the probe, in the phantom's frame.
    pub pose: &'a Isometry3<f64>,
}

/// Strain from the complex lines of two loads, without noise; compression by the second load is positive.
///
/// # Errors
/// [`UltrasoundError::Setting`]: settings are out of range, or a window is longer than a line.
pub fn strain_map(
    probe: &Transducer,
    settings: &Settings,
    phantom: &dyn Phantom,
    loads: [LoadedBody<'_>; 2],
) -> Result<StrainMap, UltrasoundError> {
    let mut b_mode = BMode::new(probe, settings)?;
    let mut lines = |load: LoadedBody<'_>| -> Result<Iq, UltrasoundError> {
        let view = View::new(phantom, load.deformation, load.pose)?;
        b_mode.frame(&view, 0);
        Ok(b_mode.iq())
    };
    let [before, after] = loads;
    let (before, after) = (lines(before)?, lines(after)?);
    let speed = settings.speed_of_sound;
    let windows = StrainSettings::of(speed, before.center_frequency);
    StrainMap::between(&before, &after, speed, &windows)
}

/// Strain over a whole image, of the windows that correlate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StrainFigures {
    /// Median strain along the lines; compression is positive.
    pub strain_median: f64,
    /// Share of windows with a correlation of at least 0.8.
    pub strain_correlated_share: f64,
}

impl StrainFigures {
    /// The figures of a map; the median is NaN if no window correlates.
    pub fn of(map: &StrainMap) -> Self {
        let strains = sorted(map);
        let median = strains.get(strains.len() / 2).copied().unwrap_or(f32::NAN);
        Self {
            strain_median: f64::from(median),
            strain_correlated_share: strains.len() as f64 / map.strain.len() as f64,
        }
    }
}

/// Strains of the windows that correlate, in ascending order.
fn sorted(map: &StrainMap) -> Vec<f32> {
    let pairs = map.strain.iter().zip(&map.correlation);
    let some = pairs.filter(|(_, share)| **share >= LEAST_CORRELATION);
    let mut strains: Vec<f32> = some.map(|(strain, _)| *strain).collect();
    strains.sort_by(f32::total_cmp);
    strains
}
