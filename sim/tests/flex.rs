//! Contract: in MuJoCo the flex torso rests still, pushes back about as stiffly as its softness says and more the deeper, dents
//! under the probe and not far from it, survives a push that no scan makes, shows its force to the sensor at the tip, and breathes.

use insonate_models::mjcf::{Body, Element, Inertial, Joint, Mjcf, Site};
use insonate_models::probes;
use insonate_models::torsos::{Breathing, Shape, Softness, Torso, TorsoConfig, flex};
use insonate_sim::{Physics, Readings};

/// How far above the skin the probe starts [m].
const GAP: f64 = 0.005;

/// A torso below a C5-2 probe that a strong position servo moves along the vertical.
fn stand(config: &TorsoConfig) -> Physics {
    let torso = flex(config).expect("the torso is possible");
    let height = torso
        .surface
        .above(0.0, 0.0)
        .expect("the torso is there")
        .position[2];
    let probe = probes::c5_2();
    let mut stand = Mjcf::new("stand");
    set_options(&mut stand, &torso);
    stand.worldbody().add(Site::new("table"));
    stand.worldbody().add(
        Body::new("carriage")
            .pos([0.0, 0.0, height + GAP + probe.face_offset])
            .gravcomp(1.0)
            .with(Inertial::new(1.0, [0.0; 3]).diaginertia([0.01; 3]))
            .with(Joint::slide("lift").axis([0.0, 0.0, 1.0]).damping(500.0))
            .with(Site::new("flange").quat([0.0, 1.0, 0.0, 0.0])),
    );
    stand.actuator().add(
        Element::new("position")
            .with_attribute("name", "lift")
            .with_attribute("joint", "lift")
            .with_attribute("kp", 5e4),
    );
    stand
        .attach("flange", probe.mjcf, "probe/")
        .expect("the probe fits");
    stand
        .attach("table", torso.mjcf, "torso/")
        .expect("the torso fits");
    Physics::from_xml(&stand.to_xml().expect("the stand is valid")).expect("MuJoCo takes it")
}

fn set_options(stand: &mut Mjcf, torso: &Torso) {
    stand
        .option()
        .set("timestep", 0.002)
        .set("cone", "elliptic");
    let needs = torso
        .mjcf
        .section("option")
        .expect("the torso states its needs");
    for (attribute, value) in needs.attributes() {
        stand.option().set(attribute.to_owned(), value.clone());
    }
}

/// Moves the probe at 5 cm/s to `depth` [m] below the skin, holds it for 0.2 s, and returns the force on it [N].
fn press(physics: &mut Physics, readings: &Readings, depth: f64) -> f64 {
    let (from, to) = (physics.ctrl()[0], -GAP - depth);
    let n_steps = ((to - from).abs() / 0.05 / physics.timestep()).ceil();
    for index in 0..n_steps as usize + 100 {
        physics.ctrl_mut()[0] = from + (to - from) * (index as f64 / n_steps).min(1.0);
        physics.step().expect("the press is stable");
    }
    readings.contact.force_in_world(physics).z
}

fn stand_and_readings(config: &TorsoConfig) -> (Physics, Readings) {
    let physics = stand(config);
    let readings = Readings::new(&physics).expect("the stand has a probe");
    (physics, readings)
}

#[test]
fn every_shape_is_about_as_stiff_as_asked_and_stiffer_the_deeper() {
    for &(name, shape) in Shape::ALL {
        let config = TorsoConfig {
            shape,
            ..TorsoConfig::default()
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
                // The servo gives way by the force over its gain.
                let stiffness = force / (depth - force / 5e4);
                let ratio = stiffness / config.softness.stiffness;
                assert!((0.85..1.2).contains(&ratio), "{name}: {ratio}");
            }
        }
    }
}

#[test]
fn it_rests_still_in_its_given_shape() {
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
    let (under, beside) = (sunk(&physics, &|r| r < 0.02), sunk(&physics, &|r| r > 0.1));
    assert!(
        under > 0.014 && beside < 0.1 * under,
        "{under} m and {beside} m"
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

/// MuJoCo's own force sensor does not see flexes; ours must.
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
fn it_breathes_by_the_amplitude_even_under_load() {
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
