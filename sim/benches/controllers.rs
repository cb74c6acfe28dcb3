//! Time of one call of each controller, with 7 joints and with 6, and time to read the probe's state.

#![expect(missing_docs, reason = "criterion's macros write an undocumented main")]

#[path = "../tests/scene/mod.rs"]
mod scene;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use insonate_sim::controllers::{
    Controller, HybridConfig, HybridForce, JointImpedance, JointImpedanceConfig, JointVelocity,
    JointVelocityConfig, OscPose, OscPoseConfig, StiffnessFrame,
};
use insonate_sim::readings::{ProbeContact, ProbeFrame};
use insonate_sim::{Arm, Physics, Pose, ik};
use nalgebra::Vector3;
use scene::{BED_TOP, Bed, Chain, PANDA, UR5E};

/// The arm with its face slightly deep in the bed, so that there is a contact to read.
fn pressed(chain: &Chain) -> Physics {
    let mut physics = Physics::from_xml(&scene::xml(chain, Bed::default())).expect("a valid scene");
    let arm = Arm::new(physics.model()).expect("the arm has motors");
    let probe = ProbeFrame::new(physics.model()).expect("the scene has a probe");
    let center = Vector3::new(0.0, 0.0, BED_TOP - 0.003);
    let pose = Pose::with_z_axis(center, -Vector3::z(), Vector3::x());
    ik::place(&mut physics, &arm, &probe, &pose).expect("the bed is in reach");
    physics.step_n(5).expect("the scene stays finite");
    physics
}

fn bench(
    criterion: &mut Criterion,
    name: &str,
    mut physics: Physics,
    mut control: impl Controller,
) {
    control.reset(&physics);
    criterion.bench_function(&format!("control/{name}"), |bencher| {
        bencher.iter(|| {
            control.control(&mut physics);
            black_box(physics.ctrl()[0])
        });
    });
}

fn controllers(criterion: &mut Criterion) {
    for (chain, joints) in [(PANDA, "7 joints"), (UR5E, "6 joints")] {
        let start = || pressed(&chain);
        for (name, config) in [
            ("osc_pose", OscPoseConfig::default()),
            (
                "osc_pose coupled, in the goal's frame",
                OscPoseConfig {
                    uncouple_pos_ori: false,
                    stiffness_frame: StiffnessFrame::Goal,
                    ..OscPoseConfig::default()
                },
            ),
        ] {
            let osc = OscPose::new(&start(), config).expect("an arm with a probe");
            bench(criterion, &format!("{name}, {joints}"), start(), osc);
        }
        let hybrid = HybridForce::new(&start(), HybridConfig::default()).expect("a force sensor");
        bench(
            criterion,
            &format!("hybrid_force, {joints}"),
            start(),
            hybrid,
        );
        let impedance =
            JointImpedance::new(&start(), JointImpedanceConfig::default()).expect("an arm");
        bench(
            criterion,
            &format!("joint_impedance, {joints}"),
            start(),
            impedance,
        );
        let velocity =
            JointVelocity::new(&start(), JointVelocityConfig::default()).expect("an arm");
        bench(
            criterion,
            &format!("joint_velocity, {joints}"),
            start(),
            velocity,
        );
    }
}

fn readings(criterion: &mut Criterion) {
    let physics = pressed(&PANDA);
    let probe = ProbeFrame::new(physics.model()).expect("the scene has a probe");
    let contact = ProbeContact::new(physics.model()).expect("the scene has a probe");
    criterion.bench_function("read/probe: pose, twist, wrench, contact", |bencher| {
        bencher.iter(|| {
            let sensor = physics.force_torque().expect("the scene has the sensor");
            black_box((
                probe.world_from_probe(&physics),
                probe.twist_in_world(&physics),
                sensor.wrench_in_sensor(),
                sensor.wrench_in_world(),
                contact.in_contact(&physics),
            ))
        });
    });
}

criterion_group!(benches, controllers, readings);
criterion_main!(benches);
