//! Momentum balance: momentum that the tissue has gained compared with the impulses of parts and gravity.

use insonate_tissue::tool::Wrench;
use nalgebra::Vector3;

use super::simulation::TissueSimulation;
use crate::ExperimentError;

/// Momentum and mass at the start, and the sum of all impulses since.
#[derive(Debug)]
pub(super) struct MomentumBalance {
    mass: f64,
    momentum: Vector3<f64>,
    /// Impulse on the tissue [N·s].
    given: Vector3<f64>,
    /// Sum of the magnitudes of all impulses of parts and gravity [N·s].
    exchanged: f64,
    gravity: Vector3<f64>,
    /// Maximum difference so far [N·s].
    worst: f64,
}

impl MomentumBalance {
    pub(super) fn open(
        simulation: &dyn TissueSimulation,
        gravity: Vector3<f64>,
    ) -> Result<Self, ExperimentError> {
        Ok(Self {
            mass: simulation.mass(),
            momentum: simulation.momentum()?,
            given: Vector3::zeros(),
            exchanged: 0.0,
            gravity,
            worst: 0.0,
        })
    }

    /// Adds the wrenches of a step on all parts.
    pub(super) fn enter(
        &mut self,
        wrenches: &[Wrench],
        simulation: &dyn TissueSimulation,
        step: f64,
    ) {
        for wrench in wrenches {
            self.given -= wrench.force * step;
            self.exchanged += wrench.force.norm() * step;
        }
        let weight = self.gravity * (self.mass * step);
        let other = simulation.other_impulse();
        self.given += weight + other;
        self.exchanged += weight.norm() + other.norm();
    }

    /// Compares the impulses with the momentum of the tissue.
    pub(super) fn compare(
        &mut self,
        simulation: &dyn TissueSimulation,
    ) -> Result<(), ExperimentError> {
        let gained = simulation.momentum()? - self.momentum;
        self.worst = self.worst.max((gained - self.given).norm());
        Ok(())
    }

    /// Maximum difference relative to the exchanged momentum.
    pub(super) fn momentum_residual(&self) -> f64 {
        self.worst / self.exchanged.max(f64::MIN_POSITIVE)
    }

    /// Exchanged momentum [N·s].
    pub(super) fn exchanged(&self) -> f64 {
        self.exchanged
    }

    /// Relative change of the mass.
    pub(super) fn mass_residual(&self, simulation: &dyn TissueSimulation) -> f64 {
        (simulation.mass() - self.mass).abs() / self.mass
    }
}
