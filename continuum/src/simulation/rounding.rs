//! When a residual is as small as rounding lets it be.

use super::{Simulation, StepReport};

/// Residuals of this many times the estimate of rounding may be rounding: several rounded numbers make each force.
const ROUNDED: f64 = 8.0;
/// A linearisation that leaves more than this share of the least residual so far does not lower it: Newton's method squares residuals.
const FALLING: f64 = 0.5;

/// The residuals of a step's linearisations.
#[derive(Debug)]
pub(super) struct Stagnation {
    least: f64,
}

/// What a residual says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Balance {
    /// Whether there is nothing left to do.
    pub(super) is_reached: bool,
    /// Whether that is so because of rounding, above the tolerance.
    pub(super) is_stagnated: bool,
}

impl Default for Stagnation {
    fn default() -> Self {
        Self {
            least: f64::INFINITY,
        }
    }
}

impl Stagnation {
    /// Judges the residual of `report` against the tolerance and against rounding; `is_still` says whether base and walls are where they stay.
    pub(super) fn judge(&mut self, report: &StepReport, tolerance: f64, is_still: bool) -> Balance {
        let residual = report.equilibrium_residual;
        let falls = residual <= FALLING * self.least;
        self.least = if is_still {
            self.least.min(residual)
        } else {
            f64::INFINITY
        };
        let is_within = residual <= tolerance;
        let is_stagnated = !is_within && !falls && residual <= ROUNDED * report.rounding;
        Balance {
            is_reached: is_within || is_stagnated,
            is_stagnated,
        }
    }
}

impl Simulation {
    /// Least residual of the assembled program that rounding lets through.
    pub(super) fn rounding(&self) -> f64 {
        let distances = self.state.positions.iter().map(nalgebra::Vector3::norm);
        self.program.rounding(distances.fold(0.0, f64::max))
    }
}
