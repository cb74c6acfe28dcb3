//! Contract: the paper's rods stay within the walls of the bronchial tree, even if they jam in airways that are too
//! narrow for them.

use std::sync::Arc;

use insonate_continuum::lumen::{AirwayDepth, bronchial_tree};
use insonate_continuum::{
    Actuation, Equilibrium, RodConfig, Simulation, StepReport, StepSettings, TableRow,
};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

/// Inserts a rod from one length to another [m], by a millimetre per step.
fn inserted(row: TableRow, equilibrium: Equilibrium, from: f64, to: f64) -> Vec<StepReport> {
    let tree = bronchial_tree(AirwayDepth::Subsegmental).expect("it is the program's own");
    let down = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2);
    let base = Isometry3::from_parts(Vector3::zeros().into(), down);
    let mut actuation = Actuation::held(base, from);
    let settings = StepSettings {
        equilibrium,
        ..StepSettings::default()
    };
    let config = RodConfig::table(row, 94);
    let mut simulation = Simulation::new(config, settings, Some(Arc::new(tree)), &actuation)
        .expect("it is in the trachea");
    let mut reports = Vec::new();
    while actuation.inserted_length < to {
        actuation.inserted_length += 1e-3;
        reports.push(simulation.step(&actuation).expect("it does not fold"));
    }
    reports
}

fn greatest(reports: &[StepReport], of: impl Fn(&StepReport) -> f64) -> f64 {
    reports.iter().map(of).fold(0.0, f64::max)
}

#[test]
fn rods_stay_within_walls_in_one_linearisation_a_step_and_its_corrections() {
    // Row b, 4.8 mm wide, jams at the start of bronchi of 4.4 mm.
    for (row, most_force) in [(TableRow::B, 5e3), (TableRow::C, 50.0)] {
        let reports = inserted(row, Equilibrium::OneStep, 0.10, 0.215);
        let deepest = greatest(&reports, |report| report.max_penetration);
        let force = greatest(&reports, StepReport::peak_contact_force);
        println!("{row:?}: deepest {deepest:.1e} m, {force:.0} N");
        assert!(deepest <= 1e-5, "{row:?}: {deepest}");
        assert!(force < most_force, "{row:?}: {force}");
    }
}

#[test]
fn a_rod_comes_to_rest_against_a_carina() {
    let equilibrium = Equilibrium::Converged { tolerance: 1e-6 };
    let reports = inserted(TableRow::A, equilibrium, 0.16, 0.184);
    let deepest = greatest(&reports, |report| report.max_penetration);
    let unbalanced = greatest(&reports, |report| report.equilibrium_residual);
    println!("deepest {deepest:.1e} m, unbalanced {unbalanced:.1e}");
    assert!(deepest <= 1e-5, "{deepest}");
    assert!(unbalanced <= 1e-6, "{unbalanced}");
}
