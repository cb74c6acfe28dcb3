//! The beam itself.

use insonate_needle::{Gauge, NeedleConfig};

use crate::bodies::{assert_near, needle_18g};

#[test]
fn a_cantilever_bends_as_in_beam_theory() {
    let needle = needle_18g(0.1);
    let stiffness = needle.bending_stiffness();
    assert_near(
        needle.deflection(0.1, 0.1),
        0.1_f64.powi(3) / (3.0 * stiffness),
        1e-12,
    );
    assert_near(
        needle.slope(0.1, 0.1),
        0.1_f64.powi(2) / (2.0 * stiffness),
        1e-12,
    );
    // Maxwell and Betti: exchanging the places changes nothing.
    assert_near(
        needle.deflection(0.03, 0.08),
        needle.deflection(0.08, 0.03),
        1e-12,
    );
    for at in [0.02, 0.05, 0.09] {
        let step = 1e-6;
        let slope = (needle.deflection(at + step, 0.06) - needle.deflection(at - step, 0.06))
            / (2.0 * step);
        assert_near(needle.slope(at, 0.06), slope, 1e-6);
    }
}

#[test]
fn a_stylet_makes_the_tube_a_solid_rod() {
    let tube = needle_18g(0.1);
    let filled = NeedleConfig {
        has_stylet: true,
        ..tube
    };
    let solid = NeedleConfig {
        inner_diameter: 0.0,
        ..tube
    };
    assert_eq!(filled.bending_stiffness(), solid.bending_stiffness());
    assert!(tube.bending_stiffness() < filled.bending_stiffness());
}

#[test]
fn a_clamped_and_pinned_needle_buckles_at_its_effective_length() {
    // Effective length 0.699 L.
    let needle = needle_18g(0.15);
    let euler = (std::f64::consts::PI / (0.699 * 0.15)).powi(2) * needle.bending_stiffness();
    assert_near(needle.buckling_load(0.15), euler, 2e-3);
}

#[test]
fn gauges_are_found_by_number() {
    for gauge in Gauge::ALL {
        assert_eq!(Gauge::from_number(gauge.number()), Ok(gauge));
        let [outer, inner] = gauge.diameters();
        assert!(outer > inner && inner > 0.0);
    }
    let error = Gauge::from_number(19).unwrap_err().to_string();
    assert!(error.contains("gauge is 19"), "{error}");
}
