//! Contract of worlds that several owners share: announced steps give the bits of a world alone, on one thread and on many, states are restored, and
//! tools that are too many are refused.
//!
//! Without a driver these tests are skipped, or fail where `INSONATE_REQUIRE_GPU` is 1.
#![cfg(feature = "gpu")]

mod gpu_driver;
#[expect(clippy::pedantic, reason = "shared by several tests")]
mod xpbd_blocks;

use gpu_driver::gpu;
use insonate_tissue::gpu::Gpu;
use insonate_tissue::gpu::xpbd::SharedXpbd;
use insonate_tissue::tool::{Shape, Tool, Wrench};
use insonate_tissue::xpbd::{XpbdBody, XpbdConfig};
use insonate_tissue::{SoftTissue, TissueError};
use nalgebra::Vector3;
use xpbd_blocks::{lattice, vertices};

const STEP: f64 = 0.002;

fn body() -> XpbdBody {
    let mut body = XpbdBody {
        mesh: lattice([4, 3, 2], [0.08, 0.06, 0.04], [0.0; 3], 0.1),
        ..XpbdBody::default()
    };
    body.fixed = vertices(&body, |p| p[2] < 0.005);
    body
}

fn shared(gpu: &Gpu) -> std::sync::Arc<SharedXpbd> {
    SharedXpbd::new(gpu, XpbdConfig::default(), body()).expect("worlds")
}

fn ball(x: f64) -> Tool {
    Tool {
        position: Vector3::new(x, 0.03, 0.059),
        linear: Vector3::new(0.0, 0.0, -0.1),
        ..Tool::new(Shape::Sphere { radius: 0.02 })
    }
}

/// Steps a world under a ball; returns its points and the wrench on the ball, which comes after a tool far away.
fn run(mut world: impl SoftTissue, x: f64, n_steps: usize) -> (Vec<[f64; 3]>, Wrench) {
    let far = Tool {
        position: Vector3::new(3.0, 0.0, 0.0),
        ..ball(x)
    };
    world.tools_mut().extend([far, ball(x)]);
    for _ in 0..n_steps {
        world.step(STEP).expect("a step");
    }
    assert_eq!(world.wrench(0), Wrench::default());
    (world.positions(), world.wrench(1))
}

/// As [`run`], for worlds on one thread that announce their steps.
fn run_announced(
    all: &std::sync::Arc<SharedXpbd>,
    places: &[f64],
    n_steps: usize,
) -> Vec<(Vec<[f64; 3]>, Wrench)> {
    let mut seats: Vec<_> = places.iter().map(|_| all.seat()).collect();
    for (seat, x) in seats.iter_mut().zip(places) {
        seat.tools_mut().push(ball(*x));
    }
    for _ in 0..n_steps {
        for seat in &mut seats {
            seat.announce_step(STEP);
        }
        for seat in &mut seats {
            seat.step(STEP).expect("a step");
        }
    }
    let results = seats.iter().map(|seat| (seat.positions(), seat.wrench(0)));
    results.collect()
}

#[test]
fn owners_on_many_threads_get_the_bits_of_a_world_alone() {
    let Some(gpu) = gpu() else { return };
    let places = [0.02, 0.03, 0.04, 0.05, 0.06];
    let alone: Vec<_> = places
        .iter()
        .map(|x| run(shared(&gpu).seat(), *x, 20))
        .collect();
    assert!(alone[2].1.force.z > 0.1, "{:?}", alone[2].1);
    let all = shared(&gpu);
    let seats = places.map(|x| (x, all.seat()));
    let together: Vec<_> = std::thread::scope(|scope| {
        let threads = seats.map(|(x, seat)| scope.spawn(move || run(seat, x, 20)));
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .collect()
    });
    assert_eq!(together, alone);
    assert_eq!(run_announced(&shared(&gpu), &places, 20), alone);
    // An owner that comes later finds a world at rest, and those before it keep theirs.
    let (mut first, bytes) = (all.seat(), shared(&gpu).seat().save());
    first.tools_mut().push(ball(0.03));
    first.step(STEP).expect("a step");
    let before = first.positions();
    let others: Vec<_> = (0..8).map(|_| all.seat()).collect();
    let mut last = all.seat();
    last.step(STEP).expect("a step");
    assert_eq!(first.positions(), before);
    assert_ne!(last.positions(), before);
    first.restore(&bytes).expect("a state of such a world");
    assert_eq!(first.time(), 0.0);
    assert_eq!(first.positions(), body().mesh.positions);
    // An announced step ends with the state that it was announced in.
    first.announce_step(STEP);
    first.restore(&bytes).expect("a state of such a world");
    last.step(STEP).expect("a step");
    assert_eq!(first.save(), bytes);
    drop(others);
}

#[test]
fn more_tools_near_the_tissue_than_kernels_take_are_refused() {
    let Some(gpu) = gpu() else { return };
    let mut world = shared(&gpu).seat();
    world.tools_mut().extend((0..9).map(|_| ball(0.04)));
    let Err(TissueError::Setting(setting)) = world.step(STEP) else {
        panic!("a step with nine tools");
    };
    assert_eq!(setting.field, "tools");
    for tool in &mut world.tools_mut()[1..] {
        tool.position.x = 1.0;
    }
    world.step(STEP).expect("a step with one tool");
    assert!(world.time() > 0.0);
}
