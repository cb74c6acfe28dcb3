//! Simulation of a rod in a lumen.

use std::sync::{Mutex, MutexGuard, TryLockError};

use insonate_continuum::{self as continuum, Dynamics, Equilibrium, Solver, StepSettings};
use pyo3::prelude::*;

use super::{Actuation, Lumen, RodConfig, RodState, StepReport};
use crate::error::{OrderError, Raised, Result, SimulationError, value_error};

/// A rod in a lumen.
#[pyclass(frozen, module = "insonate.continuum")]
pub(crate) struct Simulation {
    simulation: Mutex<continuum::Simulation>,
    tolerance: Option<f64>,
}

impl Simulation {
    fn lock(&self) -> Result<MutexGuard<'_, continuum::Simulation>> {
        self.simulation.try_lock().map_err(|error| {
            let problem = match error {
                TryLockError::WouldBlock => "another thread is using the rod",
                TryLockError::Poisoned(_) => "the simulation failed: make a new one",
            };
            OrderError::new_err(problem).into()
        })
    }

    /// Steps up to `n` times, until a condition on the report holds.
    fn repeat(
        &self,
        py: Python<'_>,
        n: usize,
        mut step: impl FnMut(&mut continuum::Simulation) -> Result<continuum::StepReport> + Send,
        is_last: impl Fn(&continuum::StepReport) -> bool,
    ) -> Result<StepReport> {
        if n == 0 {
            return Err(value_error(
                "the number of steps is 0; it must be at least 1",
            ));
        }
        let mut simulation = self.lock()?;
        let simulation: &mut continuum::Simulation = &mut simulation;
        let mut report = continuum::StepReport::default();
        for _ in 0..n {
            report = py.detach(|| step(simulation))?;
            py.check_signals()?;
            if is_last(&report) {
                break;
            }
        }
        Ok(StepReport { report })
    }
}

#[pymethods]
impl Simulation {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    #[pyo3(signature = (config, actuation, lumen=None, *, tolerance=None, solver="block", max_displacement=None, max_rotation=None,
        max_iterations=None, penetration_tolerance=None, points_per_element=None, friction=0.0, wall_stiffness=None))]
    fn new(
        py: Python<'_>,
        config: &RodConfig,
        actuation: &Actuation,
        lumen: Option<&Lumen>,
        tolerance: Option<f64>,
        solver: &str,
        max_displacement: Option<f64>,
        max_rotation: Option<f64>,
        max_iterations: Option<usize>,
        penetration_tolerance: Option<f64>,
        points_per_element: Option<usize>,
        friction: f64,
        wall_stiffness: Option<f64>,
    ) -> Result<Self> {
        let usual = StepSettings::default();
        let settings = StepSettings {
            equilibrium: match tolerance {
                None => Equilibrium::OneStep,
                Some(tolerance) => Equilibrium::Converged { tolerance },
            },
            solver: match solver {
                "block" => Solver::Block,
                "clarabel" => Solver::Clarabel,
                "gauss_seidel" => Solver::GaussSeidel,
                other => {
                    let problem =
                        format!("solver is {other:?}; it must be block, clarabel or gauss_seidel");
                    return Err(value_error(problem));
                }
            },
            max_displacement: max_displacement.unwrap_or(usual.max_displacement),
            max_rotation: max_rotation.unwrap_or(usual.max_rotation),
            max_iterations: max_iterations.unwrap_or(usual.max_iterations),
            penetration_tolerance: penetration_tolerance.unwrap_or(usual.penetration_tolerance),
            points_per_element: points_per_element.unwrap_or(usual.points_per_element),
            friction,
            wall_stiffness,
        };
        let (config, lumen) = (config.config.clone(), lumen.map(Lumen::walls));
        let actuation = &actuation.actuation;
        let made = py.detach(|| continuum::Simulation::new(config, settings, lumen, actuation));
        Ok(Self {
            simulation: Mutex::new(made?),
            tolerance,
        })
    }

    /// Current state of the rod.
    #[getter]
    fn state(&self) -> Result<RodState> {
        let simulation = self.lock()?;
        Ok(RodState {
            state: simulation.state().clone(),
            rod: rod(&simulation),
        })
    }

    /// Elastic energy of the rod [J].
    #[getter]
    fn elastic_energy(&self) -> Result<f64> {
        Ok(self.lock()?.elastic_energy())
    }

    /// Kinetic energy of the nodes [J].
    #[getter]
    fn kinetic_energy(&self) -> Result<f64> {
        Ok(self.lock()?.kinetic_energy())
    }

    /// Moves the rod towards equilibrium with its inputs. On an error the rod is unchanged.
    fn step(&self, py: Python<'_>, actuation: &Actuation) -> Result<StepReport> {
        let actuation = &actuation.actuation;
        self.repeat(py, 1, |rod| Ok(rod.step(actuation)?), |_| true)
    }

    /// Steps until forces are in equilibrium.
    #[pyo3(signature = (actuation, max_steps=50))]
    fn solve(&self, py: Python<'_>, actuation: &Actuation, max_steps: usize) -> Result<StepReport> {
        let Some(tolerance) = self.tolerance else {
            return Err(value_error(
                "solve needs a simulation with a tolerance, the greatest unbalanced force over the load",
            ));
        };
        let is_solved = |report: &continuum::StepReport| report.is_at_rest(tolerance);
        let actuation = &actuation.actuation;
        let solved = self.repeat(py, max_steps, |rod| Ok(rod.step(actuation)?), is_solved)?;
        if is_solved(&solved.report) {
            return Ok(solved);
        }
        let residual = solved.report.equilibrium_residual;
        Err(SimulationError::new_err(format!(
            "forces are unbalanced by {residual:.1e} of the load after {max_steps} steps, more than the tolerance of {tolerance:e}"
        ))
        .into())
    }

    /// Advances `n` time steps with inertia.
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    #[pyo3(signature = (actuation, timestep, *, alpha=0.0, mass_damping=0.0, stiffness_damping=0.0, n=1))]
    fn step_dynamic(
        &self,
        py: Python<'_>,
        actuation: &Actuation,
        timestep: f64,
        alpha: f64,
        mass_damping: f64,
        stiffness_damping: f64,
        n: usize,
    ) -> Result<StepReport> {
        let dynamics = Dynamics {
            timestep,
            alpha,
            mass_damping,
            stiffness_damping,
        };
        let actuation = &actuation.actuation;
        let step = |rod: &mut continuum::Simulation| {
            rod.step_dynamic(actuation, &dynamics).map_err(Raised::from)
        };
        self.repeat(py, n, step, |_| false)
    }

    /// Sets a state of the same rod.
    fn place(&self, state: &RodState) -> Result<()> {
        let mut simulation = self.lock()?;
        let rod = rod(&simulation);
        if rod != state.rod {
            let [(length, n), (other_length, n_other)] = [rod, state.rod];
            return Err(value_error(format!(
                "state is of a rod of {other_length} m and {n_other} elements; it must be of a rod of {length} m and {n}"
            )));
        }
        Ok(simulation.place(state.state.clone())?)
    }
}

/// Length and number of elements, by which its states are recognised.
fn rod(simulation: &continuum::Simulation) -> (f64, usize) {
    let config = simulation.config();
    (config.length(), config.n_elements)
}
