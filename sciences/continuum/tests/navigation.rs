//! Contract: a scope is pushed, rotated and bent within its limits, and a controller brings its tip to airways without
//! entering their walls.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::sync::Arc;

use insonate_continuum::lumen::{AirwayDepth, bronchial_tree};
use insonate_continuum::navigation::{Follower, Scope, ScopeMotion};
use insonate_continuum::{RodConfig, StepSettings, TableRow};
use nalgebra::{Isometry3, UnitQuaternion, Vector2, Vector3};

fn scope() -> Scope {
    let down = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2);
    Scope::new(
        RodConfig::table(TableRow::C, 47),
        StepSettings::default(),
        Arc::new(bronchial_tree(AirwayDepth::Segmental).unwrap()),
        Isometry3::from_parts(Vector3::zeros().into(), down),
        0.05,
        15.0,
    )
    .unwrap()
}

fn motion(advance: f64, roll: f64, pull: [f64; 2]) -> ScopeMotion {
    ScopeMotion {
        advance,
        roll,
        pull: pull.into(),
    }
}

#[test]
fn a_pull_uses_two_cables_and_bends_towards_itself() {
    let mut scope = scope();
    for (pull, axis) in [([0.3, 0.0], Vector3::y()), ([-0.3, 0.3], Vector3::z())] {
        let before = scope.state().world_from_tip();
        scope.step(&motion(0.0, 0.0, pull)).unwrap();
        let angles = RodConfig::table(TableRow::C, 47).cables.angles;
        let tensions = scope.tensions();
        let net: Vector2<f64> = tensions
            .iter()
            .zip(angles)
            .map(|(tension, angle)| Vector2::new(angle.cos(), angle.sin()) * *tension)
            .sum();
        assert!((net - scope.pull()).norm() < 1e-12);
        assert!(tensions.iter().all(|&tension| tension >= 0.0));
        assert!(tensions.contains(&0.0));
        let moved = before.inverse_transform_vector(
            &(scope.state().world_from_tip().translation.vector - before.translation.vector),
        );
        assert!(moved.dot(&axis) > 1e-5, "{moved:?}");
    }
}

#[test]
fn the_handle_stays_within_its_limits() {
    let mut scope = scope();
    for _ in 0..5 {
        scope.step(&motion(-0.05, 0.5, [9.0, 9.0])).unwrap();
    }
    assert!((scope.pull().norm() - 15.0).abs() < 1e-9 && (scope.roll() - 2.5).abs() < 1e-12);
    assert_eq!(scope.inserted_length(), 0.47 / 47.0);
    // The part that is not inserted is straight behind the mouth, with equidistant points.
    let points = scope.points(95);
    // The rod itself follows its handle step by step.
    let outside = 0.47 - scope.state().inserted_length;
    assert!(
        (points[0] - Vector3::z() * outside).norm() < 1e-9,
        "{:?}",
        points[0]
    );
    let wrong = motion(f64::NAN, 0.0, [0.0; 2]);
    assert!(scope.step(&wrong).is_err());
    assert!(scope.step(&motion(0.0, 0.0, [f64::NAN, 0.0])).is_err());
}

#[test]
fn the_follower_reaches_airways_on_both_sides_without_entering_walls() {
    let airways = bronchial_tree(AirwayDepth::Segmental).unwrap();
    let follower = Follower {
        ahead: 12e-3,
        gain: 2.0,
        max_pull_change: 0.75,
        max_advance: 2e-3,
    };
    for name in ["RB1", "RB8", "LB6", "LB3"] {
        let branch = airways.branches().iter().position(|b| b.name == name);
        let line = airways.centre_line(branch.unwrap());
        let target = line.at(f64::INFINITY);
        let mut scope = scope();
        let mut peak_force: f64 = 0.0;
        let reached = (0..200).any(|_| {
            let motion = follower.motion(&scope, &line);
            let report = scope.step(&motion).unwrap();
            peak_force = peak_force.max(report.peak_contact_force());
            assert!(report.max_penetration < 2e-5, "{name}: {report:?}");
            let tip = scope.state().world_from_tip().translation.vector;
            (tip - target).norm() < 3e-3
        });
        assert!(
            reached && peak_force < 2.0,
            "{name}: {reached} {peak_force} N"
        );
    }
}
