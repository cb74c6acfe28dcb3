//! Contract: in MuJoCo, the flex torso rests still, has about the configured stiffness and stiffens with depth, dents only
//! near the probe, survives a press harder than in any scan, shows its force to the sensor at the tip, and breathes.

#[expect(dead_code, reason = "shared by several tests")]
mod stand;

use insonate_models::patients::Physique;
use insonate_models::torsos::{self, Breathing, Shape, Softness, TorsoConfig, flex};
use insonate_sim::{Physics, Readings};
use stand::press;

fn stand_and_readings(config: &TorsoConfig) -> (Physics, Readings) {
    stand::compiled(&stand::stand(flex(config).expect("the torso is possible")))
}

#[test]
fn every_shape_has_its_stiffness_and_stiffens_with_depth() {
    for &(name, shape) in Shape::ALL {
        let config = match shape {
            // An adult has its own size, for which the lattice of the thesis is too coarse.
            Shape::Adult => {
                let kind = torsos::by_name("flex").expect("it is in the registry");
                TorsoConfig::of_patient(Physique::default(), kind.adult_spacing)
            }
            shape => TorsoConfig {
                shape,
                ..TorsoConfig::default()
            },
        };
        let (mut physics, readings) = stand_and_readings(&config);
        let mut before = 0.0;
        for depth in [0.005, 0.01, 0.015, 0.02, 0.03] {
            let force = press(&mut physics, &readings, depth);
            assert!(
                force > before,
                "{name} at {depth} m: {force} N after {before} N"
            );
            before = force;
            if depth == 0.015 {
                // The servo yields by the force over its gain.
                let stiffness = force / (depth - force / 5e4);
                let ratio = stiffness / config.softness.stiffness;
                assert!((0.85..1.2).contains(&ratio), "{name}: {ratio}");
            }
        }
    }
}

#[test]
fn the_torso_rests_in_its_given_shape() {
    let (mut physics, readings) = stand_and_readings(&TorsoConfig::default());
    let particles = readings
        .particles
        .as_ref()
        .expect("the torso has particles");
    let at_rest = particles.positions(&physics);
    physics.step_n(500).expect("rest is stable");
    let moved = at_rest.iter().zip(particles.positions(&physics));
    let farthest = moved
        .flat_map(|(from, to)| {
            from.iter()
                .zip(to)
                .map(|(a, b)| (a - b).abs())
                .collect::<Vec<_>>()
        })
        .fold(0.0, f64::max);
    assert!(farthest < 1e-9, "{farthest} m");
}

#[test]
fn the_dent_is_local_and_heals() {
    let (mut physics, readings) = stand_and_readings(&TorsoConfig::default());
    let particles = readings.particles.clone().expect("the torso has particles");
    let at_rest = particles.positions(&physics);
    press(&mut physics, &readings, 0.02);
    let sunk = |physics: &Physics, is_there: &dyn Fn(f64) -> bool| {
        let pairs = at_rest.iter().zip(particles.positions(physics));
        let there = pairs.filter(|(rest, _)| is_there(rest[0].hypot(rest[1])));
        there
            .map(|(rest, now)| rest[2] - now[2])
            .fold(0.0, f64::max)
    };
    let (under, adjacent) = (sunk(&physics, &|r| r < 0.02), sunk(&physics, &|r| r > 0.1));
    assert!(
        under > 0.014 && adjacent < 0.1 * under,
        "{under} m and {adjacent} m"
    );
    press(&mut physics, &readings, -0.02);
    let healed = sunk(&physics, &|_| true);
    assert!(healed < 1e-3, "{healed} m");
}

#[test]
fn soft_and_stiff_tissue_survive_a_deep_press() {
    for stiffness in [10.0, 200.0, 5000.0, 50_000.0] {
        let softness = Softness {
            stiffness,
            damping: 17.59,
        };
        let (mut physics, readings) = stand_and_readings(&TorsoConfig {
            softness,
            ..TorsoConfig::default()
        });
        let force = press(&mut physics, &readings, 0.03);
        assert!(force > 0.01 * stiffness, "{stiffness} N/m: {force} N");
        press(&mut physics, &readings, -0.02);
        assert!(
            physics.qpos().iter().all(|q| q.abs() < 0.03),
            "{stiffness} N/m"
        );
    }
}

/// MuJoCo's own force sensor ignores flexes; the sensor of this project must include them.
#[test]
fn the_sensor_at_the_tip_reads_the_contact_force() {
    let (mut physics, readings) = stand_and_readings(&TorsoConfig::default());
    press(&mut physics, &readings, 0.015);
    let contact = readings.contact.force_in_world(&physics);
    assert!(contact.z > 10.0 && readings.contact.in_contact(&physics));
    let sensor = physics.force_torque().expect("the probe has a sensor");
    let difference = sensor.wrench_in_world().force - contact;
    assert!(difference.norm() < 1e-6 * contact.norm(), "{difference} N");
    assert!(sensor.wrench_in_sensor().force.z < -10.0);
}

#[test]
fn breathing_reaches_the_amplitude_under_load() {
    let breathing = Breathing {
        rate: 1.0,
        amplitude: 0.008,
    };
    let config = TorsoConfig {
        breathing: Some(breathing),
        ..TorsoConfig::default()
    };
    let (mut physics, readings) = stand_and_readings(&config);
    press(&mut physics, &readings, 0.01);
    let particles = readings
        .particles
        .as_ref()
        .expect("the torso has particles");
    let lowest = |physics: &Physics| {
        particles
            .positions(physics)
            .iter()
            .map(|p| p[2])
            .fold(f64::INFINITY, f64::min)
    };
    for _ in 0..500 {
        physics.step().expect("breathing is stable");
        let phase = std::f64::consts::TAU * breathing.rate * physics.time();
        let expected = 0.5 * breathing.amplitude * (1.0 - phase.cos());
        assert!(
            (lowest(&physics) - expected).abs() < 2e-4,
            "at {} s",
            physics.time()
        );
    }
}
