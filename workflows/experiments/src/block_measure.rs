//! Figures that the frames of a test block are measured for.

use insonate_ultrasound::measure::{
    BoneRod, attenuation_slope, point_targets, rod_shadow, speckle_statistics,
};
use insonate_ultrasound::transducer::Transducer;
use insonate_ultrasound::{Frame, Settings, UltrasoundError};
use serde::Serialize;

/// What a test block is measured for.
#[derive(Clone, Debug, PartialEq)]
pub enum BlockMeasure {
    /// The widths of points at these depths [m], and what is left of their echoes in a medium that attenuates by this [dB/(cm MHz)].
    Points {
        /// Depths [m].
        depths: Vec<f64>,
        /// Attenuation [dB/(cm MHz)].
        attenuation: f64,
    },
    /// The statistics of uniform speckle.
    Speckle,
    /// How fast speckle fades in tissue that attenuates by this [dB/(cm MHz)].
    Attenuation(f64),
    /// The shadow of a rod of bone at these depths [m].
    Rod {
        /// The rod.
        rod: BoneRod,
        /// Depths [m].
        depths: Vec<f64>,
    },
}

/// The figures of a block.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum BlockFigures {
    /// Of points.
    Points {
        /// Each point.
        point_targets: Vec<PointFigures>,
    },
    /// Of uniform speckle.
    Speckle {
        /// Mean over standard deviation of the amplitude.
        snr: f64,
        /// Standard deviation of the levels [dB].
        log_sd_db: f64,
    },
    /// Of tissue that attenuates.
    Attenuation {
        /// Slope of the level over depth and frequency [dB/(cm MHz)].
        slope_db_per_cm_mhz: f64,
        /// Frequency of the transducer [Hz].
        frequency_hz: f64,
    },
    /// Of a rod.
    Rod {
        /// Each place behind it.
        shadow_db: Vec<ShadowFigures>,
    },
}

/// What a rod of bone leaves of the echoes at a place behind it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ShadowFigures {
    /// Distance from the middle scanline, along the array at that depth [m].
    pub x_m: f64,
    /// Depth [m].
    pub depth_m: f64,
    /// Power of speckle relative to the same tissue without the rod [dB].
    pub level_db: f64,
}

/// Width of a point: full widths at half maximum [m], and what is left of its echo.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PointFigures {
    /// Depth [m].
    pub depth_m: f64,
    /// Along the array.
    pub lateral_fwhm_m: f64,
    /// Along the scanline.
    pub axial_fwhm_m: f64,
    /// Across the picture's plane.
    pub elevation_fwhm_m: f64,
    /// Energy of the echo along the scanline, relative to a medium without loss [dB].
    pub level_db: f64,
    /// Mean frequency of the echo [Hz].
    pub frequency_hz: f64,
}

impl BlockMeasure {
    /// Measures a frame of the block, and where that needs more, other frames of the probe.
    ///
    /// # Errors
    /// [`UltrasoundError`] for settings with which the block cannot be measured.
    pub fn figures(
        &self,
        probe: &Transducer,
        settings: &Settings,
        frame: &Frame,
    ) -> Result<BlockFigures, UltrasoundError> {
        Ok(match self {
            Self::Points {
                depths,
                attenuation,
            } => {
                let fine = Settings {
                    n_lines: settings.n_lines.max(1025),
                    ..settings.clone()
                };
                let targets = point_targets(probe, &fine, depths, *attenuation)?;
                let targets = targets.iter().map(|target| PointFigures {
                    depth_m: target.depth,
                    lateral_fwhm_m: target.lateral,
                    axial_fwhm_m: target.axial,
                    elevation_fwhm_m: target.elevation,
                    level_db: target.level,
                    frequency_hz: target.frequency,
                });
                BlockFigures::Points {
                    point_targets: targets.collect(),
                }
            }
            Self::Speckle => {
                // Away from the edges and below the ringing face.
                let (edge, top) = (frame.n_lines / 16, frame.n_samples / 5);
                let lines = (edge..frame.n_lines - edge).map(|line| &frame.line(line)[top..]);
                let levels: Vec<f32> = lines.flatten().copied().collect();
                let speckle = speckle_statistics(&levels);
                BlockFigures::Speckle {
                    snr: speckle.snr,
                    log_sd_db: speckle.log_sd,
                }
            }
            Self::Attenuation(alpha) => {
                let found = attenuation_slope(probe, settings, *alpha)?;
                BlockFigures::Attenuation {
                    slope_db_per_cm_mhz: found.slope,
                    frequency_hz: found.frequency,
                }
            }
            Self::Rod { rod, depths } => {
                let levels = rod_shadow(probe, settings, rod, depths)?;
                let levels = levels.iter().map(|found| ShadowFigures {
                    x_m: found.x,
                    depth_m: found.depth,
                    level_db: found.level,
                });
                BlockFigures::Rod {
                    shadow_db: levels.collect(),
                }
            }
        })
    }
}
