//! A needle and a body, stepped together.

use insonate_needle::{Needle, NeedleConfig, Report, Settings};
use insonate_settings::check_range;
use nalgebra::{Isometry3, Vector3};

use super::block::LayeredBlock;
use super::body::{NeedleBody, TetPoint};
use super::error::InsertionError;

/// Motion of the tip through the tissue below which a substep is solved [m]; positions are rounded to about 1e-8 m.
const TOLERANCE: f64 = 1e-7;

/// Passes over all rows in a substep; the next substep goes on where they end.
const MAX_PASSES: usize = 8;

/// A needle and a body, stepped together. A clone is a saved state, and continues with the same bits.
#[derive(Debug, Clone)]
pub struct Insertion {
    body: NeedleBody,
    needle: Needle<TetPoint>,
}

/// A saved state of an [`Insertion`].
#[derive(Debug, Clone, PartialEq)]
pub struct Saved {
    tissue: Vec<u8>,
    needle: Needle<TetPoint>,
}

impl Insertion {
    /// A straight needle before a block at rest. `base` is the pose of the hub, world from base; z points along the needle.
    ///
    /// # Errors
    /// [`InsertionError`] for values that are not allowed.
    pub fn new(
        block: &LayeredBlock,
        config: NeedleConfig,
        base: Isometry3<f64>,
    ) -> Result<Self, InsertionError> {
        let settings = Settings {
            // More than about 1.5 points in a tetrahedron over-constrain it.
            spacing: 0.25 * block.edge,
            max_passes: MAX_PASSES,
            tolerance: TOLERANCE,
        };
        Ok(Self {
            body: block.build()?,
            needle: Needle::new(config, block.resistances(), settings, base)?,
        })
    }

    /// Makes substeps of equal length that add up to an interval [s], such as a step of another simulation.
    pub fn divide(&mut self, interval: f64) {
        self.body.divide(interval);
    }

    /// The tissue.
    pub fn body(&self) -> &NeedleBody {
        &self.body
    }

    /// The needle.
    pub fn needle(&self) -> &Needle<TetPoint> {
        &self.needle
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        insonate_tissue::SoftTissue::time(self.body.world())
    }

    /// Forces and shape after the last substep.
    pub fn report(&self) -> Report {
        self.needle.report(&self.body)
    }

    /// Makes one substep, in which the hub moves to a pose (world from base).
    ///
    /// # Errors
    /// [`InsertionError`]: the needle stays where it was; the tissue has made the substep without it.
    pub fn step(&mut self, base: Isometry3<f64>) -> Result<Report, InsertionError> {
        self.body.step()?;
        Ok(self.needle.advance(&mut self.body, base)?)
    }

    /// Moves the hub to a pose (world from base) in a time [s], at constant speed, and calls `each` after every substep.
    ///
    /// # Errors
    /// [`InsertionError`] of a substep, or for a time that is not allowed.
    pub fn advance(
        &mut self,
        base: Isometry3<f64>,
        time: f64,
        mut each: impl FnMut(&Report),
    ) -> Result<Report, InsertionError> {
        check_range("time", time, [0.0, 1e3], "s")?;
        let from = *self.needle.base();
        // An interval that is divided into substeps must not get one more by rounding.
        let n = (time / self.body.substep() - 1e-9).ceil().max(1.0);
        for i in 1..=n as usize {
            let share = i as f64 / n;
            let place = Vector3::lerp(&from.translation.vector, &base.translation.vector, share);
            let turn = from.rotation.slerp(&base.rotation, share);
            let report = self.step(Isometry3::from_parts(place.into(), turn))?;
            each(&report);
        }
        Ok(self.report())
    }

    /// The state, from which [`Self::restore`] continues with the same bits.
    pub fn save(&self) -> Saved {
        Saved {
            tissue: self.body.save(),
            needle: self.needle.clone(),
        }
    }

    /// Puts the needle straight and outside the body, at another pose of the hub (world from base).
    ///
    /// # Errors
    /// [`InsertionError::Needle`] for a pose that is not allowed.
    pub fn place(&mut self, base: Isometry3<f64>) -> Result<(), InsertionError> {
        self.needle = self.needle.outside(base)?;
        Ok(())
    }

    /// Restores a saved state of an insertion that was made in the same way.
    ///
    /// # Errors
    /// [`InsertionError::Tissue`] if the state belongs to another body; nothing is changed then.
    pub fn restore(&mut self, saved: &Saved) -> Result<(), InsertionError> {
        self.body.restore(&saved.tissue)?;
        self.needle = saved.needle.clone();
        Ok(())
    }
}
