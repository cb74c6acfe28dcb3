//! Contract: every registered quantity can be read, and the measured wrench equals the wrench of the contacts,
//! for any weight and motion of the probe.

mod scene;

use insonate_models::torsos::{self, TorsoConfig};
use insonate_models::{Scene, probes, robots};
use insonate_sim::readings::QUANTITIES;
use insonate_sim::{Arm, CompiledScene, Physics, Pose, Readings, ik};
use nalgebra::Vector3;
use scene::{BED_TOP, Bed, PANDA, UR5E};

/// The arm with its face 5 mm deep in the bed.
fn pressed() -> (Physics, Readings) {
    let (mut physics, readings) = arm();
    let center = Vector3::new(0.0, 0.0, BED_TOP - 0.005);
    let target = Pose::with_z_axis(center, -Vector3::z(), Vector3::x());
    let arm = Arm::new(physics.model()).expect("the arm has motors");
    ik::place(&mut physics, &arm, &readings.probe, &target).expect("the bed is in reach");
    (physics, readings)
}

fn arm() -> (Physics, Readings) {
    let physics =
        Physics::from_xml(&scene::xml(&PANDA, Bed::default())).expect("the scene is valid");
    let readings = Readings::new(&physics).expect("the scene has a probe");
    (physics, readings)
}

/// Torques that move the arm fast.
fn wave(physics: &mut Physics, scale: f64) {
    let time = physics.time();
    for (index, torque) in physics.ctrl_mut().iter_mut().enumerate() {
        *torque = scale * (7.0 * time + index as f64).sin();
    }
}

#[test]
fn every_quantity_has_a_unique_name_and_can_be_read() {
    let (physics, readings) = arm();
    for (index, quantity) in QUANTITIES.iter().enumerate() {
        let name = quantity.name;
        assert!(QUANTITIES[..index].iter().all(|other| other.name != name));
        let values = readings.read(&physics, name).unwrap();
        let expected = match quantity.shape {
            "[1]" => 1,
            "[3]" | "[n_particles, 3]" => 3,
            "[4]" => 4,
            "[n_joints]" => 7,
            "[n_x, n_y]" => readings.pressure.shape().into_iter().product(),
            other => panic!("unknown shape {other}"),
        };
        assert_eq!(values.len(), expected, "{name}");
    }
    let error = readings.read(&physics, "force").unwrap_err().to_string();
    assert!(error.contains("force_in_world"), "{error}");
}

#[test]
fn a_resting_arm_measures_no_wrench() {
    for chain in [PANDA, UR5E] {
        let mut physics = Physics::from_xml(&scene::xml(&chain, Bed::default())).unwrap();
        let readings = Readings::new(&physics).unwrap();
        let before = readings.read(&physics, "probe_position").unwrap();
        physics.step_n(500).unwrap();
        let after = readings.read(&physics, "probe_position").unwrap();
        for (before, after) in before.iter().zip(&after) {
            assert!((before - after).abs() < 1e-9, "{before} {after}");
        }
        let wrench = physics.force_torque().unwrap().wrench_in_world();
        // The 1 kg probe weighs 9.81 N, which must be fully compensated.
        assert!(wrench.force.norm() < 1e-9 && wrench.torque.norm() < 1e-9);
        assert!(!readings.contact.in_contact(&physics));
    }
}

#[test]
fn a_moving_arm_measures_no_wrench() {
    let (mut physics, readings) = arm();
    let mut fastest: f64 = 0.0;
    for _ in 0..150 {
        wave(&mut physics, 3.0);
        physics.step().unwrap();
        let wrench = physics.force_torque().unwrap().wrench_in_sensor();
        assert!(wrench.force.norm() < 1e-8, "{}", wrench.force);
        assert!(wrench.torque.norm() < 1e-8, "{}", wrench.torque);
        fastest = fastest.max(readings.probe.twist_in_world(&physics).linear.norm());
    }
    assert!(
        fastest > 0.1,
        "the arm must move for this to mean anything, {fastest}"
    );
}

#[test]
fn the_measured_wrench_equals_the_contact_wrench() {
    let (mut physics, readings) = pressed();
    let mut peak: f64 = 0.0;
    for _ in 0..500 {
        wave(&mut physics, 1.0);
        physics.ctrl_mut()[1] = 8.0;
        let center = readings.probe.world_from_probe(&physics).position;
        physics.step().unwrap();
        let measured = physics.force_torque().unwrap().wrench_in_world();
        let force = readings.contact.force_in_world(&physics);
        let torque: Vector3<f64> = physics
            .contacts()
            .iter()
            .map(|contact| {
                let arm = Vector3::from(contact.position) - center;
                let on_probe = Vector3::from(contact.force_in_world());
                let name = physics.model().id_to_name(
                    mujoco_rs::wrappers::mj_model::MjtObjBase::mjOBJ_GEOM,
                    contact.geom[1] as usize,
                );
                if name == Some("probe/face") {
                    arm.cross(&on_probe)
                } else {
                    -arm.cross(&on_probe)
                }
            })
            .sum();
        assert!((measured.force - force).norm() < 1e-7 * (1.0 + force.norm()));
        assert!((measured.torque - torque).norm() < 1e-7 * (1.0 + force.norm()));
        assert_eq!(readings.contact.in_contact(&physics), force.norm() > 0.0);
        peak = peak.max(force.z);
    }
    assert!(
        peak > 5.0,
        "the bed must push up for this to mean anything, {peak}"
    );
}

#[test]
fn sensor_and_contact_list_agree_on_every_kind_of_torso() {
    for kind in torsos::ALL {
        let torso = (kind.build)(&TorsoConfig::default()).unwrap();
        let scene = Scene::new(
            robots::by_name("panda").unwrap(),
            probes::c5_2(),
            Some(torso),
        );
        let compiled = CompiledScene::compile(&scene.to_mjcf().unwrap()).unwrap();
        let mut physics = Physics::from_scene(&compiled).unwrap();
        let readings = Readings::new(&physics).unwrap();
        let top = Vector3::from(scene.surface_above(0.0, 0.0).unwrap().position);
        let target = Pose::with_z_axis(top - Vector3::z() * 0.005, -Vector3::z(), Vector3::x());
        let arm = Arm::new(physics.model()).unwrap();
        ik::place(&mut physics, &arm, &readings.probe, &target).unwrap();
        let mut peak: f64 = 0.0;
        for _ in 0..20 {
            physics.step().unwrap();
            let measured = physics.force_torque().unwrap().wrench_in_world().force;
            let force = readings.contact.force_in_world(&physics);
            let error = (measured - force).norm();
            assert!(
                error < 1e-6 * (1.0 + force.norm()),
                "{}: {measured} {force}",
                kind.name
            );
            peak = peak.max(force.z);
        }
        assert!(
            peak > 1.0,
            "{}: the torso must push back, {peak}",
            kind.name
        );
        let positions = readings.read(&physics, "particle_positions").unwrap();
        let velocities = readings.read(&physics, "particle_velocities").unwrap();
        assert!(
            positions.len() > 300 && positions.len() == velocities.len(),
            "{}",
            kind.name
        );
        // The robot is not controlled: tissue without inertia already follows the probe upwards.
        let fastest = velocities
            .chunks(3)
            .map(|velocity| velocity[2].abs())
            .fold(0.0, f64::max);
        assert!(
            fastest > 1e-3,
            "{}: the tissue under the probe moves, {fastest}",
            kind.name
        );
    }
}

#[test]
fn the_force_in_the_sensor_frame_pushes_the_face_back() {
    let (mut physics, readings) = pressed();
    physics.step_n(5).unwrap();
    let world_from_probe = readings.probe.world_from_probe(&physics);
    assert!(world_from_probe.z_axis().z < -0.5, "the probe looks down");
    let sensor = physics.force_torque().unwrap();
    assert!(sensor.wrench_in_sensor().force.z < -1.0);
    assert!(sensor.wrench_in_world().force.z > 1.0);
}

#[test]
fn tare_makes_the_present_wrench_the_zero() {
    let (mut physics, _) = pressed();
    physics.step_n(5).unwrap();
    let sensor = physics.force_torque_mut().unwrap();
    sensor.tare();
    assert!(sensor.wrench_in_world().force.norm() < 1e-12);
}

#[test]
fn the_twist_is_the_rate_of_the_pose() {
    let (mut physics, readings) = arm();
    physics.qvel_mut()[1..].copy_from_slice(&[0.3, -0.2, 0.5, 0.4, -0.6, 0.2, 0.7]);
    physics.forward();
    let (before, twist) = (
        readings.probe.world_from_probe(&physics),
        readings.probe.twist_in_world(&physics),
    );
    let h = 1e-7;
    for (dof, rate) in [0.3, -0.2, 0.5, 0.4, -0.6, 0.2, 0.7]
        .into_iter()
        .enumerate()
    {
        physics.qpos_mut()[1 + dof] += h * rate;
    }
    physics.forward();
    let after = readings.probe.world_from_probe(&physics);
    let linear = (after.position - before.position) / h;
    let angular = (after.rotation * before.rotation.inverse()).scaled_axis() / h;
    assert!((linear - twist.linear).norm() < 1e-5);
    assert!((angular - twist.angular).norm() < 1e-5);
}

#[test]
fn a_particle_moves_with_its_joint() {
    let (mut physics, readings) = arm();
    physics.qpos_mut()[0] = -0.01;
    physics.qvel_mut()[0] = 0.25;
    physics.forward();
    let position = readings.read(&physics, "particle_positions").unwrap();
    assert!((position[2] - (BED_TOP - 0.01)).abs() < 1e-12);
    let velocity = readings.read(&physics, "particle_velocities").unwrap();
    assert!((velocity[2] - 0.25).abs() < 1e-12 && velocity[0].abs() < 1e-12);
}

#[test]
fn flex_vertices_move_as_fast_as_they_fall() {
    let xml = "<mujoco><option integrator='Euler'/><worldbody><body name='torso/torso' pos='0 0 1'>
        <flexcomp name='torso/flex' type='grid' dim='3' count='2 2 2' spacing='0.1 0.1 0.1' mass='1'/></body>
        <site name='probe/face_center'/></worldbody></mujoco>";
    let mut physics = Physics::from_xml(xml).unwrap();
    let readings = Readings::new(&physics).unwrap();
    physics.step_n(100).unwrap();
    let velocities = readings.read(&physics, "particle_velocities").unwrap();
    assert_eq!(velocities.len(), 8 * 3);
    for velocity in velocities.chunks(3) {
        assert!(
            (velocity[2] + 9.81 * physics.time()).abs() < 1e-6,
            "{velocity:?}"
        );
    }
}
