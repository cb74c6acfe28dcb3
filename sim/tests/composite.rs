//! Contract: the composite torso rests in its given shape at any softness, and breathes with its rate and amplitude.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_models::torsos::{Breathing, Shape, Softness, Solref, TorsoConfig, composite};
use insonate_sim::{Physics, names};

/// A rest constraint as fitted to tissue, far from critical damping.
const TUNED: Solref = Solref {
    stiffness: 2270.0,
    damping: 43.0,
};

fn physics(config: &TorsoConfig) -> Physics {
    let torso = composite(config).unwrap();
    let physics = Physics::from_xml(&torso.mjcf.to_xml().unwrap()).unwrap();
    assert_eq!(physics.qpos().len(), torso.n_qpos);
    physics
}

fn small(shape: Shape) -> TorsoConfig {
    TorsoConfig {
        shape,
        count: [5, 3, 5],
        ..TorsoConfig::default()
    }
}

#[test]
fn every_shape_sags_by_less_than_half_a_millimetre() {
    for (name, shape) in Shape::ALL {
        let config = TorsoConfig {
            shape: *shape,
            ..TorsoConfig::default()
        };
        let mut physics = physics(&config);
        physics.step_n(250).unwrap();
        let sag = physics
            .qpos()
            .iter()
            .fold(0.0_f64, |most, q| most.max(q.abs()));
        // Half a second is 25 time constants of the rest constraint; the sag is weight / stiffness, 0.098 N / 278 N/m.
        assert!((1e-4..5e-4).contains(&sag), "{name}: {sag} m");
        let speed = physics
            .qvel()
            .iter()
            .fold(0.0_f64, |most, v| most.max(v.abs()));
        assert!(speed < 1e-6, "{name}: {speed} m/s");
    }
}

#[test]
fn the_softest_and_the_stiffest_torsos_come_to_rest() {
    for stiffness in [10.0, 50_000.0] {
        for damping in [0.1, 500.0] {
            let mut physics = physics(&TorsoConfig {
                softness: Softness { stiffness, damping },
                ..small(Shape::Box)
            });
            // A push of 3 cm from which the torso must recover.
            physics.qpos_mut()[0] = -0.03;
            physics.step_n(1000).unwrap();
            let far = physics
                .qpos()
                .iter()
                .fold(0.0_f64, |most, q| most.max(q.abs()));
            assert!(
                far < 1e-3,
                "stiffness {stiffness}, damping {damping}: {far} m"
            );
        }
    }
}

#[test]
fn a_breath_lifts_the_front_by_the_amplitude_and_leaves_the_back() {
    for (name, shape) in Shape::ALL {
        for (stiffness, rest) in [(500.0, None), (20_000.0, None), (18_000.0, Some(TUNED))] {
            let breathing = Breathing {
                rate: 0.5,
                amplitude: 0.01,
            };
            let mut physics = physics(&TorsoConfig {
                breathing: Some(breathing),
                softness: Softness {
                    stiffness,
                    damping: 20.0,
                },
                rest,
                ..small(*shape)
            });
            let qpos = |joint: &str| names::joint(physics.model(), joint).unwrap().qpos;
            let (front, back) = (qpos("J2_2_2"), qpos("J2_0_2"));
            // First the weight's sag, then breathed in after half a period and out after a whole period.
            physics.step_n(100).unwrap();
            let start = physics.qpos().to_vec();
            let early = 0.5 * breathing.amplitude * (1.0 - (0.2 * std::f64::consts::PI).cos());
            physics.step_n(400).unwrap();
            let rise = physics.qpos()[front] - start[front] + early;
            // The rest constraint's 20 ms cause a lag at the start; at the turning point the front stands still.
            // In the middle of a patient's front, between belly and chest, the rise is smaller.
            let share = if *shape == Shape::Adult { 0.85 } else { 1.0 };
            let expected = share * breathing.amplitude;
            let tolerance = if *shape == Shape::Adult { 6e-4 } else { 3e-4 };
            assert!(
                (rise - expected).abs() < tolerance,
                "{name}, {stiffness}: {rise} m"
            );
            assert!(
                (physics.qpos()[back] - start[back]).abs() < 3e-4,
                "{name}, {stiffness}"
            );
            physics.step_n(500).unwrap();
            let fall = physics.qpos()[front] - start[front] + early;
            assert!(fall.abs() < 3e-4, "{name}, {stiffness}: {fall} m");
        }
    }
}
