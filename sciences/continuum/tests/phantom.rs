//! Contract: the paper's rods move through the 'T' phantom, as a field and as a mesh, and stay within its
//! walls.

use std::sync::Arc;

use insonate_continuum::lumen::{MeshLumen, TPhantom};
use insonate_continuum::{Actuation, Lumen, RodConfig, Simulation, StepSettings, TableRow};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// A rod that has been inserted.
struct Inserted {
    tip: Vector3<f64>,
    /// Greatest penetration of a wall [m].
    deepest: f64,
    /// Work of the introducer, the sum of force times advance [J].
    work: f64,
}

/// Inserts a rod by 0.24 m.
fn inserted(row: TableRow, lumen: Arc<dyn Lumen>, tension: f64, friction: f64) -> Inserted {
    let down = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2);
    // Slightly off the centre, so that the rod has a preferred side.
    let base = Isometry3::from_parts(Translation3::new(0.001, 0.0005, -0.005), down);
    let mut actuation = Actuation::held(base, 0.13);
    let config = RodConfig::table(row, 94);
    let settings = StepSettings {
        friction,
        ..StepSettings::default()
    };
    let mut simulation =
        Simulation::new(config, settings, Some(lumen), &actuation).expect("it is in the stem");
    actuation.tensions[0] = tension;
    let (mut deepest, mut residual, mut work) = (0.0_f64, 0.0_f64, 0.0);
    while actuation.inserted_length < 0.24 {
        actuation.inserted_length += 5e-4;
        let report = simulation.step(&actuation).expect("it does not fold");
        deepest = deepest.max(report.max_penetration);
        residual = residual.max(report.kkt_residual);
        work -= 5e-4 * report.base_wrench.force.z;
        for contact in &report.contacts {
            // Planes of one curved wall are merged to one contact, so normals do not sum exactly; friction bounds are
            // those of the previous update.
            let most = 1.1 * friction * contact.normal_force + 1e-4;
            assert!(contact.friction.norm() <= most, "{contact:?}");
        }
    }
    let tip = simulation.state().world_from_tip().translation.vector;
    assert!(residual <= 1e-8, "{residual}");
    Inserted { tip, deepest, work }
}

#[test]
fn rods_turn_into_an_arm_of_the_t() {
    let network = Arc::new(
        TPhantom::default()
            .network()
            .expect("its sizes are in range"),
    );
    let rows = [TableRow::A, TableRow::B, TableRow::C, TableRow::D];
    for (row, tension) in rows.into_iter().zip([0.0, 0.0, 1.5, 2.5]) {
        let Inserted { tip, deepest, .. } = inserted(row, network.clone(), tension, 0.0);
        println!("{row:?}: tip {:?}, deepest {deepest:.1e} m", tip.as_slice());
        assert!(tip.x.abs() > 0.08, "{tip}");
        assert!(deepest <= 1e-5, "{deepest}");
    }
}

#[test]
fn a_mesh_guides_a_rod_like_its_field() {
    let network = TPhantom::default()
        .network()
        .expect("its sizes are in range");
    let mesh = network.mesh(0.002).expect("its cells are in range");
    let mesh = Arc::new(MeshLumen::new(mesh).expect("it is closed"));
    let on_mesh = inserted(TableRow::A, mesh, 0.0, 0.0);
    let on_field = inserted(TableRow::A, Arc::new(network), 0.0, 0.0);
    let apart = (on_mesh.tip - on_field.tip).norm();
    let deepest = on_mesh.deepest;
    println!("mesh: {apart:.1e} m from the field, deepest {deepest:.1e} m");
    assert!(apart < 2e-3, "{} {}", on_mesh.tip, on_field.tip);
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
    // It buckles: without buckling it would be compressed by up to 1500 N.
    assert!(force < 800.0, "{force}");
    assert!(deepest <= 1e-5, "{deepest}");
}

#[test]
fn friction_in_the_t_costs_work() {
    let network = Arc::new(
        TPhantom::default()
            .network()
            .expect("its sizes are in range"),
    );
    let [free, rough] =
        [0.0, 0.2].map(|friction| inserted(TableRow::A, network.clone(), 0.0, friction));
    println!(
        "work {:.4} J, with friction {:.4} J, deepest {:.1e} m",
        free.work, rough.work, rough.deepest
    );
    assert!(rough.work > 1.1 * free.work, "{} {}", rough.work, free.work);
    assert!(rough.deepest <= 1e-5, "{}", rough.deepest);
    assert!(rough.tip.x.abs() > 0.08, "{}", rough.tip);
}
