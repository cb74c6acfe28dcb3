//! Contract: torsos of particles and of tetrahedra have the configured stiffness, transfer momentum between robot and table, create no
//! energy, breathe, and repeat their motion after a reset.

mod stand;

use insonate_models::mjcf::{Body, Geom, Inertial, Joint};
use insonate_models::torsos::{Breathing, Torso, TorsoConfig, elastic, mpm, xpbd};
use insonate_sim::{Physics, Readings};
use stand::{GAP, press, stiffness_ratio};

/// A torso with few points, for tests that do not depend on their number.
fn coarse() -> TorsoConfig {
    TorsoConfig {
        count: [7, 3, 8],
        spacing: 0.047,
        ..TorsoConfig::default()
    }
}

type Make = fn(&TorsoConfig) -> Result<Torso, insonate_models::ModelError>;

const SOLVERS: [(&str, Make); 3] = [("elastic", elastic), ("mpm", mpm), ("xpbd", xpbd)];

fn stand_of(make: Make, config: &TorsoConfig) -> (Physics, Readings) {
    stand::compiled(&stand::stand(make(config).expect("the torso is possible")))
}

/// Mean force of tissue on the table and on the probe along z [N], over a number of steps.
fn mean_forces(physics: &mut Physics, n_steps: usize) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for _ in 0..n_steps {
        physics.step().expect("stable");
        let coupling = physics.coupling().expect("a coupled torso");
        sums[0] += coupling.base_wrench().force.z;
        let sensor = physics.force_torque().expect("the probe has a sensor");
        sums[1] += sensor.wrench_in_world().force.z;
    }
    sums.map(|sum| sum / n_steps as f64)
}

/// 0.85 to 1.2 of the configured stiffness, at 1 to 2 cm.
#[test]
fn torsos_have_their_stiffness_and_stiffen_with_depth() {
    for (name, make) in SOLVERS {
        let config = TorsoConfig::default();
        let (mut physics, readings) = stand_of(make, &config);
        let mut before = 0.0;
        for depth in [0.01, 0.015, 0.02] {
            let ratio = stiffness_ratio(&mut physics, &readings, &config, depth);
            eprintln!("{name} at {depth} m: {ratio:.3} of the given stiffness");
            assert!(ratio * depth > before, "{name} at {depth} m: {ratio}");
            before = ratio * depth;
            assert!((0.85..1.2).contains(&ratio), "{name} at {depth} m: {ratio}");
        }
    }
}

/// Within 10 % of the stiffness without a limit; the modulus compensates the effect of the window's edge.
#[test]
fn a_limited_reach_keeps_the_stiffness() {
    for (name, make) in SOLVERS {
        let [whole, near] = [None, Some(0.08)].map(|reach| {
            let config = TorsoConfig {
                active_radius: reach,
                ..coarse()
            };
            let (mut physics, readings) = stand_of(make, &config);
            stiffness_ratio(&mut physics, &readings, &config, 0.015)
        });
        eprintln!("{name}: {near:.3} within reach, {whole:.3} of the whole");
        assert!((near / whole - 1.0).abs() < 0.1, "{name}: {near} {whole}");
    }
}

#[test]
fn the_sensor_and_the_table_measure_the_same_force() {
    for (name, make) in SOLVERS {
        let (mut physics, readings) = stand_of(make, &TorsoConfig::default());
        physics.step_n(500).expect("stable");
        let [weight, nothing] = mean_forces(&mut physics, 200);
        press(&mut physics, &readings, 0.015);
        physics.step_n(250).expect("stable");
        let [table, probe] = mean_forces(&mut physics, 200);
        // Tissue pushes the table down and the probe up.
        let error = (weight - table) / probe - 1.0;
        eprintln!(
            "{name}: probe {probe:.4} N, table {table:.4} N, without {weight:.4} N, {error:+.5}"
        );
        assert!(nothing.abs() < 1e-9, "{name}: {nothing}");
        assert!(probe > 10.0, "{name}: {probe}");
        assert!(error.abs() < 0.01, "{name}: {error}");
    }
}

#[test]
fn momentum_goes_from_the_probe_into_tissue_and_table() {
    for (name, make) in SOLVERS {
        let (mut physics, readings) = stand_of(make, &coarse());
        let dt = physics.timestep();
        // Impulses over the whole press, from the air to the final depth: of the contacts on the probe, and of the sensor.
        let (from, to) = (physics.ctrl()[0], -GAP - 0.015);
        let (mut felt, mut applied) = (0.0, 0.0);
        for index in 0..400 {
            physics.ctrl_mut()[0] = from + (to - from) * (f64::from(index) / 300.0).min(1.0);
            physics.step().expect("stable");
            felt += readings.contact.force_in_world(&physics).z * dt;
            let sensor = physics.force_torque().expect("the probe has a sensor");
            applied += sensor.wrench_in_world().force.z * dt;
        }
        let error = felt / applied - 1.0;
        eprintln!(
            "{name}: impulse of the tissue {felt:.5} N s, of the sensor {applied:.5} N s, {error:+.2e}"
        );
        assert!(applied > 1.0, "{name}: {applied}");
        assert!(error.abs() < 0.01, "{name}: {error}");
    }
}

#[test]
fn a_falling_ball_gains_no_energy() {
    for (name, make) in SOLVERS {
        let torso = make(&coarse()).expect("the torso is possible");
        let top = torso
            .surface
            .highest_at(0.1, 0.1)
            .expect("the torso is there")
            .position[2];
        let mut stand = stand::stand(torso);
        let (radius, height) = (0.03, top + 0.06);
        stand.worldbody().add(
            Body::new("ball")
                .pos([0.1, 0.1, height])
                .with(Inertial::new(0.5, [0.0; 3]).diaginertia([2e-4; 3]))
                .with(Joint::slide("fall").axis([0.0, 0.0, 1.0]))
                .with(Geom::sphere(radius)),
        );
        let (mut physics, _) = stand::compiled(&stand);
        let joint = physics.model().nv() as usize - 1;
        let [mut highest, mut lowest, mut bounce] = [0.0f64; 3];
        for _ in 0..600 {
            physics.step().expect("stable");
            let (way, speed) = (physics.qpos()[joint], physics.qvel()[joint]);
            let energy = 0.5 * (9.81 * way + 0.5 * speed * speed);
            highest = highest.max(energy);
            lowest = lowest.min(way);
            if lowest < radius - 0.06 && speed > 0.0 {
                bounce = bounce.max(energy - 0.5 * 9.81 * (radius - 0.06));
            }
        }
        let fall = 0.5 * 9.81 * 0.03;
        eprintln!(
            "{name}: energy at most {highest:.5} J above the start, bounce {:.3} of the fall, {lowest:.4} m down",
            bounce / fall
        );
        assert!(lowest < radius - 0.06, "{name}: it has touched, {lowest}");
        assert!(highest < 0.01 * fall, "{name}: {highest}");
        assert!(bounce < fall, "{name}: {bounce}");
        assert!(
            physics.qvel()[joint].abs() < 0.05,
            "{name}: it comes to rest"
        );
    }
}

#[test]
fn torsos_breathe() {
    for (name, make) in SOLVERS {
        let config = TorsoConfig {
            breathing: Some(Breathing {
                rate: 0.5,
                amplitude: 0.02,
            }),
            ..coarse()
        };
        let (mut physics, readings) = stand_of(make, &config);
        let particles = readings.particles.expect("the torso has particles");
        let top = |physics: &Physics| {
            let heights = particles.positions(physics).into_iter();
            heights.map(|position| position[2]).fold(0.0, f64::max)
        };
        let rest = top(&physics);
        let mut highest = rest;
        for _ in 0..20 {
            physics.step_n(50).expect("breath is stable");
            highest = highest.max(top(&physics));
        }
        let rise = highest - rest;
        eprintln!("{name}: rises by {rise:.4} m");
        assert!((0.014..0.024).contains(&rise), "{name}: {rise}");
    }
}

#[test]
fn a_reset_repeats_the_run() {
    for (name, make) in SOLVERS {
        let (mut physics, readings) = stand_of(make, &coarse());
        let mut run = || {
            let force = press(&mut physics, &readings, 0.01);
            let lattice = physics.coupling().expect("a coupled torso").positions();
            physics.reset();
            physics.ctrl_mut()[0] = 0.0;
            (force, lattice)
        };
        let first = run();
        assert!(first.0 > 1.0, "{name}: {}", first.0);
        assert_eq!(first, run(), "{name}");
    }
}

#[test]
fn the_stiffest_documented_torso_is_stable() {
    for (name, make) in SOLVERS {
        let mut config = coarse();
        config.softness.stiffness = 5000.0;
        let (mut physics, readings) = stand_of(make, &config);
        press(&mut physics, &readings, 0.02);
        // No tremor remains half a second later.
        physics.step_n(250).expect("stable");
        let forces: Vec<f64> = (0..50)
            .map(|_| {
                physics.step().expect("stable");
                readings.contact.force_in_world(&physics).z
            })
            .collect();
        let (least, most) = forces
            .iter()
            .fold((f64::INFINITY, 0.0f64), |(a, b), f| (a.min(*f), b.max(*f)));
        eprintln!("{name}: {least:.3} to {most:.3} N");
        assert!(most - least < 0.02 * most, "{name}: {least} to {most}");
    }
}

#[test]
fn another_breath_equals_a_compiled_one() {
    let breathing = |rate, amplitude| TorsoConfig {
        breathing: Some(Breathing { rate, amplitude }),
        ..coarse()
    };
    // Rise of the table and force on the probe, in a press of 15 mm.
    let run = |physics: &mut Physics, readings: &Readings| {
        let mut log = Vec::new();
        physics.ctrl_mut()[0] = -GAP - 0.015;
        for _ in 0..300 {
            physics.step().expect("stable");
            let [rise, _] = physics.breath().expect("it breathes");
            log.push([1e3 * rise, readings.contact.force_in_world(physics).z]);
        }
        log
    };
    let wanted = Breathing {
        rate: 0.7,
        amplitude: 0.012,
    };
    for (name, make) in SOLVERS {
        let (mut compiled, readings) = stand_of(make, &breathing(wanted.rate, wanted.amplitude));
        let expected = run(&mut compiled, &readings);
        let (mut changed, readings) = stand_of(make, &breathing(0.25, 0.02));
        changed.set_breathing(&wanted, 0.0).expect("it breathes");
        let found = run(&mut changed, &readings);
        for (step, (a, b)) in expected.iter().zip(&found).enumerate() {
            let off = (a[0] - b[0]).abs().max((a[1] - b[1]).abs());
            assert!(off < 1e-6, "{name}, step {step}: {a:?} {b:?}");
        }
        assert!(expected[299][1] > 10.0, "{name}: {:?}", expected[299]);

        // Breathed in, and half a breath later breathed out.
        changed.reset();
        changed
            .set_breathing(&wanted, std::f64::consts::PI)
            .expect("it breathes");
        let rise = |physics: &Physics| physics.breath().map_or(f64::NAN, |breath| breath[0]);
        assert!((rise(&changed) - 0.012).abs() < 1e-9, "{name}");
        let steps = (0.5 / 0.7 / changed.timestep()).round();
        changed.step_n(steps as usize).expect("stable");
        assert!(rise(&changed).abs() < 1e-4, "{name}: {}", rise(&changed));
    }
    let (mut breathing, _) = stand_of(elastic, &breathing(0.25, 0.02));
    let fast = Breathing {
        rate: 20.0,
        ..wanted
    };
    let error = breathing.set_breathing(&fast, 0.0).expect_err("20 Hz");
    let error = error.to_string();
    assert!(
        error.contains("breathing rate") && error.contains("20"),
        "{error}"
    );
    let (mut still, _) = stand_of(elastic, &coarse());
    let error = still.set_breathing(&wanted, 0.0).expect_err("it is still");
    assert!(error.to_string().contains("without breathing"), "{error}");
}
