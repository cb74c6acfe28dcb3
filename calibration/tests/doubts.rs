//! A number that must not be believed is not given, or comes with a warning that says what to do.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_calibration::{
    Calibration, CalibrationOptions, Channel, ForceLatency, Log, LogFrames, LogSource, ModelChoice,
    Motion, PrepareOptions, calibrate, prepare,
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
fn ramps_at_one_speed_tell_no_damping() {
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
fn a_preload_is_fitted_where_the_law_allows_it() {
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

    // A law that needs the surface says so, and its advice works.
    let log = SyntheticLog::new(KELVIN_VOIGT, Trajectory::palpation(10.0), AXIS).generate();
    let refused = calibrate(&log, &CalibrationOptions::default())
        .unwrap_err()
        .to_string();
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
        assert!(found.doubts.is_empty(), "{:?}", found.doubts);
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
fn presses_that_contradict_each_other_are_told() {
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
        // The second press finds the tissue 20 % softer.
        *value = -1.1 + 0.8 * (*value + 1.1);
    }
    let doubts = named(&log, "kelvin-voigt").doubts;
    assert!(
        doubts.iter().any(|doubt| doubt.contains("contradict")),
        "{doubts:?}"
    );
}

#[test]
fn a_misfit_names_the_law_that_fits_and_following_it_works() {
    let law = Law::HuntCrossley {
        kappa: 25e3,
        lambda: 2000.0,
        n: 1.5,
        m: 0.5,
    };
    let log = SyntheticLog::new(law, Trajectory::rich(), AXIS).generate();
    let found = named(&log, "divided");
    let warning = found
        .doubts
        .iter()
        .find(|doubt| doubt.contains("--model"))
        .unwrap();
    assert!(warning.contains("--model hunt-crossley"), "{warning}");
    let better = named(&log, "hunt-crossley");
    assert!(better.fit.statistics.rmse_n < 0.8 * found.fit.statistics.rmse_n);
}

#[test]
fn no_law_is_a_candidate_too() {
    // Force that has nothing to do with the press.
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
    assert!(found.doubts[0].contains("no law describes"));
}

#[test]
fn stiffness_of_no_tissue_asks_for_units() {
    let mut log = SyntheticLog::new(KELVIN_VOIGT, Trajectory::rich(), AXIS).generate();
    let Motion::Position(Channel::Scalar(position)) = &mut log.motion else {
        panic!("positions along an axis")
    };
    // Millimetres that were read as metres.
    for z in position.iter_mut() {
        *z *= 1e3;
    }
    log.velocity = None;
    let doubts = named(&log, "kelvin-voigt").doubts;
    assert!(
        doubts.iter().any(|doubt| doubt.contains("--units")),
        "{doubts:?}"
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
    // From a quarter of a cycle on.
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
fn a_late_force_is_told_and_taking_it_back_works() {
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
        let doubts = named(log, "kelvin-voigt").doubts;
        doubts.into_iter().find(|doubt| doubt.contains("late"))
    };
    assert_eq!(told(&recipe.generate()), None);
    recipe.sensor.force_latency = 0.04;
    let log = recipe.generate();
    let doubt = told(&log).unwrap();
    assert!(doubt.ends_with("try --force-latency fit"), "{doubt}");
    // What is not followed is in the intervals.
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
    // A tissue that relaxes is no late force.
    recipe.law = Law::StandardLinearSolid {
        stiffness: 900.0,
        branch_stiffness: 600.0,
        relaxation_time: 0.15,
    };
    recipe.sensor.force_latency = 0.0;
    assert_eq!(told(&recipe.generate()), None);
}
