//! Dynamics by the method of Hilber, Hughes and Taylor (1977, <https://doi.org/10.1002/eqe.4290050306>):
//!
//! $$ M a_{n+1} + (1 + \alpha)\, r_{n+1} - \alpha\, r_n = A^\top \lambda, \qquad r = F - F_{ext} + C v, \quad C = c_M M + c_K K, $$
//!
//! with Newmark's β = (1 − α)² / 4 and γ = (1 − 2 α) / 2. Masses are lumped at the nodes. Rotations within a step are
//! small, so rotation vectors are integrated like displacements. Gyroscopic moments of the thin rod are neglected.

use nalgebra::{Matrix3, Vector3};

use super::rounding::Stagnation;
use super::{BaseStep, Simulation, StepReport, StopReason};
use crate::ContinuumError;
use crate::actuation::{Actuation, draw_out};
use crate::rod::RodState;
use crate::solver::NodeVector;

/// Maximum number of Newton iterations of a time step.
const MAX_ITERATIONS: usize = 30;

/// Tolerance of the unbalanced force relative to the load.
const TOLERANCE: f64 = 1e-7;

/// Time integration of the rod.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dynamics {
    /// Time step [s].
    pub timestep: f64,
    /// Numerical damping of oscillations faster than the time step: −1/3 to 0; 0 is no damping.
    pub alpha: f64,
    /// Mass-proportional damping c_M [1/s].
    pub mass_damping: f64,
    /// Stiffness-proportional damping c_K [s].
    pub stiffness_damping: f64,
}

/// Velocities, accelerations and forces of the last time step.
#[derive(Debug, Clone, Default)]
pub(super) struct Motion {
    velocities: Vec<NodeVector>,
    accelerations: Vec<NodeVector>,
    /// r_n.
    unbalanced: Vec<NodeVector>,
}

impl Dynamics {
    fn check(&self) -> Result<(), ContinuumError> {
        let wrong = |field: &str, value: f64, allowed: &str| {
            Err(ContinuumError::setting(field, value, allowed))
        };
        if !(1e-9..=1.0).contains(&self.timestep) {
            return wrong("timestep", self.timestep, "between 1e-9 and 1 s");
        }
        if !(-1.0 / 3.0..=0.0).contains(&self.alpha) {
            return wrong("alpha", self.alpha, "-1/3 to 0");
        }
        if !(0.0..=1e9).contains(&self.mass_damping) {
            return wrong("mass_damping", self.mass_damping, "between 0 and 1e9 1/s");
        }
        if !(0.0..=1e9).contains(&self.stiffness_damping) {
            return wrong(
                "stiffness_damping",
                self.stiffness_damping,
                "between 0 and 1e9 s",
            );
        }
        Ok(())
    }
}

impl Simulation {
    /// Advances by a time step. On an error the rod is unchanged.
    ///
    /// # Errors
    ///
    /// Inputs that are out of range, including an inserted length that changes by more than half an element, and
    /// elements that fold.
    pub fn step_dynamic(
        &mut self,
        actuation: &Actuation,
        dynamics: &Dynamics,
    ) -> Result<StepReport, ContinuumError> {
        dynamics.check()?;
        actuation.check(self.config.length(), self.config.element_length())?;
        let (before, motion) = (self.state.clone(), self.motion.clone());
        let report = self
            .feed_in_motion(actuation)
            .and_then(|()| self.integrate(actuation, dynamics));
        if report.is_err() {
            self.motion = motion;
            self.place(before)?;
        }
        report
    }

    /// Kinetic energy of the nodes [J].
    pub fn kinetic_energy(&self) -> f64 {
        let masses = self.masses();
        let energies = self
            .motion
            .velocities
            .iter()
            .zip(&masses)
            .map(|(velocity, mass)| {
                let (shift, turn) = (velocity.fixed_rows::<3>(0), velocity.fixed_rows::<3>(3));
                mass.0 * shift.norm_squared() + turn.dot(&(mass.1 * turn))
            });
        0.5 * energies.sum::<f64>()
    }

    /// Adds nodes for the length that is fed in this time step. The base is then behind the mouth by the fed length.
    fn feed_in_motion(&mut self, actuation: &Actuation) -> Result<(), ContinuumError> {
        let element_length = self.config.element_length();
        let inserted = self.state.inserted_length;
        let fed = actuation.inserted_length - inserted;
        if fed.abs() < 1e-12 {
            return Ok(());
        }
        if fed.abs() > 0.5 * element_length {
            let value = actuation.inserted_length;
            let allowed = format!("{inserted} m, plus or minus half an element in a time step");
            return Err(ContinuumError::setting("inserted_length", value, allowed));
        }
        let before = self.state.clone();
        self.state = draw_out(&before, actuation.inserted_length, element_length);
        let at_new_nodes = |values: &mut Vec<NodeVector>| {
            if values.len() == before.from_tip.len() {
                let places = self.state.from_tip.iter();
                *values = places
                    .map(|place| linear(&before, values, *place))
                    .collect();
            }
        };
        let Motion {
            velocities,
            accelerations,
            unbalanced,
        } = &mut self.motion;
        [velocities, accelerations]
            .into_iter()
            .for_each(at_new_nodes);
        // Forces on nodes depend on the adjacent elements, so they are recomputed.
        unbalanced.clear();
        self.rebuild();
        self.refresh()
    }

    fn integrate(
        &mut self,
        actuation: &Actuation,
        dynamics: &Dynamics,
    ) -> Result<StepReport, ContinuumError> {
        let before = self.state.clone();
        let n_nodes = self.state.positions.len();
        let (alpha, dt) = (dynamics.alpha, dynamics.timestep);
        let beta = 0.25 * (1.0 - alpha) * (1.0 - alpha);
        let gamma = 0.5 * (1.0 - 2.0 * alpha);
        if self.motion.velocities.len() != n_nodes {
            self.motion.velocities = vec![NodeVector::zeros(); n_nodes];
            self.motion.accelerations = vec![NodeVector::zeros(); n_nodes];
            self.motion.unbalanced.clear();
        }
        let masses = self.masses();
        let mut old = self.motion.clone();
        if old.unbalanced.is_empty() {
            self.assemble(actuation, &BaseStep::default());
            old.unbalanced = self.unbalanced(dynamics, &old.velocities, &masses);
        }
        let mut report = StepReport {
            stop_reason: StopReason::MaxIterations,
            ..StepReport::default()
        };
        let mut stagnation = Stagnation::default();
        for iteration in 0..=MAX_ITERATIONS {
            let arrival = self.base_step(actuation);
            self.assemble(actuation, &arrival);

            // Newmark's accelerations and velocities for the current displacement.
            for node in 0..n_nodes {
                let shift = self.state.positions[node] - before.positions[node];
                let turn = self.state.rotations[node] * before.rotations[node].inverse();
                let mut moved = NodeVector::zeros();
                moved.fixed_rows_mut::<3>(0).copy_from(&shift);
                moved.fixed_rows_mut::<3>(3).copy_from(&turn.scaled_axis());
                let (velocity, acceleration) = (&old.velocities[node], &old.accelerations[node]);
                let new = (moved - dt * velocity - dt * dt * (0.5 - beta) * acceleration)
                    / (beta * dt * dt);
                self.motion.velocities[node] =
                    velocity + dt * ((1.0 - gamma) * acceleration + gamma * new);
                self.motion.accelerations[node] = new;
            }

            // r, then forces and stiffness of the time step.
            self.motion.unbalanced = self.unbalanced(dynamics, &self.motion.velocities, &masses);
            let program = &mut self.program;
            let rate = gamma / (beta * dt);
            for (node, mass) in masses.iter().enumerate() {
                let (unbalanced, last) = (&self.motion.unbalanced[node], &old.unbalanced[node]);
                program.gradient[node] = weighed(mass, &self.motion.accelerations[node])
                    + (1.0 + alpha) * unbalanced
                    - alpha * last;
                let scale = (1.0 + alpha) * (1.0 + rate * dynamics.stiffness_damping);
                let block = &mut program.stiffness.diagonal[node];
                *block *= scale;
                let inertia = 1.0 / (beta * dt * dt) + (1.0 + alpha) * rate * dynamics.mass_damping;
                let mut view = block.fixed_view_mut::<3, 3>(0, 0);
                view += Matrix3::from_diagonal_element(mass.0 * inertia);
                let mut view = block.fixed_view_mut::<3, 3>(3, 3);
                view += mass.1 * inertia;
                if let Some(lower) = program.stiffness.lower.get_mut(node) {
                    *lower *= scale;
                }
            }
            program.stiffness.clear_held(&mut program.gradient);

            report.equilibrium_residual = self.imbalance();
            report.rounding = self.rounding();
            let is_clear = report.max_penetration <= self.settings.penetration_tolerance;
            let is_still = arrival.is_last && arrival.step == NodeVector::zeros() && is_clear;
            let balance = stagnation.judge(&report, TOLERANCE, is_still);
            report.is_stagnated = is_still && balance.is_stagnated;
            if iteration > 0 && is_still && balance.is_reached {
                report.stop_reason = StopReason::Done;
                break;
            }
            if iteration == MAX_ITERATIONS {
                break;
            }
            let solved = self.solve_program()?;
            report.base_wrench = self.base_wrench(&arrival);
            self.delta[0] += arrival.step;
            let share = self.share();
            report.is_limited = share < 1.0;
            self.move_by(share)?;
            report.n_iterations += 1;
            report.n_factorisations += solved.n_iterations;
            report.kkt_residual = solved.residual;
            report.max_penetration = self.contacts.max_penetration();
        }
        report.contacts = self.contacts.pressing();
        Ok(report)
    }

    /// r of the assembled program for these velocities.
    fn unbalanced(
        &self,
        dynamics: &Dynamics,
        velocities: &[NodeVector],
        masses: &[(f64, Matrix3<f64>)],
    ) -> Vec<NodeVector> {
        let mut stretched = Vec::new();
        self.program.stiffness.multiply(velocities, &mut stretched);
        let nodes = self.program.gradient.iter().zip(&stretched);
        nodes
            .zip(velocities.iter().zip(masses))
            .map(|((gradient, stretched), (velocity, mass))| {
                gradient
                    + dynamics.mass_damping * weighed(mass, velocity)
                    + dynamics.stiffness_damping * stretched
            })
            .collect()
    }

    /// Mass [kg] and moments of inertia [kg·m²], world axes, of each node.
    fn masses(&self) -> Vec<(f64, Matrix3<f64>)> {
        let mut masses = vec![(0.0, Vector3::zeros()); self.state.positions.len()];
        for (node, ends) in self.state.from_tip.windows(2).enumerate() {
            let section = self.config.section_at(0.5 * (ends[0] + ends[1]));
            let half = 0.5 * section.density * (ends[0] - ends[1]);
            let polar = section.inertia_y + section.inertia_z;
            let inertia = half * Vector3::new(polar, section.inertia_y, section.inertia_z);
            for end in [node, node + 1] {
                masses[end].0 += half * section.area;
                masses[end].1 += inertia;
            }
        }
        let turned = masses
            .iter()
            .zip(&self.state.rotations)
            .map(|((mass, inertia), rotation)| {
                let axes = rotation.to_rotation_matrix().into_inner();
                (
                    *mass,
                    axes * Matrix3::from_diagonal(inertia) * axes.transpose(),
                )
            });
        turned.collect()
    }
}

/// Interpolates values of nodes at a distance from the tip [m]. Behind the base the value of the
/// base is used.
fn linear(state: &RodState, values: &[NodeVector], from_tip: f64) -> NodeVector {
    let places = &state.from_tip;
    let beyond = places.partition_point(|place| *place > from_tip);
    let first = beyond.clamp(1, places.len() - 1) - 1;
    let share = (places[first] - from_tip) / (places[first] - places[first + 1]);
    values[first].lerp(&values[first + 1], share.clamp(0.0, 1.0))
}

/// Mass times a vector.
fn weighed(mass: &(f64, Matrix3<f64>), vector: &NodeVector) -> NodeVector {
    let mut product = NodeVector::zeros();
    product
        .fixed_rows_mut::<3>(0)
        .copy_from(&(mass.0 * vector.fixed_rows::<3>(0)));
    product
        .fixed_rows_mut::<3>(3)
        .copy_from(&(mass.1 * vector.fixed_rows::<3>(3)));
    product
}
