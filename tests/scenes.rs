//! Contract: every robot works with every torso and every probe: the scene compiles, rests for half a second without warnings,
//! and the probe reaches the torso and measures a contact force.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate::models::torsos::{self, Shape, TorsoConfig};
use insonate::models::{Scene, probes, robots};
use insonate::sim::controllers::Controller as _;
use insonate::sim::psm::{PdGravity, PdGravityConfig, PsmArm};
use insonate::sim::readings::{ProbeContact, TorsoParticles};
use insonate::sim::{CompiledScene, Physics, Pose, arm::Arm, ik, readings::ProbeFrame};
use nalgebra::Vector3;

/// A coarse torso, so that slow kinds of torso run fast.
fn config(shape: Shape) -> TorsoConfig {
    TorsoConfig {
        shape,
        count: [7, 4, 7],
        spacing: 0.04,
        ..TorsoConfig::default()
    }
}

fn check(scene: &Scene) {
    let name = scene.name();
    let compiled = CompiledScene::compile(&scene.to_mjcf().unwrap()).unwrap();
    let mut physics = Physics::from_scene(&compiled).unwrap();
    let home = physics.qpos().to_vec();
    let second = (1.0 / physics.timestep()).round() as usize;
    physics
        .step_n(second / 2)
        .unwrap_or_else(|divergence| panic!("{name}: {divergence}"));
    let arm = Arm::new(physics.model()).unwrap();
    let moved = arm
        .joints
        .iter()
        .map(|joint| (physics.qpos()[joint.qpos] - home[joint.qpos]).abs());
    // Gravity is compensated on every body, so an arm without torque does not move.
    assert!(
        moved.fold(0.0, f64::max) < 1e-3,
        "{name}: the resting arm drifts"
    );

    let Some(top) = scene.surface_above(0.0, 0.0) else {
        return;
    };
    let probe = ProbeFrame::new(physics.model()).unwrap();
    let at = |lift: f64| {
        Pose::with_z_axis(
            Vector3::from(top.position) + Vector3::z() * lift,
            -Vector3::z(),
            Vector3::x(),
        )
    };
    let deep = ik::solve(&physics, &arm, &probe, &at(-0.02), &ik::IkConfig::default()).unwrap();
    ik::place(&mut physics, &arm, &probe, &at(0.005)).unwrap();
    let contact = ProbeContact::new(physics.model()).unwrap();
    let rest = TorsoParticles::of(&physics).unwrap().positions(&physics);
    let mut pushed_up = 0.0_f64;
    for _ in 0..second / 2 {
        let torque = (&deep - arm.positions(&physics)) * 400.0 - arm.velocities(&physics) * 40.0
            + arm.bias(&physics);
        arm.apply(&mut physics, torque.as_slice());
        physics
            .step()
            .unwrap_or_else(|divergence| panic!("{name}: {divergence}"));
        pushed_up = pushed_up.max(contact.force_in_world(&physics).z);
    }
    assert!(
        pushed_up > 1.0,
        "{name}: the torso pushes back with {pushed_up} N only"
    );
    let now = TorsoParticles::of(&physics).unwrap().positions(&physics);
    let dent = rest
        .iter()
        .zip(&now)
        .map(|(then, now)| then[2] - now[2])
        .fold(0.0, f64::max);
    assert!(dent > 0.002, "{name}: the torso is not dented: {dent} m");
}

/// Runs every robot with every torso. Probes alternate, so that each probe is combined with every robot and every torso.
#[test]
fn every_robot_probe_and_torso_runs() {
    // The next test covers robots with their own instrument.
    let robots: Vec<_> = robots::ALL
        .iter()
        .map(|(_, robot)| robot)
        .filter(|robot| robot().flange.is_some())
        .collect();
    for (i, robot) in robots.iter().enumerate() {
        for (j, kind) in torsos::ALL.iter().map(Some).chain([None]).enumerate() {
            let (_, probe) = probes::ALL[(i + j) % probes::ALL.len()];
            let torso = kind.map(|kind| (kind.build)(&config(Shape::Cylinder)).unwrap());
            check(&Scene::new(robot(), probe(), torso));
        }
    }
}

#[test]
fn a_robot_with_an_instrument_of_its_own_runs_over_every_torso() {
    let torsos = torsos::ALL
        .iter()
        .map(|kind| Some((kind.build)(&config(Shape::Cylinder)).unwrap()));
    for torso in torsos.chain([None]) {
        let scene = Scene::new(robots::psm::psm(), probes::c5_2(), torso);
        let compiled = CompiledScene::compile(&scene.to_mjcf().unwrap()).unwrap();
        let mut physics = Physics::from_scene(&compiled).unwrap();
        let mut controller = PdGravity::new(&physics, PdGravityConfig::default()).unwrap();
        let arm = PsmArm::new(physics.model()).unwrap();
        let home = arm.positions(&physics);
        for _ in 0..250 {
            controller.control(&mut physics);
            physics
                .step()
                .unwrap_or_else(|divergence| panic!("{}: {divergence}", scene.name()));
        }
        let moved = (arm.positions(&physics) - home).norm();
        assert!(
            moved < 0.02,
            "{}: the held arm moves by {moved}",
            scene.name()
        );
        let error = arm.remote_center_error(&physics);
        assert!(error < 1e-4, "{}: {error} m", scene.name());
    }
}

#[test]
fn every_shape_of_every_torso_runs() {
    for &(_, shape) in Shape::ALL {
        for kind in torsos::ALL {
            let torso = (kind.build)(&config(shape)).unwrap();
            check(&Scene::new(
                robots::panda::panda(),
                probes::c5_2(),
                Some(torso),
            ));
        }
    }
}
