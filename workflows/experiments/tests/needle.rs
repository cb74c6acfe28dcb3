//! Insertions: the skin breaks at its configured force, and robots that cannot hold a needle are refused.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::ops::ControlFlow;

use insonate_experiments::needle::{NeedlePlan, PlannedLayer, Preset, insert_needle};
use insonate_needle::Gauge;

fn plan(target: [f64; 3], angle: f64) -> NeedlePlan {
    let rows = [("skin", 2e-3), ("fat", 8e-3), ("liver", 1.0)];
    let layers = rows.iter().map(|(name, thickness)| PlannedLayer {
        preset: Preset::by_name(name).unwrap(),
        thickness: *thickness,
    });
    NeedlePlan {
        gauge: Gauge::G18,
        length: 0.15,
        target,
        angle: angle.to_radians(),
        speed: 0.05,
        layers: layers.collect(),
        size: [0.08, 0.08, 0.06],
        edge: 8e-3,
        is_skin_whole: true,
        transducer: None,
        robot: None,
    }
}

#[test]
fn a_whole_skin_breaks_at_its_configured_force() {
    for angle in [90.0, 60.0] {
        let plan = plan([0.005, 0.0, -0.04], angle);
        let (summary, record, _) =
            insert_needle(&plan, 2, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(summary.ended_early, None, "{angle}");
        assert_eq!(summary.n_punctures, 1, "{angle}");
        let pressing = record
            .samples
            .iter()
            .filter(|sample| sample.press_force > 0.0);
        let peak = pressing
            .clone()
            .map(|sample| sample.press_force)
            .fold(0.0, f64::max);
        // It is 2.75 N.
        assert!((2.6..=2.8).contains(&peak), "{angle} {peak}");
        // The skin dents before it breaks, and by less than the layer of fat and some liver is thick.
        let dent = pressing.map(|sample| sample.depth).fold(0.0, f64::max);
        assert!((3e-3..20e-3).contains(&dent), "{angle} {dent}");
        // Behind the skin the needle is in the tissue, and the force is that of cutting and friction.
        assert!(summary.inserted_length_m > 0.03, "{summary:?}");
        assert!(summary.axial_force_n < peak, "{summary:?}");
    }
}

#[test]
fn a_robot_without_a_flange_is_refused_with_those_that_have_one() {
    let plan = NeedlePlan {
        robot: Some("psm".into()),
        ..plan([0.0, 0.0, -0.04], 90.0)
    };
    let error = insert_needle(&plan, 2, &mut |_| ControlFlow::Continue(())).unwrap_err();
    let said = error.to_string();
    for word in ["psm", "flange", "panda", "ur5e"] {
        assert!(said.contains(word), "{said}");
    }
}
