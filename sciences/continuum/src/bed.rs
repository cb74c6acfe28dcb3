//! A rod on a floor with a chosen number of contacts, for benchmarks.

use std::sync::Arc;

use nalgebra::{Isometry3, Translation3, Vector3};

use crate::{
    Actuation, ContinuumError, Lumen, RodConfig, Simulation, Solver, StepReport, StepSettings,
    TableRow, WallPoint,
};

/// Steps until the rod is at rest.
const N_SETTLING: usize = 60;

/// The paper's rod (Table I, row a) at rest on a floor, pressed down by a hundred times its weight.
///
/// The base moves on a small ellipse, so every step has a different shape and the boundary of the contacts moves.
#[derive(Clone)]
pub struct RodOnBed {
    simulation: Simulation,
    n_steps: usize,
}

/// Height of the floor beyond `start`. There is no floor before `start`.
struct Floor {
    height: f64,
    start: f64,
}

impl Lumen for Floor {
    fn walls_near(&self, point: &Vector3<f64>, within: f64, walls: &mut Vec<WallPoint>) {
        let distance = point.z - self.height;
        if point.x >= self.start && distance < within {
            walls.push(WallPoint {
                position: Vector3::new(point.x, point.y, self.height),
                normal: Vector3::z(),
                distance,
            });
        }
    }
}

impl RodOnBed {
    /// A rod with `n_nodes` nodes; the floor supports the last `n_contacts`.
    ///
    /// # Errors
    ///
    /// [`ContinuumError`] if there are fewer than two nodes, or not fewer contacts than nodes.
    pub fn new(n_nodes: usize, n_contacts: usize, solver: Solver) -> Result<Self, ContinuumError> {
        if !(2..=10_000).contains(&n_nodes) {
            return Err(ContinuumError::setting(
                "nodes",
                n_nodes,
                "between 2 and 10000",
            ));
        }
        if !(1..n_nodes).contains(&n_contacts) {
            let allowed = format!("between 1 and {}", n_nodes - 1);
            return Err(ContinuumError::setting("contacts", n_contacts, allowed));
        }
        let mut n_over = n_contacts;
        loop {
            let mut bed = Self::over_floor(n_nodes, n_over)?;
            let mut n_pressing = 0;
            for _ in 0..N_SETTLING {
                n_pressing = bed.step()?.contacts.len();
            }
            // Near the edge the rod hangs over the floor, so the floor is extended until the number of
            // contacts is right.
            if n_pressing >= n_contacts || n_over + 1 >= n_nodes {
                bed.simulation.set_solver(solver)?;
                return Ok(bed);
            }
            n_over = (n_over + n_contacts - n_pressing).min(n_nodes - 1);
        }
    }

    /// A rod with its last `n_over` nodes over the floor.
    fn over_floor(n_nodes: usize, n_over: usize) -> Result<Self, ContinuumError> {
        let mut config = RodConfig::table(TableRow::A, n_nodes - 1);
        config.gravity = Vector3::new(0.0, 0.0, -981.0);
        let settings = StepSettings {
            points_per_element: 0,
            ..StepSettings::default()
        };
        let first = n_nodes - n_over;
        let floor = Floor {
            height: -config.section_at(0.0).radius,
            start: (first as f64 - 0.5) * config.element_length(),
        };
        let actuation = Actuation::held(Isometry3::identity(), config.length());
        let simulation = Simulation::new(config, settings, Some(Arc::new(floor)), &actuation)?;
        Ok(Self {
            simulation,
            n_steps: 0,
        })
    }

    /// Moves the base along its ellipse and steps the rod.
    ///
    /// # Errors
    ///
    /// [`ContinuumError`] if the rod diverges.
    pub fn step(&mut self) -> Result<StepReport, ContinuumError> {
        let phase = self.n_steps as f64 * 0.05;
        let lift = 2e-5 * (1.0 - phase.cos());
        let base = Translation3::new(1e-4 * phase.sin(), 1e-3 * phase.sin(), lift);
        let length = self.simulation.config().length();
        self.n_steps += 1;
        self.simulation.step(&Actuation::held(base.into(), length))
    }
}
