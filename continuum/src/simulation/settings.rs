//! Settings of a step, and what it reports.

use super::BaseWrench;
use crate::ContinuumError;
use crate::contact::Contact;
use crate::solver::Solver;

/// How a step is done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepSettings {
    /// How close to equilibrium a step comes.
    pub equilibrium: Equilibrium,
    /// Who solves the quadratic program.
    pub solver: Solver,
    /// Farthest that a node moves in one linearisation [m], β₀ of Chen et al. 2024, Eq. 27, there of all nodes together.
    pub max_displacement: f64,
    /// Farthest that a node turns in one linearisation [rad].
    pub max_rotation: f64,
    /// Most linearisations of a converged step.
    pub max_iterations: usize,
    /// How deep the rod may enter a wall after a step [m].
    pub penetration_tolerance: f64,
    /// Points within each element that are tried for contact, besides the nodes.
    pub points_per_element: usize,
    /// Coulomb's coefficient of friction between rod and wall.
    pub friction: f64,
    /// Stiffness of the wall under one contact [N/m]; rigid without.
    pub wall_stiffness: Option<f64>,
}

/// How close to equilibrium a step comes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Equilibrium {
    /// One linearisation a step, as in the paper.
    OneStep,
    /// Linearises until forces are balanced.
    Converged {
        /// Greatest unbalanced force, over the load; a step also ends where only rounding is left ([`StepReport::is_stagnated`]).
        tolerance: f64,
    },
}

impl Default for StepSettings {
    fn default() -> Self {
        Self {
            equilibrium: Equilibrium::OneStep,
            solver: Solver::Block,
            max_displacement: 2e-3,
            max_rotation: 0.3,
            max_iterations: 200,
            penetration_tolerance: 1e-5,
            points_per_element: 1,
            friction: 0.0,
            wall_stiffness: None,
        }
    }
}

impl StepSettings {
    pub(super) fn check(&self) -> Result<(), ContinuumError> {
        let positive = [
            ("max_displacement", self.max_displacement),
            ("max_rotation", self.max_rotation),
            ("penetration_tolerance", self.penetration_tolerance),
            ("wall_stiffness", self.wall_stiffness.unwrap_or(1.0)),
        ];
        for (field, value) in positive {
            if !(value > 0.0 && value.is_finite()) {
                return Err(ContinuumError::setting(field, value, "positive"));
            }
        }
        if let Equilibrium::Converged { tolerance } = self.equilibrium
            && !(tolerance > 0.0 && tolerance < 1.0)
        {
            return Err(ContinuumError::setting("tolerance", tolerance, "in 0 to 1"));
        }
        if !(self.friction >= 0.0 && self.friction <= 10.0) {
            return Err(ContinuumError::setting(
                "friction",
                self.friction,
                "in 0 to 10",
            ));
        }
        let is_own = self.solver == Solver::Block;
        if !is_own && self.friction > 0.0 {
            return Err(ContinuumError::setting(
                "friction",
                self.friction,
                "0 with this solver",
            ));
        }
        if self.solver == Solver::Clarabel && self.wall_stiffness.is_some() {
            let value = self.wall_stiffness;
            return Err(ContinuumError::setting(
                "wall_stiffness",
                value,
                "none with this solver",
            ));
        }
        if self.points_per_element > 16 {
            let value = self.points_per_element;
            return Err(ContinuumError::setting(
                "points_per_element",
                value,
                "16 at most",
            ));
        }
        Ok(())
    }
}

/// What a step did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepReport {
    /// Contacts that press.
    pub contacts: Vec<Contact>,
    /// Force of the introducer on the rod.
    pub base_wrench: BaseWrench,
    /// Linearisations.
    pub n_iterations: usize,
    /// Factorisations of the block-tridiagonal matrix, or sweeps of another solver.
    pub n_factorisations: usize,
    /// Greatest violation of the quadratic program's optimality conditions in the last linearisation: unbalanced force over the load, or
    /// open gap over a millimetre.
    pub kkt_residual: f64,
    /// Greatest unbalanced force of the rod itself after the step, over the load.
    pub equilibrium_residual: f64,
    /// Least unbalanced force over the load that rounding lets through: eps times the stiffness of an element times the rod's extent.
    pub rounding: f64,
    /// Whether forces are balanced as well as rounding lets them be, though not to the tolerance: `equilibrium_residual` is a few times
    /// `rounding` and no longer falls.
    pub is_stagnated: bool,
    /// How deep the rod is in a wall [m].
    pub max_penetration: f64,
    /// Whether the last linearisation was cut short by the limits, or the base has not arrived.
    pub is_limited: bool,
    /// Why it stopped.
    pub stop_reason: StopReason,
}

impl StepReport {
    /// Sum of the contacts' normal forces [N].
    pub fn total_contact_force(&self) -> f64 {
        self.contacts
            .iter()
            .map(|contact| contact.normal_force)
            .sum()
    }

    /// The greatest normal force of a contact [N].
    pub fn peak_contact_force(&self) -> f64 {
        self.contacts
            .iter()
            .map(|contact| contact.normal_force)
            .fold(0.0, f64::max)
    }
}

/// Why a step stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StopReason {
    /// It has done what was asked.
    #[default]
    Done,
    /// The limits cut it short; further steps go on.
    StepLimited,
    /// It has not come to equilibrium, or not out of a wall, in the linearisations that it had.
    MaxIterations,
}
