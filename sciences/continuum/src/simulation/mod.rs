//! A step of a rod: linearise, find contacts, solve the quadratic program, limit the step, move.

mod assembly;
mod damping;
mod dynamics;
mod rounding;
mod settings;
mod settle;

pub use dynamics::Dynamics;
pub use settings::{Equilibrium, StepReport, StepSettings, StopReason};

use std::sync::Arc;

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use self::damping::{Damping, MAX_CORRECTIONS};
use self::rounding::Stagnation;
use crate::actuation::{Actuation, feed, nodes_from_tip};
use crate::contact::{Contacts, Posed, Search};
use crate::element::{Element, ElementState};
use crate::rod::{RodConfig, RodState};
use crate::solver::{AugmentedLagrangian, NodeVector, QuadraticProgram, Solved, Solver};
use crate::solver::{gauss_seidel, interior_point};
use crate::{ContinuumError, Lumen};

/// Penalty stiffness of contacts between updates of their forces, relative to the stiffness of an element.
const PENALTY: f64 = 100.0;

/// Violation of the optimality conditions above which a program counts as unsolved.
const OPTIMAL: f64 = 1e-5;

/// A rod in a lumen.
#[derive(Clone)]
pub struct Simulation {
    config: RodConfig,
    settings: StepSettings,
    lumen: Option<Arc<dyn Lumen>>,
    state: RodState,
    elements: Vec<Element>,
    strained: Vec<ElementState>,
    contacts: Contacts,
    program: QuadraticProgram,
    solver: AugmentedLagrangian,
    delta: Vec<NodeVector>,
    residual: Vec<NodeVector>,
    motion: dynamics::Motion,
}

impl Simulation {
    /// A straight rod, inserted as `actuation` says.
    ///
    /// # Errors
    ///
    /// [`ContinuumError`] for values out of range in the rod, the settings or the actuation, and for a base inside a
    /// wall.
    pub fn new(
        config: RodConfig,
        settings: StepSettings,
        lumen: Option<Arc<dyn Lumen>>,
        actuation: &Actuation,
    ) -> Result<Self, ContinuumError> {
        config.check()?;
        settings.check()?;
        let element_length = config.element_length();
        actuation.check(config.length(), element_length)?;
        let base = &actuation.world_from_base;
        if let Some(lumen) = &lumen {
            let radius = config.section_at(actuation.inserted_length).radius;
            let mut walls = Vec::new();
            lumen.walls_near(&base.translation.vector, radius, &mut walls);
            if let Some(wall) = walls.iter().find(|wall| wall.distance < -radius) {
                return Err(ContinuumError::BaseInWall {
                    depth: -wall.distance,
                });
            }
        }
        let from_tip = nodes_from_tip(actuation.inserted_length, element_length);
        let state = RodState::straight(base, from_tip);
        let mut simulation = Self {
            config,
            settings,
            lumen,
            state,
            elements: Vec::new(),
            strained: Vec::new(),
            contacts: Contacts::default(),
            program: QuadraticProgram::default(),
            solver: AugmentedLagrangian::default(),
            delta: Vec::new(),
            residual: Vec::new(),
            motion: dynamics::Motion::default(),
        };
        simulation.place(simulation.state.clone())?;
        Ok(simulation)
    }

    /// Description of the rod.
    pub fn config(&self) -> &RodConfig {
        &self.config
    }

    /// Current state of the rod.
    pub fn state(&self) -> &RodState {
        &self.state
    }

    /// Replaces the solver.
    ///
    /// # Errors
    ///
    /// [`ContinuumError`] if the solver does not support friction or compliant walls.
    pub fn set_solver(&mut self, solver: Solver) -> Result<(), ContinuumError> {
        let settings = StepSettings {
            solver,
            ..self.settings
        };
        settings.check()?;
        self.settings = settings;
        Ok(())
    }

    /// Elastic energy of the rod [J].
    pub fn elastic_energy(&self) -> f64 {
        let pairs = self.elements.iter().zip(&self.strained);
        pairs
            .map(|(element, strained)| element.energy(strained))
            .sum()
    }

    /// Sets a state of the same rod, for example a saved one.
    ///
    /// # Errors
    ///
    /// [`ContinuumError`] if the element between two nodes is folded.
    pub fn place(&mut self, state: RodState) -> Result<(), ContinuumError> {
        self.state = state;
        self.rebuild();
        self.refresh()
    }

    /// Moves the rod towards equilibrium with its inputs. On an error the rod is unchanged.
    ///
    /// # Errors
    ///
    /// [`ContinuumError`] for inputs that are out of range and for elements that fold.
    pub fn step(&mut self, actuation: &Actuation) -> Result<StepReport, ContinuumError> {
        actuation.check(self.config.length(), self.config.element_length())?;
        let before = self.state.clone();
        let report = self.advance(actuation);
        if report.is_err() {
            self.contacts = Contacts::default();
            self.place(before)?;
        }
        report
    }

    fn advance(&mut self, actuation: &Actuation) -> Result<StepReport, ContinuumError> {
        let mut report = StepReport::default();
        let (tolerance, max_iterations) = match self.settings.equilibrium {
            Equilibrium::OneStep => (None, 1 + MAX_CORRECTIONS),
            Equilibrium::Converged { tolerance } => (Some(tolerance), self.settings.max_iterations),
        };
        let mut damping = Damping::new(tolerance.is_some());
        let mut stagnation = Stagnation::default();
        for iteration in 0..=max_iterations {
            // Feed the rod through the mouth, and compute the remaining motion of the base.
            self.feed(actuation)?;
            let arrival = self.base_step(actuation);
            // Stiffness and forces (Eq. 22).
            self.assemble(actuation, &arrival);
            report.equilibrium_residual = self.imbalance();
            report.rounding = self.rounding();
            let has_arrived = arrival.is_last
                && (self.state.inserted_length - actuation.inserted_length).abs() < 1e-12;
            let is_clear = report.max_penetration <= self.settings.penetration_tolerance;
            let is_done = match tolerance {
                Some(tolerance) => {
                    let is_still = has_arrived && arrival.step == NodeVector::zeros() && is_clear;
                    let balance = stagnation.judge(&report, tolerance, is_still);
                    report.is_stagnated = is_still && balance.is_stagnated;
                    is_still && balance.is_reached
                }
                None => is_clear && report.kkt_residual <= OPTIMAL,
            };
            if is_done && iteration > 0 {
                report.stop_reason = if report.is_limited {
                    StopReason::StepLimited
                } else {
                    StopReason::Done
                };
                break;
            }
            if iteration == max_iterations {
                report.stop_reason = StopReason::MaxIterations;
                break;
            }
            let is_settling = has_arrived && !(tolerance.is_some() && report.is_limited);
            let residual = report
                .equilibrium_residual
                .max(report.max_penetration / 1e-3);
            let n_left = max_iterations - iteration;
            let level = damping.level(is_settling, is_clear, residual, n_left);
            if !self.contacts.rows.is_empty() {
                self.program.dampen(level);
            }
            // The quadratic program (Eq. 25).
            let solved = self.solve_program()?;
            report.base_wrench = self.base_wrench(&arrival);
            self.delta[0] += arrival.step;
            // Limit of the step (Eq. 26–30), and the motion.
            let share = self.share();
            report.is_limited = share < 1.0 || !has_arrived;
            self.move_by(share)?;
            report.n_iterations += 1;
            report.n_factorisations += solved.n_iterations;
            report.kkt_residual = solved.residual;
            report.max_penetration = self.contacts.max_penetration();
        }
        report.contacts = self.contacts.pressing();
        Ok(report)
    }

    /// Solves the quadratic program for Δ and the contacts' forces.
    fn solve_program(&mut self) -> Result<Solved, ContinuumError> {
        self.program.rows.clone_from(&self.contacts.rows);
        let (program, delta) = (&mut self.program, &mut self.delta);
        let solved = match self.settings.solver {
            Solver::Block => {
                let solved = self.solver.solve(program, delta);
                if solved.residual > OPTIMAL {
                    // If no step avoids all walls, the walls become compliant until a step exists.
                    program.soften();
                    self.solver.solve(program, delta);
                }
                solved
            }
            Solver::Clarabel => interior_point::solve(program, delta),
            Solver::GaussSeidel => gauss_seidel::solve(program, delta),
        };
        let is_finite = delta
            .iter()
            .all(|node| node.iter().all(|number| number.is_finite()));
        if !(is_finite && solved.residual.is_finite()) {
            return Err(ContinuumError::Diverged);
        }
        std::mem::swap(&mut self.program.rows, &mut self.contacts.rows);
        Ok(solved)
    }

    /// Share of the step that is within the limits.
    fn share(&self) -> f64 {
        let greatest = |start: usize| {
            let norms = self
                .delta
                .iter()
                .map(|node| node.fixed_rows::<3>(start).norm());
            norms.fold(1e-300, f64::max)
        };
        let displacement = self.settings.max_displacement / greatest(0);
        displacement
            .min(self.settings.max_rotation / greatest(3))
            .min(1.0)
    }

    /// Moves by a share of the step, or less if elements would fold.
    fn move_by(&mut self, share: f64) -> Result<(), ContinuumError> {
        let before = self.state.clone();
        let mut share = share;
        for row in &mut self.contacts.rows {
            row.force *= share;
        }
        loop {
            for (node, delta) in self.delta.iter().enumerate() {
                let turn = delta.fixed_rows::<3>(3) * share;
                self.state.positions[node] =
                    before.positions[node] + delta.fixed_rows::<3>(0) * share;
                let mut rotation = UnitQuaternion::from_scaled_axis(turn) * before.rotations[node];
                rotation.renormalize_fast();
                self.state.rotations[node] = rotation;
            }
            match self.refresh() {
                Err(ContinuumError::Folded { .. }) if share > 1e-3 => share *= 0.5,
                result => return result,
            }
        }
    }

    /// Feeds the rod towards the commanded inserted length.
    fn feed(&mut self, actuation: &Actuation) -> Result<(), ContinuumError> {
        let element_length = self.config.element_length();
        let most = self.settings.max_displacement.min(0.5 * element_length);
        let fed = (actuation.inserted_length - self.state.inserted_length).clamp(-most, most);
        if fed == 0.0 {
            return Ok(());
        }
        feed(&mut self.state, fed, element_length);
        self.rebuild();
        self.refresh()
    }

    /// Rebuilds the elements for the nodes' current distances from the tip.
    fn rebuild(&mut self) {
        let places = self.state.from_tip.windows(2);
        self.elements.clear();
        self.elements
            .extend(places.map(|ends| self.config.element(ends[1], ends[0])));
    }

    /// Updates strains and contacts for the current state.
    fn refresh(&mut self) -> Result<(), ContinuumError> {
        let rotations: Vec<Matrix3<f64>> = self
            .state
            .rotations
            .iter()
            .map(|rotation| rotation.to_rotation_matrix().into_inner())
            .collect();
        self.strained.clear();
        for (idx, element) in self.elements.iter().enumerate() {
            let positions = [&self.state.positions[idx], &self.state.positions[idx + 1]];
            let strained = element.strained(positions, [&rotations[idx], &rotations[idx + 1]]);
            let Some(strained) = strained else {
                return Err(ContinuumError::Folded { element: idx });
            };
            self.strained.push(strained);
        }
        let Some(lumen) = &self.lumen else {
            return Ok(());
        };
        let rod = Posed {
            config: &self.config,
            state: &self.state,
            elements: &self.elements,
            strained: &self.strained,
        };
        let search = Search {
            points_per_element: self.settings.points_per_element,
            // Twice the limit, so that no wall within reach of a step is missed.
            reach: 2.0 * self.settings.max_displacement,
            friction: self.settings.friction,
            compliance: self.settings.wall_stiffness.map_or(0.0, f64::recip),
        };
        self.contacts.find(lumen.as_ref(), &rod, &search);
        Ok(())
    }

    /// Motion of the base in this linearisation.
    fn base_step(&self, actuation: &Actuation) -> BaseStep {
        let base = &actuation.world_from_base;
        let shift = base.translation.vector - self.state.positions[0];
        let turn = (base.rotation * self.state.rotations[0].inverse()).scaled_axis();
        let share = (self.settings.max_displacement / shift.norm().max(1e-300))
            .min(self.settings.max_rotation / turn.norm().max(1e-300))
            .min(1.0);
        let mut step = NodeVector::zeros();
        for axis in 0..3 {
            step[axis] = share * shift[axis];
            step[3 + axis] = share * turn[axis];
        }
        for (number, is_held) in step.iter_mut().zip(&self.config.held_base) {
            // Differences within rounding are not a motion.
            if !is_held || number.abs() < 1e-15 {
                *number = 0.0;
            }
        }
        BaseStep {
            step,
            is_last: share >= 1.0,
        }
    }
}

/// Motion of the base in a linearisation.
#[derive(Debug, Default)]
struct BaseStep {
    step: NodeVector,
    /// Whether the base arrives at its target.
    is_last: bool,
}

/// Force and moment of the introducer on the rod.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BaseWrench {
    /// Force [N], world axes.
    pub force: Vector3<f64>,
    /// Moment about the base [N·m], world axes.
    pub moment: Vector3<f64>,
}
