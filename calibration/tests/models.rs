//! Models recover the truth of noise-free samples to rounding, and of noisy samples within their intervals.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_calibration::{Air, Contact, FitOptions, Samples, models};

const RATE: f64 = 500.0;

/// Three seconds of a press that never leaves the tissue: two tones, so that indentation and velocity are independent.
fn samples(force: impl Fn(f64, f64) -> f64) -> Samples {
    let time: Vec<f64> = (0..1500).map(|i| f64::from(i) / RATE).collect();
    let indentation: Vec<f64> = time
        .iter()
        .map(|t| 6e-3 - 4e-3 * (6.0 * t).cos() + 1e-3 * (15.0 * t).sin())
        .collect();
    let velocity: Vec<f64> = time
        .iter()
        .map(|t| 24e-3 * (6.0 * t).sin() + 15e-3 * (15.0 * t).cos())
        .collect();
    let force = indentation
        .iter()
        .zip(&velocity)
        .map(|(&r, &v)| force(r, v))
        .collect();
    Samples {
        log: "test".into(),
        time,
        indentation,
        velocity,
        force,
        velocity_noise: 0.0,
        contact: Contact {
            known: true,
            standard_error: 0.0,
        },
        bias_standard_error: 0.0,
        air: Air::default(),
        sampling_interval: 1.0 / RATE,
    }
}

fn check(model: &str, samples: &Samples, options: &FitOptions, truth: &[(&str, f64)]) {
    let fit = (models::by_name(model).unwrap().fit)(samples, options).unwrap();
    for (name, expected) in truth {
        let parameter = fit.parameter(name).unwrap();
        let error = (parameter.value - expected).abs() / expected.abs();
        assert!(error < 1e-6, "{model} {name}: {parameter:?} for {expected}");
        assert!(parameter.identifiable, "{parameter:?}");
    }
}

#[test]
fn kelvin_voigt_is_exact_without_noise() {
    let samples = samples(|r, v| 1400.0 * r + 25.0 * v);
    let truth = [("stiffness", 1400.0), ("damping", 25.0)];
    check("kelvin-voigt", &samples, &FitOptions::default(), &truth);
    check("divided", &samples, &FitOptions::default(), &truth);
}
