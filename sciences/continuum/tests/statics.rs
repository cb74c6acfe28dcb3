//! Contract: the rod bends, buckles and moves according to beam theory.

use insonate_continuum::{
    Actuation, Equilibrium, RodConfig, Section, Simulation, StepReport, StepSettings, StopReason,
};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

const YOUNG: f64 = 5.1e8;
const AREA: f64 = 5.551e-6;
const INERTIA: f64 = 5.041e-12;
const LENGTH: f64 = 0.1;

fn converged(length: f64) -> StepSettings {
    StepSettings {
        equilibrium: Equilibrium::Converged { tolerance: 1e-8 },
        max_displacement: 0.1 * length,
        max_iterations: 500,
        ..StepSettings::default()
    }
}

fn cantilever(n_elements: usize) -> RodConfig {
    RodConfig::uniform(
        LENGTH,
        n_elements,
        Section::tube(YOUNG, AREA, INERTIA, 1010.0),
    )
}

fn solve(config: RodConfig, actuation: &Actuation) -> (Simulation, StepReport) {
    let settings = converged(config.length());
    let start = Actuation::held(actuation.world_from_base, actuation.inserted_length);
    let mut simulation = Simulation::new(config, settings, None, &start).expect("it is a rod");
    let report = simulation.step(actuation).expect("inputs are in range");
    assert_eq!(report.stop_reason, StopReason::Done, "{report:?}");
    assert!(report.kkt_residual <= 1e-8, "{}", report.kkt_residual);
    (simulation, report)
}

/// Tip deflection and shortening relative to the length, and tip angle, of a cantilever under P L² / E I = alpha.
fn elastica(alpha: f64, n_elements: usize) -> [f64; 3] {
    let mut actuation = Actuation::held(Isometry3::identity(), LENGTH);
    actuation.tip_force.y = alpha * YOUNG * INERTIA / LENGTH.powi(2);
    let (simulation, _) = solve(cantilever(n_elements), &actuation);
    let tip = simulation.state().world_from_tip();
    let angle = tip.rotation.scaled_axis().z;
    [
        tip.translation.y / LENGTH,
        1.0 - tip.translation.x / LENGTH,
        angle,
    ]
}

#[test]
fn a_loaded_tip_follows_the_elastica() {
    // Elliptic integrals of the inextensible cantilever: w/L, u/L, tip angle [rad].
    let table = [
        (1.0, [0.3017207738, 0.0564332363, 0.4613519497]),
        (2.0, [0.4934574804, 0.1606417208, 0.7817498316]),
        (3.0, [0.6032534411, 0.2544201846, 0.9860169467]),
        (5.0, [0.7137915236, 0.3876283607, 1.2153681176]),
        (10.0, [0.8106090249, 0.5549955978, 1.4302855388]),
    ];
    for (alpha, exact) in table {
        let found = elastica(alpha, 50);
        for (found, exact) in found.iter().zip(&exact) {
            let error = (found - exact).abs() / exact;
            println!("elastica {alpha}: {found:.6} {exact:.6} {error:.2e}");
            assert!(error < 1e-3, "alpha {alpha}: {found} is not {exact}");
        }
    }
}

#[test]
fn errors_fall_with_the_square_of_the_elements_length() {
    let fine = elastica(10.0, 160)[0];
    let errors = [10, 20, 40].map(|n| (elastica(10.0, n)[0] - fine).abs());
    println!("{errors:?}");
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        println!("order {order}");
        assert!(order > 1.8, "order {order}: {errors:?}");
    }
}

#[test]
fn a_moment_rolls_the_rod_into_a_circle() {
    let mut actuation = Actuation::held(Isometry3::identity(), LENGTH);
    actuation.tip_moment.z = std::f64::consts::TAU * YOUNG * INERTIA / LENGTH;
    let (simulation, _) = solve(cantilever(50), &actuation);
    let gap = simulation
        .state()
        .world_from_tip()
        .translation
        .vector
        .norm();
    println!("closure {:.2e} L", gap / LENGTH);
    assert!(gap < 1e-3 * LENGTH, "{gap}");
}

#[test]
fn a_bend_of_45_degrees_is_pulled_out_of_its_plane() {
    let section = Section {
        young_modulus: 1e7,
        shear_modulus: 0.5e7,
        density: 0.0,
        area: 1.0,
        inertia_y: 1.0 / 12.0,
        inertia_z: 1.0 / 12.0,
        torsion_constant: 1.0 / 6.0,
        radius: 0.5,
        rest_curvature: Vector3::new(0.0, 0.0, -0.01),
    };
    // Converged solutions of the equations of Simo and Reissner, in which the arc starts along y and bends towards x.
    let table = [
        (300.0, [22.24468, 58.77890, 40.19239]),
        (450.0, [18.50806, 52.23826, 48.50349]),
        (600.0, [15.68469, 47.15010, 53.47548]),
    ];
    let length = 100.0 * std::f64::consts::FRAC_PI_4;
    let config = RodConfig::uniform(length, 32, section);
    let base = Isometry3::from_parts(
        Translation3::identity(),
        UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2),
    );
    for (force, exact) in table {
        let mut actuation = Actuation::held(base, length);
        actuation.tip_force.z = force;
        let (simulation, _) = solve(config.clone(), &actuation);
        let tip = simulation.state().world_from_tip().translation.vector;
        let error = (tip - Vector3::from(exact)).norm() / Vector3::from(exact).norm();
        println!("bend {force}: {:?} {error:.2e}", tip.as_slice());
        assert!(error < 5e-3, "{tip} is not {exact:?}");
    }
}

#[test]
fn a_pinned_strut_buckles_at_eulers_load() {
    let mut config = cantilever(20);
    config.held_base = [true, true, true, true, true, false];
    config.held_tip = [false, true, true, true, true, false];
    let euler = (std::f64::consts::PI / LENGTH).powi(2) * YOUNG * INERTIA;
    // A small weight tips the strut over if it can buckle.
    config.gravity.y = 1e-4 * euler / (1010.0 * AREA * LENGTH);
    let deflection = |share: f64| {
        let settings = converged(LENGTH);
        let mut actuation = Actuation::held(Isometry3::identity(), LENGTH);
        let mut simulation = Simulation::new(config.clone(), settings, None, &actuation).unwrap();
        actuation.tip_force.x = -share * euler;
        let report = simulation.step(&actuation).unwrap();
        assert_eq!(report.stop_reason, StopReason::Done, "{report:?}");
        simulation.state().position_at(0.5 * LENGTH).y.abs() / LENGTH
    };
    let (below, above) = (deflection(0.99), deflection(1.01));
    println!("buckling: {below} {above}");
    assert!(below < 0.01, "{below}");
    assert!(above > 0.05, "{above}");
}

#[test]
fn a_rigid_motion_of_everything_changes_no_force() {
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(1.2, -0.7, 2.0));
    let bent = |base: Isometry3<f64>| {
        let mut config = cantilever(20);
        config.gravity = base.rotation * Vector3::new(0.0, -9.81, 0.0);
        let mut actuation = Actuation::held(base, LENGTH);
        actuation.tip_force = base.rotation * Vector3::new(-0.2, 0.6, 0.3);
        actuation.tensions = [0.4, 0.0, 0.1];
        let (simulation, report) = solve(config, &actuation);
        let tip = base.inverse() * simulation.state().world_from_tip();
        let moment = base.rotation.inverse() * report.base_wrench.moment;
        (tip.translation.vector, moment, simulation.elastic_energy())
    };
    let still = bent(Isometry3::identity());
    let moved = bent(Isometry3::from_parts(
        Translation3::new(0.3, -2.0, 1.0),
        turn,
    ));
    assert!(
        (still.0 - moved.0).norm() < 1e-7 * LENGTH,
        "{still:?} {moved:?}"
    );
    assert!(
        (still.1 - moved.1).norm() < 1e-7 * still.1.norm(),
        "{still:?} {moved:?}"
    );
    assert!((still.2 - moved.2).abs() < 1e-7 * still.2);
}

#[test]
fn a_guided_cable_bends_to_an_arc_of_moment_tension_times_offset() {
    let config = cantilever(50);
    let mut actuation = Actuation::held(Isometry3::identity(), LENGTH);
    actuation.tensions[0] = 0.5;
    let curvature = 0.5 * config.cables.offset / (YOUNG * INERTIA);
    let (simulation, report) = solve(config, &actuation);
    let angle = simulation.state().world_from_tip().rotation.scaled_axis().z;
    println!("cable angle {angle} {}", curvature * LENGTH);
    assert!((angle - curvature * LENGTH).abs() < 0.01 * curvature * LENGTH);
    // All forces of a cable balance within the rod.
    assert!(report.base_wrench.force.norm() < 1e-6);
}

#[test]
fn a_cable_fixed_at_the_tip_acts_as_a_force_along_the_tip_and_its_moment() {
    let mut config = cantilever(50);
    config.cables.routing = insonate_continuum::Routing::AtTip;
    let offset = config.cables.offset;
    let mut actuation = Actuation::held(Isometry3::identity(), LENGTH);
    actuation.tensions[0] = 0.1;
    let (simulation, report) = solve(config, &actuation);
    let tip = simulation.state().world_from_tip();
    // Reaction of the introducer: minus T e_x and its moment about the base.
    let force = tip.rotation * Vector3::x() * -0.1;
    let arm = tip.translation.vector + tip.rotation * Vector3::y() * offset;
    assert!((report.base_wrench.force + force).norm() < 1e-6);
    assert!((report.base_wrench.moment + arm.cross(&force)).norm() < 1e-8);
    assert!(tip.translation.y > 1e-4);
}
