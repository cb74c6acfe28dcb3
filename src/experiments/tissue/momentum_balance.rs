//! Where momentum came from and went: what tissue has gained against what parts and gravity gave it.

use insonate_tissue::tool::Wrench;
use nalgebra::Vector3;

use super::simulation::TissueSimulation;

/// Momentum and mass at the start, and all impulses since.
#[derive(Debug)]
pub(super) struct MomentumBalance {
    mass: f64,
    momentum: Vector3<f64>,
    /// Impulse on the tissue [N·s].
    given: Vector3<f64>,
    /// The impulses of all parts and of gravity, by their size [N·s].
    exchanged: f64,
    gravity: Vector3<f64>,
    /// Greatest difference so far [N·s].
    worst: f64,
}

impl MomentumBalance {
    pub(super) fn open(
        simulation: &dyn TissueSimulation,
        gravity: Vector3<f64>,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            mass: simulation.mass(),
            momentum: simulation.momentum()?,
            given: Vector3::zeros(),
            exchanged: 0.0,
            gravity,
            worst: 0.0,
        })
    }

    /// Enters the wrenches of a step on all parts.
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

    /// Compares with what the tissue has.
    pub(super) fn compare(&mut self, simulation: &dyn TissueSimulation) -> anyhow::Result<()> {
        let gained = simulation.momentum()? - self.momentum;
        self.worst = self.worst.max((gained - self.given).norm());
        Ok(())
    }

    /// Greatest difference over all that was exchanged.
    pub(super) fn momentum_residual(&self) -> f64 {
        self.worst / self.exchanged.max(f64::MIN_POSITIVE)
    }

    /// All that was exchanged [N·s].
    pub(super) fn exchanged(&self) -> f64 {
        self.exchanged
    }

    /// Change of mass over mass.
    pub(super) fn mass_residual(&self, simulation: &dyn TissueSimulation) -> f64 {
        (simulation.mass() - self.mass).abs() / self.mass
    }
}
