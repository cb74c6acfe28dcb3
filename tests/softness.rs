//! Contract: a probe meets the softness that a fast torso is given, and force grows with depth as on the solids.

use std::ops::ControlFlow::Continue;

use insonate::experiments::{Pictures, Press, press};
use insonate::models::torsos::{Shape, Softness, TorsoConfig, fast};
use insonate::models::{Scene, probes, robots};

/// Forces at 5, 10 and 15 mm of the standard press, for 1324 N/m: means of `flex`, `mpm` and `xpbd` (docs/torsos.md) [N].
const SOLIDS: [(f64, f64); 3] = [(0.005, 5.36), (0.010, 12.12), (0.015, 20.37)];

#[test]
fn a_fast_torso_pushes_back_as_the_solids_do() {
    let probe = probes::c5_2();
    for (shape, factor) in [(Shape::Cylinder, 1.0), (Shape::Box, 2.5)] {
        let nominal = Softness::default();
        let config = TorsoConfig {
            softness: Softness {
                stiffness: factor * nominal.stiffness,
                damping: factor * nominal.damping,
            },
            ..TorsoConfig::usual("fast", shape, None, probe.thickness)
        };
        let torso = fast(&config.matching(0.002)).unwrap();
        let scene = Scene::new(robots::panda::panda(), probe.clone(), Some(torso));
        let settings = Press {
            depth: 0.016,
            hold: 0.0,
            ..Press::default()
        };
        let (record, _) = press(&scene, &settings, &mut Pictures::none(), &mut |_| {
            Continue(())
        })
        .unwrap();
        for (depth, solid) in SOLIDS {
            let sample = record
                .of_phase("press")
                .find(|sample| sample.indentation >= depth)
                .unwrap();
            let force = sample.force[2] / factor;
            assert!(
                (force / solid - 1.0).abs() < 0.1,
                "{shape:?} at {depth} m: {force} N, solids {solid} N"
            );
        }
    }
}
