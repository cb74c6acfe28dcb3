//! Steps until the rod is at rest.

use super::{Equilibrium, Simulation, StepReport, StopReason};
use crate::ContinuumError;
use crate::actuation::Actuation;

/// A step that runs out of linearisations must reduce the residual to less than this share to count as progress.
const NEARER: f64 = 0.5;
/// Number of consecutive steps without progress after which settling fails.
const MAX_IDLE_STEPS: usize = 3;

impl StepReport {
    /// Whether forces are in equilibrium to `tolerance`, or up to rounding.
    pub fn is_at_rest(&self, tolerance: f64) -> bool {
        self.stop_reason == StopReason::Done
            && (self.equilibrium_residual <= tolerance || self.is_stagnated)
    }
}

impl Simulation {
    /// Steps until forces are in equilibrium to the settings' tolerance, or up to rounding
    /// ([`StepReport::is_stagnated`]).
    ///
    /// The report is that of the last step; its linearisations and factorisations are the totals of
    /// all steps.
    ///
    /// # Errors
    ///
    /// As [`Simulation::step`]; [`ContinuumError::Unbalanced`] if there is no equilibrium after `max_steps`, or no
    /// progress in three steps; [`ContinuumError::Setting`] if the settings have no tolerance.
    pub fn settle(
        &mut self,
        actuation: &Actuation,
        max_steps: usize,
    ) -> Result<StepReport, ContinuumError> {
        let Equilibrium::Converged { tolerance } = self.settings.equilibrium else {
            let value = self.settings.equilibrium;
            return Err(ContinuumError::setting(
                "equilibrium",
                value,
                "converged, with a tolerance",
            ));
        };
        let (mut n_iterations, mut n_factorisations, mut n_idle) = (0, 0, 0);
        let mut before = StepReport {
            equilibrium_residual: f64::INFINITY,
            ..StepReport::default()
        };
        for _ in 0..max_steps {
            let mut report = self.step(actuation)?;
            n_iterations += report.n_iterations;
            n_factorisations += report.n_factorisations;
            if report.is_at_rest(tolerance) {
                report.n_iterations = n_iterations;
                report.n_factorisations = n_factorisations;
                return Ok(report);
            }
            let is_idle = report.stop_reason == StopReason::MaxIterations
                && report.equilibrium_residual > NEARER * before.equilibrium_residual;
            n_idle = if is_idle { n_idle + 1 } else { 0 };
            before = report;
            if n_idle == MAX_IDLE_STEPS {
                break;
            }
        }
        Err(ContinuumError::Unbalanced {
            residual: before.equilibrium_residual,
            tolerance,
            rounding: before.rounding,
            n_iterations,
        })
    }
}
