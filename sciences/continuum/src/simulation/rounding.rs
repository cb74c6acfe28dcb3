//! Detection of residuals at the level of rounding.

use super::{Simulation, StepReport};

/// A residual up to this multiple of the rounding estimate may be due to rounding, because each force is a sum of
/// several rounded numbers.
const ROUNDED: f64 = 8.0;
/// A linearisation must reduce the least residual so far to less than this share. Newton's method converges
/// quadratically, so otherwise it has stagnated.
const FALLING: f64 = 0.5;

/// The residuals of a step's linearisations.
#[derive(Debug)]
pub(super) struct Stagnation {
    least: f64,
}

/// Verdict on a residual.
#[derive(Debug, Clone, Copy)]
pub(super) struct Balance {
    /// Whether the step is finished.
    pub(super) is_reached: bool,
    /// Whether it is finished because of rounding, above the tolerance.
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
    /// Compares the residual of `report` with the tolerance and with rounding. `is_still` says whether base and walls
    /// no longer change.
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
    /// Least residual of the assembled program that rounding allows.
    pub(super) fn rounding(&self) -> f64 {
        let distances = self.state.positions.iter().map(nalgebra::Vector3::norm);
        self.program.rounding(distances.fold(0.0, f64::max))
    }
}
