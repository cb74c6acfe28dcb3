//! Survey of the bronchial tree: the paper's rods are pushed in, and one rod is steered to every end. Prints wall
//! penetration, forces and times.
//!
//! `cargo run --release -p insonate-continuum --example tree_survey`

use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use insonate_continuum::lumen::{AirwayDepth, CentreLine, TubeNetwork, bronchial_tree};
use insonate_continuum::navigation::{Follower, Scope, ScopeMotion};
use insonate_continuum::{ContinuumError, Equilibrium, RodConfig, StepSettings, TableRow};
use nalgebra::{Isometry3, UnitQuaternion, Vector2, Vector3};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tree = Arc::new(bronchial_tree(AirwayDepth::Subsegmental)?);
    let converged = Equilibrium::Converged { tolerance: 1e-6 };
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "                deepest   force    linearisations   time of a step [ms]"
    )?;
    writeln!(
        out,
        "scene             [m]      [N]     mean   most      mean     most"
    )?;
    for (name, equilibrium) in [("one-step", Equilibrium::OneStep), ("converged", converged)] {
        for row in [TableRow::A, TableRow::B, TableRow::C, TableRow::D] {
            let pull = if row == TableRow::D { -2.0 } else { 0.0 };
            let line = run(&tree, row, equilibrium, |scope| push(scope, pull))?;
            writeln!(out, "{row:?} {name:<12} {line}")?;
        }
    }
    for end in tree.ends() {
        let way = tree.centre_line(end);
        let line = run(&tree, TableRow::C, Equilibrium::OneStep, |scope| {
            steer(scope, &way)
        })?;
        writeln!(out, "to {:<11} {line}", tree.branches()[end].name)?;
    }
    Ok(())
}

/// Pushes the scope to a depth of 0.24 m with an increasing pull [N].
fn push(scope: &Scope, pull: f64) -> Option<ScopeMotion> {
    let share = scope.inserted_length() / 0.24;
    (share < 0.9999).then(|| ScopeMotion {
        advance: 1e-3,
        roll: 0.0,
        pull: Vector2::new(0.0, pull * (2.0 * share).min(1.0)) - scope.pull(),
    })
}

/// Steers the scope along a centre line to within 3 mm of its end.
fn steer(scope: &Scope, way: &CentreLine) -> Option<ScopeMotion> {
    let follower = Follower {
        ahead: 12e-3,
        gain: 1.0,
        max_pull_change: 0.4,
        max_advance: 1e-3,
    };
    let tip = scope.state().world_from_tip().translation.vector;
    ((way.at(f64::INFINITY) - tip).norm() > 3e-3).then(|| follower.motion(scope, way))
}

fn run(
    tree: &Arc<TubeNetwork>,
    row: TableRow,
    equilibrium: Equilibrium,
    motion: impl Fn(&Scope) -> Option<ScopeMotion>,
) -> Result<String, ContinuumError> {
    let down = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2);
    let mouth = Isometry3::from_parts(Vector3::zeros().into(), down);
    let settings = StepSettings {
        equilibrium,
        ..StepSettings::default()
    };
    let mut scope = Scope::new(
        RodConfig::table(row, 94),
        settings,
        tree.clone(),
        mouth,
        0.02,
        15.0,
    )?;
    let (mut deepest, mut force, mut n_all, mut n_most) = (0.0_f64, 0.0_f64, 0, 0);
    let mut seconds = Vec::new();
    while let Some(motion) = motion(&scope).filter(|_| seconds.len() < 500) {
        let start = Instant::now();
        let report = scope.step(&motion)?;
        seconds.push(start.elapsed().as_secs_f64());
        deepest = deepest.max(report.max_penetration);
        force = force.max(report.peak_contact_force());
        n_all += report.n_iterations;
        n_most = n_most.max(report.n_iterations);
    }
    let n = seconds.len() as f64;
    let mean = 1e3 * seconds.iter().sum::<f64>() / n;
    let most = 1e3 * seconds.iter().copied().fold(0.0, f64::max);
    Ok(format!(
        "{deepest:>8.1e} {force:>8.2} {:>8.1} {n_most:>6} {mean:>9.2} {most:>8.1}",
        n_all as f64 / n
    ))
}
