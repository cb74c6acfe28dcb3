//! Layers, puncture, and the channel.

use insonate_needle::{Layer, Needle, Settings};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use crate::bodies::{Foundation, Insertion, Momentary, assert_near, needle_18g, pose};

/// Skin, fat, muscle and liver, with their beginnings [m]. The numbers are round ones.
fn layers() -> (Vec<Layer>, Vec<f64>) {
    let layer = |name, toughness, friction, puncture_force| Layer {
        puncture_force,
        ..Layer::soft(name, toughness, friction)
    };
    let layers = vec![
        layer("skin", 800.0, 60.0, 2.8),
        layer("fat", 100.0, 8.0, 0.0),
        layer("muscle", 200.0, 30.0, 0.0),
        layer("liver", 164.0, 20.0, 1.0),
    ];
    (layers, vec![0.0, 2e-3, 2e-2, 3e-2])
}

#[test]
fn the_force_is_the_sum_over_layers_and_the_tip() {
    let (layers, depths) = layers();
    let body = Foundation {
        layers: depths.clone(),
        ..Foundation::new(1e6, 1e7)
    };
    let mut insertion = Insertion::new(needle_18g(0.15), layers.clone(), 0.5e-3, body);
    for depth in [1.5e-3, 1e-2, 2.5e-2, 4e-2, 6e-2] {
        let report = insertion.to(depth);
        let mut expected = 0.0;
        for (i, layer) in layers.iter().enumerate() {
            let end = depths.get(i + 1).copied().unwrap_or(1.0).min(depth);
            let friction = layer.friction * (end - depths[i]).max(0.0);
            let error = (report.friction[i] - friction).abs();
            // A layer begins within half a spacing of the first point in it.
            assert!(error <= 0.03 * friction + 1e-3, "{i} {report:?}");
            expected += friction;
        }
        let now = depths.iter().filter(|start| **start <= depth).count() - 1;
        let cutting = layers[now].toughness * 1.270e-3;
        assert_near(report.tip_force, cutting, 0.02);
        // A layer begins within half a spacing of the first point in it.
        assert_near(report.axial_force, expected + cutting, 0.03);
        assert_eq!(report.layer, Some(now));
    }
    assert_eq!(insertion.to(6e-2).n_punctures, 2);
}

#[test]
fn forces_on_tissue_and_base_are_equal_and_opposite() {
    let (layers, depths) = layers();
    let body = Foundation {
        layers: depths,
        ..Foundation::new(5e4, 1e6)
    };
    let mut insertion = Insertion::new(needle_18g(0.15), layers, 1e-3, body);
    insertion.to(0.04);
    for (x, tip) in [(2e-3, 0.04), (2e-3, 0.045), (-1e-3, 0.03), (0.0, 0.05)] {
        let report = insertion.try_to(x, tip).unwrap();
        assert!((report.force_on_base + insertion.body.force).norm() < 1e-9);
        let hub = pose(insertion.needle.config(), x, tip).translation.vector;
        let torque = insertion.body.torque - hub.cross(&insertion.body.force);
        assert!((report.torque_on_base + torque).norm() < 1e-9);
    }
    insertion.to(-0.01);
    assert!(
        insertion.body.force.norm() < 1e-9,
        "{:?}",
        insertion.body.force
    );
}

#[test]
fn a_needle_that_enters_elsewhere_cuts_a_channel_of_its_own() {
    let layers = vec![Layer::soft("liver", 164.0, 0.0)];
    let mut insertion = Insertion::new(needle_18g(0.15), layers, 1e-3, Foundation::new(1e6, 1e6));
    let cutting = 164.0 * 1.270e-3;
    assert_near(insertion.to(0.03).tip_force, cutting, 1e-9);
    insertion.to(-2e-3);
    assert!(
        insertion.try_to(0.5e-3, 0.02).unwrap().tip_force == 0.0,
        "within a diameter"
    );
    insertion.to(-2e-3);
    insertion.try_to(3e-3, -2e-3).unwrap();
    let report = insertion.try_to(3e-3, 0.02).unwrap();
    assert_near(report.tip_force, cutting, 1e-9);
    assert_near(report.cut_length, 0.03 + 0.02, 0.01);
    let first: &Vector3<f64> = insertion.needle.path().next().unwrap();
    assert!((first.x - 3e-3).abs() < 1e-9);
}

#[test]
fn forces_that_last_and_forces_of_one_step_give_the_same_answers() {
    let (layers, depths) = layers();
    let body = Foundation {
        layers: depths,
        ..Foundation::new(5e4, 4800.0)
    };
    let momentary = Momentary(body.clone());
    let mut lasting = Insertion::new(needle_18g(0.15), layers.clone(), 1e-3, body);
    let mut momentary = Insertion::new(needle_18g(0.15), layers, 1e-3, momentary);
    for (x, tip) in [
        (0.0, 0.01),
        (1e-3, 0.04),
        (2e-3, 0.04),
        (0.0, 0.02),
        (0.0, 0.05),
    ] {
        let expected = lasting.try_to(x, tip).unwrap();
        let report = momentary.try_to(x, tip).unwrap();
        assert!(
            (report.force_on_base - expected.force_on_base).norm() < 1e-6,
            "{report:?} {expected:?}"
        );
        assert!(
            (report.tip - expected.tip).norm() < 1e-8,
            "{report:?} {expected:?}"
        );
        assert_eq!(report.n_punctures, expected.n_punctures);
    }
}

#[test]
fn a_needle_cuts_at_every_angle() {
    for angle in (0..24).map(|i| 0.04 * f64::from(i)) {
        let layers = vec![Layer::soft("liver", 164.0, 20.0)];
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle);
        let base = |depth: f64| {
            let hub = turn * Vector3::new(0.0, 0.0, depth - 0.15);
            Isometry3::from_parts(hub.into(), turn)
        };
        let settings = Settings {
            spacing: 1e-3,
            ..Settings::default()
        };
        // It begins at its angle: a needle that turns there would swing through the skin.
        let mut needle = Needle::new(needle_18g(0.15), layers, settings, base(-2e-3)).unwrap();
        let mut body = Foundation::new(1e6, 1e7);
        let report = needle.advance(&mut body, base(0.03)).unwrap();
        assert_near(report.tip_force, 164.0 * 1.270e-3, 1e-6);
        assert_near(report.inserted_length, 0.03, 1e-3);
        assert_near(report.cut_length, 0.03, 0.01);
        assert_near(report.axial_force, 164.0 * 1.270e-3 + 20.0 * 0.03, 0.01);
    }
}
