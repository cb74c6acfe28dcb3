//! From a log to parameters: within 1 % (elastic) and 3 % (viscous), with 95 % intervals of correct coverage.
//!
//! `examples/coverage.rs` prints the same statistics for 1000 logs of a longer motion.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_calibration::{
    CalibrationError, CalibrationOptions, Channel, FitOptions, ForceLatency, ModelChoice,
    PrepareOptions, calibrate, calibrate_sites, models,
    synthetic::{Law, MotionFrame, SyntheticLog, Trajectory},
};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, StandardNormal};

/// Number of logs of each kind.
const LOGS: u64 = 100;
/// Of 100 intervals of 95 %, fewer than 88 cover with probability 0.15 %; none of the eight here should fail.
const FEWEST: u64 = 88;
/// Root mean square of error over standard error: 1 ± 0.07 over 100 logs, here within five of these; also detects
/// intervals that are too wide.
const SPREAD: std::ops::Range<f64> = 0.7..1.35;

const KELVIN_VOIGT: Law = Law::KelvinVoigt {
    stiffness: 1324.17,
    damping: 17.59,
};
const HUNT_CROSSLEY: Law = Law::HuntCrossley {
    kappa: 25e3,
    lambda: 400.0,
    n: 1.5,
    m: 0.5,
};
const SOLID: Law = Law::StandardLinearSolid {
    stiffness: 900.0,
    branch_stiffness: 600.0,
    relaxation_time: 0.15,
};

fn recipe(law: Law) -> SyntheticLog {
    let frame = MotionFrame::Axis {
        surface: 0.12,
        outward: true,
    };
    SyntheticLog::new(law, Trajectory::press(), frame)
}

/// Options for logs whose sensors were read at the same instant.
fn options(model: ModelChoice) -> CalibrationOptions {
    CalibrationOptions {
        model,
        prepare: PrepareOptions {
            force_latency_error: Some(0.0),
            ..PrepareOptions::default()
        },
        ..CalibrationOptions::default()
    }
}

/// Checks parameters, each with the largest allowed error of the mean over logs, and of one log, as shares of the
/// truth.
fn check(law: Law, model: &'static str, logged: bool, parameters: &[(&str, f64, f64)]) {
    let mut recipe = recipe(law);
    recipe.sensor.velocity_logged = logged;
    let options = options(ModelChoice::Named(model));
    let mut covered = vec![0; parameters.len()];
    let mut mean = vec![0.0; parameters.len()];
    let mut spread = vec![0.0; parameters.len()];
    for seed in 0..LOGS {
        recipe.seed = seed;
        let fit = calibrate(&recipe.generate(), &options).unwrap().fit;
        for (j, (name, _, largest)) in parameters.iter().enumerate() {
            let truth = recipe.parameter(name).unwrap();
            let parameter = fit.parameter(name).unwrap();
            let error = parameter.value - truth;
            assert!(parameter.identifiable, "{model} {parameter:?}");
            assert!(
                error.abs() < largest * truth,
                "{model} seed {seed}: {parameter:?} for {truth}"
            );
            covered[j] += u64::from((parameter.ci95[0]..=parameter.ci95[1]).contains(&truth));
            mean[j] += error / truth / LOGS as f64;
            spread[j] += (error / parameter.standard_error).powi(2) / LOGS as f64;
        }
    }
    for (j, (name, bias, _)) in parameters.iter().enumerate() {
        let spread = spread[j].sqrt();
        let told = format!(
            "{model} {name}: covered {}, mean {}, spread {spread}",
            covered[j], mean[j]
        );
        assert!(covered[j] >= FEWEST, "{told}");
        assert!(mean[j].abs() < *bias, "{told}");
        assert!(SPREAD.contains(&spread), "{told}");
    }
}

// One short press at one speed: the error of a log is up to four standard errors (damping 1.1 %, divided 2.5 %,
// branch 1 %); the error of the mean is a tenth of that.

#[test]
fn kelvin_voigt_covers() {
    let parameters = [("stiffness", 1e-3, 0.01), ("damping", 5e-3, 0.045)];
    check(KELVIN_VOIGT, "kelvin-voigt", true, &parameters);
    check(KELVIN_VOIGT, "kelvin-voigt", false, &parameters);
}

#[test]
fn divided_covers() {
    let parameters = [("stiffness", 1e-3, 0.01), ("damping", 0.01, 0.12)];
    check(KELVIN_VOIGT, "divided", true, &parameters);
}

#[test]
fn hunt_crossley_covers() {
    let parameters = [("kappa", 1e-3, 0.01), ("lambda", 5e-3, 0.03)];
    check(HUNT_CROSSLEY, "hunt-crossley", true, &parameters);
}

#[test]
fn standard_linear_solid_covers() {
    let parameters = [
        ("stiffness", 1e-3, 0.01),
        ("branch_stiffness", 5e-3, 0.05),
        ("relaxation_time", 0.01, 0.08),
        ("damping", 5e-3, 0.05),
    ];
    check(SOLID, "sls", true, &parameters);
}

#[test]
fn the_model_is_selected() {
    let elastic = Law::Hertz {
        young_modulus: 20e3,
        poisson_ratio: 0.5,
        radius: 0.02,
    };
    for (law, expected) in [
        (KELVIN_VOIGT, "kelvin-voigt"),
        (HUNT_CROSSLEY, "hunt-crossley"),
        (SOLID, "sls"),
        (elastic, "hertz"),
    ] {
        for seed in 0..3 {
            let mut recipe = recipe(law);
            recipe.seed = seed;
            let found = calibrate(&recipe.generate(), &options(ModelChoice::Auto)).unwrap();
            assert_eq!(found.fit.model, expected);
            let selection = found.selection.unwrap();
            assert_eq!(selection.candidates[0].model, expected);
            assert!(
                selection.reason.starts_with(expected),
                "{}",
                selection.reason
            );
            let candidates = models::ALL.iter().filter(|kind| kind.is_candidate);
            // One more for "none", a constant force.
            assert_eq!(selection.candidates.len(), candidates.count() + 1);
            assert!(
                !selection.is_none() && found.warnings.is_empty(),
                "{:?}",
                found.warnings
            );
        }
    }
}

#[test]
fn models_are_compared_on_a_palpation_that_starts_under_load() {
    let mut recipe = SyntheticLog::new(
        HUNT_CROSSLEY,
        Trajectory::palpation(10.0),
        MotionFrame::Indentation,
    );
    recipe.sensor.bias = [0.0; 3];
    let found = calibrate(&recipe.generate(), &options(ModelChoice::Auto)).unwrap();
    assert_eq!(found.fit.model, "hunt-crossley");
    for candidate in found.selection.unwrap().candidates {
        // No law may be off by more than the force itself (10 N), even if it has to guess the initial state.
        assert!(candidate.held_out_rmse_n < 10.0, "{candidate:?}");
    }
}

#[test]
fn intervals_cover_the_truth_with_a_clipped_force() {
    let mut recipe = recipe(KELVIN_VOIGT);
    let options = options(ModelChoice::Named("kelvin-voigt"));
    let (mut covered, mut known, mut bias) = (0, 0, 0.0);
    for (motion, share) in [
        (Trajectory::press(), 0.6),
        (Trajectory::press(), 0.8),
        (Trajectory::press(), 0.95),
        (Trajectory::rich(), 0.7),
        (Trajectory::rich(), 0.85),
        (Trajectory::rich(), 0.95),
    ] {
        recipe.motion = motion;
        for seed in 0..10 {
            recipe.seed = seed;
            let mut log = recipe.generate();
            let most = recipe.truth().force.into_iter().fold(0.0, f64::max);
            let limit = share * most + recipe.sensor.bias[2];
            let Channel::Scalar(force) = &mut log.force else {
                panic!("a scalar force")
            };
            for force in force.iter_mut() {
                *force = force.min(limit);
            }
            let found = calibrate(&log, &options).unwrap();
            let told = |note: &String| note.contains("clipped");
            assert!(found.prepared.notes.iter().any(told));
            for (name, truth) in KELVIN_VOIGT.parameters() {
                let parameter = found.fit.parameter(name).unwrap();
                if parameter.identifiable {
                    known += 1;
                    covered +=
                        usize::from((parameter.ci95[0]..=parameter.ci95[1]).contains(&truth));
                }
            }
            bias += (found.fit.parameter("stiffness").unwrap().value / 1324.17 - 1.0) / 60.0;
        }
    }
    // A law with memory needs the missing motion.
    let mut log = recipe.generate();
    let Channel::Scalar(force) = &mut log.force else {
        panic!("a scalar force")
    };
    for force in force.iter_mut() {
        *force = force.min(6.0);
    }
    let refused = calibrate(&log, &self::options(ModelChoice::Named("sls")))
        .unwrap_err()
        .to_string();
    assert!(refused.contains("use --model kelvin-voigt"), "{refused}");
    assert!(calibrate(&log, &options).is_ok());
    // Stiffness in all logs, damping in some.
    assert!(known > 60, "{known}");
    // Of 80 intervals of 95 %, fewer than 68 cover with probability 0.02 %.
    assert!(
        covered as f64 > 0.85 * f64::from(known),
        "{covered} of {known}"
    );
    // The stiffness of one log scatters by about 0.2 %.
    assert!(bias.abs() < 1e-3, "{bias}");
}

/// Coverage of the pooled interval of a parameter over sets of five sites; `set` makes logs and truth from a seed.
fn pooled_coverage(
    name: &str,
    latency_error: f64,
    set: impl Fn(&mut ChaCha8Rng, u64) -> (Vec<SyntheticLog>, f64),
) -> f64 {
    const SETS: u64 = 200;
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let prepare = PrepareOptions {
        force_latency_error: Some(latency_error),
        ..PrepareOptions::default()
    };
    let (mut covered, mut known) = (0, 0);
    for seed in 0..SETS {
        let (recipes, truth) = set(&mut rng, 5 * seed);
        let logs = recipes
            .iter()
            .map(|recipe| Ok((recipe.generate(), prepare.clone())));
        let model = ModelChoice::Named("kelvin-voigt");
        let sites = calibrate_sites(logs, model, &FitOptions::default()).unwrap();
        if let Some(pooled) = sites.pooled.parameter(name) {
            known += 1;
            covered += u64::from((pooled.ci95[0]..=pooled.ci95[1]).contains(&truth));
        }
    }
    // A set whose sites leave the parameter undetermined has no interval.
    assert!(known > SETS * 9 / 10, "{known}");
    covered as f64 / known as f64
}

/// Five sites of a law that differ by 0.3 %, sampled at 50 Hz.
fn five(
    rng: &mut ChaCha8Rng,
    first: u64,
    law: impl Fn(f64) -> Law,
    motion: &Trajectory,
) -> Vec<SyntheticLog> {
    (first..first + 5)
        .map(|seed| {
            let spread: f64 = StandardNormal.sample(rng);
            let mut site = recipe(law(1.0 + 3e-3 * spread));
            site.motion = motion.clone();
            site.rate = 50.0;
            site.seed = seed;
            site
        })
        .collect()
}

#[test]
fn pooled_intervals_cover_shared_errors() {
    // A latency known to 2 ms, equal at all sites: a damper of −k L, 2.6 N·s/m for one standard error.
    let motion = Trajectory::rich();
    let share = pooled_coverage("damping", 2e-3, |rng, first| {
        let late: f64 = StandardNormal.sample(rng);
        let law = |factor: f64| Law::KelvinVoigt {
            stiffness: 1324.17,
            damping: 17.59 * factor,
        };
        let mut sites = five(rng, first, law, &motion);
        for site in &mut sites {
            site.sensor.force_latency = 2e-3 * late;
        }
        (sites, 17.59)
    });
    assert!(share >= 0.9, "{share}");
}

#[test]
fn pooled_intervals_cover_the_misfit_of_the_law() {
    // A tissue that is not a linear spring: the true stiffness is the mean of force over indentation, down to 8 mm.
    let motion = Trajectory::press();
    // If the surface is not given, the law moves it, which absorbs much of the misfit: no single log separates powers of
    // 1.02 to 1.1 from 1.
    for frame in [MotionFrame::Indentation, recipe(KELVIN_VOIGT).frame] {
        let share = pooled_coverage("stiffness", 0.0, |rng, first| {
            let n = rng.random_range(1.0..1.4);
            let law = |factor: f64| Law::HuntCrossley {
                kappa: factor * 1300.0 / 0.008_f64.powf(n - 1.0),
                lambda: 250.0,
                n,
                m: 0.5,
            };
            let mut sites = five(rng, first, law, &motion);
            for site in &mut sites {
                site.frame = frame;
            }
            (sites, 1300.0 / n)
        });
        assert!(share >= 0.9, "{frame:?}: {share}");
    }
}

/// A sine with a clipped top and strong noise: neither the noise below the limit nor above it biases the stiffness.
#[test]
fn a_clipped_force_does_not_bias_the_stiffness() {
    let n = 24;
    let mut recipe = SyntheticLog::new(
        KELVIN_VOIGT,
        Trajectory::palpation(12.0),
        MotionFrame::Indentation,
    );
    recipe.sensor.force_noise = 0.2;
    recipe.sensor.bias = [0.0; 3];
    let options = options(ModelChoice::Named("kelvin-voigt"));
    let (mut mean, mut covered, mut clipped) = (0.0, 0, 0);
    for seed in 0..n {
        recipe.seed = seed;
        let mut log = recipe.generate();
        let Channel::Scalar(force) = &mut log.force else {
            panic!("a scalar force")
        };
        let most = force.iter().copied().fold(f64::MIN, f64::max);
        let limit = most - 2.0 - 0.05 * seed as f64;
        for force in force.iter_mut() {
            *force = force.min(limit);
        }
        let found = calibrate(&log, &options).unwrap();
        clipped += usize::from(
            found
                .prepared
                .notes
                .iter()
                .any(|note| note.contains("clipped")),
        );
        let k = found.fit.parameter("stiffness").unwrap();
        mean += (k.value / 1324.17 - 1.0) / n as f64;
        covered += usize::from((k.ci95[0]..=k.ci95[1]).contains(&1324.17));
    }
    assert_eq!(clipped, n as usize);
    assert!(mean.abs() < 2e-3, "{mean}");
    // 95 % of 24 is 22.8 ± 1.1.
    assert!(covered >= 20, "{covered}");
}

/// A single sine does not determine a delay: the stiffness must be correct nevertheless, up to 20 ms.
#[test]
fn the_stiffness_covers_a_delay_that_one_sine_does_not_determine() {
    let mut recipe = SyntheticLog::new(
        KELVIN_VOIGT,
        Trajectory::palpation(12.0),
        recipe(KELVIN_VOIGT).frame,
    );
    let options = CalibrationOptions {
        model: ModelChoice::Named("kelvin-voigt"),
        ..CalibrationOptions::default()
    };
    for (seed, latency) in (0..).zip([0.0, 0.004, 0.008, 0.012, 0.016, 0.02]) {
        recipe.sensor.force_latency = latency;
        recipe.seed = seed;
        let fit = calibrate(&recipe.generate(), &options).unwrap().fit;
        let [low, high] = fit.parameter("stiffness").unwrap().ci95;
        assert!(
            low < 1324.17 && 1324.17 < high,
            "{latency}: {low} to {high}"
        );
        assert!(high - low < 200.0, "{latency}: {low} to {high}");
        // A determined damping contradicts a long delay.
        let damping = fit.parameter("damping").unwrap();
        assert_eq!(damping.identifiable, latency < 0.001);
        assert!(latency > 0.001 || high - low < 100.0, "{low} to {high}");
    }
}

/// A delay of 5 ms acts on λ as on any damper: if neither the user nor the log determines it, the interval covers it.
#[test]
fn the_damping_of_hunt_crossley_covers_an_unknown_delay() {
    let mut recipe = SyntheticLog::new(
        HUNT_CROSSLEY,
        Trajectory::palpation(12.0),
        MotionFrame::Indentation,
    );
    let options = CalibrationOptions {
        model: ModelChoice::Named("hunt-crossley"),
        ..CalibrationOptions::default()
    };
    for (seed, latency) in (0..).zip([0.0, 0.002, 0.005]) {
        recipe.sensor.force_latency = latency;
        recipe.seed = seed;
        let found = calibrate(&recipe.generate(), &options).unwrap();
        let [low, high] = found.fit.parameter("lambda").unwrap().ci95;
        assert!(low < 400.0 && 400.0 < high, "{latency}: {low} to {high}");
    }
}

#[test]
fn an_unknown_model_is_named() {
    let error = calibrate(
        &recipe(KELVIN_VOIGT).generate(),
        &options(ModelChoice::Named("maxwell")),
    )
    .unwrap_err();
    assert!(matches!(
        error,
        CalibrationError::Option {
            option: "--model",
            ..
        }
    ));
    assert!(error.to_string().contains("kelvin-voigt"));
}

#[test]
fn sites_that_prefer_different_models_are_fitted_with_one() {
    let mut recipes: Vec<SyntheticLog> = [KELVIN_VOIGT, HUNT_CROSSLEY].map(recipe).into();
    recipes[1].seed = 1;
    let alone: Vec<&str> = recipes
        .iter()
        .map(|recipe| calibrate(&recipe.generate(), &options(ModelChoice::Auto)).unwrap())
        .map(|found| found.fit.model)
        .collect();
    assert_ne!(alone[0], alone[1]);
    let logs = recipes
        .iter()
        .map(|recipe| Ok((recipe.generate(), PrepareOptions::default())));
    let fit = FitOptions::default();
    let sites = calibrate_sites(logs, ModelChoice::Auto, &fit).unwrap();
    assert!(sites.logs.iter().all(|log| log.fit.model == sites.model()));
    assert!(sites.notes[0].contains(sites.model()), "{:?}", sites.notes);
    assert_eq!((sites.pooled.n_sites, sites.mass), (2, None));
    assert!(calibrate_sites([], ModelChoice::Auto, &fit).is_err());
}

#[test]
fn noise_of_the_position_does_not_bias_stiffness_and_damping() {
    let n = 24;
    let mut recipe =
        SyntheticLog::new(KELVIN_VOIGT, Trajectory::rich(), recipe(KELVIN_VOIGT).frame);
    recipe.sensor.velocity_logged = false;
    recipe.sensor.position_noise = 50e-6;
    let options = options(ModelChoice::Named("kelvin-voigt"));
    let mut mean = [0.0; 2];
    for seed in 0..n {
        recipe.seed = seed;
        let fit = calibrate(&recipe.generate(), &options).unwrap().fit;
        for (mean, (name, truth)) in mean.iter_mut().zip(KELVIN_VOIGT.parameters()) {
            *mean += (fit.parameter(name).unwrap().value / truth - 1.0) / n as f64;
        }
    }
    // The stiffness of one log scatters by 0.1 %, its damping by 0.8 %; without smoothing the stiffness is 0.08 %
    // low.
    assert!(mean[0].abs() < 5e-4, "{mean:?}");
    assert!(mean[1].abs() < 0.01, "{mean:?}");
}

#[test]
fn an_uncertain_latency_widens_the_intervals() {
    let mut recipe =
        SyntheticLog::new(KELVIN_VOIGT, Trajectory::rich(), recipe(KELVIN_VOIGT).frame);
    recipe.sensor.force_latency = 0.02;
    let mut options = options(ModelChoice::Named("kelvin-voigt"));
    options.prepare.force_latency = Some(ForceLatency::Known(0.02));
    options.prepare.force_latency_error = Some(0.0);
    let log = recipe.generate();
    let error = |options: &CalibrationOptions| {
        let fit = calibrate(&log, options).unwrap().fit;
        fit.parameter("damping").unwrap().standard_error
    };
    assert!(error(&options) < 0.2);
    options.prepare.force_latency_error = Some(0.002);
    // To first order a latency L acts as a damper of −k L.
    let expected = 1324.17 * 0.002;
    assert!((error(&options) / expected - 1.0).abs() < 0.1);
    options.prepare.force_latency_error = Some(f64::NAN);
    assert!(calibrate(&log, &options).is_err());
}
