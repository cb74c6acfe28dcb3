//! Contract of the particle solver on the GPU: it agrees with the CPU. A world gives the same bits alone and among
//! others, worlds are independent, states are restored bit-identically, and unsupported features are refused.
//!
//! Without a driver these tests are skipped, or fail where `INSONATE_REQUIRE_GPU` is 1.
#![cfg(feature = "gpu")]

mod gpu_driver;
#[expect(clippy::pedantic, reason = "shared by several tests")]
mod gpu_scene;

use gpu_driver::gpu;
use gpu_scene::{assert_same, block, both, press};
use insonate_tissue::gpu::mpm::GpuMpm;
use insonate_tissue::gpu::{DeviceError, GpuError, MAX_TOOLS};
use insonate_tissue::mpm::{Contact, MpmBody, MpmConfig, Wall};
use insonate_tissue::tool::{Shape, Tool};
use insonate_tissue::{Divergence, Material, TissueError};
use nalgebra::Vector3;

/// Tools push nodes here; `gpu_contact` tests contact of particles.
fn config() -> MpmConfig {
    MpmConfig {
        contact: Contact::Nodes,
        ..gpu_scene::config()
    }
}

fn cuboid(top: f64) -> Tool {
    let half = [0.03, 0.02, 0.02];
    press(Shape::Cuboid { half }, top + 0.022)
}

/// A small world for tests that compare bits.
fn small(seed: u64) -> Vec<MpmBody> {
    vec![block([8, 8, 3], [5, 6, 4], seed)]
}

#[test]
fn it_is_the_solver_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let (radius, half_length) = (0.02, 0.015);
    let shapes = [
        (Shape::Sphere { radius }, 0.02),
        (
            Shape::Cuboid {
                half: [0.03, 0.02, 0.02],
            },
            0.022,
        ),
        (
            Shape::Capsule {
                radius,
                half_length,
            },
            0.035,
        ),
        (
            Shape::Cylinder {
                radius,
                half_length,
            },
            0.017,
        ),
    ];
    let mut worlds = Vec::new();
    let mut tools = Vec::new();
    for (i, (shape, above)) in shapes.into_iter().enumerate() {
        // The second body touches the walls in x and y.
        worlds.push(vec![
            block([8, 8, 3], [8, 8, 5], i as u64),
            MpmBody {
                velocity: [-0.8, -0.5, 0.0],
                material: Material {
                    young_modulus: 5e4,
                    ..Material::default()
                },
                ..block([3, 3, 4], [3, 3, 3], 9)
            },
        ]);
        let floor = Tool {
            position: Vector3::new(0.0, 0.0, 0.0325),
            friction: f64::INFINITY,
            ..Tool::new(Shape::HalfSpace)
        };
        tools.push(vec![press(shape, 0.08 + above), floor]);
    }
    let ends = both(
        &gpu,
        &config(),
        &worlds,
        &tools,
        20,
        10.0 * config().substep,
    );
    // 200 substeps, both in f32 with positions up to 24 cells: some 1e-5 of a cell.
    assert_same(&ends, 1e-4, 1e-3);
}

#[test]
fn momentum_is_conserved() {
    let Some(gpu) = gpu() else { return };
    let config = MpmConfig {
        gravity: [0.0; 3],
        ..config()
    };
    let mut left = block([6, 9, 9], [4, 5, 5], 2);
    left.velocity = [0.4, 0.05, -0.02];
    let right = block([13, 10, 9], [4, 5, 5], 3);
    let mut world = GpuMpm::new(&gpu, config, &[vec![left, right]]).unwrap();
    let momentum = world.momentum(0).unwrap();
    world.step(0.06).unwrap();
    // They have collided: the one at rest moves now.
    let velocities = world.velocities(0).unwrap();
    assert!(velocities.last().unwrap()[0] > 0.05);
    for (now, before) in world.momentum(0).unwrap().into_iter().zip(momentum) {
        // 300 substeps; each rounds a thousand nodes at 1e-7.
        assert!((now - before).abs() < 1e-5 * momentum[0], "{now} {before}");
    }
}

#[test]
fn a_world_is_the_same_alone_and_among_others() {
    let Some(gpu) = gpu() else { return };
    for contact in [Contact::Nodes, Contact::Particles] {
        let run = |seeds: &[u64]| {
            let worlds: Vec<_> = seeds.iter().map(|seed| small(*seed)).collect();
            let config = MpmConfig {
                contact,
                ..config()
            };
            let mut batch = GpuMpm::new(&gpu, config, &worlds).unwrap();
            for i in 0..seeds.len() {
                batch.tools_mut(i).push(cuboid(0.07));
            }
            // A second tool in one world changes the layout of all.
            let shape = Shape::Sphere { radius: 0.01 };
            if seeds.len() > 1 {
                batch.tools_mut(1).push(press(shape, 0.085));
            }
            (0..4).for_each(|_| batch.step(5e-3).unwrap());
            (0..seeds.len())
                .map(|i| (batch.save(i).unwrap(), batch.wrench(i, 0)))
                .collect::<Vec<_>>()
        };
        let together = run(&[1, 2, 3]);
        assert!(together[0].1.force.norm() > 0.0);
        assert_eq!(run(&[1])[0], together[0]);
        assert_eq!(run(&[3])[0], together[2]);
        assert_ne!(together[0].0, together[2].0);
    }
}

#[test]
fn bits_do_not_depend_on_how_time_is_cut_into_steps() {
    let Some(gpu) = gpu() else { return };
    let run = |n: u32| {
        let mut fast = small(4);
        fast[0].velocity = [8.0, 0.0, 5.0];
        let config = MpmConfig {
            // Binary fractions, so that the sum of the parts is exactly the whole time.
            substep: 1.0 / 8192.0,
            ..config()
        };
        let mut world = GpuMpm::new(&gpu, config, &[fast]).unwrap();
        (0..n).for_each(|_| world.step(64.0 / 8192.0 / f64::from(n)).unwrap());
        assert_eq!(world.divergence(0), None);
        world.save(0).unwrap()
    };
    // One step contains many sorts.
    let whole = run(1);
    assert_eq!(run(16), whole);
    assert_eq!(run(64), whole);
}

#[test]
fn worlds_wait_for_a_sort_that_was_not_planned() {
    let Some(gpu) = gpu() else { return };
    // Sorts are planned from the linear speed of tools. This tool only rotates, and carries particles through whole
    // blocks.
    let run = |contact: Contact, turning: &Tool, is_planned: bool| {
        let config = MpmConfig {
            contact,
            ..config()
        };
        let mut world = GpuMpm::new(&gpu, config, &[small(5), small(6)]).unwrap();
        world.tools_mut(0).push(turning.clone());
        if is_planned {
            // Far away and equally fast, so that particles are sorted often.
            world.tools_mut(0).push(Tool {
                position: Vector3::new(5.0, 5.0, 5.0),
                linear: Vector3::new(20.0, 0.0, 0.0),
                ..Tool::new(Shape::Sphere { radius: 0.001 })
            });
        }
        world.step(0.012).unwrap();
        assert_eq!(world.divergence(0), None);
        let fastest = world.velocities(0).unwrap().into_iter().flatten();
        assert!(fastest.fold(0.0, f64::max) > 2.0);
        ([0, 1].map(|i| world.save(i).unwrap()), world.wrench(0, 0))
    };
    let turning = |half: [f64; 3], speed: f64, friction: f64| Tool {
        position: Vector3::new(0.105, 0.11, 0.05),
        angular: Vector3::new(0.0, 0.0, speed),
        friction,
        ..Tool::new(Shape::Cuboid { half })
    };
    for (contact, tool) in [
        (
            Contact::Nodes,
            turning([0.03, 0.01, 0.01], 200.0, f64::INFINITY),
        ),
        (Contact::Particles, turning([0.03, 0.008, 0.01], 150.0, 1.0)),
    ] {
        assert_eq!(run(contact, &tool, false), run(contact, &tool, true));
    }
}

#[test]
fn one_world_is_reset_and_the_others_go_on() {
    let Some(gpu) = gpu() else { return };
    let make = || {
        let mut batch = GpuMpm::new(&gpu, config(), &[small(7), small(8)]).unwrap();
        for i in 0..2 {
            batch.tools_mut(i).push(cuboid(0.07));
        }
        batch
    };
    let mut batch = make();
    let start = batch.save(0).unwrap();
    batch.step(0.01).unwrap();
    assert_ne!(batch.save(0).unwrap(), start);
    batch.reset(&[0]).unwrap();
    assert_eq!(batch.save(0).unwrap(), start);
    assert_eq!(batch.time(0), 0.0);
    batch.tools_mut(0)[0] = cuboid(0.07);
    batch.step(0.01).unwrap();
    let mut straight = make();
    straight.step(0.01).unwrap();
    assert_eq!(batch.save(0).unwrap(), straight.save(0).unwrap());
    assert_eq!(batch.wrench(0, 0), straight.wrench(0, 0));
    straight.step(0.01).unwrap();
    assert_eq!(batch.save(1).unwrap(), straight.save(1).unwrap());
    assert!(matches!(
        batch.reset(&[2]),
        Err(GpuError::Tissue(TissueError::Setting(_)))
    ));
}

#[test]
fn states_come_back_bit_by_bit() {
    let Some(gpu) = gpu() else { return };
    let mut batch = GpuMpm::new(&gpu, config(), &[small(9), small(10)]).unwrap();
    batch.tools_mut(1).push(cuboid(0.07));
    batch.step(0.01).unwrap();
    let (state, tools) = (batch.save(1).unwrap(), batch.tools(1).to_vec());
    batch.step(0.01).unwrap();
    let end = batch.save(1).unwrap();
    assert_ne!(state, end);
    // In another instance, as another world of the same kind.
    let mut other = GpuMpm::new(&gpu, config(), &[small(10)]).unwrap();
    other.restore(0, &state).unwrap();
    assert_eq!(other.save(0).unwrap(), state);
    other.tools_mut(0).clone_from(&tools);
    other.step(0.01).unwrap();
    assert_eq!(other.save(0).unwrap(), end);

    let refused = |bytes: &[u8]| {
        let mut world = GpuMpm::new(&gpu, config(), &[small(10)]).unwrap();
        let before = world.save(0).unwrap();
        let error = world.restore(0, bytes).unwrap_err();
        assert!(
            matches!(error, GpuError::Tissue(TissueError::State(_))),
            "{error}"
        );
        assert_eq!(world.save(0).unwrap(), before);
    };
    refused(&[]);
    refused(&state[..state.len() - 1]);
    // A state of another world.
    let stiff = |seed| {
        let mut bodies = small(seed);
        bodies[0].material.young_modulus = 3e4;
        bodies
    };
    let other = GpuMpm::new(&gpu, config(), &[stiff(10)]).unwrap();
    refused(&other.save(0).unwrap());
    let mut bytes = state.clone();
    bytes[56..60].copy_from_slice(&f32::NAN.to_le_bytes());
    refused(&bytes);
    bytes[56..60].copy_from_slice(&1e9f32.to_le_bytes());
    refused(&bytes);
}

#[test]
fn a_diverged_world_stops_alone() {
    let Some(gpu) = gpu() else { return };
    let mut leaving = small(12);
    leaving[0].velocity = [0.0, 0.0, 20.0];
    // Two long, very soft bodies pile up where they meet.
    let dust = |low, seed, speed| MpmBody {
        velocity: [speed, 0.0, 0.0],
        material: Material {
            young_modulus: 1.0,
            ..Material::default()
        },
        ..block([low, 10, 10], [21, 3, 3], seed)
    };
    let dense = vec![dust(3, 13, 20.0), dust(24, 14, -20.0)];
    let worlds = [small(11), small(11), leaving, dense];
    let config = MpmConfig {
        cells: [48, 24, 24],
        walls: [[Wall::Separate; 2]; 3],
        ..config()
    };
    let mut batch = GpuMpm::new(&gpu, config.clone(), &worlds).unwrap();
    batch.tools_mut(1).push(Tool {
        linear: Vector3::new(0.0, 0.0, -200.0),
        ..cuboid(0.07)
    });
    for _ in 0..20 {
        batch.step(1e-3).unwrap();
        assert_eq!(batch.divergence(0), None);
    }
    let found = batch.divergence(1);
    let Some(Divergence::TooFast { speed, .. }) = found else {
        panic!("{found:?}");
    };
    assert!(speed > 25.0);
    let stopped = batch.save(1).unwrap();
    let time = batch.time(1);
    batch.step(1e-3).unwrap();
    assert_eq!((batch.save(1).unwrap(), batch.time(1)), (stopped, time));
    // The wall keeps particles in the domain.
    assert_eq!(batch.divergence(2), None);
    assert_eq!(batch.divergence(3), Some(Divergence::TooDense));
    let mut alone = GpuMpm::new(&gpu, config, &worlds[..1]).unwrap();
    (0..21).for_each(|_| alone.step(1e-3).unwrap());
    assert_eq!(alone.save(0).unwrap(), batch.save(0).unwrap());
    // A reset world continues.
    batch.tools_mut(1).clear();
    batch.reset(&[1]).unwrap();
    batch.step(1e-3).unwrap();
    assert_eq!(batch.divergence(1), None);
}

#[test]
fn invalid_input_is_refused_before_anything_moves() {
    let Some(gpu) = gpu() else { return };
    let mut world = GpuMpm::new(&gpu, config(), &[small(14)]).unwrap();
    let before = world.save(0).unwrap();
    let setting = |result: Result<(), GpuError>, wanted: &str| {
        let error = result.unwrap_err();
        let GpuError::Tissue(TissueError::Setting(setting)) = &error else {
            panic!("{error}");
        };
        assert_eq!(setting.field, wanted);
    };
    setting(world.step(f64::NAN), "time");
    *world.tools_mut(0) = vec![cuboid(0.07); MAX_TOOLS + 1];
    setting(world.step(1e-3), "tools");
    *world.tools_mut(0) = vec![cuboid(f64::NAN)];
    setting(world.step(1e-3), "tool.position");
    assert_eq!(world.save(0).unwrap(), before);
    let mut outside = small(14);
    outside[0].positions[7][1] = -0.3;
    let error = GpuMpm::new(&gpu, config(), &[small(14), outside]).unwrap_err();
    assert!(
        matches!(
            error,
            GpuError::Tissue(TissueError::Outside { particle: 7, .. })
        ),
        "{error}"
    );
    // More blocks than a 32-bit count allows.
    let config = MpmConfig {
        cells: [1024; 3],
        ..config()
    };
    let error = GpuMpm::new(&gpu, config, &vec![small(14); 300]).unwrap_err();
    assert!(
        matches!(error, GpuError::Device(DeviceError::Limit { .. })),
        "{error}"
    );
}

#[test]
fn fixed_particles_are_refused_by_name() {
    let Some(gpu) = gpu() else { return };
    let mut bodies = small(11);
    bodies[0].fixed = vec![0];
    let error = GpuMpm::new(&gpu, config(), &[bodies]).unwrap_err();
    assert!(matches!(error, GpuError::Unsupported { .. }), "{error}");
    assert!(
        error
            .to_string()
            .starts_with("fixed particles are not supported")
    );
}
