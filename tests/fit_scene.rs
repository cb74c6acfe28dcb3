//! Contract: a torso is tuned until the same regression of the same press gives the recorded stiffness and damping; otherwise the
//! reason is reported.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::ops::ControlFlow::Continue;

use insonate::experiments::{SceneFit, fit_scene};
use insonate::models::torsos::{self, Softness, TorsoConfig};
use insonate::models::{Scene, probes, robots};
use insonate_calibration::synthetic::{Law, MotionFrame, Segment, SyntheticLog, Trajectory};
use insonate_calibration::{
    Calibration, ContactPoint, FitOptions, LogOverview, LogSource, PreparedLog, Samples, models,
};

/// The centre of the chest in the thesis: 1324.17 N/m, 17.59 N·s/m.
const THESIS: Law = Law::KelvinVoigt {
    stiffness: 1324.17,
    damping: 17.59,
};

/// A recording of a law without errors: a press to 4 mm and a sine of 2 mm around it, fitted with a model.
fn recorded(law: Law, model: &str) -> Calibration {
    let segments = [
        Segment::Move {
            to: 0.004,
            speed: 0.02,
            ramp: 0.05,
        },
        Segment::Sine {
            amplitude: 0.002,
            frequency: 2.0,
            cycles: 2.0,
            fade: 0.5,
        },
    ];
    let log = SyntheticLog::new(
        law,
        Trajectory::new(-0.002, &segments),
        MotionFrame::Indentation,
    );
    let truth = log.truth();
    let first = truth.indentation.iter().position(|&r| r > 0.0).unwrap();
    let samples = Samples {
        log: "thesis".to_owned(),
        time: truth.time[first..].to_vec(),
        indentation: truth.indentation[first..].to_vec(),
        velocity: truth.velocity[first..].to_vec(),
        force: truth.force[first..].to_vec(),
        contact: ContactPoint::KNOWN,
        sampling_interval: 0.002,
        ..Samples::default()
    };
    let model = models::by_name(model).unwrap();
    let fit = model.fit(&samples, &FitOptions::default()).unwrap();
    let prepared = PreparedLog {
        window: [samples.time[0], *samples.time.last().unwrap()],
        samples,
        choices: Vec::new(),
        force_bias: 0.0,
        overview: LogOverview::default(),
        notes: Vec::new(),
    };
    Calibration {
        source: LogSource::default(),
        prepared,
        fit,
        selection: None,
        warnings: Vec::new(),
        place: None,
    }
}

fn fitted(kind: &str, law: Law, model: &str, target: Option<Softness>) -> SceneFit {
    let torso = (torsos::by_name(kind).unwrap().build)(&TorsoConfig::default()).unwrap();
    let scene = Scene::new(robots::panda::panda(), probes::c5_2(), Some(torso));
    let options = FitOptions::default();
    fit_scene(&scene, &recorded(law, model), target, &options, &mut |_| {
        Continue(())
    })
    .unwrap()
}

fn check(fit: &SceneFit) {
    assert!(fit.reached, "{}", fit.reason);
    assert!(fit.stiffness_error.abs() < 0.05 && fit.damping_error.abs() < 0.10);
    let Softness { stiffness, damping } = fit.simulated;
    let error = stiffness / fit.target.stiffness - 1.0;
    assert!((error - fit.stiffness_error).abs() < 1e-12 && damping > 0.0);
    fit.config.check().unwrap();
}

#[test]
fn a_fast_torso_is_tuned_to_the_thesis_from_a_ratio_that_is_half_as_large() {
    for model in ["divided", "kelvin-voigt"] {
        let fit = fitted("fast", THESIS, model, None);
        check(&fit);
        assert!(
            (fit.target.stiffness - 1324.17).abs() < 1.0,
            "{:?}",
            fit.target
        );
        // Before tuning, the damping of the torso is much too high for its stiffness.
        let ratio = |softness: Softness| softness.damping / softness.stiffness;
        assert!(
            ratio(fit.untuned) > 1.5 * ratio(fit.target),
            "{:?}",
            fit.untuned
        );
    }
}

#[test]
fn a_wanted_softness_overrules_the_recorded_one() {
    let target = Softness {
        stiffness: 700.0,
        damping: 30.0,
    };
    let fit = fitted("fast", THESIS, "divided", Some(target));
    check(&fit);
    assert_eq!(fit.target, target);
}

#[test]
fn a_flex_torso_is_tuned_too() {
    let law = Law::KelvinVoigt {
        stiffness: 500.0,
        damping: 10.0,
    };
    check(&fitted("flex", law, "divided", None));
}

#[test]
fn a_damping_out_of_reach_is_said_to_be_so() {
    let target = Softness {
        stiffness: 300.0,
        damping: 450.0,
    };
    let fit = fitted("fast", THESIS, "divided", Some(target));
    assert!(!fit.reached);
    assert!(fit.reason.contains("does not rise above"), "{}", fit.reason);
}
