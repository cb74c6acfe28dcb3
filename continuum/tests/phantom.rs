//! Contract: the paper's rods go through the 'T', as a field and as a mesh, and stay within its walls.

use std::sync::Arc;

use insonate_continuum::lumen::{MeshLumen, TPhantom};
use insonate_continuum::{Actuation, Lumen, RodConfig, Simulation, StepSettings, TableRow};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// Inserts a rod by 0.24 m; the tip's place and the deepest that it was in a wall [m].
fn inserted(row: TableRow, lumen: Arc<dyn Lumen>, tension: f64) -> (Vector3<f64>, f64) {
    let down = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2);
    // A little off the middle, so that the rod has a side to turn to.
    let base = Isometry3::from_parts(Translation3::new(0.001, 0.0005, -0.005), down);
    let mut actuation = Actuation::held(base, 0.13);
    let config = RodConfig::table(row, 94);
    let settings = StepSettings::default();
    let mut simulation =
        Simulation::new(config, settings, Some(lumen), &actuation).expect("it is in the stem");
    actuation.tensions[0] = tension;
    let (mut deepest, mut residual) = (0.0_f64, 0.0_f64);
    while actuation.inserted_length < 0.24 {
        actuation.inserted_length += 5e-4;
        let report = simulation.step(&actuation).expect("it does not fold");
        deepest = deepest.max(report.max_penetration);
        residual = residual.max(report.kkt_residual);
    }
    let tip = simulation.state().world_from_tip().translation.vector;
    assert!(residual <= 1e-8, "{residual}");
    (tip, deepest)
}

#[test]
fn rods_turn_into_an_arm_of_the_t() {
    let network = Arc::new(
        TPhantom::default()
            .network()
            .expect("its sizes are in range"),
    );
    for (row, tension) in [(TableRow::A, 0.0), (TableRow::B, 0.0), (TableRow::C, 1.5)] {
        let (tip, deepest) = inserted(row, network.clone(), tension);
        println!("{row:?}: tip {:?}, deepest {deepest:.1e} m", tip.as_slice());
        assert!(tip.x.abs() > 0.08, "{tip}");
        assert!(deepest <= 1e-5, "{deepest}");
    }
}

#[test]
fn a_mesh_leads_a_rod_as_the_field_does_of_which_it_was_made() {
    let network = TPhantom::default()
        .network()
        .expect("its sizes are in range");
    let mesh = network.mesh(0.002).expect("its cells are in range");
    let mesh = Arc::new(MeshLumen::new(mesh).expect("it is closed"));
    let (on_mesh, deepest) = inserted(TableRow::A, mesh, 0.0);
    let (on_field, _) = inserted(TableRow::A, Arc::new(network), 0.0);
    let apart = (on_mesh - on_field).norm();
    println!("mesh: {apart:.1e} m from the field, deepest {deepest:.1e} m");
    assert!(apart < 2e-3, "{on_mesh} {on_field}");
    assert!(deepest <= 1e-5, "{deepest}");
}

#[test]
fn a_rod_pushed_straight_onto_the_wall_of_the_t_gives_way() {
    let network = TPhantom::default()
        .network()
        .expect("its sizes are in range");
    let down = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2);
    let base = Isometry3::from_parts(Translation3::new(0.0, 0.0, -0.005), down);
    let mut actuation = Actuation::held(base, 0.13);
    let config = RodConfig::table(TableRow::A, 94);
    let mut simulation = Simulation::new(
        config,
        StepSettings::default(),
        Some(Arc::new(network)),
        &actuation,
    )
    .expect("it is in the stem");
    let (mut force, mut deepest) = (0.0_f64, 0.0_f64);
    while actuation.inserted_length < 0.24 {
        actuation.inserted_length += 1e-3;
        let report = simulation.step(&actuation).expect("it does not fold");
        force = force.max(report.peak_contact_force());
        deepest = deepest.max(report.max_penetration);
    }
    println!("at most {force:.0} N, deepest {deepest:.1e} m");
    // It buckles: staying straight it would be compressed by up to 1500 N.
    assert!(force < 800.0, "{force}");
    assert!(deepest <= 1e-5, "{deepest}");
}
