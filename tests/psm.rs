//! Contract: the PSM experiments reproduce the numbers in their document: the difference without counterweight as in the paper, the
//! remote
//! centre with every control law, and the force on the tip from motor torques on soft torsos.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::ops::ControlFlow::Continue;

use insonate::experiments::Pictures;
use insonate::experiments::psm::{
    PsmController, PsmPalpation, PsmTrack, PsmTrackSummary, PsmTrajectory, palpate, track,
};
use insonate::models::robots::psm::{Instrument, psm};
use insonate::models::torsos::{self, TorsoConfig};
use insonate::models::{Scene, probes};
use insonate::sim::psm::dvrk::identification::{Coordinates, MotionLog};

fn plan(trajectory: PsmTrajectory, counterweight: bool, duration: f64) -> PsmTrack {
    PsmTrack {
        trajectory,
        controller: PsmController::ComputedTorque,
        instrument: Instrument::LargeNeedleDriver,
        counterweight,
        duration,
    }
}

fn tracked(plan: &PsmTrack) -> PsmTrackSummary {
    track(plan, &mut Pictures::none(), &mut |_| Continue(()))
        .unwrap()
        .1
}

#[test]
fn the_counterweights_share_is_that_of_the_paper() {
    let without = tracked(&plan(PsmTrajectory::Line, false, 10.0)).rms_torque_difference[2];
    // Ferro et al. 2022, Fig. 4: 2.17 N.
    assert!((without / 2.17 - 1.0).abs() < 0.1, "{without} N");
    let with = tracked(&plan(PsmTrajectory::Line, true, 10.0)).rms_torque_difference[2];
    assert!(with < 0.048, "{with} N");
}

#[test]
fn every_law_follows_the_spiral_about_the_remote_centre() {
    for (name, controller) in PsmController::ALL {
        let plan = PsmTrack {
            controller,
            ..plan(PsmTrajectory::Spiral, true, 1.4)
        };
        let summary = tracked(&plan);
        assert!(summary.rcm_error_max_m < 1e-4, "{name}: {summary:?}");
        assert!(summary.rms_tip_error_m < 3e-3, "{name}: {summary:?}");
        assert!(summary.saturated_share < 0.01, "{name}: {summary:?}");
    }
}

#[test]
fn an_excitations_log_is_one_that_identification_reads() {
    let plan = plan(PsmTrajectory::Excitation(1), true, 2.0);
    let (record, summary) = track(&plan, &mut Pictures::none(), &mut |_| Continue(())).unwrap();
    assert!(summary.rcm_error_max_m < 1e-4, "{summary:?}");
    let log = MotionLog::parse(
        "log".to_owned(),
        &record.to_csv(),
        200.0,
        Coordinates::Motor,
    )
    .unwrap();
    assert_eq!(log.n_samples(), record.samples.len());
}

#[test]
fn motor_torques_tell_the_force_on_the_tip_on_soft_torsos() {
    // The tip is narrower than the point spacing of a `fast` torso, so its contact chatters. `mpm` takes a minute, and `composite`
    // behaves like `fast`.
    for (name, bound) in [("fast", 0.4), ("flex", 0.3), ("xpbd", 0.3)] {
        let plan = PsmPalpation {
            duration: 2.0,
            ..PsmPalpation::default()
        };
        let kind = torsos::by_name(name).unwrap();
        let torso = (kind.build)(&TorsoConfig::default()).unwrap();
        let mut scene = Scene::new(psm(), probes::c5_2(), Some(torso));
        scene.timestep = PsmPalpation::LONGEST_TIMESTEP;
        let (_, summary) =
            palpate(&scene, &plan, &mut Pictures::none(), &mut |_| Continue(())).unwrap();
        assert!(summary.peak_force_n > 1.0, "{name}: {summary:?}");
        assert!(
            summary.rms_force_error_n < bound,
            "{}: {summary:?}",
            kind.name
        );
        assert!(summary.rcm_error_max_m < 1e-4, "{name}: {summary:?}");
    }
}
