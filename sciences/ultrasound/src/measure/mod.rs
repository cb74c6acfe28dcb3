//! Measurements in pictures: confidence in any picture; gas behind the skin; resolution, speckle, attenuation, contrast and shadow in
//! test blocks; strain between two frames.

mod attenuation;
mod banded;
mod behind;
mod confidence;
mod contrast;
mod point_targets;
mod rod_shadow;
mod speckle;
mod strain;
mod width;

pub use attenuation::{AttenuationSlope, attenuation_slope};
pub use behind::GasBehind;
pub use confidence::{Confidence, ConfidenceSettings, confidence};
pub use contrast::{Contrast, contrast};
pub use point_targets::{PointTarget, point_targets};
pub use rod_shadow::{BoneRod, ShadowLevel, rod_shadow};
pub use speckle::{SpeckleStatistics, autocovariance_width, speckle_statistics};
pub use strain::{StrainContrast, StrainMap, StrainSettings, strain_contrast};

use nalgebra::Isometry3;

use crate::b_mode::{Frame, View};
use crate::deformation::{Deformation, Rigid};
use crate::phantom::{Block, Phantom};
use crate::transducer::Transducer;
use crate::{BMode, Settings, UltrasoundError};

/// A frame of a block at rest; the probe's frame equals the block's frame.
pub(crate) fn frame_of(b_mode: &mut BMode, block: &Block) -> Result<Frame, UltrasoundError> {
    block.check()?;
    let rigid = Rigid::default();
    let (phantom, deformation): (&dyn Phantom, &dyn Deformation) = (block, &rigid);
    let view = View::new(phantom, deformation, &Isometry3::identity())?;
    Ok(b_mode.frame(&view, 0).clone())
}

/// Settings of a measurement down to a depth [m]: the picture reaches a fifth deeper.
pub(crate) fn reaching(settings: &Settings, depth: f64) -> Settings {
    Settings {
        depth: 1.2 * depth,
        ..settings.clone()
    }
}

/// Distance between neighbouring lines at a depth [m].
pub(crate) fn line_distance(transducer: &Transducer, n_lines: usize, depth: f64) -> f64 {
    let spacing = transducer.span() / n_lines as f64;
    transducer
        .apex_radius()
        .map_or(spacing, |apex| spacing * (apex + depth))
}
