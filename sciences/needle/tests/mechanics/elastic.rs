//! An elastic solid: displaced targets, drag, puncture, and independence of the resolution.

use std::f64::consts::PI;

use insonate_needle::{Layer, NeedleConfig};
use nalgebra::Vector3;

use crate::bodies::{Insertion, Solid, assert_near, needle_18g};

/// Shear modulus [Pa] of incompressible tissue of 10 kPa.
const SHEAR: f64 = 1e4 / 3.0;

#[test]
fn friction_drags_the_tissue_around_the_shaft() {
    let friction = 10.0;
    let layers = vec![Layer::soft("liver", 0.0, friction)];
    let mut insertion = Insertion::new(needle_18g(0.15), layers, 1e-3, Solid::new(SHEAR, 1.5e-3));
    insertion.to(0.048);
    // After a retraction the whole shaft slips.
    let report = insertion.to(0.04);
    let length = report.inserted_length;
    assert!(length > 0.04, "the tissue at the skin is pulled out");
    assert_near(report.axial_force, -friction * length, 0.02);
    // Kelvin's solution, integrated over a uniform force on a line, at the height of its middle.
    for r in [0.005_f64, 0.01, 0.02] {
        let half = 0.5 * length;
        let root = (r * r + half * half).sqrt();
        let expected = friction / (8.0 * PI * SHEAR) * (4.0 * (half / r).asinh() - length / root);
        let moved = insertion.body.displacement(Vector3::new(0.0, r, half));
        assert_near(moved.z, -expected, 0.05);
    }
}

#[test]
fn stiffness_does_not_depend_on_the_resolution() {
    let stiffness = [4.4e-3, 2.2e-3, 1.1e-3].map(|spread| {
        let config = NeedleConfig {
            young_modulus: 1e12,
            ..needle_18g(0.06)
        };
        let layers = vec![Layer::soft("liver", 0.0, 10.0)];
        let mut insertion = Insertion::new(config, layers, 0.55e-3, Solid::new(SHEAR, spread));
        let start = insertion.to(0.04).axial_force;
        let back = insertion.to(0.0395).axial_force;
        let lateral = insertion.try_to(0.2e-3, 0.0395).unwrap().force_on_base.x;
        [(start - back) / 0.5e-3, -lateral / 0.2e-3]
    });
    for other in &stiffness[..2] {
        assert_near(other[0], stiffness[2][0], 0.05);
        assert_near(other[1], stiffness[2][1], 0.05);
    }
}

#[test]
fn a_puncture_releases_the_tissue_to_its_balance() {
    let (puncture, toughness, shear) = (0.2, 40.0, 1e4);
    let layer = Layer {
        puncture_force: puncture,
        ..Layer::soft("capsule", toughness, 0.0)
    };
    let mut insertion =
        Insertion::new(needle_18g(0.15), vec![layer], 1e-3, Solid::new(shear, 2e-3));
    let target = Vector3::new(0.0, 0.0, 0.02);
    let (mut peak, mut pressed, mut released) = (0.0, 0.0, f64::INFINITY);
    for i in 1..=200 {
        let report = insertion.to(f64::from(i) * 5e-5);
        let moved = insertion.body.displacement(target).z;
        if report.n_punctures == 0 {
            // Kelvin: F / (4 π G r) ahead of the force.
            let expected = report.tip_force / (4.0 * PI * shear * target.z);
            if report.tip_force > 0.0 {
                assert_near(moved, expected, 0.05);
            }
            (peak, pressed) = (report.tip_force, moved);
        } else {
            assert_near(report.tip_force, toughness * 1.270e-3, 0.02);
            released = f64::min(released, moved / report.tip_force);
        }
    }
    assert!(peak > 0.9 * puncture && peak <= puncture, "{peak}");
    assert!(pressed > 0.0 && released.is_finite());
    // It falls back to what the force of cutting holds, and not further: F / (4 π G r), with r from skin to target.
    assert!(
        released > 0.95 / (4.0 * PI * shear * target.z),
        "{released}"
    );
}
