//! Contract: a scan holds its force on every torso with every robot, a press reaches its depth, and both report their numbers.
//!
//! The limits of force and contact are the project's success rule for a scan: mean absolute error below 0.5 N from half a second
//! after first contact, contact ratio above 0.98, no jump above 15 N.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::ops::ControlFlow::Continue;

use insonate::experiments::{Pictures, Press, Scan, Summary, press, scan};
use insonate::models::torsos::{self, Breathing, Shape, Softness, TorsoConfig};
use insonate::models::{Scene, SceneConfig, SoftnessChoice, probes, robots, robots::Robot};

fn scene(robot: Robot, kind: &str, config: &TorsoConfig) -> Scene {
    Scene::new(
        robot,
        probes::c5_2(),
        Some((torsos::by_name(kind).unwrap().build)(config).unwrap()),
    )
}

fn run(scene: &Scene, path: &Scan) -> Summary {
    scan(scene, path, &mut Pictures::none(), &mut |_| Continue(()))
        .unwrap()
        .1
}

fn check(name: &str, summary: &Summary) {
    assert!(summary.force_mae_n < 0.5, "{name}: {summary:?}");
    assert!(summary.contact_ratio > 0.98, "{name}: {summary:?}");
    assert!(
        summary.largest_jump_n < 15.0 && summary.peak_force_n < 15.0,
        "{name}: {summary:?}"
    );
    assert!(
        summary.path_rmse_m < 0.005 && summary.peak_tilt_deg < 5.0,
        "{name}: {summary:?}"
    );
}

#[test]
fn both_robots_hold_the_force_on_the_fast_and_the_flex_torso() {
    for (name, robot) in robots::ALL {
        if robot().flange.is_none() {
            continue;
        }
        for kind in ["fast", "flex"] {
            let summary = run(
                &scene(robot(), kind, &TorsoConfig::default()),
                &Scan::default(),
            );
            check(&format!("{name} on {kind}"), &summary);
        }
    }
}

#[test]
fn the_composite_torso_feels_as_the_fast_one() {
    let path = Scan {
        from: [0.0, -0.01],
        to: [0.0, 0.01],
        ..Scan::default()
    };
    let [exact, fast] = ["composite", "fast"].map(|kind| {
        run(
            &scene(robots::panda::panda(), kind, &TorsoConfig::default()),
            &path,
        )
    });
    check("composite", &exact);
    assert!(
        (exact.force_mae_n - fast.force_mae_n).abs() < 1e-3
            && (exact.peak_force_n - fast.peak_force_n).abs() < 1e-2
    );
    assert!((exact.peak_indentation_m - fast.peak_indentation_m).abs() < 1e-5);
}

/// Regression: at a depth of 35 mm, the flat face of an L12-5 fell through the skin and the force reached 75 N.
#[test]
fn a_narrow_probe_is_held_up_deep_in_a_soft_torso() {
    let config = SceneConfig {
        probe: "l12-5".to_owned(),
        shape: Shape::Box,
        softness: SoftnessChoice::Values(Softness {
            stiffness: 400.0,
            damping: 5.3,
        }),
        breathing: Some(Breathing::default()),
        ..SceneConfig::default()
    };
    let scene = config.build().unwrap();
    let path = Scan {
        force: 15.0,
        ..Scan::default()
    };
    let summary = run(&scene, &path);
    assert!(summary.peak_indentation_m > 0.03, "{summary:?}");
    assert!(summary.force_mae_n < 0.5, "{summary:?}");
    assert!(
        summary.contact_ratio > 0.98 && summary.peak_force_n < 20.0,
        "{summary:?}"
    );
}

#[test]
fn a_breathing_human_torso_is_scanned_too() {
    let config = TorsoConfig {
        breathing: Some(Breathing::default()),
        ..TorsoConfig::of_shape(Shape::Human)
    };
    check(
        "breathing",
        &run(
            &scene(robots::panda::panda(), "fast", &config),
            &Scan::default(),
        ),
    );
}

#[test]
fn a_breathing_patient_is_scanned_by_either_arm() {
    let config = TorsoConfig {
        breathing: Some(Breathing::default()),
        ..TorsoConfig::of_shape(Shape::Adult)
    };
    for robot in [robots::panda::panda(), robots::ur5e::ur5e()] {
        let scene = scene(robot, "fast", &config);
        check("patient", &run(&scene, &Scan::default()));
    }
}

#[test]
fn a_press_reaches_its_depth_and_both_force_readings_agree() {
    for kind in ["fast", "flex"] {
        let wanted = Press {
            depth: 0.02,
            ..Press::default()
        };
        let torso = scene(robots::panda::panda(), kind, &TorsoConfig::default());
        let (record, summary) = press(
            &torso,
            &wanted,
            &mut Pictures::none(),
            &mut |_| Continue(()),
        )
        .unwrap();
        assert!(
            (summary.peak_indentation_m - 0.02).abs() < 1e-3,
            "{kind}: {summary:?}"
        );
        // The sensor at the tip and the contact list give the same force up to rounding.
        assert!(summary.force_rmse_n < 1e-6, "{kind}: {summary:?}");
        let deep = record.of_phase("hold").last().unwrap();
        assert!(deep.force[2] > 10.0 && deep.in_contact, "{kind}: {deep:?}");
        assert!(
            !record.samples.last().unwrap().in_contact,
            "{kind}: the probe must come off"
        );
    }
}

#[test]
fn the_same_scan_gives_the_same_bits() {
    let torso = scene(robots::ur5e::ur5e(), "fast", &TorsoConfig::default());
    let path = Scan {
        from: [0.0, 0.0],
        to: [0.0, 0.02],
        ..Scan::default()
    };
    let log = || {
        scan(&torso, &path, &mut Pictures::none(), &mut |_| Continue(()))
            .unwrap()
            .0
            .to_csv()
    };
    assert_eq!(log(), log());
}

#[test]
fn paths_off_the_torso_and_impossible_scans_are_refused() {
    let torso = scene(robots::panda::panda(), "fast", &TorsoConfig::default());
    let refused = |path: &Scan| {
        scan(&torso, path, &mut Pictures::none(), &mut |_| Continue(()))
            .unwrap_err()
            .to_string()
    };
    let off_torso = refused(&Scan {
        to: [0.0, 0.5],
        ..Scan::default()
    });
    assert!(off_torso.contains("is not on the torso"), "{off_torso}");
    let nan = refused(&Scan {
        force: f64::NAN,
        ..Scan::default()
    });
    assert_eq!(nan, "force is NaN; it must be between 0.5 and 40 N");
    let bare = Scene::new(robots::panda::panda(), probes::c5_2(), None);
    let none = scan(&bare, &Scan::default(), &mut Pictures::none(), &mut |_| {
        Continue(())
    })
    .unwrap_err()
    .to_string();
    assert!(none.contains("no torso"), "{none}");
}
