//! Overhead of `Physics::step` over raw `mj_step` on the same model.

#![expect(missing_docs, reason = "criterion's macros write an undocumented main")]

#[path = "../tests/scene/mod.rs"]
#[expect(dead_code, reason = "tests use more of it")]
mod scene;

use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use insonate_sim::readings::ProbeFrame;
use insonate_sim::{Arm, MjData, Physics, Pose, ik};
use nalgebra::Vector3;
use scene::{BED_TOP, Bed, PANDA};

/// The arm with its face slightly deep in the bed, so that a contact is solved at every step.
fn pressed() -> Physics {
    let mut physics =
        Physics::from_xml(&scene::xml(&PANDA, Bed::default())).expect("a valid scene");
    let arm = Arm::new(physics.model()).expect("the arm has motors");
    let probe = ProbeFrame::new(physics.model()).expect("the scene has a probe");
    let center = Vector3::new(0.0, 0.0, BED_TOP - 0.003);
    let pose = Pose::with_z_axis(center, -Vector3::z(), Vector3::x());
    ik::place(&mut physics, &arm, &probe, &pose).expect("the bed is in reach");
    physics
}

/// Prints the overhead of `Physics::step` over `mj_step`: the median over rounds in which both run alternately.
///
/// Two separate benches would differ by more than this overhead on a busy machine.
fn overhead(_: &mut Criterion) {
    let mut physics = pressed();
    let mut data = MjData::new(physics.model_arc());
    let start = physics.qpos().to_vec();
    let mut shares: Vec<f64> = (0..N_ROUNDS)
        .map(|_| {
            data.qpos_mut().copy_from_slice(&start);
            data.qvel_mut().fill(0.0);
            data.step();
            let raw = time(|| (0..N_STEPS).for_each(|_| data.step()));
            physics.qpos_mut().copy_from_slice(&start);
            physics.qvel_mut().fill(0.0);
            physics.step().expect("the scene stays finite");
            let ours = time(|| physics.step_n(N_STEPS).expect("the scene stays finite"));
            ours / raw - 1.0
        })
        .collect();
    shares.sort_by(f64::total_cmp);
    let percent = 100.0 * shares[N_ROUNDS / 2];
    eprintln!("Physics::step over mj_step: {percent:+.2} %, median of {N_ROUNDS} rounds");
}

const N_ROUNDS: usize = 3000;
const N_STEPS: usize = 100;

fn time(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

criterion_group!(benches, overhead);
criterion_main!(benches);
