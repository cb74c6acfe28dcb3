//! Contract of the constraint solver on the GPU: springs and volumes go where they go on the CPU, worlds do not touch each other, states
//! are restored bit by bit, and invalid input is refused.
//!
//! Without a driver these tests are skipped, or fail where `INSONATE_REQUIRE_GPU` is 1.
#![cfg(feature = "gpu")]

mod gpu_driver;
#[expect(clippy::pedantic, reason = "shared by several tests")]
mod xpbd_blocks;

use std::sync::Arc;

use gpu_driver::gpu;
use insonate_meshes::TriangleMesh;
use insonate_tissue::gpu::xpbd::GpuXpbd;
use insonate_tissue::gpu::{Gpu, GpuError};
use insonate_tissue::tool::{DistanceField, Shape, Tool};
use insonate_tissue::xpbd::{Elasticity, Sweep, Xpbd, XpbdBody, XpbdConfig};
use insonate_tissue::{Divergence, SoftTissue as _, TissueError};
use nalgebra::{UnitQuaternion, Vector3};
use xpbd_blocks::{lattice, vertices};

fn config() -> XpbdConfig {
    XpbdConfig {
        substep: 1.0 / 600.0,
        sweep: Sweep::AveragedJacobi { relaxation: 1.6 },
        drag: 0.6,
        push_speed: f64::INFINITY,
        face_contact: false,
        ..XpbdConfig::default()
    }
}

fn make(
    gpu: &Gpu,
    config: &XpbdConfig,
    body: &XpbdBody,
    n_worlds: usize,
) -> Result<GpuXpbd, GpuError> {
    GpuXpbd::new(
        gpu,
        config.clone(),
        std::slice::from_ref(body),
        &[],
        n_worlds,
    )
}

/// Cells of 2 cm, fixed below.
fn block(cells: [usize; 3]) -> XpbdBody {
    let mut body = XpbdBody {
        mesh: lattice(cells, cells.map(|n| 0.02 * n as f64), [0.0; 3], 0.0),
        elasticity: Elasticity::Springs {
            distance_compliance: 1e-6,
            volume_compliance: 1e-14,
        },
        ..XpbdBody::default()
    };
    body.fixed = vertices(&body, |p| p[2] == 0.0);
    body
}

fn press() -> Vec<Tool> {
    let ball = Tool {
        position: Vector3::new(0.03, 0.035, 0.101),
        rotation: UnitQuaternion::from_scaled_axis(Vector3::new(0.1, -0.05, 0.4)),
        linear: Vector3::new(0.05, 0.02, -0.1),
        angular: Vector3::new(0.0, 0.5, 1.0),
        friction: 0.4,
        ..Tool::new(Shape::Capsule {
            radius: 0.02,
            half_length: 0.02,
        })
    };
    let floor = Tool::new(Shape::HalfSpace);
    vec![ball, floor]
}

/// Positions within 2 µm and impulses within 0.1 % of the CPU's, which is tested against an oracle in f64.
#[test]
fn springs_and_volumes_go_where_they_go_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    goes_where_the_cpu_goes(&gpu, press());
}

/// Compared with a capsule.
#[test]
fn a_tool_may_be_a_field() {
    let Some(gpu) = gpu() else { return };
    let rod = TriangleMesh::cylinder(0.02, 0.03, 24);
    let field = DistanceField::new(&rod, 24).unwrap();
    let mut tools = press();
    tools[0].shape = Shape::Field(Arc::new(field));
    tools[0].position.z = 0.111;
    goes_where_the_cpu_goes(&gpu, tools);
}

fn goes_where_the_cpu_goes(gpu: &Gpu, tools: Vec<Tool>) {
    let (config, body) = (config(), block([3, 4, 4]));
    let mut cpu = Xpbd::new(config.clone(), std::slice::from_ref(&body), &[]).expect("a world");
    cpu.tools_mut().clone_from(&tools);
    let mut worlds = make(gpu, &config, &body, 2).expect("worlds");
    *worlds.tools_mut(1) = tools;
    let (n_steps, time) = (20, 10.0 * config.substep);
    let mut impulses = [[Vector3::zeros(); 2]; 2];
    for _ in 0..n_steps {
        worlds.step(time).expect("a step");
        cpu.step(time).expect("a step");
        for (sum, wrench) in impulses
            .iter_mut()
            .zip([worlds.wrench(1, 0), cpu.wrench(0)])
        {
            sum[0] += wrench.force * time;
            sum[1] += wrench.torque * time;
        }
    }
    let found = worlds.positions(1).expect("positions");
    let mut moved = 0.0f64;
    let pairs = found.iter().zip(cpu.positions());
    for ((found, wanted), start) in pairs.zip(&body.mesh.positions) {
        let wanted = Vector3::from(wanted);
        // 200 substeps in f32 of a body of 0.1 m.
        let error = (Vector3::from(*found) - wanted).norm();
        assert!(error < 2e-6, "{found:?} {wanted:?}");
        moved = moved.max((wanted - Vector3::from(*start)).norm());
    }
    assert!(moved > 5e-3, "{moved}");
    let [found_impulse, wanted_impulse] = impulses;
    for (found, wanted) in found_impulse.iter().zip(&wanted_impulse) {
        assert!(wanted.norm() > 1e-3);
        let error = (found - wanted).norm();
        assert!(error < 1e-3 * wanted.norm(), "{found:?} {wanted:?}");
    }
    // The world without tools has no impulses.
    assert_eq!(worlds.wrench(0, 0).force.norm(), 0.0);
    assert!(worlds.positions(0).expect("positions") != found);
}

#[test]
fn worlds_are_reset_and_restored_one_by_one() {
    let Some(gpu) = gpu() else { return };
    let (config, mut body) = (config(), block([2, 3, 4]));
    body.velocity = [0.0, 0.1, 0.0];
    let mut worlds = make(&gpu, &config, &body, 2).unwrap();
    let start = worlds.save(0).unwrap();
    *worlds.tools_mut(0) = press();
    *worlds.tools_mut(1) = press();
    worlds.step(0.05).unwrap();
    let (state, tools) = (worlds.save(1).unwrap(), worlds.tools(1).to_vec());
    assert_eq!(worlds.save(0).unwrap(), state);
    worlds.reset(&[0]).unwrap();
    assert_eq!(worlds.save(0).unwrap(), start);
    assert_eq!((worlds.time(0), worlds.time(1)), (0.0, 0.05));
    assert_eq!(worlds.save(1).unwrap(), state);
    worlds.step(0.05).unwrap();
    let end = worlds.save(1).unwrap();
    worlds.restore(0, &state).unwrap();
    assert_eq!(worlds.save(0).unwrap(), state);
    *worlds.tools_mut(0) = tools;
    worlds.step(0.05).unwrap();
    assert_eq!(worlds.save(0).unwrap(), end);

    let refused = |bytes: &[u8]| {
        let mut world = make(&gpu, &config, &body, 1).unwrap();
        let before = world.save(0).unwrap();
        let error = world.restore(0, bytes).unwrap_err();
        assert!(
            matches!(error, GpuError::Tissue(TissueError::State(_))),
            "{error}"
        );
        assert_eq!(world.save(0).unwrap(), before);
    };
    refused(&[]);
    refused(&state[..state.len() - 4]);
    let mut heavy = body.clone();
    heavy.material.density = 1100.0;
    let other = make(&gpu, &config, &heavy, 1).unwrap();
    refused(&other.save(0).unwrap());
    let mut bytes = state;
    bytes[40..44].copy_from_slice(&f32::NAN.to_le_bytes());
    refused(&bytes);
}

#[test]
fn a_diverged_world_stops_alone() {
    let Some(gpu) = gpu() else { return };
    let body = block([2, 2, 3]);
    let config = XpbdConfig {
        max_speed: 0.5,
        ..config()
    };
    let mut worlds = make(&gpu, &config, &body, 2).unwrap();
    *worlds.tools_mut(1) = press();
    worlds.tools_mut(1)[0].linear.z = -3.0;
    worlds.tools_mut(1)[0].position.z = 0.105;
    for _ in 0..10 {
        worlds.step(config.substep).unwrap();
    }
    let found = worlds.divergence(1);
    assert!(
        matches!(found, Some(Divergence::Runaway { speed, .. }) if speed > 0.5),
        "{found:?}"
    );
    assert_eq!(worlds.divergence(0), None);
    let stopped = worlds.save(1).unwrap();
    worlds.step(config.substep).unwrap();
    assert_eq!(worlds.save(1).unwrap(), stopped);
    let mut alone = make(&gpu, &config, &body, 1).unwrap();
    (0..11).for_each(|_| alone.step(config.substep).unwrap());
    assert_eq!(alone.save(0).unwrap(), worlds.save(0).unwrap());
    worlds.tools_mut(1).clear();
    worlds.reset(&[1]).unwrap();
    worlds.step(config.substep).unwrap();
    assert_eq!(worlds.divergence(1), None);
}

#[test]
fn invalid_input_is_refused() {
    let Some(gpu) = gpu() else { return };
    let make = |body: &XpbdBody| make(&gpu, &config(), body, 1);
    let refused = |result: Result<GpuXpbd, GpuError>, wanted: &str| {
        let error = result.unwrap_err();
        let GpuError::Tissue(TissueError::Setting(setting)) = &error else {
            panic!("{error}");
        };
        assert_eq!(setting.field, wanted);
    };
    let mut body = block([1, 1, 1]);
    body.mesh.tets[2][1] = 99;
    refused(make(&body), "bodies[0].mesh.tets[2]");
    let mut body = block([1, 1, 1]);
    body.mesh.tets[3].swap(0, 1);
    refused(make(&body), "bodies[0].mesh.tets[3].volume");
    let mut body = block([1, 1, 1]);
    body.mesh.positions.push([0.0; 3]);
    refused(make(&body), "bodies[0].mesh.positions[8]");
    let mut body = block([1, 1, 1]);
    body.fixed.push(8);
    refused(make(&body), "bodies[0].fixed");
    for (config, field) in [
        (
            XpbdConfig {
                sweep: Sweep::GaussSeidel,
                ..config()
            },
            "sweep",
        ),
        (
            XpbdConfig {
                sweep: Sweep::GaussSeidel,
                iterations: 2,
                ..config()
            },
            "iterations",
        ),
        (
            XpbdConfig {
                face_contact: true,
                ..config()
            },
            "face_contact",
        ),
    ] {
        let body = XpbdBody {
            tear_strain: Some(0.5),
            ..block([1, 1, 1])
        };
        refused(GpuXpbd::new(&gpu, config, &[body], &[], 1), field);
    }
    let mut worlds = make(&block([1, 1, 1])).unwrap();
    assert!(matches!(
        worlds.step(-1.0),
        Err(GpuError::Tissue(TissueError::Setting(_)))
    ));
    assert!(worlds.reset(&[1]).is_err());
}
