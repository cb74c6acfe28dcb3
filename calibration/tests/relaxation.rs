//! Laws with relaxation recover the truth from a ramp and a hold, with intervals that cover it, and refuse
//! undetermined cases.
//!
//! The reference forces are closed forms and quadratures of the hereditary integral; with (vt)^n for the ramp:
//!
//! * exponential, n = 1: q = v τ (1 − e^{−t/τ}), and q decays in the hold;
//! * power of time, n = 1: k v (t^{1−α} − (t − t₁)₊^{1−α})/(1 − α);
//! * power of time, n = 3/2: κ 3/2 v^{3/2} t^{3/2−α} B(3/2, 1 − α) I_{t₁/t}(3/2, 1 − α), B and I being Euler's beta functions.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_calibration::{
    CalibrationError, ContactPoint, Fit, FitOptions, Indenter, Samples, models,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use statrs::function::beta::{beta, beta_reg};

const RATE: f64 = 500.0;
/// Speed of the ramp [m/s], its end and the end of the hold [s].
const SPEED: f64 = 10e-3;
const TURN: f64 = 0.8;
const END: f64 = 6.0;

fn samples(force: impl Fn(f64) -> f64) -> Samples {
    let n = (END * RATE) as usize;
    let time: Vec<f64> = (1..=n).map(|i| i as f64 / RATE).collect();
    Samples {
        log: "test".into(),
        indentation: time.iter().map(|t| SPEED * t.min(TURN)).collect(),
        velocity: time
            .iter()
            .map(|&t| if t < TURN { SPEED } else { 0.0 })
            .collect(),
        force: time.iter().map(|&t| force(t)).collect(),
        time,
        contact: ContactPoint::KNOWN,
        sampling_interval: 1.0 / RATE,
        ..Samples::default()
    }
}

/// Selects some of the samples.
fn picked(samples: &Samples, rows: &[usize]) -> Samples {
    let pick = |values: &[f64]| rows.iter().map(|&row| values[row]).collect();
    Samples {
        time: pick(&samples.time),
        indentation: pick(&samples.indentation),
        velocity: pick(&samples.velocity),
        force: pick(&samples.force),
        ..samples.clone()
    }
}

/// ∫ e^{−(t−s)/τ} d(s^{3/2}) over the ramp, with s = u² by Simpson's rule.
fn branch_of_sphere(t: f64, tau: f64) -> f64 {
    let end = t.min(TURN).sqrt();
    let n = 400;
    let step = end / f64::from(n);
    let value = |u: f64| 3.0 * u * u * (-(t - u * u) / tau).exp();
    let weight = |i: i32| match i {
        0 => 1.0,
        i if i == n => 1.0,
        i if i % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let sum: f64 = (0..=n)
        .map(|i| weight(i) * value(step * f64::from(i)))
        .sum();
    sum * step / 3.0
}

/// Force of a sphere on a half space with κ(t) = κ∞ + κ₁ e^{−t/τ}.
fn sphere_prony(t: f64, [kappa, branch, tau]: [f64; 3]) -> f64 {
    let depth = (SPEED * t.min(TURN)).powf(1.5);
    kappa * depth + branch * SPEED.powf(1.5) * branch_of_sphere(t, tau)
}

/// Force of a flat punch with k(t) = k∞ + k₁ e^{−t/τ}.
fn punch_prony(t: f64, [stiffness, branch, tau]: [f64; 3]) -> f64 {
    let ramp = t.min(TURN);
    let q = SPEED * tau * (1.0 - (-ramp / tau).exp()) * (-(t - ramp) / tau).exp();
    stiffness * SPEED * ramp + branch * q
}

/// Force of a flat punch with k(t) = k₁ₛ t^{−α}.
fn punch_springpot(t: f64, [stiffness, alpha]: [f64; 2]) -> f64 {
    let past = (t - TURN).max(0.0).powf(1.0 - alpha);
    stiffness * SPEED * (t.powf(1.0 - alpha) - past) / (1.0 - alpha)
}

/// Force of a sphere with κ(t) = κ₁ₛ t^{−α}.
fn sphere_springpot(t: f64, [kappa, alpha]: [f64; 2]) -> f64 {
    let share = beta_reg(1.5, 1.0 - alpha, (TURN / t).min(1.0));
    kappa * 1.5 * SPEED.powf(1.5) * t.powf(1.5 - alpha) * beta(1.5, 1.0 - alpha) * share
}

fn fit(model: &str, samples: &Samples, options: &FitOptions) -> Result<Fit, CalibrationError> {
    models::by_name(model).unwrap().fit(samples, options)
}

fn check(model: &str, samples: &Samples, options: &FitOptions, truth: &[(&str, f64)], exact: f64) {
    let fit = fit(model, samples, options).unwrap();
    assert_eq!(fit.parameters.len(), truth.len(), "{:?}", fit.parameters);
    for (name, expected) in truth {
        let parameter = fit.parameter(name).unwrap();
        let error = (parameter.value / expected - 1.0).abs();
        assert!(
            error < exact && parameter.identifiable,
            "{model} {name}: {parameter:?} for {expected}"
        );
    }
}

fn tipped(indenter: Indenter, poisson_ratio: f64) -> FitOptions {
    FitOptions {
        indenter: Some(indenter),
        poisson_ratio,
        ..FitOptions::default()
    }
}

const SPHERE_PRONY: [f64; 3] = [9e3, 6e3, 0.9];
const PUNCH_PRONY: [f64; 3] = [900.0, 600.0, 0.9];
const SPHERE_SPRINGPOT: [f64; 2] = [12e3, 0.17];
const PUNCH_SPRINGPOT: [f64; 2] = [1100.0, 0.17];

#[test]
fn exponential_relaxation_of_a_flat_punch_is_exact_and_gives_both_moduli() {
    let [stiffness, branch, tau] = PUNCH_PRONY;
    let log = samples(|t| punch_prony(t, PUNCH_PRONY));
    // E = k (1 − ν²)/(2 a).
    let (radius, poisson) = (0.01, 0.45);
    let ratio = (1.0 - poisson * poisson) / (2.0 * radius);
    let truth = [
        ("stiffness", stiffness),
        ("branch_stiffness", branch),
        ("relaxation_time", tau),
        ("relaxed_modulus", ratio * stiffness),
        ("instantaneous_modulus", ratio * (stiffness + branch)),
    ];
    let options = tipped(Indenter::FlatPunch(radius), poisson);
    // The first sample is treated as a step from the surface.
    check("flat-punch-prony", &log, &options, &truth, 1e-5);
    check(
        "flat-punch-prony",
        &log,
        &FitOptions::default(),
        &truth[..3],
        1e-5,
    );
}

#[test]
fn exponential_relaxation_under_a_sphere_is_recovered() {
    let [kappa, branch, tau] = SPHERE_PRONY;
    let log = samples(|t| sphere_prony(t, SPHERE_PRONY));
    // E = 3/4 κ (1 − ν²)/√R.
    let (radius, poisson) = (0.02_f64, 0.5);
    let ratio = 0.75 * (1.0 - poisson * poisson) / radius.sqrt();
    let truth = [
        ("kappa", kappa),
        ("branch_kappa", branch),
        ("relaxation_time", tau),
        ("relaxed_modulus", ratio * kappa),
        ("instantaneous_modulus", ratio * (kappa + branch)),
    ];
    // r^{3/2} is not linear between samples.
    let options = tipped(Indenter::Sphere(radius), poisson);
    check("hertz-prony", &log, &options, &truth, 1e-4);
}

#[test]
fn relaxation_by_a_power_of_time_is_exact_under_a_flat_punch() {
    for alpha in [0.05, 0.17, 0.5, 0.9] {
        let truth = [PUNCH_SPRINGPOT[0], alpha];
        let log = samples(|t| punch_springpot(t, truth));
        let named = [("stiffness_1s", truth[0]), ("alpha", alpha)];
        let options = FitOptions::default();
        check("flat-punch-springpot", &log, &options, &named, 1e-6);
    }
}

#[test]
fn relaxation_by_a_power_of_time_is_recovered_under_a_sphere() {
    let [kappa, alpha] = SPHERE_SPRINGPOT;
    let log = samples(|t| sphere_springpot(t, SPHERE_SPRINGPOT));
    let (radius, poisson) = (0.02_f64, 0.5);
    let modulus = 0.75 * kappa * (1.0 - poisson * poisson) / radius.sqrt();
    let truth = [
        ("kappa_1s", kappa),
        ("alpha", alpha),
        ("modulus_1s", modulus),
    ];
    let options = tipped(Indenter::Sphere(radius), poisson);
    check("hertz-springpot", &log, &options, &truth, 2e-4);
}

#[test]
fn uneven_steps_of_time_change_nothing() {
    let mut log = samples(|t| punch_springpot(t, PUNCH_SPRINGPOT));
    // Every third sample is missing; the turning point is kept, so that the motion is linear between samples.
    let turn = (TURN * RATE) as usize - 1;
    let kept: Vec<usize> = (0..log.len())
        .filter(|i| i % 3 != 1 || *i == turn)
        .collect();
    log = picked(&log, &kept);
    let named = [
        ("stiffness_1s", PUNCH_SPRINGPOT[0]),
        ("alpha", PUNCH_SPRINGPOT[1]),
    ];
    let options = FitOptions::default();
    check("flat-punch-springpot", &log, &options, &named, 1e-6);
}

#[test]
fn withdrawal_under_a_sphere_is_left_out_with_a_note() {
    let truth = SPHERE_PRONY;
    let mut log = samples(|t| sphere_prony(t, truth));
    let held = log.len();
    // A withdrawal whose force does not follow the hereditary integral.
    for i in 1..=200 {
        log.time.push(END + f64::from(i) / RATE);
        log.indentation.push(SPEED * (TURN - f64::from(i) / RATE));
        log.velocity.push(-SPEED);
        log.force.push(1.0);
    }
    let fit = fit("hertz-prony", &log, &FitOptions::default()).unwrap();
    let note = fit.notes.iter().find(|note| note.contains("withdrawn"));
    assert!(
        note.is_some_and(|note| note.contains("samples from 6.0")),
        "{:?}",
        fit.notes
    );
    // A change by 1 % of the depth still counts as a hold.
    assert!(
        fit.used.iter().all(|&i| i < held + 6),
        "{:?}",
        fit.used.last()
    );
    let kappa = fit.parameter("kappa").unwrap().value;
    assert!((kappa / truth[0] - 1.0).abs() < 0.02, "{kappa}");
}

#[test]
fn a_law_with_memory_refuses_a_log_without_its_history() {
    let mut log = samples(|t| punch_springpot(t, PUNCH_SPRINGPOT));
    let rows: Vec<usize> = (200..log.len()).collect();
    log = picked(&log, &rows);
    let refused = fit("flat-punch-springpot", &log, &FitOptions::default()).unwrap_err();
    assert!(refused.to_string().contains("starts inside"), "{refused}");
    let wrong = tipped(Indenter::FlatPunch(0.01), 0.5);
    let refused = fit("hertz-springpot", &log, &wrong);
    assert!(refused.is_err());
}

#[test]
fn a_spring_has_no_relaxation() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut log = samples(|t| 1200.0 * SPEED * t.min(TURN));
    for force in &mut log.force {
        let draw: f64 = StandardNormal.sample(&mut rng);
        *force += 0.05 * draw;
    }
    let options = FitOptions::default();
    let prony = fit("flat-punch-prony", &log, &options).unwrap();
    assert!(!prony.parameter("branch_stiffness").unwrap().identifiable);
    assert!(!prony.parameter("relaxation_time").unwrap().identifiable);
    let springpot = fit("flat-punch-springpot", &log, &options).unwrap();
    assert!(!springpot.parameter("alpha").unwrap().identifiable);
}

#[test]
fn intervals_have_the_stated_coverage() {
    const LOGS: u64 = 200;
    // 95 % of 200, within three standard deviations of a binomial count.
    const COVERED: std::ops::RangeInclusive<usize> = 180..=199;
    let [kappa, branch, tau] = SPHERE_PRONY;
    let [kappa_1s, alpha] = SPHERE_SPRINGPOT;
    let prony = samples(|t| sphere_prony(t, SPHERE_PRONY));
    let springpot = samples(|t| sphere_springpot(t, SPHERE_SPRINGPOT));
    let cases = [
        (
            "hertz-prony",
            &prony,
            vec![
                ("kappa", kappa),
                ("branch_kappa", branch),
                ("relaxation_time", tau),
            ],
        ),
        (
            "hertz-springpot",
            &springpot,
            vec![("kappa_1s", kappa_1s), ("alpha", alpha)],
        ),
    ];
    for (model, clean, truth) in cases {
        let mut covered = vec![0; truth.len()];
        // Every tenth sample: 50 Hz.
        let rows: Vec<usize> = (0..clean.len()).step_by(10).collect();
        for seed in 0..LOGS {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut log = picked(clean, &rows);
            log.sampling_interval = 10.0 / RATE;
            for force in &mut log.force {
                let draw: f64 = StandardNormal.sample(&mut rng);
                *force += 0.05 * draw;
            }
            let fit = fit(model, &log, &FitOptions::default()).unwrap();
            for ((name, truth), covered) in truth.iter().zip(&mut covered) {
                let [low, high] = fit.parameter(name).unwrap().ci95;
                *covered += usize::from(low <= *truth && *truth <= high);
            }
        }
        println!("{model}: {covered:?} of {LOGS} intervals hold {truth:?}");
        for ((name, _), covered) in truth.iter().zip(covered) {
            assert!(
                COVERED.contains(&covered),
                "{model} {name}: {covered} of {LOGS}"
            );
        }
    }
}
