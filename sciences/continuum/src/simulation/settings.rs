//! Settings and report of a step.

use super::BaseWrench;
use crate::ContinuumError;
use crate::contact::Contact;
use crate::solver::Solver;

/// Settings of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepSettings {
    /// Convergence of a step.
    pub equilibrium: Equilibrium,
    /// Solver of the quadratic program.
    pub solver: Solver,
    /// Greatest displacement of a node in one linearisation [m]; β₀ of Chen et al. 2024, Eq. 27, where it limits all
    /// nodes together.
    pub max_displacement: f64,
    /// Greatest rotation of a node in one linearisation [rad].
    pub max_rotation: f64,
    /// Maximum number of linearisations of a converged step.
    pub max_iterations: usize,
    /// Allowed penetration of a wall after a step [m].
    pub penetration_tolerance: f64,
    /// Number of points within each element that are tested for contact, in addition to the nodes.
    pub points_per_element: usize,
    /// Coulomb friction coefficient between rod and wall.
    pub friction: f64,
    /// Stiffness of the wall under one contact [N/m]; `None` for rigid walls.
    pub wall_stiffness: Option<f64>,
}

/// Convergence of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Equilibrium {
    /// One linearisation per step, as in the paper.
    OneStep,
    /// Linearises until forces are in equilibrium.
    Converged {
        /// Tolerance of the greatest unbalanced force, relative to the load. A step also ends if only rounding is left
        /// ([`StepReport::is_stagnated`]).
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
            return Err(ContinuumError::setting(
                "tolerance",
                tolerance,
                "between 0 and 1",
            ));
        }
        if !(self.friction >= 0.0 && self.friction <= 10.0) {
            return Err(ContinuumError::setting(
                "friction",
                self.friction,
                "between 0 and 10",
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
                "at most 16",
            ));
        }
        Ok(())
    }
}

/// Report of a step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepReport {
    /// Contacts with a force.
    pub contacts: Vec<Contact>,
    /// Force of the introducer on the rod.
    pub base_wrench: BaseWrench,
    /// Number of linearisations.
    pub n_iterations: usize,
    /// Number of factorisations of the block-tridiagonal matrix, or of sweeps of another solver.
    pub n_factorisations: usize,
    /// Greatest violation of the quadratic program's optimality conditions in the last linearisation: unbalanced force over the load, or
    /// open gap over a millimetre.
    pub kkt_residual: f64,
    /// Greatest unbalanced force of the rod itself after the step, relative to the load.
    pub equilibrium_residual: f64,
    /// Least unbalanced force relative to the load that rounding allows: eps times the stiffness of an element times
    /// the rod's extent.
    pub rounding: f64,
    /// Whether forces are in equilibrium up to rounding, but not to the tolerance: `equilibrium_residual` is a few
    /// times `rounding` and no longer decreases.
    pub is_stagnated: bool,
    /// Greatest penetration of a wall by the rod [m].
    pub max_penetration: f64,
    /// Whether the limits shortened the last linearisation, or the base has not reached its target.
    pub is_limited: bool,
    /// Reason for the end of the step.
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

    /// Greatest normal force of a contact [N].
    pub fn peak_contact_force(&self) -> f64 {
        self.contacts
            .iter()
            .map(|contact| contact.normal_force)
            .fold(0.0, f64::max)
    }
}

/// Reason for the end of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StopReason {
    /// The step is complete.
    #[default]
    Done,
    /// The limits shortened the step; further steps continue.
    StepLimited,
    /// The maximum number of linearisations was reached before equilibrium, or before the rod was out
    /// of a wall.
    MaxIterations,
}
