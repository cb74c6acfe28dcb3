//! Contract: after warm-up, steps of a fast torso, controllers, and changes of the torso allocate no memory.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]
#![expect(unsafe_code, reason = "an allocator that counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use insonate_models::torsos::{self, Breathing, TorsoConfig};
use insonate_models::{Scene, probes, robots};
use insonate_sim::controllers::{
    Controller, HybridConfig, HybridForce, HybridTarget, JointImpedance, JointImpedanceConfig,
    JointVelocity, JointVelocityConfig, OscPose, OscPoseConfig,
};
use insonate_sim::readings::{ProbeContact, ProbeFrame};
use insonate_sim::shell::ShellSolref;
use insonate_sim::{Arm, CompiledScene, Physics, Pose, Twist, ik};
use nalgebra::Vector3;

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: all arguments are passed on unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // An ending thread no longer has a counter.
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: as promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Number of allocations of this thread during a call.
fn allocations(call: impl FnOnce()) -> usize {
    let before = COUNT.get();
    call();
    COUNT.get() - before
}

/// A Panda whose probe is just above a breathing torso.
fn above() -> (Physics, Pose) {
    let config = TorsoConfig {
        breathing: Some(Breathing::default()),
        ..TorsoConfig::default()
    };
    let torso = torsos::fast(&config).unwrap();
    let scene = Scene::new(robots::panda::panda(), probes::c5_2(), Some(torso));
    let top = scene.surface_above(0.0, 0.0).unwrap().position[2];
    let compiled = CompiledScene::compile(&scene.to_mjcf().unwrap()).unwrap();
    let mut physics = Physics::from_scene(&compiled).unwrap();
    let (arm, probe) = (
        Arm::new(physics.model()).unwrap(),
        ProbeFrame::new(physics.model()).unwrap(),
    );
    let center = Vector3::new(0.0, 0.0, top + 0.003);
    let pose = Pose::with_z_axis(center, -Vector3::z(), Vector3::x());
    ik::place(&mut physics, &arm, &probe, &pose).unwrap();
    (physics, pose)
}

#[test]
fn the_counter_counts_allocations() {
    assert!(allocations(|| drop(std::hint::black_box(vec![1.0; 100]))) == 1);
}

#[test]
fn pressing_steps_and_readings_allocate_nothing() {
    let (mut physics, pose) = above();
    let probe = ProbeFrame::new(physics.model()).unwrap();
    let contact = ProbeContact::new(physics.model()).unwrap();
    let mut hybrid = HybridForce::new(&physics, HybridConfig::default()).unwrap();
    let mut press = |physics: &mut Physics, force: f64| {
        let target = HybridTarget {
            world_from_probe: pose,
            twist: Twist::default(),
            force,
        };
        hybrid.set_target(physics, target);
        hybrid.control(physics);
        physics.step().unwrap();
    };
    // A harder press than later ones, so that all lists reach their largest length.
    (0..800).for_each(|_| press(&mut physics, 12.0));
    assert!(physics.contacts().len() > 2);
    let count = allocations(|| {
        for _ in 0..400 {
            press(&mut physics, 8.0);
            let sensor = physics.force_torque().unwrap();
            std::hint::black_box((
                probe.world_from_probe(&physics),
                probe.twist_in_world(&physics),
                sensor.wrench_in_world(),
                contact.in_contact(&physics),
                contact.force_in_world(&physics),
            ));
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn controllers_allocate_nothing() {
    fn check(physics: &mut Physics, mut control: impl Controller) {
        let count = allocations(|| {
            for _ in 0..10 {
                control.control(physics);
                physics.step().unwrap();
                control.reset(physics);
            }
        });
        assert_eq!(count, 0);
    }
    let (mut physics, _) = above();
    physics.step_n(10).unwrap();
    let start = &mut physics;
    let osc = OscPose::new(start, OscPoseConfig::default()).unwrap();
    check(start, osc);
    let impedance = JointImpedance::new(start, JointImpedanceConfig::default()).unwrap();
    check(start, impedance);
    let velocity = JointVelocity::new(start, JointVelocityConfig::default()).unwrap();
    check(start, velocity);
}

#[test]
fn changing_the_torso_allocates_nothing() {
    let (mut physics, pose) = above();
    let vary = |physics: &mut Physics, factor: f64| {
        physics.reset();
        let shell = physics.shell_mut().unwrap();
        let mut softness = ShellSolref::from(&TorsoConfig::default());
        softness.neighbors.stiffness *= factor;
        shell.set_solref(&softness).unwrap();
        let breathing = Breathing {
            rate: 0.2 * factor,
            amplitude: 0.005 * factor,
        };
        shell.set_breathing(&breathing).unwrap();
        shell.set_breath_phase(factor).unwrap();
        shell.set_friction(0.01 * factor);
        let frame = Pose {
            position: pose.position * 0.01 * factor,
            ..Pose::default()
        };
        shell.set_frame(&frame, &Twist::default());
        physics.step().unwrap();
    };
    vary(&mut physics, 1.1);
    let count = allocations(|| (0..10).for_each(|i| vary(&mut physics, 1.0 + 0.1 * f64::from(i))));
    assert_eq!(count, 0);
}
