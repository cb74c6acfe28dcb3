//! Contract: a filtered wrench is the first-order response to the raw one, for any division of time into steps.

use insonate_tissue::tool::{Wrench, WrenchFilter};
use nalgebra::Vector3;

fn newtons(z: f64) -> Wrench {
    Wrench {
        force: Vector3::new(0.0, 0.0, z),
        torque: Vector3::new(0.1 * z, 0.0, 0.0),
    }
}

#[test]
fn a_sudden_force_is_neared_as_the_exponential_however_time_is_cut() {
    let cutoff = 20.0;
    for n_steps in [1, 3, 1000] {
        let mut filter = WrenchFilter::new(cutoff).expect("the frequency is possible");
        filter.update(newtons(0.0), 0.001);
        let mut seen = Wrench::default();
        for _ in 0..n_steps {
            seen = filter.update(newtons(5.0), 0.01 / f64::from(n_steps));
        }
        let due = 5.0 * (1.0 - (-std::f64::consts::TAU * cutoff * 0.01).exp());
        assert!(
            (seen.force.z - due).abs() < 1e-12,
            "{} N after {n_steps} steps, {due} N is due",
            seen.force.z
        );
        assert!((seen.torque.x - 0.1 * due).abs() < 1e-12);
    }
}

#[test]
fn at_its_frequency_a_swing_is_cut_to_the_root_of_a_half() {
    let (cutoff, time) = (10.0, 1e-5);
    let mut filter = WrenchFilter::new(cutoff).expect("the frequency is possible");
    let mut most = 0.0_f64;
    for step in 0..100_000 {
        let phase = std::f64::consts::TAU * cutoff * f64::from(step) * time;
        let seen = filter.update(newtons(phase.sin()), time).force.z;
        if step > 50_000 {
            most = most.max(seen.abs());
        }
    }
    // Steps of a ten-thousandth of a period.
    assert!((most - 0.5_f64.sqrt()).abs() < 1e-3, "{most} comes through");
}

#[test]
fn it_begins_with_the_first_wrench_and_again_after_a_reset() {
    let mut filter = WrenchFilter::new(1.0).expect("the frequency is possible");
    assert_eq!(filter.update(newtons(3.0), 0.002), newtons(3.0));
    filter.reset();
    assert_eq!(filter.update(newtons(-2.0), 0.002), newtons(-2.0));
}

#[test]
fn invalid_frequencies_are_refused() {
    for cutoff in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = WrenchFilter::new(cutoff).expect_err("it cannot be");
        assert!(error.to_string().contains("filter.cutoff"), "{error}");
    }
}
