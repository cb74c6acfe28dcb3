//! A cantilever under a force, a moment or cables.

use std::time::Instant;

use insonate_continuum::{
    Actuation, Cables, ContinuumError, Equilibrium, RodConfig, Routing, Section, Simulation,
    StepSettings,
};
use nalgebra::{Isometry3, Vector3};
use serde::Serialize;

/// Unbalanced force relative to the load at which a rod counts as at rest.
const TOLERANCE: f64 = 1e-9;

/// Maximum number of steps; each takes many linearisations.
const MAX_STEPS: usize = 50;

/// A straight rod along x that is clamped at the origin, and its loads.
#[derive(Debug, Clone, PartialEq)]
pub struct BendPlan {
    /// Length [m].
    pub length: f64,
    /// Number of elements.
    pub n_elements: usize,
    /// Cross-section.
    pub section: Section,
    /// Dead force on the tip [N].
    pub tip_force: [f64; 3],
    /// Moment on the tip [N·m].
    pub tip_moment: [f64; 3],
    /// Tensions of three cables [N].
    pub tensions: [f64; 3],
    /// Distance of the cables from the centre line [m].
    pub cable_offset: f64,
    /// Routing of the cables.
    pub routing: Routing,
    /// Acceleration of gravity [m/s²].
    pub gravity: [f64; 3],
}

/// Result of a bending.
#[derive(Debug, Clone, Serialize)]
pub struct Bending {
    /// Position of the tip [m].
    pub tip_position_m: [f64; 3],
    /// Rotation of the tip relative to the unloaded rod.
    pub tip_rotation_wxyz: [f64; 4],
    /// Unbalanced force relative to the load.
    pub residual: f64,
    /// Whether the solver stopped above the tolerance, because rounding of a stiff, slender rod limits the residual.
    pub stagnated: bool,
    /// Number of linearisations.
    pub n_iterations: usize,
    /// Wall-clock time [s].
    pub seconds: f64,
    /// Elastic energy [J].
    pub elastic_energy_j: f64,
    /// Nodes [m], shape `[n_elements + 1, 3]`.
    #[serde(skip)]
    pub nodes: Vec<Vector3<f64>>,
}

/// Bends a rod to equilibrium.
///
/// # Errors
/// [`ContinuumError`] if a number is out of range, the rod folds up, or forces do not balance.
pub fn bend(plan: &BendPlan) -> Result<Bending, ContinuumError> {
    let mut config = RodConfig::uniform(plan.length, plan.n_elements, plan.section);
    config.gravity = plan.gravity.into();
    config.cables = Cables {
        offset: plan.cable_offset,
        routing: plan.routing,
        ..config.cables
    };
    let settings = StepSettings {
        equilibrium: Equilibrium::Converged {
            tolerance: TOLERANCE,
        },
        // There is no lumen, so a rod may move far in one iteration.
        max_displacement: 0.1 * plan.length.max(1e-6),
        max_iterations: 1000,
        ..StepSettings::default()
    };
    let actuation = Actuation {
        tip_force: plan.tip_force.into(),
        tip_moment: plan.tip_moment.into(),
        tensions: plan.tensions,
        ..Actuation::held(Isometry3::identity(), plan.length)
    };
    let start = Instant::now();
    let rest = Actuation::held(Isometry3::identity(), plan.length);
    let mut simulation = Simulation::new(config, settings, None, &rest)?;
    let report = simulation.settle(&actuation, MAX_STEPS)?;
    let tip = simulation.state().world_from_tip();
    let turn = tip.rotation;
    Ok(Bending {
        tip_position_m: tip.translation.vector.into(),
        tip_rotation_wxyz: [turn.w, turn.i, turn.j, turn.k],
        residual: report.equilibrium_residual,
        stagnated: report.is_stagnated,
        n_iterations: report.n_iterations,
        seconds: start.elapsed().as_secs_f64(),
        elastic_energy_j: simulation.elastic_energy(),
        nodes: simulation.state().positions.clone(),
    })
}
