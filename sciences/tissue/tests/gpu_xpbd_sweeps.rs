//! Contract of Gauss–Seidel sweeps and of contact of faces on the GPU: they agree with the CPU, and a world gives the same bits alone and among
//! others.
//!
//! Without a driver these tests are skipped, or fail where `INSONATE_REQUIRE_GPU` is 1.
#![cfg(feature = "gpu")]

mod gpu_driver;
#[expect(clippy::pedantic, reason = "shared by several tests")]
mod xpbd_blocks;

use gpu_driver::gpu;
use insonate_tissue::gpu::Gpu;
use insonate_tissue::gpu::xpbd::GpuXpbd;
use insonate_tissue::tool::{Shape, Tool};
use insonate_tissue::xpbd::{Elasticity, Sweep, Xpbd, XpbdBody, XpbdConfig};
use insonate_tissue::{Material, SoftTissue as _};
use nalgebra::{UnitQuaternion, Vector3};
use xpbd_blocks::{lattice, vertices};

const STEP: f64 = 0.002;

fn config(face_contact: bool) -> XpbdConfig {
    XpbdConfig {
        gravity: [0.0, 0.0, -1.0],
        face_contact,
        ..XpbdConfig::default()
    }
}

/// A block of 10 × 8 × 6 cm in cells of 2 cm, fixed below, with displaced vertices.
fn block(elasticity: Elasticity, damping_time: f64) -> XpbdBody {
    let mut body = XpbdBody {
        mesh: lattice([5, 4, 3], [0.1, 0.08, 0.06], [0.0; 3], 0.15),
        material: Material {
            young_modulus: 2e4,
            poisson_ratio: 0.45,
            ..Material::default()
        },
        elasticity,
        damping_time,
        ..XpbdBody::default()
    };
    body.fixed = vertices(&body, |p| p[2] < 0.005);
    body
}

/// A tool that comes down at 5 cm/s between vertices of the upper side, and turns.
fn tool(shape: Shape, height: f64) -> Tool {
    Tool {
        position: Vector3::new(0.051, 0.043, height),
        rotation: UnitQuaternion::from_scaled_axis(Vector3::new(0.1, 0.05, 0.4)),
        linear: Vector3::new(0.01, 0.0, -0.05),
        angular: Vector3::new(0.0, 0.0, 0.3),
        friction: 0.3,
        ..Tool::new(shape)
    }
}

/// Greatest distance between two sets of points [m].
fn distance(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    assert_eq!(a.len(), b.len());
    let pairs = a.iter().zip(b);
    let distances = pairs.map(|(a, b)| (Vector3::from(*a) - Vector3::from(*b)).norm());
    distances.fold(0.0, f64::max)
}

/// The same press on both: greatest distance of vertices at the end, greatest displacement [m], and mean forces of the last half [N].
fn press(config: &XpbdConfig, body: &XpbdBody, tool: &Tool) -> Option<([f64; 2], [f64; 2])> {
    let gpu = gpu()?;
    let bodies = std::slice::from_ref(body);
    let mut on_gpu = GpuXpbd::new(&gpu, config.clone(), bodies, &[], 2).expect("worlds");
    let mut on_cpu = Xpbd::new(config.clone(), bodies, &[]).expect("a world");
    on_gpu.tools_mut(1).push(tool.clone());
    on_cpu.tools_mut().push(tool.clone());
    let mut forces = [0.0; 2];
    for step in 0..100 {
        on_gpu.step(STEP).expect("a step");
        on_cpu.step(STEP).expect("a step");
        assert_eq!(on_gpu.divergence(1), None);
        if step >= 50 {
            forces[0] += on_gpu.wrench(1, 0).force.z / 50.0;
            forces[1] += on_cpu.wrench(0).force.z / 50.0;
        }
    }
    let there = on_cpu.positions();
    let error = distance(&on_gpu.positions(1).expect("positions"), &there);
    Some(([error, distance(&there, &body.mesh.positions)], forces))
}

/// 1 % of the displacement and 0.5 % of the force: the order of the constraints of one colour does not matter, that of rounding does.
#[test]
fn gauss_seidel_sweeps_agree_with_the_cpu() {
    let springs = Elasticity::Springs {
        distance_compliance: 1e-5,
        volume_compliance: 1e-14,
    };
    for (elasticity, damping_time) in [
        (Elasticity::NeoHookean, 0.0),
        (Elasticity::NeoHookean, 0.01),
        (springs, 0.02),
    ] {
        let body = block(elasticity, damping_time);
        let ball = tool(Shape::Sphere { radius: 0.03 }, 0.089);
        let Some(([error, way], [found, wanted])) = press(&config(false), &body, &ball) else {
            return;
        };
        eprintln!("{elasticity:?}: {error:.1e} of {way:.1e} m, {found:.4} and {wanted:.4} N");
        assert!(way > 5e-3 && wanted > 0.3, "{way} {wanted}");
        assert!(error < 0.01 * way, "{error} of {way}");
        assert!((found / wanted - 1.0).abs() < 0.005, "{found} {wanted}");
    }
}

/// 2 % of the force and 15 % of the displacement of any vertex: faces are corrected in another order.
#[test]
fn tools_touch_faces_as_on_the_cpu() {
    let half = [0.02, 0.005, 0.02];
    let shapes = [
        (Shape::Sphere { radius: 0.008 }, 0.067),
        (
            Shape::Capsule {
                radius: 0.006,
                half_length: 0.02,
            },
            0.087,
        ),
        (Shape::Cuboid { half }, 0.081),
        (
            Shape::Cylinder {
                radius: 0.012,
                half_length: 0.02,
            },
            0.081,
        ),
    ];
    let body = block(Elasticity::NeoHookean, 0.005);
    for (shape, height) in shapes {
        let tool = tool(shape, height);
        let Some(([error, way], [found, wanted])) = press(&config(true), &body, &tool) else {
            return;
        };
        let Some((_, [between, _])) = press(&config(false), &body, &tool) else {
            return;
        };
        eprintln!(
            "{:?}: {error:.1e} of {way:.1e} m, {found:.4} and {wanted:.4} N; vertices alone {between:.4} N",
            tool.shape
        );
        assert!(way > 3e-3 && wanted > 0.05, "{way} {wanted}");
        assert!(error < 0.15 * way, "{error} of {way}");
        assert!((found / wanted - 1.0).abs() < 0.02, "{found} {wanted}");
    }
}

/// A body whose vertices are too many for a workgroup, which a launch for each colour steps: 1 % of the displacement and of the force.
#[test]
fn a_body_of_many_vertices_agrees_with_the_cpu() {
    let mut body = XpbdBody {
        mesh: lattice([19, 19, 16], [0.1, 0.08, 0.06], [0.0; 3], 0.0),
        ..block(Elasticity::NeoHookean, 0.005)
    };
    body.fixed = vertices(&body, |p| p[2] < 0.005);
    assert!(body.mesh.positions.len() > 6000);
    let ball = tool(Shape::Sphere { radius: 0.03 }, 0.089);
    let Some(([error, way], [found, wanted])) = press(&config(false), &body, &ball) else {
        return;
    };
    eprintln!("{error:.1e} of {way:.1e} m, {found:.4} and {wanted:.4} N");
    assert!(way > 5e-3 && wanted > 0.3, "{way} {wanted}");
    assert!(error < 0.01 * way, "{error} of {way}");
    assert!((found / wanted - 1.0).abs() < 0.01, "{found} {wanted}");
}

/// Position of the vertices of the first of some worlds with factors of softness after a press, and the mean force of its last half [N].
fn press_with_factors(
    gpu: &Gpu,
    config: &XpbdConfig,
    body: &XpbdBody,
    factors: &[[f64; 2]],
) -> (Vec<[f64; 3]>, f64) {
    let bodies = std::slice::from_ref(body);
    let mut worlds = GpuXpbd::new(gpu, config.clone(), bodies, &[], factors.len()).expect("worlds");
    for (world, factors) in factors.iter().enumerate() {
        worlds.set_softness(world, *factors).expect("in range");
        let ball = tool(Shape::Sphere { radius: 0.03 }, 0.089);
        worlds.tools_mut(world).push(ball);
    }
    let mut force = 0.0;
    for step in 0..100 {
        worlds.step(STEP).expect("a step");
        if step >= 50 {
            force += worlds.wrench(0, 0).force.z / 50.0;
        }
    }
    (worlds.positions(0).expect("positions"), force)
}

/// Factors on modulus and damping time give the body of that material, softer and stiffer, also where it takes more substeps: on the CPU with contact of
/// vertices within 1 % of the displacement and 0.5 % of the force, on the GPU with contact of faces within a tenth of that. Worlds of other
/// softness next to it change no bit.
#[test]
fn factors_of_softness_are_those_of_another_material() {
    let Some(gpu) = gpu() else { return };
    let body = block(Elasticity::NeoHookean, 0.005);
    for own in [[0.5, 2.0], [1.0, 0.0], [6.0, 0.5]] {
        let made = XpbdBody {
            material: Material {
                young_modulus: own[0] * body.material.young_modulus,
                ..body.material
            },
            damping_time: own[1] * body.damping_time,
            ..body.clone()
        };
        let ball = tool(Shape::Sphere { radius: 0.03 }, 0.089);
        let Some(([_, way], [_, wanted])) = press(&config(false), &made, &ball) else {
            return;
        };
        let mut on_cpu =
            Xpbd::new(config(false), std::slice::from_ref(&made), &[]).expect("a world");
        on_cpu.tools_mut().push(ball);
        (0..100).for_each(|_| on_cpu.step(STEP).expect("a step"));
        let (found, force) = press_with_factors(&gpu, &config(false), &body, &[own]);
        let error = distance(&found, &on_cpu.positions());
        eprintln!("{own:?}: {error:.1e} of {way:.1e} m, {force:.4} and {wanted:.4} N");
        assert!(way > 3e-3 && wanted > 0.2, "{way} {wanted}");
        assert!(error < 0.01 * way, "{error} of {way}");
        assert!((force / wanted - 1.0).abs() < 0.005, "{force} {wanted}");

        let (found, force) = press_with_factors(&gpu, &config(true), &body, &[own]);
        let (there, wanted) = press_with_factors(&gpu, &config(true), &made, &[[1.0; 2]]);
        let error = distance(&found, &there);
        eprintln!("with faces: {error:.1e} m, {force:.5} and {wanted:.5} N");
        assert!(error < 1e-3 * way, "{error} of {way}");
        assert!((force / wanted - 1.0).abs() < 5e-4, "{force} {wanted}");
        let others = [own, [4.0, 1.0], [1.0; 2]];
        assert_eq!(
            press_with_factors(&gpu, &config(true), &body, &others).0,
            found
        );
    }
    let mut worlds = GpuXpbd::new(&gpu, config(true), &[body], &[], 1).expect("worlds");
    for factors in [[0.0, 1.0], [1.0, -1.0], [f64::NAN, 1.0]] {
        let outcome = worlds.set_softness(0, factors);
        outcome.expect_err("a factor out of range");
    }
}

/// A step of hundreds of substeps moves the tool and the tissue as on the CPU, within 1 % of the displacement.
#[test]
fn a_long_step_agrees_with_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let body = block(Elasticity::NeoHookean, 0.005);
    let bodies = std::slice::from_ref(&body);
    let mut on_gpu = GpuXpbd::new(&gpu, config(false), bodies, &[], 1).expect("worlds");
    let mut on_cpu = Xpbd::new(config(false), bodies, &[]).expect("a world");
    let ball = tool(Shape::Sphere { radius: 0.03 }, 0.089);
    on_gpu.tools_mut(0).push(ball.clone());
    on_cpu.tools_mut().push(ball);
    on_gpu.step(0.15).expect("a step");
    on_cpu.step(0.15).expect("a step");
    let there = on_cpu.positions();
    let error = distance(&on_gpu.positions(0).expect("positions"), &there);
    let way = distance(&there, &body.mesh.positions);
    eprintln!("{error:.1e} of {way:.1e} m");
    assert!(way > 3e-3 && error < 0.01 * way, "{error} of {way}");
}

#[test]
fn faces_touch_after_jacobi_sweeps_too() {
    let body = block(Elasticity::NeoHookean, 0.005);
    let capsule = Shape::Capsule {
        radius: 0.006,
        half_length: 0.02,
    };
    let config = XpbdConfig {
        sweep: Sweep::Jacobi,
        ..config(true)
    };
    let pressed = press(&config, &body, &tool(capsule, 0.087));
    let Some(([error, way], [found, wanted])) = pressed else {
        return;
    };
    eprintln!("{error:.1e} of {way:.1e} m, {found:.4} and {wanted:.4} N");
    assert!(way > 3e-3 && wanted > 0.05, "{way} {wanted}");
    assert!(error < 0.15 * way, "{error} of {way}");
    assert!((found / wanted - 1.0).abs() < 0.02, "{found} {wanted}");
}

#[test]
fn a_world_with_faces_has_the_same_bits_alone_and_among_others() {
    let Some(gpu) = gpu() else { return };
    let body = block(Elasticity::NeoHookean, 0.005);
    let run = |n_worlds: usize| {
        let bodies = std::slice::from_ref(&body);
        let mut worlds = GpuXpbd::new(&gpu, config(true), bodies, &[], n_worlds).expect("worlds");
        for world in 0..n_worlds {
            let mut ball = tool(Shape::Sphere { radius: 0.02 }, 0.079);
            ball.position.x += 0.01 * (n_worlds - 1 - world) as f64;
            worlds.tools_mut(world).push(ball);
        }
        for _ in 0..40 {
            worlds.step(STEP).expect("a step");
        }
        let last = n_worlds - 1;
        (
            worlds.positions(last).expect("positions"),
            worlds.wrench(last, 0),
        )
    };
    let alone = run(1);
    assert!(alone.1.force.z > 0.1, "{:?}", alone.1);
    assert_eq!(run(3), alone);
}
