//! Steps until the rod is at rest.

use super::{Equilibrium, Simulation, StepReport, StopReason};
use crate::ContinuumError;
use crate::actuation::Actuation;

/// A step of all its linearisations that leaves more than this share of the residual has come no nearer.
const NEARER: f64 = 0.5;
/// So many of these after one another, and further ones will not come nearer either.
const MAX_IDLE_STEPS: usize = 3;

impl StepReport {
    /// Whether forces balance: to `tolerance`, or as well as rounding lets them.
    pub fn is_at_rest(&self, tolerance: f64) -> bool {
        self.stop_reason == StopReason::Done
            && (self.equilibrium_residual <= tolerance || self.is_stagnated)
    }
}

impl Simulation {
    /// Steps until forces balance to the settings' tolerance, or as well as rounding lets them ([`StepReport::is_stagnated`]).
    ///
    /// The report is that of the last step, with the linearisations and factorisations of all.
    ///
    /// # Errors
    ///
    /// As [`Simulation::step`], and [`ContinuumError::Unbalanced`] where forces do not balance: not in `max_steps`, or not nearer in three steps.
    /// [`ContinuumError::Setting`] where the settings have no tolerance.
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
