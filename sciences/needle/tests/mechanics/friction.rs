//! Friction along the shaft. Per length of shaft, the tissue holds f and gives way by f / k before it slips.

use insonate_needle::Layer;

use crate::bodies::{Foundation, Insertion, assert_near, needle_18g};

/// Friction [N/m], axial stiffness [N/m²], and the motion before slip [m].
const FRICTION: f64 = 10.0;
const AXIAL: f64 = 4800.0;
const SLIP: f64 = FRICTION / AXIAL;

fn insertion(toughness: f64) -> Insertion<Foundation> {
    let layers = vec![Layer::soft("liver", toughness, FRICTION)];
    Insertion::new(
        needle_18g(0.15),
        layers,
        0.5e-3,
        Foundation::new(1e6, AXIAL),
    )
}

#[test]
fn the_force_grows_by_the_friction_per_length() {
    let mut insertion = insertion(0.0);
    let force = insertion.to(0.04).axial_force;
    // The tissue at the tip has not slipped by SLIP yet.
    assert_near(force, FRICTION * (0.04 - 0.5 * SLIP), 0.01);
    let report = insertion.to(0.06);
    assert_near(report.axial_force - force, FRICTION * 0.02, 0.02);
    assert_near(report.inserted_length, 0.06, 1e-9);
    assert_near(report.friction[0], report.axial_force, 1e-9);
}

#[test]
fn reversal_takes_twice_the_motion_before_slip() {
    let mut insertion = insertion(0.0);
    let start = insertion.to(0.06).axial_force;
    let stuck = insertion.to(0.059).axial_force;
    assert_near(start - stuck, AXIAL * 0.06 * 1e-3, 0.02);
    let before = insertion.to(0.06 - 1.9 * SLIP).axial_force;
    let length = 0.06 - 3.0 * SLIP;
    let after = insertion.to(length).axial_force;
    assert!(before > after);
    assert_near(after, -FRICTION * length, 0.02);
    assert_near(insertion.to(0.03).axial_force, -FRICTION * 0.03, 0.02);
}

#[test]
fn a_needle_that_stops_keeps_its_force() {
    let mut insertion = insertion(0.0);
    let force = insertion.to(0.03).axial_force;
    for _ in 0..5 {
        assert_near(insertion.to(0.03).axial_force, force, 1e-9);
    }
    let again = insertion.to(0.035).axial_force;
    assert_near(again - force, FRICTION * 5e-3, 0.02);
}

#[test]
fn a_second_insertion_saves_the_force_of_cutting() {
    let toughness = 164.0;
    let mut insertion = insertion(toughness);
    let depths: Vec<f64> = (1..=8).map(|i| 5e-3 * f64::from(i)).collect();
    let first: Vec<f64> = depths
        .iter()
        .map(|depth| insertion.to(*depth).axial_force)
        .collect();
    let out = insertion.to(-2e-3);
    assert!(
        out.axial_force.abs() < 1e-9 && out.inserted_length == 0.0,
        "{out:?}"
    );
    let cut = out.cut_length;
    for (depth, first) in depths.iter().zip(first).take(7) {
        let second = insertion.to(*depth);
        assert_near(first - second.axial_force, toughness * 1.270e-3, 0.03);
        assert_eq!(second.cut_length, cut);
    }
    // At the end of the channel the tip cuts again.
    let deeper = insertion.to(0.042);
    assert!(deeper.cut_length > cut);
    assert_near(deeper.tip_force, toughness * 1.270e-3, 1e-6);
}

#[test]
fn the_work_of_an_insertion_and_withdrawal_is_that_of_crack_and_friction() {
    let (toughness, depth, step) = (164.0, 0.05_f64, 0.25e-3_f64);
    let mut insertion = insertion(toughness);
    let mut work = 0.0;
    let mut last = [0.0, 0.0];
    let n = (depth / step).round() as i32;
    for i in (1..=n).chain((-4..n).rev()) {
        let tip = f64::from(i) * step;
        let force = insertion.to(tip).axial_force;
        work += 0.5 * (force + last[1]) * (tip - last[0]);
        last = [tip, force];
    }
    // Each piece of the channel at x from its end slips by x − SLIP, is reversed over 2 SLIP, and slips back by x − 2 SLIP; the springs
    // of its last SLIP are released at the tip. Integrated over x.
    let friction = FRICTION * (depth * depth - 2.5 * SLIP * depth + 5.0 / 3.0 * SLIP * SLIP);
    assert_near(work, toughness * 1.270e-3 * depth + friction, 0.03);
}

#[test]
fn coulomb_friction_grows_with_the_lateral_force() {
    let layer = Layer {
        friction_coefficient: 0.3,
        ..Layer::soft("muscle", 0.0, FRICTION)
    };
    let mut insertion = Insertion::new(
        needle_18g(0.15),
        vec![layer],
        0.5e-3,
        Foundation::new(1e4, 1e7),
    );
    let straight = insertion.to(0.04).axial_force;
    assert_near(straight, FRICTION * 0.04, 0.01);
    insertion.try_to(4e-3, 0.04).unwrap();
    let report = insertion.try_to(4e-3, 0.0405).unwrap();
    assert!(report.lateral_force > 0.05);
    assert_near(
        report.axial_force,
        FRICTION * 0.0405 + 0.3 * report.lateral_force,
        0.02,
    );
}
