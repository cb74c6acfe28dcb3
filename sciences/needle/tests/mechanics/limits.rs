//! What is refused, and restarts.

use insonate_needle::{Compliance, Gauge, Layer, Needle, NeedleConfig, NeedleError, Settings, Tip};
use nalgebra::{Isometry3, Vector2, Vector3};

use crate::bodies::{Foundation, Insertion, Momentary, Solid, needle_18g, pose};

#[test]
fn bone_is_refused_and_the_needle_stays_in_front_of_it() {
    let layers = vec![Layer::soft("muscle", 100.0, 20.0), Layer::bone("rib")];
    let body = Foundation {
        layers: vec![0.0, 0.03],
        ..Foundation::new(1e6, 1e6)
    };
    let mut insertion = Insertion::new(needle_18g(0.15), layers, 1e-3, body);
    let error = insertion.try_to(0.0, 0.05).unwrap_err();
    let NeedleError::Bone { layer, position } = &error else {
        panic!("{error}");
    };
    assert!(
        layer == "rib" && position[2] >= 0.03 && position[2] < 0.031,
        "{error}"
    );
    let report = insertion.needle.report(&insertion.body);
    assert!(report.tip.z <= 0.03 && report.tip.z > 0.029, "{report:?}");
    assert!((report.force_on_base + insertion.body.force).norm() < 1e-9);
    // It can still be withdrawn.
    assert!(insertion.to(-1e-3).axial_force.abs() < 1e-9);
}

#[test]
fn bone_at_the_skin_is_not_entered() {
    let layers = vec![Layer::bone("skull")];
    let mut insertion = Insertion::new(needle_18g(0.15), layers, 1e-3, Foundation::new(1e6, 1e6));
    let error = insertion.try_to(0.0, 0.01).unwrap_err();
    assert!(
        matches!(
            error,
            NeedleError::Buckles { .. } | NeedleError::Bone { .. }
        ),
        "{error}"
    );
    assert!(insertion.needle.report(&insertion.body).cut_length == 0.0);
}

#[test]
fn a_thin_needle_buckles_at_the_skin() {
    let skin = Layer {
        puncture_force: 2.8,
        ..Layer::soft("skin", 100.0, 0.0)
    };
    for (gauge, buckles) in [(Gauge::G22, true), (Gauge::G18, false)] {
        let config = NeedleConfig::steel(gauge, 0.15);
        let mut insertion = Insertion::new(config, vec![skin.clone()], 1e-3, Solid::new(1e5, 5e-3));
        let result = insertion.try_to(0.0, 0.02);
        assert_eq!(
            matches!(result, Err(NeedleError::Buckles { .. })),
            buckles,
            "{gauge:?} {result:?}"
        );
    }
}

#[test]
fn invalid_numbers_are_refused() {
    let layers = vec![Layer::soft("liver", 100.0, 10.0)];
    let mut insertion = Insertion::new(
        needle_18g(0.15),
        layers.clone(),
        1e-3,
        Foundation::new(1e6, 1e6),
    );
    insertion.to(0.01);
    let before = (insertion.needle.clone(), insertion.body.clone());
    for x in [f64::NAN, f64::INFINITY, 1e5] {
        let error = insertion.try_to(x, 0.02).unwrap_err();
        assert!(matches!(error, NeedleError::Setting(_)), "{error}");
    }
    assert_eq!((insertion.needle, insertion.body), before);
    let new = |config, layers| {
        Needle::<Vector3<f64>>::new(config, layers, Settings::default(), Isometry3::identity())
    };
    let wrong = [
        NeedleConfig {
            length: f64::NAN,
            ..needle_18g(0.1)
        },
        NeedleConfig {
            inner_diameter: 2e-3,
            ..needle_18g(0.1)
        },
        NeedleConfig {
            tip: Tip::CutAngle { angle: 2.0 },
            ..needle_18g(0.1)
        },
    ];
    for config in wrong {
        assert!(new(config, layers.clone()).is_err());
    }
    assert!(new(needle_18g(0.1), vec![Layer::soft("", -1.0, 0.0)]).is_err());
    assert!(new(needle_18g(0.1), Vec::new()).is_err());
}

#[test]
fn the_hub_stays_outside() {
    let layers = vec![Layer::soft("liver", 10.0, 1.0)];
    let mut insertion = Insertion::new(needle_18g(0.05), layers, 1e-3, Foundation::new(1e6, 1e6));
    let error = insertion.try_to(0.0, 0.06).unwrap_err();
    assert!(matches!(error, NeedleError::Hub { .. }), "{error}");
}

#[test]
fn a_clone_continues_with_the_same_bits() {
    let layers = vec![Layer::soft("liver", 164.0, 10.0)];
    let config = NeedleConfig {
        tip: Tip::TipLoad {
            force: 0.05,
            facet: 3e-3,
        },
        ..needle_18g(0.15)
    };
    let mut insertion = Insertion::new(config, layers, 2e-3, Solid::new(1e4, 3e-3));
    insertion.to(0.01);
    let (mut needle, mut body) = (insertion.needle.clone(), insertion.body.clone());
    let report = insertion.to(0.02);
    let again = needle.advance(&mut body, pose(&config, 0.0, 0.02)).unwrap();
    assert_eq!(again, report);
    assert_eq!((needle, body), (insertion.needle, insertion.body));
}

#[test]
fn a_step_without_balance_is_an_error_and_changes_nothing() {
    let layers = || {
        vec![Layer {
            puncture_force: 2.0,
            ..Layer::soft("capsule", 40.0, 10.0)
        }]
    };
    let settings = |max_passes| Settings {
        spacing: 1e-3,
        max_passes,
        ..Settings::default()
    };
    let config = needle_18g(0.15);
    let start = pose(&config, 0.0, -1e-3);
    // A puncture whose force falls in parts needs several passes.
    let mut needle = Needle::new(config, layers(), settings(2), start).unwrap();
    let mut body = Solid::new(1e4, 2e-3);
    let error = (1..=400)
        .find_map(|i| {
            let before = needle.clone();
            let to = pose(&config, 0.0, f64::from(i) * 5e-5);
            let error = needle.advance(&mut body, to).err()?;
            assert_eq!(needle, before);
            Some(error)
        })
        .expect("two passes are not enough");
    assert_eq!(error, NeedleError::NotSettled { passes: 2 });
    // A sum in which the terms of the refused step cancel.
    let force: Vector3<f64> = body.forces.iter().map(|(_, force)| force).sum();
    let report = needle.report(&body);
    assert!((force + report.force_on_base).norm() < 1e-9);
    let mut patient = Needle::new(config, layers(), settings(200), start).unwrap();
    let mut body = Solid::new(1e4, 2e-3);
    let report = patient
        .advance(&mut body, pose(&config, 0.0, 0.02))
        .unwrap();
    assert!(report.is_settled && report.n_punctures == 1, "{report:?}");
}

#[test]
fn a_momentary_body_says_when_a_step_ends_without_balance() {
    let layers = vec![Layer {
        puncture_force: 2.0,
        ..Layer::soft("capsule", 40.0, 10.0)
    }];
    let settings = Settings {
        spacing: 1e-3,
        max_passes: 1,
        ..Settings::default()
    };
    let config = needle_18g(0.15);
    let mut needle = Needle::new(config, layers, settings, pose(&config, 0.0, -1e-3)).unwrap();
    let springs = Foundation {
        springs: Compliance {
            lateral: 1e-6,
            axial: 1e-6,
            tip: 1e-2,
        },
        ..Foundation::new(1e6, 1e6)
    };
    let mut body = Momentary(springs);
    let steps = 1..=400;
    let reports: Vec<_> = steps
        .map(|i| {
            let to = pose(&config, 0.0, f64::from(i) * 1e-4);
            needle.advance(&mut body, to).unwrap()
        })
        .collect();
    assert!(reports[0].is_settled, "it only touches the skin");
    assert!(reports.iter().any(|report| !report.is_settled));
    // Later steps take up what is left.
    for _ in 0..50 {
        needle.advance(&mut body, pose(&config, 0.0, 0.04)).unwrap();
    }
    let report = needle.report(&body);
    assert!(report.is_settled, "{report:?}");
    assert!((report.tip_force - 40.0 * 1.270e-3).abs() < 1e-6);
}

#[test]
fn no_force_is_left_after_a_withdrawal() {
    let layers = || vec![Layer::soft("liver", 164.0, 20.0)];
    let tips = [
        Tip::Symmetric,
        Tip::CutAngle { angle: 5e-3 },
        Tip::TipLoad {
            force: 0.05,
            facet: 3e-3,
        },
    ];
    for tip in tips {
        let config = NeedleConfig {
            tip,
            ..needle_18g(0.15)
        };
        let mut insertion = Insertion::new(config, layers(), 1e-3, Foundation::new(5e4, 1e6));
        insertion.to(0.03);
        if tip == Tip::Symmetric {
            insertion.needle.load_tip(Vector2::new(0.05, 0.0)).unwrap();
            let loaded = insertion.to(0.03);
            assert!(loaded.tip.x > 1e-5, "{loaded:?}");
        }
        // The tip leaves the skin in the last step.
        insertion.to(0.1e-3);
        let report = insertion.to(-0.1e-3);
        assert!(insertion.body.force.norm() < 1e-12, "{tip:?}");
        assert!(insertion.body.torque.norm() < 1e-12, "{tip:?}");
        assert_eq!(report.force_on_base.norm(), 0.0, "{tip:?}");
        assert_eq!(report.inserted_length, 0.0);
        assert!(report.tip.xy().norm() < 1e-12, "{tip:?} {report:?}");
        // Another place, so that the channel is forgotten.
        insertion.try_to(5e-3, -1e-3).unwrap();
        insertion.try_to(5e-3, 0.01).unwrap();
        insertion.try_to(5e-3, -1e-3).unwrap();
        assert!(insertion.body.force.norm() < 1e-12, "{tip:?}");
    }
}
