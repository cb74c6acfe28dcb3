//! Contract of contact on the GPU: tools push particles as on the CPU, simple solids and sampled ones; momentum is conserved; bits do not
//! depend on other worlds, on sorts, or on a save and a restore.
//!
//! Without a driver these tests are skipped, or fail where `INSONATE_REQUIRE_GPU` is 1.
#![cfg(feature = "gpu")]

mod gpu_driver;
#[expect(clippy::pedantic, reason = "shared by several tests")]
mod gpu_scene;

use std::sync::Arc;

use gpu_driver::gpu;
use gpu_scene::{CELL, assert_same, block, both, config, press};
use insonate_meshes::TriangleMesh;
use insonate_tissue::gpu::mpm::GpuMpm;
use insonate_tissue::mpm::{Contact, MpmBody, MpmConfig};
use insonate_tissue::tool::{DistanceField, Shape, Tool};
use nalgebra::{UnitQuaternion, Vector3};

/// Top of the bodies in these tests: above the floor's nodes, 3 cm high.
const TOP: f64 = 0.06;

fn body(seed: u64) -> Vec<MpmBody> {
    vec![block([9, 9, 3], [6, 6, 3], seed)]
}

/// A table with friction that particles lie on.
fn table() -> Tool {
    Tool {
        position: Vector3::new(0.0, 0.0, 0.03),
        friction: 0.5,
        ..Tool::new(Shape::HalfSpace)
    }
}

fn field(mesh: &TriangleMesh) -> Shape {
    let field = DistanceField::new(mesh, 24).expect("a closed mesh");
    Shape::Field(Arc::new(field))
}

#[test]
fn tools_push_particles_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let (radius, half_length) = (0.02, 0.015);
    let half = [0.03, 0.02, 0.02];
    let shapes = [
        (Shape::Sphere { radius }, 0.02),
        (Shape::Cuboid { half }, 0.022),
        // Narrower than a cell, upright.
        (
            Shape::Capsule {
                radius: 0.4 * CELL,
                half_length,
            },
            0.02,
        ),
        (
            Shape::Cylinder {
                radius,
                half_length,
            },
            0.017,
        ),
    ];
    let worlds: Vec<_> = (0..4).map(body).collect();
    let mut tools: Vec<_> = shapes
        .into_iter()
        .map(|(shape, above)| vec![press(shape, TOP + above), table()])
        .collect();
    // A tool that holds nodes, at an edge.
    tools[0].push(Tool {
        position: Vector3::new(0.09, 0.12, 0.045),
        linear: Vector3::new(-0.1, 0.0, 0.1),
        friction: f64::INFINITY,
        ..Tool::new(Shape::Sphere { radius: 0.015 })
    });
    let ends = both(
        &gpu,
        &config(),
        &worlds,
        &tools,
        12,
        10.0 * config().substep,
    );
    // 120 substeps in f32, positions up to 24 cells: some 1e-5 of a cell. No particle comes so near to a tool that rounding decides in which
    // substep it is touched; that would be 6e-3 cells.
    assert_same(&ends, 1e-4, 1e-3);
}

#[test]
fn sampled_solids_push_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let ball = field(&TriangleMesh::ellipsoid([0.02, 0.015, 0.02], 3));
    let rod = field(&TriangleMesh::cylinder(0.015, 0.02, 24));
    // The first two share a field.
    let tools = [
        vec![press(ball.clone(), TOP + 0.0193), table()],
        vec![press(ball, TOP + 0.018), table()],
        vec![
            press(rod, TOP + 0.022),
            Tool {
                position: Vector3::new(0.1, 0.1, TOP + 0.01),
                ..press(Shape::Sphere { radius: 0.01 }, 0.0)
            },
        ],
    ];
    let worlds: Vec<_> = (0..3).map(body).collect();
    for contact in [Contact::Particles, Contact::Nodes] {
        let config = MpmConfig {
            contact,
            ..config()
        };
        let ends = both(&gpu, &config, &worlds, &tools, 10, 10.0 * config.substep);
        assert_same(&ends, 1e-4, 1e-3);
    }
}

#[test]
fn fields_come_and_go_between_steps() {
    let Some(gpu) = gpu() else { return };
    let fields = [
        field(&TriangleMesh::cuboid([0.02; 3])),
        field(&TriangleMesh::ellipsoid([0.02; 3], 2)),
    ];
    let run = |order: &[usize]| {
        let mut world = GpuMpm::new(&gpu, config(), &[body(5)]).unwrap();
        for i in order {
            *world.tools_mut(0) = vec![press(fields[*i].clone(), TOP + 0.018)];
            world.step(2e-3).unwrap();
        }
        (world.save(0).unwrap(), world.wrench(0, 0))
    };
    let mixed = run(&[0, 1, 0]);
    assert!(mixed.1.force.norm() > 0.0);
    assert_ne!(mixed, run(&[0, 0, 0]));
    assert_eq!(mixed, run(&[0, 1, 0]));
    // The same solid sampled again gives the same field.
    let again = Shape::Field(Arc::new(
        DistanceField::new(&TriangleMesh::cuboid([0.02; 3]), 24).unwrap(),
    ));
    assert_eq!(again, fields[0]);
}

/// Within 1e-5.
#[test]
fn momentum_with_tools_is_conserved() {
    let Some(gpu) = gpu() else { return };
    let config = MpmConfig {
        gravity: [0.0; 3],
        ..config()
    };
    let free = block([9, 9, 9], [5, 5, 4], 6);
    let mut world = GpuMpm::new(&gpu, config, &[vec![free]]).unwrap();
    world.tools_mut(0).push(Tool {
        position: Vector3::new(0.115, 0.115, 0.155),
        linear: Vector3::new(0.1, 0.0, -0.4),
        angular: Vector3::new(0.0, 3.0, 1.0),
        friction: 0.6,
        ..Tool::new(Shape::Cuboid {
            half: [0.03, 0.02, 0.02],
        })
    });
    let mut impulse = Vector3::zeros();
    for _ in 0..10 {
        world.step(2e-3).unwrap();
        impulse += world.wrench(0, 0).force * 2e-3;
    }
    let gained = Vector3::from(world.momentum(0).unwrap());
    assert!(gained.norm() > 1e-3, "{gained}");
    // 100 substeps; each rounds a thousand nodes at 1e-7.
    assert!(
        (gained + impulse).norm() < 1e-5 * gained.norm(),
        "{gained} {impulse}"
    );
}

#[test]
fn slip_is_part_of_the_state() {
    let Some(gpu) = gpu() else { return };
    // A ball that sticks and rolls: the friction depends on the slip of the particles.
    let mut batch = GpuMpm::new(&gpu, config(), &[body(9), body(10)]).unwrap();
    batch.tools_mut(1).push(Tool {
        rotation: UnitQuaternion::identity(),
        angular: Vector3::new(0.0, 5.0, 0.0),
        friction: 5.0,
        ..press(Shape::Sphere { radius: 0.02 }, TOP + 0.017)
    });
    batch.step(4e-3).unwrap();
    let (state, tools) = (batch.save(1).unwrap(), batch.tools(1).to_vec());
    batch.step(4e-3).unwrap();
    let end = (batch.save(1).unwrap(), batch.wrench(1, 0));
    assert_ne!(state, end.0);
    let mut other = GpuMpm::new(&gpu, config(), &[body(10)]).unwrap();
    other.restore(0, &state).unwrap();
    assert_eq!(other.save(0).unwrap(), state);
    other.tools_mut(0).clone_from(&tools);
    other.step(4e-3).unwrap();
    assert_eq!((other.save(0).unwrap(), other.wrench(0, 0)), end);
    // Without the slip the result differs.
    let mut without = state.clone();
    let particle = 16 * 7;
    for row in without[56..].chunks_exact_mut(particle) {
        row[96..108].fill(0);
    }
    assert_ne!(without, state);
    other.restore(0, &without).unwrap();
    other.tools_mut(0).clone_from(&tools);
    other.step(4e-3).unwrap();
    assert_ne!(other.save(0).unwrap(), end.0);
    // A world whose tools push nodes has no slip.
    let config = MpmConfig {
        contact: Contact::Nodes,
        ..config()
    };
    let mut nodes = GpuMpm::new(&gpu, config, &[body(10)]).unwrap();
    assert!(nodes.restore(0, &state).is_err());
}
