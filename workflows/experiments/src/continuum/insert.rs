//! Insertion of a rod into a passage, with given cable tensions or steered along a line.

use std::ops::ControlFlow;
use std::time::Instant;

use insonate_continuum::lumen::CentreLine;
use insonate_continuum::navigation::{Follower, Scope, ScopeMotion};
use insonate_continuum::{ContinuumError, RodConfig, StepSettings, TableRow};
use nalgebra::{Vector2, Vector3};
use serde::Serialize;

use super::passage::Passage;
use super::record::{InsertionRecord, InsertionSample};

/// Number of points along the rod that are kept for pictures.
pub(super) const N_POINTS: usize = 189;

/// Number of steps without motion after which steering ends.
const MAX_IDLE_STEPS: usize = 150;

/// Settings of an insertion.
#[derive(Debug, Clone)]
pub struct InsertionPlan {
    /// The rod.
    pub rod: RodConfig,
    /// Row of Table I that defines the positions of the sensors.
    pub row: TableRow,
    /// Settings of a rod step.
    pub settings: StepSettings,
    /// Length beyond the introducer at the start [m].
    pub start: f64,
    /// Depth at the end [m].
    pub depth: f64,
    /// Advance per step [m].
    pub advance: f64,
    /// Steering of the tip.
    pub steering: Steering,
    /// Maximum tension of the cables [N].
    pub max_pull: f64,
}

/// Action of the cables during the insertion.
#[derive(Debug, Clone)]
pub enum Steering {
    /// A given pull along y and z of the tip [N], which increases over the first half of the insertion.
    Pull([f64; 2]),
    /// The cables bend the tip along a line. The insertion ends within `threshold` of the line's end.
    Follow {
        /// The line.
        line: CentreLine,
        /// Distance at which the target counts as reached [m].
        threshold: f64,
    },
}

/// Result of an insertion.
#[derive(Debug, Clone, Serialize)]
pub struct Insertion {
    /// Maximum normal force of a contact [N].
    pub peak_contact_force_n: f64,
    /// Maximum number of contacts at one time.
    pub n_contacts_max: usize,
    /// Maximum penetration of the rod into a wall after a step [m].
    pub max_penetration_m: f64,
    /// Mean time of a step [s].
    pub seconds_per_step: f64,
    /// Number of steps.
    pub n_steps: usize,
    /// Number of nodes of the rod at the end.
    pub n_nodes: usize,
    /// Length beyond the introducer at the end [m].
    pub depth_m: f64,
    /// Position of the tip at the end [m].
    pub tip_position_m: [f64; 3],
    /// Distance from the target at the end [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance_to_target_m: Option<f64>,
    /// Whether the target was reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached: Option<bool>,
    /// Maximum violation of the optimality conditions.
    pub kkt_residual: f64,
    /// Reason if the insertion ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_early: Option<String>,
    /// Whether the caller interrupted the insertion.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
}

/// Inserts a rod. `see` is called after each step with the share of the insertion that is done.
///
/// # Errors
/// [`ContinuumError`] if a setting is out of range. A rod that folds up ends the insertion early.
pub fn insert(
    plan: &InsertionPlan,
    passage: &Passage,
    see: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<(Insertion, InsertionRecord), ContinuumError> {
    let mut scope = Scope::new(
        plan.rod.clone(),
        plan.settings,
        passage.lumen.clone(),
        passage.world_from_mouth,
        plan.start,
        plan.max_pull,
    )?;
    let mut record = InsertionRecord::default();
    let (mut ended_early, mut interrupted) = (None, false);
    let mut kkt_residual: f64 = 0.0;
    let mut n_idle = 0;
    while n_idle < MAX_IDLE_STEPS && !has_arrived(plan, &scope) {
        let motion = motion(plan, &scope);
        let start = Instant::now();
        match scope.step(&motion) {
            Ok(report) => kkt_residual = kkt_residual.max(report.kkt_residual),
            Err(error) => {
                ended_early = Some(error.to_string());
                break;
            }
        }
        record
            .samples
            .push(sample(plan, &scope, start.elapsed().as_secs_f64()));
        let moved = motion.advance.abs() > 0.02 * plan.advance;
        n_idle = if moved { 0 } else { n_idle + 1 };
        let share = (scope.inserted_length() - plan.start) / (plan.depth - plan.start).max(1e-9);
        if see(share.clamp(0.0, 1.0)).is_break() {
            interrupted = true;
            break;
        }
    }
    let samples = &record.samples;
    let greatest =
        |of: &dyn Fn(&InsertionSample) -> f64| samples.iter().map(of).fold(0.0, f64::max);
    let tip = scope.state().world_from_tip().translation.vector;
    let distance = match &plan.steering {
        Steering::Follow { line, .. } => Some((line.at(f64::INFINITY) - tip).norm()),
        Steering::Pull(_) => None,
    };
    let summary = Insertion {
        peak_contact_force_n: greatest(&|s| s.peak_force),
        n_contacts_max: samples.iter().map(|s| s.n_contacts).max().unwrap_or(0),
        max_penetration_m: greatest(&|s| s.penetration),
        seconds_per_step: samples.iter().map(|s| s.seconds).sum::<f64>()
            / samples.len().max(1) as f64,
        n_steps: samples.len(),
        n_nodes: scope.state().positions.len(),
        depth_m: scope.inserted_length(),
        tip_position_m: tip.into(),
        distance_to_target_m: distance,
        reached: distance.map(|_| has_arrived(plan, &scope)),
        kkt_residual,
        ended_early,
        interrupted,
    };
    Ok((summary, record))
}

fn has_arrived(plan: &InsertionPlan, scope: &Scope) -> bool {
    match &plan.steering {
        Steering::Pull(_) => scope.inserted_length() >= plan.depth - 1e-9,
        Steering::Follow { line, threshold } => {
            let tip = scope.state().world_from_tip().translation.vector;
            (line.at(f64::INFINITY) - tip).norm() < *threshold
        }
    }
}

fn motion(plan: &InsertionPlan, scope: &Scope) -> ScopeMotion {
    let left = plan.depth - scope.inserted_length();
    match &plan.steering {
        Steering::Pull(pull) => {
            let share = 2.0 * (scope.inserted_length() - plan.start) / (plan.depth - plan.start);
            ScopeMotion {
                advance: plan.advance.min(left),
                roll: 0.0,
                pull: Vector2::from(*pull) * share.min(1.0) - scope.pull(),
            }
        }
        Steering::Follow { line, .. } => {
            let follower = Follower {
                ahead: 12e-3,
                gain: 1.0,
                max_pull_change: 0.4,
                max_advance: plan.advance,
            };
            let motion = follower.motion(scope, line);
            ScopeMotion {
                advance: motion.advance.min(left.max(0.0)),
                ..motion
            }
        }
    }
}

fn sample(plan: &InsertionPlan, scope: &Scope, seconds: f64) -> InsertionSample {
    let (state, report) = (scope.state(), scope.report());
    let axis = state.world_from_base().rotation * Vector3::x();
    InsertionSample {
        depth: scope.inserted_length(),
        tip: state.world_from_tip(),
        // A sensor that is still outside is in the introducer.
        sensors: plan.row.sensors().map(|from_tip| {
            let outside = (from_tip - state.inserted_length).max(0.0);
            state.position_at(from_tip) - axis * outside
        }),
        peak_force: report.peak_contact_force(),
        total_force: report.total_contact_force(),
        n_contacts: report.contacts.len(),
        penetration: report.max_penetration,
        push: report.base_wrench.force.dot(&axis),
        tensions: scope.tensions(),
        kkt_residual: report.kkt_residual,
        seconds,
        points: scope.points(N_POINTS),
    }
}
