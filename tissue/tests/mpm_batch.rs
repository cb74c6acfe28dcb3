//! Worlds of a batch do what they would do alone, whatever becomes of the others.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_tissue::mpm::{MlsMpm, MpmBatch, MpmBody, MpmConfig};
use insonate_tissue::tool::{Shape, Tool};
use insonate_tissue::{Material, SoftTissue as _, TissueError};
use nalgebra::Vector3;

const N_WORLDS: usize = 5;

fn config(n_threads: usize) -> MpmConfig {
    MpmConfig {
        cell_width: 0.01,
        cells: [20; 3],
        n_threads,
        ..MpmConfig::default()
    }
}

/// A block of 4 × 4 × 3 cells on the floor.
fn body() -> MpmBody {
    let at = |i: usize, from: f64| from + 0.005 * (i as f64 + 0.5);
    let positions = (0..8 * 8 * 6)
        .map(|i| [at(i / 48, 0.08), at(i / 6 % 8, 0.08), at(i % 6, 0.03)])
        .collect();
    MpmBody {
        material: Material::default(),
        positions,
        velocity: [0.0; 3],
        particle_volume: 0.005f64.powi(3),
        fixed: Vec::new(),
    }
}

/// Each world has a ball that comes at another speed.
fn ball(world: usize) -> Tool {
    Tool {
        position: Vector3::new(0.1, 0.1, 0.0745),
        linear: Vector3::new(0.0, 0.0, -0.1 * (world as f64 + 4.0)),
        ..Tool::new(Shape::Sphere { radius: 0.015 })
    }
}

fn batch(n_threads: usize) -> MpmBatch {
    let mut batch = MpmBatch::new(config(n_threads), &[body()], N_WORLDS).unwrap();
    batch.for_each(|index, world| world.tools.push(ball(index)));
    batch
}

#[test]
fn each_world_does_what_it_would_do_alone() {
    let mut many = batch(2);
    for _ in 0..4 {
        let errors = many.step(0.01).unwrap();
        assert!(errors.iter().all(Option::is_none), "{errors:?}");
    }
    for index in 0..N_WORLDS {
        let mut alone = MlsMpm::new(config(1), &[body()]).unwrap();
        alone.tools.push(ball(index));
        for _ in 0..4 {
            alone.step(0.01).unwrap();
        }
        let world = many.world(index).unwrap();
        assert!(alone.wrench(0).force.z > 0.0);
        assert_eq!(alone.wrench(0), world.wrench(0));
        assert_eq!(alone.positions(), world.positions());
    }
    assert!(many.world(N_WORLDS).is_none());
}

#[test]
fn a_world_that_ends_or_begins_anew_leaves_the_others_alone() {
    let mut disturbed = batch(1);
    let mut calm = batch(2);
    disturbed.step(0.01).unwrap();
    calm.step(0.01).unwrap();
    // World 1 has a tool that cannot be, world 2 is reset, world 3 goes back and forth in time.
    disturbed.world(1).unwrap().tools[0].position.x = f64::NAN;
    let second = disturbed.world(2).unwrap();
    second.reset();
    second.tools[0] = ball(2);
    let third = disturbed.world(3).unwrap();
    let (saved, tool) = (third.save(), third.tools[0].clone());
    let errors = disturbed.step(0.01).unwrap();
    assert!(
        matches!(errors[1], Some(TissueError::Setting { .. })),
        "{errors:?}"
    );
    let third = disturbed.world(3).unwrap();
    third.restore(&saved).unwrap();
    third.tools[0] = tool;
    disturbed.world(1).unwrap().tools[0].position.x = 0.1;
    // The others have not noticed; world 3 does its step again.
    calm.step(0.01).unwrap();
    for index in [0, 4] {
        let here = disturbed.world(index).unwrap().positions();
        assert_eq!(here, calm.world(index).unwrap().positions());
    }
    let mut fresh = batch(1);
    fresh.step(0.01).unwrap();
    assert_eq!(
        disturbed.world(2).unwrap().positions(),
        fresh.world(2).unwrap().positions()
    );
    disturbed.world(3).unwrap().step(0.01).unwrap();
    fresh.step(0.01).unwrap();
    assert_eq!(
        disturbed.world(3).unwrap().positions(),
        fresh.world(3).unwrap().positions()
    );
}

#[test]
fn a_batch_of_none_is_refused() {
    let error = MpmBatch::new(config(1), &[body()], 0).unwrap_err();
    assert!(error.to_string().contains("n_worlds"), "{error}");
}
