//! Contract: a fast torso whose softness, breathing, friction or pose is changed at run time behaves like a torso compiled with the new
//! values, and a reset returns it to its compiled pose.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod stroke;

use insonate_models::mjcf::{Mjcf, Namespace};
use insonate_models::torsos::{self, Breathing, SoftnessField, Solref, TorsoConfig};
use insonate_models::{Scene, probes, robots};
use insonate_sim::arm::Arm;
use insonate_sim::controllers::{Controller as _, HybridConfig, HybridForce, HybridTarget};
use insonate_sim::names::{self, ObjectType};
use insonate_sim::readings::{ProbeFrame, TorsoParticles};
use insonate_sim::render_state::RenderState;
use insonate_sim::shell::{Shell, ShellSolref};
use insonate_sim::{CompiledScene, Physics, Pose, SimError, Twist, ik};
use nalgebra::{UnitQuaternion, Vector3};
use stroke::{Stroke, contact_force};

fn solref(stiffness: f64, damping: f64) -> Solref {
    Solref { stiffness, damping }
}

fn breathing(rate: f64, amplitude: f64) -> TorsoConfig {
    TorsoConfig {
        breathing: Some(Breathing { rate, amplitude }),
        ..TorsoConfig::default()
    }
}

fn scene(config: &TorsoConfig) -> Scene {
    let torso = torsos::fast(config).unwrap();
    Scene::new(robots::panda::panda(), probes::c5_2(), Some(torso))
}

fn compiled(config: &TorsoConfig) -> CompiledScene {
    CompiledScene::compile(&scene(config).to_mjcf().unwrap()).unwrap()
}

fn physics(config: &TorsoConfig) -> Physics {
    Physics::from_scene(&compiled(config)).unwrap()
}

fn shell(physics: &mut Physics) -> &mut Shell {
    physics.shell_mut().unwrap()
}

fn particles(physics: &Physics) -> Vec<[f64; 3]> {
    TorsoParticles::of(physics).unwrap().positions(physics)
}

/// Displacements of the capsules and contact force of every step.
type Log = Vec<(Vec<f64>, f64)>;

fn record(physics: &Physics) -> (Vec<f64>, f64) {
    let shell = physics.shell().unwrap();
    let n_capsules = shell.model().body_names().len();
    let displacements = shell.displacements()[..n_capsules].to_vec();
    (displacements, contact_force(physics))
}

/// Presses at `center` [m] and slides along the patient under joint control.
fn press(physics: &mut Physics, center: [f64; 2], top: f64, n_steps: usize) -> Log {
    let stroke = Stroke {
        center,
        top,
        half_length: 0.01,
        clearance: 0.002,
        depth: 0.012,
        n_steps: [100.0, 100.0],
    };
    let mut log = Vec::new();
    stroke.run(physics, n_steps, |physics, _| log.push(record(physics)));
    log
}

const CENTER: [f64; 2] = [0.0, 0.0];

fn top(config: &TorsoConfig) -> f64 {
    scene(config).surface_above(0.0, 0.0).unwrap().position[2]
}

/// Asserts equality to `share` of the largest displacement and of the largest force.
fn assert_alike(a: &Log, b: &Log, share: f64) {
    let peak = a.iter().map(|(_, force)| *force).fold(0.0, f64::max);
    let moved = a
        .iter()
        .flat_map(|(q, _)| q)
        .fold(0.0, |most: f64, q| most.max(q.abs()));
    let (mut position, mut force) = (0.0_f64, 0.0_f64);
    for ((here, f), (there, g)) in a.iter().zip(b) {
        assert_eq!(here.len(), there.len());
        force = force.max((f - g).abs());
        for (x, y) in here.iter().zip(there) {
            position = position.max((x - y).abs());
        }
    }
    assert!(
        position <= share * moved && force <= share * peak.max(1e-12),
        "{position} m of {moved} m, {force} N of {peak} N"
    );
}

#[test]
fn a_softened_shell_equals_a_shell_compiled_soft() {
    let plain = TorsoConfig::default();
    let tuned = TorsoConfig {
        rest: Some(solref(2274.0, 43.2)),
        neighbors: Some(solref(9000.0, 200.0)),
        contact: Some(solref(4548.0, 86.4)),
        ..TorsoConfig::default()
    };
    let top = top(&plain);
    for (from, to) in [(&plain, &tuned), (&tuned, &plain)] {
        let mut changed = physics(from);
        shell(&mut changed)
            .set_solref(&ShellSolref::from(to))
            .unwrap();
        let got = press(&mut changed, CENTER, top, 250);
        let want = press(&mut physics(to), CENTER, top, 250);
        let peak = want.iter().map(|(_, force)| *force).fold(0.0, f64::max);
        assert!(peak > 2.0, "the probe must press: {peak} N");
        assert_alike(&want, &got, 1e-8);
        // The change has an effect, and a reset keeps it.
        let before = press(&mut physics(from), CENTER, top, 250);
        assert!((before[150].1 - want[150].1).abs() > 0.02 * peak);
        changed.reset();
        assert_alike(&want, &press(&mut changed, CENTER, top, 250), 1e-8);
    }
}

/// The factors of a varied softness stay, whatever its stiffness and damping become.
#[test]
fn a_softened_shell_of_varied_softness_equals_one_compiled_soft() {
    let field = SoftnessField {
        x: vec![-0.1, 0.1],
        y: vec![-0.02, 0.02],
        factor: vec![vec![0.6, 1.0], vec![1.0, 1.8]],
    };
    let plain = TorsoConfig {
        field: Some(field),
        ..TorsoConfig::default()
    };
    let tuned = TorsoConfig {
        rest: Some(solref(2274.0, 43.2)),
        neighbors: Some(solref(9000.0, 200.0)),
        contact: Some(solref(4548.0, 86.4)),
        ..plain.clone()
    };
    for (from, to) in [(&plain, &tuned), (&tuned, &plain)] {
        let mut changed = physics(from);
        let softness = ShellSolref::from(to);
        shell(&mut changed).set_solref(&softness).unwrap();
        let got = press(&mut changed, CENTER, top(to), 250);
        let want = press(&mut physics(to), CENTER, top(to), 250);
        assert_alike(&want, &got, 1e-8);
        let before = press(&mut physics(from), CENTER, top(to), 250);
        let peak = want.iter().map(|(_, force)| *force).fold(0.0, f64::max);
        assert!((before[150].1 - want[150].1).abs() > 0.02 * peak);
    }
}

#[test]
fn a_shell_with_changed_breathing_and_softness_equals_a_compiled_one() {
    let from = breathing(0.25, 0.008);
    let faster = breathing(0.7, 0.012);
    let softer = TorsoConfig {
        rest: Some(solref(1500.0, 30.0)),
        neighbors: Some(solref(6000.0, 100.0)),
        ..breathing(0.4, 0.003)
    };
    for to in [&faster, &softer] {
        let mut changed = physics(&from);
        let own = shell(&mut changed);
        own.set_breathing(&to.breathing.unwrap()).unwrap();
        own.set_solref(&ShellSolref::from(to)).unwrap();
        let top = top(to);
        assert_alike(
            &press(&mut physics(to), CENTER, top, 250),
            &press(&mut changed, CENTER, top, 250),
            1e-8,
        );
        // Back to the compiled settings.
        changed.reset();
        let own = shell(&mut changed);
        own.set_solref(&ShellSolref::from(&from)).unwrap();
        own.set_breathing(&from.breathing.unwrap()).unwrap();
        assert_alike(
            &press(&mut physics(&from), CENTER, top, 150),
            &press(&mut changed, CENTER, top, 150),
            1e-8,
        );
    }
}

#[test]
fn breathing_can_be_stopped_and_started_in_mid_breath() {
    let config = breathing(0.25, 0.01);
    let rest = particles(&physics(&config));
    let rise = |physics: &Physics| {
        let now = particles(physics);
        now.iter()
            .zip(&rest)
            .map(|(now, then)| now[2] - then[2])
            .fold(0.0, f64::max)
    };
    let mut still = physics(&config);
    let none = Breathing {
        rate: 0.25,
        amplitude: 0.0,
    };
    shell(&mut still).set_breathing(&none).unwrap();
    still.step_n(500).unwrap();
    assert!(rise(&still) < 1e-4, "{}", rise(&still));

    let mut inhaled = physics(&config);
    shell(&mut inhaled)
        .set_breath_phase(std::f64::consts::PI)
        .unwrap();
    assert!((rise(&inhaled) - 0.01).abs() < 1e-6, "{}", rise(&inhaled));
    inhaled.step_n(1000).unwrap();
    // Half a breath later it is breathed out.
    assert!(rise(&inhaled) < 2e-4, "{}", rise(&inhaled));
}

#[test]
fn breathing_of_a_shell_without_breath_is_an_error() {
    let mut physics = physics(&TorsoConfig::default());
    let error = shell(&mut physics)
        .set_breathing(&Breathing::default())
        .unwrap_err();
    assert!(matches!(error, SimError::Shell { .. }));
    assert!(error.to_string().contains("does not breathe"), "{error}");
}

/// The scene with its torso at another pose in the file.
fn placed(config: &TorsoConfig, world_from_rest: &Pose) -> Mjcf {
    let mut mjcf = scene(config).to_mjcf().unwrap();
    let still = compiled(config);
    let root = names::find(still.visual_model(), ObjectType::Body, "torso/torso").unwrap();
    let rest = Vector3::from(still.visual_model().body_pos()[root]);
    // The body is in a frame that is moved but not turned.
    let torso = mjcf.find_mut(Namespace::Body, "torso/torso").unwrap();
    assert!(torso.get("pos").is_none() && torso.get("quat").is_none());
    torso
        .set(
            "pos",
            <[f64; 3]>::from(world_from_rest.transform(&rest) - rest),
        )
        .set("quat", world_from_rest.quat());
    mjcf
}

/// A pose nearby, so that the arm can still reach it.
fn aside(roll: f64, pitch: f64) -> Pose {
    Pose {
        position: Vector3::new(0.03, -0.02, 0.05),
        rotation: UnitQuaternion::from_euler_angles(roll, pitch, 0.3),
    }
}

#[test]
fn a_moved_shell_equals_a_shell_compiled_there() {
    let plain = TorsoConfig::default();
    let breathing = breathing(0.5, 0.006);
    // A breathing torso is not tilted here: in a scene compiled with the tilt, gravity would move the oscillator.
    for (config, pose) in [(&plain, aside(-0.05, 0.04)), (&breathing, aside(0.0, 0.0))] {
        let original = Vector3::from(scene(config).surface_above(0.0, 0.0).unwrap().position);
        let there = pose.transform(&original);
        let there_press = |physics: &mut Physics| press(physics, [there.x, there.y], there.z, 250);
        let mut changed = physics(config);
        shell(&mut changed).set_frame(&pose, &Twist::default());
        let got = there_press(&mut changed);
        let compiled = CompiledScene::compile(&placed(config, &pose)).unwrap();
        let mut other = Physics::from_scene(&compiled).unwrap();
        let want = there_press(&mut other);
        let peak = want.iter().map(|(_, force)| *force).fold(0.0, f64::max);
        assert!(peak > 2.0, "the probe must press: {peak} N");
        // The tolerance covers rounding of positions, 1e-16 m, and the 1e-6 m accuracy of MuJoCo's distances.
        assert_alike(&want, &got, 1e-5);
        for (a, b) in particles(&changed).iter().zip(&particles(&other)) {
            assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-7));
        }
        // The part of the torso in MuJoCo has moved too.
        let center = |physics: &Physics| {
            let id = names::find(physics.model(), ObjectType::Geom, "torso/Gcenter").unwrap();
            Vector3::from(physics.data().geom_xpos()[id])
        };
        assert!((center(&changed) - center(&other)).norm() < 1e-12);
        changed.reset();
        assert_eq!(shell(&mut changed).frame(), Default::default());
        assert_eq!(particles(&changed), particles(&physics(config)));
        assert_eq!(center(&changed), center(&physics(config)));
    }
}

#[test]
fn a_moving_shell_has_the_velocity_of_its_points() {
    let mut physics = physics(&breathing(0.5, 0.01));
    let dt = physics.timestep();
    let twist = Twist {
        linear: Vector3::new(0.05, -0.02, 0.03),
        angular: Vector3::new(0.1, 0.2, -0.3),
    };
    let mut pose = aside(0.1, 0.2);
    let mut before = None;
    for _ in 0..50 {
        shell(&mut physics).set_frame(&pose, &twist);
        before = Some(particles(&physics));
        physics.step().unwrap();
        pose.position += twist.linear * dt;
        pose.rotation = UnitQuaternion::from_scaled_axis(twist.angular * dt) * pose.rotation;
    }
    shell(&mut physics).set_frame(&pose, &twist);
    let readings = TorsoParticles::of(&physics).unwrap();
    let now = readings.positions(&physics);
    let velocities = readings.velocities(&physics);
    for ((now, before), velocity) in now.iter().zip(&before.unwrap()).zip(velocities) {
        for k in 0..3 {
            let rate = (now[k] - before[k]) / dt;
            // The tolerance covers the frame's rotation in half a step.
            assert!((rate - velocity[k]).abs() < 2e-4, "{rate} {}", velocity[k]);
        }
    }
}

/// Force on the probe across the patient [N] while it is pressed and the torso moves sideways under it at 2 cm/s.
fn dragged(friction: Option<f64>, mjcf: &Mjcf) -> (f64, f64) {
    let mut physics = Physics::from_scene(&CompiledScene::compile(mjcf).unwrap()).unwrap();
    let top = top(&TorsoConfig::default());
    let own = shell(&mut physics);
    if let Some(friction) = friction {
        own.set_friction(friction);
    }
    // Velocity without motion, like a belt.
    let twist = Twist {
        linear: Vector3::new(0.02, 0.0, 0.0),
        angular: Vector3::zeros(),
    };
    own.set_frame(&Pose::default(), &twist);
    press(&mut physics, CENTER, top, 250);
    let force = physics
        .contacts()
        .iter()
        .fold(Vector3::zeros(), |sum, contact| {
            sum - Vector3::from(contact.force_in_world())
        });
    (force.x, force.z)
}

#[test]
fn a_shell_with_changed_friction_drags_the_probe_like_a_compiled_one() {
    let smooth = scene(&TorsoConfig::default()).to_mjcf().unwrap();
    let mut rough = smooth.clone();
    let mut n_changed = 0;
    rough.root_mut().visit_mut(&mut |element| {
        if element.reals("friction") == Some(&[0.01, 0.005, 0.0001]) {
            element.set("friction", [0.4, 0.005, 0.0001]);
            n_changed += 1;
        }
    });
    assert_eq!(n_changed, 1);
    let (with, _) = dragged(Some(0.4), &smooth);
    let (want, down) = dragged(None, &rough);
    let (slippery, _) = dragged(None, &smooth);
    assert!((with - want).abs() < 1e-9 * want, "{with} {want}");
    assert!(
        want > 0.2 * down && slippery < 0.05 * down,
        "{want} {slippery} {down}"
    );
}

#[test]
fn pictures_follow_the_torso() {
    let config = TorsoConfig::default();
    let compiled = compiled(&config);
    let mut physics = Physics::from_scene(&compiled).unwrap();
    let mut picture = RenderState::new(&compiled).unwrap();
    let pose = aside(0.2, 0.1);
    shell(&mut physics).set_frame(&pose, &Twist::default());
    physics.step_n(20).unwrap();
    picture.follow(&physics);
    let model = RenderState::new(&CompiledScene::compile(&placed(&config, &pose)).unwrap());
    let mut there = model.unwrap();
    there.follow(&physics_still(&physics, &config, &pose));
    let (got, want) = (picture.data(), there.data());
    let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(close(got.xpos().as_flattened(), want.xpos().as_flattened()));
    assert!(close(got.xmat().as_flattened(), want.xmat().as_flattened()));
    assert!(close(
        got.geom_xpos().as_flattened(),
        want.geom_xpos().as_flattened()
    ));
    assert!(close(
        got.geom_xmat().as_flattened(),
        want.geom_xmat().as_flattened()
    ));
    for (a, b) in got.xquat().iter().zip(want.xquat()) {
        let same: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
        assert!((same.abs() - 1.0).abs() < 1e-9);
    }
    // Following again must not add up.
    let first = picture.data().xpos().to_vec();
    picture.follow(&physics);
    assert_eq!(picture.data().xpos(), first);
}

/// The same state in a scene compiled with the torso at that pose.
fn physics_still(physics: &Physics, config: &TorsoConfig, pose: &Pose) -> Physics {
    let compiled = CompiledScene::compile(&placed(config, pose)).unwrap();
    let mut other = Physics::from_scene(&compiled).unwrap();
    other.qpos_mut().copy_from_slice(physics.qpos());
    let from = physics.shell().unwrap().displacements().to_vec();
    shell(&mut other).state_mut().0.copy_from_slice(&from);
    other
}

#[test]
fn the_hybrid_controller_holds_its_force_on_a_heaving_torso() {
    let config = TorsoConfig::default();
    let (mut physics, top) = (physics(&config), top(&config));
    let (arm, probe) = (
        Arm::new(physics.model()).unwrap(),
        ProbeFrame::new(physics.model()).unwrap(),
    );
    let pose = Pose::with_z_axis(
        Vector3::new(0.0, 0.0, top + 0.004),
        -Vector3::z(),
        Vector3::x(),
    );
    ik::place(&mut physics, &arm, &probe, &pose).unwrap();
    let start = (physics.qpos().to_vec(), physics.time());
    let mut error_of = |feeds_forward: bool| {
        physics.reset();
        physics.qpos_mut().copy_from_slice(&start.0);
        physics.forward();
        let mut hybrid = HybridForce::new(&physics, HybridConfig::default()).unwrap();
        let mut largest = 0.0_f64;
        for step in 0..2000 {
            // Up and down by 1 cm at 0.5 Hz, starting after one second.
            let phase = std::f64::consts::PI * (physics.time() - start.1 - 1.0).max(0.0);
            let twist = Twist {
                linear: Vector3::z() * (0.005 * std::f64::consts::PI * phase.sin()),
                angular: Vector3::zeros(),
            };
            let frame = Pose {
                position: Vector3::z() * (0.005 * (1.0 - phase.cos())),
                ..Pose::default()
            };
            shell(&mut physics).set_frame(&frame, &twist);
            let target = HybridTarget {
                world_from_probe: pose,
                twist: if feeds_forward {
                    twist
                } else {
                    Twist::default()
                },
                force: 5.0,
            };
            hybrid.set_target(&physics, target);
            hybrid.control(&mut physics);
            physics.step().unwrap();
            if step > 700 {
                largest = largest.max((hybrid.normal_force() - 5.0).abs());
            }
        }
        largest
    };
    let (without, with) = (error_of(false), error_of(true));
    assert!(
        with < 0.5 * without && with < 0.2,
        "{with} N against {without} N"
    );
}
