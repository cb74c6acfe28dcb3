//! Coverage of the 95 % intervals: N seeded logs with a known law are processed by `calibrate`, including noise, bias
//! and contact.
//!
//! `cargo run --release -p insonate-calibration --example coverage -- 1000`, optionally followed by the name of a
//! single model (`pooled`: sets of five sites).
//!
//! Errors are relative to the truth: mean, root mean square, and the coverage of the intervals.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "an example prints its table and ends on an error"
)]

use insonate_calibration::{
    CalibrationOptions, FitOptions, ModelChoice, PrepareOptions, calibrate, calibrate_sites,
    synthetic::{Law, MotionFrame, SyntheticLog, Trajectory},
};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, StandardNormal};

const FRAME: MotionFrame = MotionFrame::Axis {
    surface: 0.12,
    outward: true,
};

/// A law, a motion that determines its parameters, and the models that fit it.
struct Case {
    law: Law,
    motion: Trajectory,
    models: &'static [&'static str],
}

fn cases() -> Vec<Case> {
    vec![
        Case {
            law: Law::KelvinVoigt {
                stiffness: 1324.17,
                damping: 17.59,
            },
            motion: Trajectory::rich(),
            models: &["divided", "kelvin-voigt"],
        },
        Case {
            law: Law::HuntCrossley {
                kappa: 25e3,
                lambda: 400.0,
                n: 1.5,
                m: 0.5,
            },
            motion: Trajectory::rich(),
            models: &["hunt-crossley"],
        },
        Case {
            law: Law::StandardLinearSolid {
                stiffness: 900.0,
                branch_stiffness: 600.0,
                relaxation_time: 0.15,
            },
            motion: Trajectory::rich(),
            models: &["sls"],
        },
    ]
}

fn main() {
    let argument = std::env::args().nth(1);
    let n: u64 = argument.map_or(1000, |text| text.parse().unwrap());
    let only = std::env::args().nth(2);
    println!("{n} logs each; relative errors");
    println!(
        "model          velocity   parameter          mean %   rms %   covered %   not identified"
    );
    for case in cases() {
        let chosen = |model: &&&str| only.as_deref().is_none_or(|only| only == **model);
        for &model in case.models.iter().filter(chosen) {
            for logged in [true, false] {
                print_case(&case, model, logged, n);
            }
        }
    }
    if only.as_deref().is_none_or(|only| only == "pooled") {
        println!(
            "sets of five sites that share a latency known to 2 ms, or the misfit of the law; kelvin-voigt"
        );
        print_pooled(n / 5);
    }
}

/// Prints the coverage of pooled intervals if all sites share an error: a latency, or a tissue that is not a linear
/// spring.
fn print_pooled(sets: u64) {
    let case = &cases()[0];
    let truth = case.law.parameters();
    print_pooled_case("latency", sets, 2e-3, &truth, |rng, logs| {
        let late: f64 = StandardNormal.sample(rng);
        for recipe in logs {
            *recipe = SyntheticLog::new(case.law, case.motion.clone(), FRAME);
            recipe.sensor.force_latency = 2e-3 * late;
        }
        1.0
    });
    // The force is a power n of the depth, down to 8 mm. The true stiffness of a spring is the mean of force over
    // indentation, 1300 N/m over n.
    for (name, frame) in [
        ("law, surface given", MotionFrame::Indentation),
        ("law, surface found", FRAME),
    ] {
        let truth = [("stiffness", 1300.0)];
        print_pooled_case(name, sets, 0.0, &truth, |rng, logs| {
            let n = rng.random_range(1.0..1.4);
            for recipe in logs {
                let spread: f64 = StandardNormal.sample(rng);
                let law = Law::HuntCrossley {
                    kappa: (1.0 + 3e-3 * spread) * 1300.0 / 0.008_f64.powf(n - 1.0),
                    lambda: 250.0,
                    n,
                    m: 0.5,
                };
                *recipe = SyntheticLog::new(law, Trajectory::press(), frame);
                recipe.rate = 50.0;
            }
            1.0 / n
        });
    }
}

/// Draws sets of five recipes, each with a factor of the truth, and prints the coverage of the pooled intervals.
fn print_pooled_case(
    name: &str,
    sets: u64,
    latency_error: f64,
    truth: &[(&str, f64)],
    draw: impl Fn(&mut ChaCha8Rng, &mut [SyntheticLog]) -> f64,
) {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let prepare = PrepareOptions {
        force_latency_error: Some(latency_error),
        ..PrepareOptions::default()
    };
    let mut covered = vec![(0_u64, 0_u64); truth.len()];
    let blank = SyntheticLog::new(cases()[0].law, Trajectory::press(), FRAME);
    for set in 0..sets {
        let mut recipes = vec![blank.clone(); 5];
        let factor = draw(&mut rng, &mut recipes);
        let logs = recipes.into_iter().enumerate().map(|(site, mut recipe)| {
            recipe.seed = 5 * set + site as u64;
            Ok((recipe.generate(), prepare.clone()))
        });
        let model = ModelChoice::Named("kelvin-voigt");
        let sites = calibrate_sites(logs, model, &FitOptions::default()).unwrap();
        for ((parameter, truth), row) in truth.iter().zip(&mut covered) {
            let truth = factor * truth;
            match sites.pooled.parameter(parameter) {
                Some(pooled) => {
                    row.0 += u64::from(pooled.ci95[0] <= truth && truth <= pooled.ci95[1]);
                }
                None => row.1 += 1,
            }
        }
    }
    for ((parameter, _), (covered, open)) in truth.iter().zip(covered) {
        let share = 100.0 * covered as f64 / (sets - open).max(1) as f64;
        println!("pooled, {name:<18} {parameter:<32} {share:>11.1} {open:>16}");
    }
}

fn print_case(case: &Case, model: &'static str, logged: bool, n: u64) {
    let mut recipe = SyntheticLog::new(case.law, case.motion.clone(), FRAME);
    recipe.sensor.velocity_logged = logged;
    let mut options = CalibrationOptions {
        model: ModelChoice::Named(model),
        fit: FitOptions::default(),
        ..CalibrationOptions::default()
    };
    // These sensors are read at the same instant.
    options.prepare.force_latency_error = Some(0.0);
    let truth = case.law.parameters();
    let mut rows = vec![(0.0, 0.0, 0_u64, 0_u64); truth.len()];
    for seed in 0..n {
        recipe.seed = seed;
        let fit = calibrate(&recipe.generate(), &options).unwrap().fit;
        for ((name, truth), row) in truth.iter().zip(&mut rows) {
            let Some(parameter) = fit.parameter(name) else {
                continue;
            };
            let error = parameter.value / truth - 1.0;
            row.0 += error;
            row.1 += error * error;
            row.2 += u64::from(parameter.ci95[0] <= *truth && *truth <= parameter.ci95[1]);
            row.3 += u64::from(!parameter.identifiable);
        }
    }
    let share = |sum: f64| 100.0 * sum / n as f64;
    for ((name, _), (sum, squares, covered, unidentified)) in truth.iter().zip(rows) {
        if squares > 0.0 {
            println!(
                "{model:<14} {:<10} {name:<17} {:>7.3} {:>7.3} {:>11.1} {unidentified:>16}",
                if logged { "logged" } else { "estimated" },
                share(sum),
                100.0 * (squares / n as f64).sqrt(),
                share(covered as f64),
            );
        }
    }
}
