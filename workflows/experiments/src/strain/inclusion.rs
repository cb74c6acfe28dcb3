//! A block of tissue with a ball of another stiffness in its middle.

use insonate_settings::{SettingError, check_range};
use insonate_ultrasound::deformation::Point;
use insonate_ultrasound::material::SOFT_TISSUE;
use insonate_ultrasound::measure::{StrainMap, strain_contrast};
use insonate_ultrasound::phantom::{Block, Insert, Inserts, Solid};
use insonate_ultrasound::transducer::Transducer;
use insonate_ultrasound::{BMode, Material, Settings, UltrasoundError};
use serde::Serialize;

use super::{LEAST_CORRELATION, PressedBlock};
use crate::ExperimentError;

/// The ball's material: what it echoes tells nothing of its stiffness.
const BALL: Material = Material {
    name: "inclusion",
    ..SOFT_TISSUE
};
/// Part of the radius within which the ball's strain is measured, and to which its depths reach next to it.
const CORE: f32 = 0.8;
/// Distance of the background from the ball's centre [radii].
const ASIDE: [f32; 2] = [2.0, 3.0];

/// A ball in a block, half-way down the image. Both have the same acoustic properties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inclusion {
    /// Radius [m].
    pub radius: f64,
    /// Young's modulus of the ball over that of the block.
    pub stiffness_ratio: f64,
}

impl Inclusion {
    /// Checks the ranges, for an image of a depth [m].
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`] names the field.
    pub fn check(&self, depth: f64) -> Result<(), UltrasoundError> {
        let most = depth / 6.0;
        check_range("radius of the inclusion", self.radius, [1e-3, most], "m")?;
        let ratio = self.stiffness_ratio;
        Ok(check_range("stiffness ratio", ratio, [0.01, 100.0], "")?)
    }

    fn centre(depth: f64) -> Point {
        Point::new(0.0, 0.0, 0.5 * depth as f32)
    }

    /// The block at rest, for an image of a depth [m].
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn phantom(&self, depth: f64) -> Result<Inserts, UltrasoundError> {
        self.check(depth)?;
        let solid = Solid::Ball {
            center: Self::centre(depth),
            radius: self.radius as f32,
        };
        let material = BALL;
        let ball = Insert { solid, material };
        Inserts::new(Box::new(Block::uniform(SOFT_TISSUE)), &[ball])
    }

    /// The block between plates that shorten it by a strain, wide enough for all that a probe sees to a depth [m].
    ///
    /// # Errors
    /// As [`Self::check`], and of the finite elements.
    pub fn pressed(
        &self,
        probe: &Transducer,
        depth: f64,
        strain: f64,
    ) -> Result<PressedBlock, ExperimentError> {
        self.check(depth)?;
        let half = 0.5 * probe.span();
        let aside = probe
            .apex_radius()
            .map_or(half, |apex| (apex + depth) * half.sin());
        PressedBlock::new(self, aside, depth, strain)
    }

    /// Contrast of the ball in a strain map. The ball's strain is that within 0.8 of its radius, the background's that at the same depths, 2 to 3 radii aside.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: the settings are invalid, or the image shows no background.
    pub fn figures(
        &self,
        probe: &Transducer,
        settings: &Settings,
        map: &StrainMap,
    ) -> Result<InclusionFigures, UltrasoundError> {
        let b_mode = BMode::new(probe, settings)?;
        let (centre, radius) = (Self::centre(settings.depth), self.radius as f32);
        let sample = settings.depth / settings.n_samples as f64;
        let (mut target, mut background) = (Vec::new(), Vec::new());
        for line in 0..map.n_lines {
            for (window, strain) in map.line(line).iter().enumerate() {
                let depth = map.first + window as f64 * map.step;
                let place = b_mode.point(line, (depth / sample).round() as usize);
                let away = (place - centre) / radius;
                if map.correlation[line * map.n_windows + window] < LEAST_CORRELATION {
                    continue;
                }
                let is_level = away.z.abs() <= CORE;
                if away.norm() <= CORE {
                    target.push(*strain);
                } else if is_level && (ASIDE[0]..=ASIDE[1]).contains(&away.x.abs()) {
                    background.push(*strain);
                }
            }
        }
        if target.is_empty() || background.is_empty() {
            let found = format!("{} and {}", target.len(), background.len());
            let allowed =
                "at least 1 each: the image must show the inclusion and three radii to its sides";
            let field = "windows in inclusion and background";
            return Err(SettingError::new(field, found, allowed).into());
        }
        let contrast = strain_contrast(&target, &background);
        Ok(InclusionFigures {
            cnr_e: contrast.cnr,
            inclusion_strain: contrast.target[0],
            inclusion_strain_sd: contrast.target[1],
            background_strain: contrast.background[0],
            background_strain_sd: contrast.background[1],
        })
    }
}

/// Contrast of the inclusion in the strain image.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct InclusionFigures {
    /// Contrast-to-noise ratio.
    pub cnr_e: f64,
    /// Mean strain of the inclusion.
    pub inclusion_strain: f64,
    /// Its standard deviation.
    pub inclusion_strain_sd: f64,
    /// Mean strain of the background.
    pub background_strain: f64,
    /// Its standard deviation.
    pub background_strain_sd: f64,
}
