//! Unreliable numbers are left out, or come with a warning that says what to do.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_calibration::{
    Calibration, CalibrationOptions, Channel, FitOptions, ForceLatency, Log, LogFrames, LogSource,
    ModelChoice, Motion, PrepareOptions, calibrate, calibrate_sites, prepare,
    synthetic::{Law, MotionFrame, Segment, SyntheticLog, Trajectory},
};

const KELVIN_VOIGT: Law = Law::KelvinVoigt {
    stiffness: 1324.17,
    damping: 17.59,
};
const AXIS: MotionFrame = MotionFrame::Axis {
    surface: 0.12,
    outward: true,
};

fn fitted(log: &Log, model: ModelChoice) -> Calibration {
    let options = CalibrationOptions {
        model,
        ..CalibrationOptions::default()
    };
    calibrate(log, &options).unwrap()
}

fn named(log: &Log, model: &'static str) -> Calibration {
    fitted(log, ModelChoice::Named(model))
}

fn step(to: f64, speed: f64) -> Segment {
    Segment::Move {
        to,
        speed,
        ramp: 0.05,
    }
}

fn motion(segments: &[Segment]) -> Trajectory {
    Trajectory::new(-0.01, segments)
}

#[test]
fn ramps_at_one_speed_do_not_determine_damping() {
    let up = [Segment::Hold(0.5), step(0.008, 0.005), Segment::Hold(0.3)];
    let up_and_down = [
        Segment::Hold(0.5),
        step(0.008, 0.005),
        step(-0.01, 0.005),
        Segment::Hold(0.5),
    ];
    for segments in [&up[..], &up_and_down] {
        for seed in 0..20 {
            let mut recipe = SyntheticLog::new(KELVIN_VOIGT, motion(segments), AXIS);
            recipe.seed = seed;
            for (model, damping) in [
                ("divided", "damping"),
                ("kelvin-voigt", "damping"),
                ("hunt-crossley", "lambda"),
            ] {
                let found = named(&recipe.generate(), model);
                let damping = found.fit.parameter(damping).unwrap();
                assert!(!damping.identifiable, "{model} {damping:?}");
                assert!(damping.reason.contains("velocity") || damping.reason.contains("speed"));
            }
        }
    }
}

#[test]
fn a_preload_is_fitted_if_the_law_allows_it() {
    let mut covered = 0;
    for seed in 0..40 {
        let mut recipe = SyntheticLog::new(KELVIN_VOIGT, Trajectory::palpation(10.0), AXIS);
        recipe.seed = seed;
        let log = recipe.generate();
        let found = named(&log, "kelvin-voigt");
        for (name, truth) in KELVIN_VOIGT.parameters() {
            let parameter = found.fit.parameter(name).unwrap();
            assert!(parameter.identifiable && (parameter.value / truth - 1.0).abs() < 0.02);
            covered += usize::from((parameter.ci95[0]..=parameter.ci95[1]).contains(&truth));
        }
        assert!(found.fit.parameter("force_offset").is_some());
    }
    // Of 80 intervals of 95 %, fewer than 68 cover with probability 0.02 %.
    assert!(covered >= 68, "{covered}");

    // A law that needs the surface reports that, and its advice works.
    let log = SyntheticLog::new(KELVIN_VOIGT, Trajectory::palpation(10.0), AXIS).generate();
    let options = CalibrationOptions {
        model: ModelChoice::Named("divided"),
        ..CalibrationOptions::default()
    };
    let refused = calibrate(&log, &options).unwrap_err().to_string();
    assert!(refused.contains("--model kelvin-voigt"), "{refused}");
    assert_eq!(fitted(&log, ModelChoice::Auto).fit.model, "kelvin-voigt");
}

#[test]
fn a_drifting_zero_is_removed_with_its_error() {
    let press = [step(0.007, 0.01), Segment::Hold(0.5), step(-0.01, 0.02)];
    let mut segments = vec![Segment::Hold(1.0)];
    for _ in 0..2 {
        segments.extend(press);
        segments.push(Segment::Hold(1.0));
    }
    let mut covered = 0;
    for seed in 0..60 {
        let mut recipe = SyntheticLog::new(KELVIN_VOIGT, motion(&segments), AXIS);
        recipe.seed = seed;
        recipe.sensor.bias_drift = 0.6;
        let found = named(&recipe.generate(), "kelvin-voigt");
        assert!(
            found
                .prepared
                .choices
                .iter()
                .any(|choice| choice.what == "force drift")
        );
        assert!(found.warnings.is_empty(), "{:?}", found.warnings);
        let stiffness = found.fit.parameter("stiffness").unwrap();
        assert!(
            (stiffness.value / 1324.17 - 1.0).abs() < 3e-3,
            "{stiffness:?}"
        );
        covered += usize::from((stiffness.ci95[0]..=stiffness.ci95[1]).contains(&1324.17));
    }
    // Of 60 intervals of 95 %, fewer than 51 cover with probability 0.2 %.
    assert!(covered >= 51, "{covered}");
}

#[test]
fn contradicting_presses_are_reported() {
    let press = [step(0.007, 0.01), Segment::Hold(0.5), step(-0.01, 0.02)];
    let mut segments = vec![Segment::Hold(1.0)];
    for _ in 0..2 {
        segments.extend(press);
        segments.push(Segment::Hold(1.0));
    }
    let recipe = SyntheticLog::new(KELVIN_VOIGT, motion(&segments), AXIS);
    let mut log = recipe.generate();
    let half = log.time.len() / 2;
    let Channel::Scalar(force) = &mut log.force else {
        panic!("a scalar force")
    };
    for value in &mut force[half..] {
        // In the second press the tissue is 20 % softer.
        *value = -1.1 + 0.8 * (*value + 1.1);
    }
    let warnings = named(&log, "kelvin-voigt").warnings;
    assert!(
        warnings
            .iter()
            .any(|warning| warning.contains("contradict")),
        "{warnings:?}"
    );
}

#[test]
fn a_misfit_names_the_law_that_fits_and_the_advice_works() {
    let law = Law::HuntCrossley {
        kappa: 25e3,
        lambda: 2000.0,
        n: 1.5,
        m: 0.5,
    };
    let log = SyntheticLog::new(law, Trajectory::rich(), AXIS).generate();
    let found = named(&log, "divided");
    let warning = found
        .warnings
        .iter()
        .find(|warning| warning.contains("--model"))
        .unwrap();
    assert!(warning.contains("--model hunt-crossley"), "{warning}");
    let better = named(&log, "hunt-crossley");
    assert!(better.fit.statistics.rmse_n < 0.8 * found.fit.statistics.rmse_n);
}

#[test]
fn a_constant_force_is_a_candidate() {
    // Force that is unrelated to the press.
    let n = 3000;
    let time: Vec<f64> = (0..n).map(|row| 0.002 * f64::from(row)).collect();
    let log = Log {
        source: LogSource::default(),
        motion: Motion::Indentation(
            time.iter()
                .map(|t| 0.006 + 0.003 * (6.0 * t).sin())
                .collect(),
        ),
        velocity: None,
        force: Channel::Scalar(time.iter().map(|t| 5.0 + (17.3 * t).sin()).collect()),
        time,
        frames: LogFrames::default(),
    };
    let found = fitted(&log, ModelChoice::Auto);
    assert!(found.selection.unwrap().is_none());
    assert!(
        found
            .fit
            .parameters
            .iter()
            .all(|parameter| !parameter.identifiable)
    );
    assert!(found.warnings[0].contains("no law describes"));
}

#[test]
fn an_implausible_stiffness_warns_about_units() {
    let mut log = SyntheticLog::new(KELVIN_VOIGT, Trajectory::rich(), AXIS).generate();
    let Motion::Position(Channel::Scalar(position)) = &mut log.motion else {
        panic!("positions along an axis")
    };
    // Millimetres read as metres.
    for z in position.iter_mut() {
        *z *= 1e3;
    }
    log.velocity = None;
    let warnings = named(&log, "kelvin-voigt").warnings;
    assert!(
        warnings.iter().any(|warning| warning.contains("--units")),
        "{warnings:?}"
    );
}

#[test]
fn a_log_in_space_that_starts_at_a_peak_of_the_force_is_not_flipped() {
    let law = Law::HuntCrossley {
        kappa: 25e3,
        lambda: 100.0,
        n: 1.5,
        m: 0.5,
    };
    let frame = MotionFrame::Space {
        surface: [0.4, 0.1, 0.2],
        normal: [0.3, 0.0, 1.0],
    };
    let sine = Segment::Sine {
        amplitude: 0.004,
        frequency: 1.0,
        cycles: 6.0,
        fade: 0.0,
    };
    let recipe = SyntheticLog::new(law, Trajectory::new(0.005, &[sine]), frame);
    let log = recipe.generate();
    // Starts after a quarter of a cycle.
    let begin = 125;
    let cut = |channel: &Channel| match channel {
        Channel::Vector(values) => Channel::Vector(values[begin..].to_vec()),
        Channel::Scalar(values) => Channel::Scalar(values[begin..].to_vec()),
    };
    let Motion::Position(positions) = &log.motion else {
        panic!("positions in space")
    };
    let log = Log {
        source: LogSource::default(),
        time: log.time[begin..].to_vec(),
        motion: Motion::Position(cut(positions)),
        velocity: log.velocity.as_ref().map(cut),
        force: cut(&log.force),
        frames: log.frames.clone(),
    };
    let found = prepare(&log, &PrepareOptions::default()).unwrap();
    let normal = found
        .choices
        .iter()
        .find(|choice| choice.what == "surface normal")
        .unwrap();
    let axes: Vec<f64> = normal
        .value
        .trim_matches(['(', ')'])
        .split(", ")
        .map(|axis| axis.parse().unwrap())
        .collect();
    let cosine = (0.3 * axes[0] + axes[2]) / 1.09_f64.sqrt();
    assert!(cosine > 5.0_f64.to_radians().cos(), "{axes:?}");
}

#[test]
fn a_late_force_is_reported_and_its_correction_works() {
    let frame = MotionFrame::Axis {
        surface: 0.12,
        outward: true,
    };
    let law = Law::KelvinVoigt {
        stiffness: 1324.17,
        damping: 17.59,
    };
    let mut recipe = SyntheticLog::new(law, Trajectory::rich(), frame);
    let told = |log: &Log| {
        let warnings = named(log, "kelvin-voigt").warnings;
        warnings
            .into_iter()
            .find(|warning| warning.contains("late"))
    };
    assert_eq!(told(&recipe.generate()), None);
    recipe.sensor.force_latency = 0.04;
    let log = recipe.generate();
    let warning = told(&log).unwrap();
    assert!(warning.ends_with("try --force-latency fit"), "{warning}");
    // The intervals cover errors that are not corrected.
    for (name, truth) in law.parameters() {
        let fit = named(&log, "kelvin-voigt").fit;
        let [low, high] = fit.parameter(name).unwrap().ci95;
        assert!(low <= truth && truth <= high, "{name}: {low} to {high}");
    }
    let mut options = CalibrationOptions {
        model: ModelChoice::Named("kelvin-voigt"),
        ..CalibrationOptions::default()
    };
    options.prepare.force_latency = Some(ForceLatency::Fitted);
    let fit = calibrate(&log, &options).unwrap().fit;
    for (name, truth) in law.parameters() {
        let [low, high] = fit.parameter(name).unwrap().ci95;
        assert!(low <= truth && truth <= high, "{name}: {low} to {high}");
    }
    let stiffness = fit.parameter("stiffness").unwrap().value;
    assert!((stiffness / 1324.17 - 1.0).abs() < 0.01, "{stiffness}");
    // Relaxation of a tissue is not reported as a late force.
    recipe.law = Law::StandardLinearSolid {
        stiffness: 900.0,
        branch_stiffness: 600.0,
        relaxation_time: 0.15,
    };
    recipe.sensor.force_latency = 0.0;
    assert_eq!(told(&recipe.generate()), None);
}

/// A log of a motion along the axis whose force is a function of indentation and velocity, with noise of 0.02 N.
fn log_of(segments: &[Segment], seed: u64, force: impl Fn(f64, f64) -> f64) -> Log {
    let mut recipe = SyntheticLog::new(KELVIN_VOIGT, motion(segments), AXIS);
    recipe.seed = seed;
    recipe.sensor.force_noise = 0.02;
    let truth = recipe.truth();
    let mut log = recipe.generate();
    let Channel::Scalar(recorded) = &mut log.force else {
        panic!("a scalar force")
    };
    for (row, recorded) in recorded.iter_mut().enumerate() {
        let depth = truth.indentation[row];
        let wanted = if depth > 0.0 {
            force(depth, truth.velocity[row]).max(0.0)
        } else {
            0.0
        };
        *recorded += wanted - truth.force[row];
    }
    log
}

#[test]
fn a_law_that_does_not_explain_the_force_identifies_nothing() {
    let ramp = [Segment::Hold(0.5), step(0.008, 0.004), Segment::Hold(0.3)];
    // Structures with snap-through: the force rises, falls back, and rises again.
    let snaps: [fn(f64) -> f64; 2] = [
        |r| 10.0 * (1.0 - (r * 1400.0).cos()),
        |r| 20.0 * (r / 1.5e-3) * (-(r / 1.5e-3)).exp() + 300.0 * r,
    ];
    for snap in snaps {
        let log = log_of(&ramp, 1, |r, _| snap(r));
        for model in [
            "kelvin-voigt",
            "divided",
            "hunt-crossley",
            "hertz",
            "flat-punch",
        ] {
            let found = named(&log, model);
            for parameter in &found.fit.parameters {
                assert!(!parameter.identifiable, "{model} {parameter:?}");
                assert!(
                    parameter.reason.contains("does not describe"),
                    "{parameter:?}"
                );
            }
            assert!(!found.warnings.is_empty());
            // No advice that would lead to the same result.
            assert!(
                found
                    .warnings
                    .iter()
                    .all(|warning| !warning.contains("try --model")),
                "{:?}",
                found.warnings
            );
        }
    }
    // A tissue that stiffens with depth is described, if only roughly.
    let log = log_of(&ramp, 1, |r, _| 2e6 * r.powf(2.5));
    let found = named(&log, "kelvin-voigt");
    assert!(found.fit.parameter("stiffness").unwrap().identifiable);
    // A force that is constant up to noise in a hold is not a misfit, and determines the stiffness.
    let hold = [Segment::Hold(0.5), step(0.008, 0.02), Segment::Hold(3.0)];
    let found = named(
        &log_of(&hold, 1, |r, v| 1000.0 * r + 10.0 * v),
        "kelvin-voigt",
    );
    assert!(found.fit.parameter("stiffness").unwrap().identifiable);
}

#[test]
fn a_law_that_gives_softness_is_named_and_the_advice_works() {
    let recipe = |law| {
        let mut recipe = SyntheticLog::new(law, Trajectory::rich(), AXIS);
        recipe.rate = 200.0;
        recipe.seed = 1;
        recipe.generate()
    };
    let stiffening = recipe(Law::HuntCrossley {
        kappa: 14e3,
        lambda: 230.0,
        n: 1.5,
        m: 0.5,
    });
    let named = |log: &Log, model: &'static str| {
        let mut options = CalibrationOptions {
            model: ModelChoice::Named(model),
            ..CalibrationOptions::default()
        };
        // These sensors are read at the same instant: an unknown latency hides damping.
        options.prepare.force_latency_error = Some(0.0);
        calibrate(log, &options).unwrap()
    };
    let found = named(&stiffening, "divided");
    assert!(!found.fit.parameter("damping").unwrap().identifiable);
    let advice = |warning: &String| warning.contains("leaves damping open");
    let warning = found
        .warnings
        .iter()
        .find(|warning| advice(warning))
        .unwrap();
    assert!(warning.ends_with("try --model kelvin-voigt"), "{warning}");
    let followed = named(&stiffening, "kelvin-voigt").fit;
    assert!(followed.parameter("damping").unwrap().identifiable);

    // The end of a run of the command line.
    let ends = |log: &Log, model| {
        let logs = [Ok((log.clone(), PrepareOptions::default()))];
        let model = ModelChoice::Named(model);
        calibrate_sites(logs, model, &FitOptions::default())
            .unwrap()
            .no_softness
    };
    let linear = recipe(KELVIN_VOIGT);
    assert_eq!(ends(&linear, "kelvin-voigt"), None);
    let problem = ends(&linear, "hertz").unwrap();
    assert!(problem.contains("hertz has no damping"), "{problem}");
    assert!(problem.ends_with("try --model kelvin-voigt"), "{problem}");
    let ramp = [Segment::Hold(0.5), step(0.008, 0.005), Segment::Hold(0.3)];
    let problem = ends(
        &log_of(&ramp, 1, |r, v| 1200.0 * r + 15.0 * v),
        "kelvin-voigt",
    )
    .unwrap();
    assert!(
        problem.ends_with("no law here gives both on these logs"),
        "{problem}"
    );
    assert!(problem.contains("one velocity at each depth"), "{problem}");
}

fn swing(amplitude: f64, frequency: f64, cycles: f64) -> Segment {
    Segment::Sine {
        amplitude,
        frequency,
        cycles,
        fade: 0.25,
    }
}

/// Whether the damping of a fit is undetermined or its interval covers the truth; and the text about dry friction.
fn rubbed(log: &Log, model: &'static str, truth: f64) -> (bool, Option<String>) {
    let found = named(log, model);
    let damping = found.fit.parameter("damping").unwrap();
    let holds = (damping.ci95[0]..=damping.ci95[1]).contains(&truth);
    let told = found.warnings.into_iter();
    (
        !damping.identifiable || holds,
        told.clone()
            .find(|warning| warning.contains("dry friction")),
    )
}

#[test]
fn dry_friction_is_not_taken_for_damping() {
    for (stiffness, damping, friction, frequency) in [
        (1200.0, 0.0, 0.4, 0.8),
        (900.0, 12.0, 0.3, 1.5),
        (2000.0, 5.0, 0.25, 0.5),
    ] {
        let segments = [
            Segment::Hold(1.0),
            step(0.006, 0.02),
            Segment::Hold(0.3),
            swing(0.0024, frequency, 4.0),
            step(-0.01, 0.02),
            Segment::Hold(0.5),
        ];
        for seed in 0..3 {
            let force = |r: f64, v: f64| {
                stiffness * r + damping * v + if v == 0.0 { 0.0 } else { friction * v.signum() }
            };
            let log = log_of(&segments, seed, force);
            for model in ["kelvin-voigt", "divided"] {
                let (sober, told) = rubbed(&log, model, damping);
                assert!(sober, "{model}: {stiffness} {damping}");
                assert!(told.is_some(), "{model}: {stiffness} {damping}");
            }
        }
    }
}

#[test]
fn dry_friction_is_fitted_if_the_motion_separates_it_from_damping() {
    let segments = [
        Segment::Hold(1.0),
        step(0.006, 0.005),
        Segment::Hold(0.3),
        swing(0.002, 0.3, 2.0),
        swing(0.002, 3.0, 6.0),
        step(-0.01, 0.02),
        Segment::Hold(0.5),
    ];
    let law =
        |r: f64, v: f64| 1200.0 * r + 15.0 * v + if v == 0.0 { 0.0 } else { 0.3 * v.signum() };
    for seed in 0..3 {
        let found = named(&log_of(&segments, seed, law), "kelvin-voigt");
        let damping = found.fit.parameter("damping").unwrap();
        assert!(
            damping.identifiable && (damping.value / 15.0 - 1.0).abs() < 0.1,
            "{damping:?}"
        );
        let friction = found.fit.parameter("dry_friction").unwrap();
        assert!((friction.value / 0.3 - 1.0).abs() < 0.1, "{friction:?}");
        assert!(
            found
                .warnings
                .iter()
                .any(|warning| warning.contains("dry friction of 0."))
        );
    }
    // No report without dry friction: a damper, and tissues whose loops have other causes.
    let laws = [
        KELVIN_VOIGT,
        Law::HuntCrossley {
            kappa: 25e3,
            lambda: 400.0,
            n: 1.5,
            m: 0.5,
        },
        Law::StandardLinearSolid {
            stiffness: 900.0,
            branch_stiffness: 600.0,
            relaxation_time: 0.15,
        },
    ];
    for law in laws {
        for motion in [Trajectory::rich(), Trajectory::press(), motion(&segments)] {
            let log = SyntheticLog::new(law, motion, AXIS).generate();
            let (_, told) = rubbed(&log, "kelvin-voigt", 0.0);
            assert_eq!(told, None, "{law:?}");
        }
    }
}
