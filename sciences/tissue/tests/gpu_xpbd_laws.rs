//! Contract of the constraint solver on the GPU: with Jacobi sweeps it agrees with the CPU for each law, with damping,
//! attachments, grasping and sticking tools, and tearing. A world gives the same bits alone and among others.
//!
//! Without a driver these tests are skipped, or fail where `INSONATE_REQUIRE_GPU` is 1.
#![cfg(feature = "gpu")]

mod gpu_driver;
#[expect(clippy::pedantic, reason = "shared by several tests")]
mod xpbd_blocks;

use gpu_driver::gpu;
use insonate_tissue::gpu::xpbd::GpuXpbd;
use insonate_tissue::gpu::{DeviceError, Gpu, GpuError};
use insonate_tissue::tool::{Shape, Tool, Wrench};
use insonate_tissue::xpbd::{
    Anchor, Attachment, Elasticity, Graspable, Gripper, GripperGeometry, Sweep, Xpbd, XpbdBody,
    XpbdConfig,
};
use insonate_tissue::{Material, SoftTissue as _, TissueError};
use nalgebra::{UnitQuaternion, Vector3};
use xpbd_blocks::{lattice, vertices};

fn config() -> XpbdConfig {
    XpbdConfig {
        substep: 5e-4,
        sweep: Sweep::Jacobi,
        drag: 0.6,
        face_contact: false,
        ..XpbdConfig::default()
    }
}

/// A block of 5 × 4 × 3 cm with displaced vertices, fixed at its lowest ones.
fn block() -> XpbdBody {
    let mut body = XpbdBody {
        mesh: lattice([5, 4, 3], [0.05, 0.04, 0.03], [0.0; 3], 0.15),
        ..XpbdBody::default()
    };
    body.fixed = (0..body.mesh.positions.len() as u32)
        .filter(|vertex| vertex % 4 == 0)
        .collect();
    body
}

/// A ball that comes down on the block, turning, with friction.
fn ball() -> Tool {
    Tool {
        position: Vector3::new(0.027, 0.018, 0.0455),
        linear: Vector3::new(0.05, 0.02, -0.1),
        angular: Vector3::new(0.0, 0.5, 1.0),
        friction: 0.4,
        ..Tool::new(Shape::Sphere { radius: 0.015 })
    }
}

/// The same world on the GPU, as the second of two, and on the CPU.
struct Pair {
    gpu: GpuXpbd,
    cpu: Xpbd,
    /// Impulses on the first tool on both [N·s, N·m·s].
    impulses: [Wrench; 2],
}

impl Pair {
    fn new(
        gpu: &Gpu,
        config: &XpbdConfig,
        bodies: &[XpbdBody],
        attachments: &[Attachment],
    ) -> Self {
        Self {
            gpu: GpuXpbd::new(gpu, config.clone(), bodies, attachments, 2).expect("worlds"),
            cpu: Xpbd::new(config.clone(), bodies, attachments).expect("a world"),
            impulses: [Wrench::default(); 2],
        }
    }

    fn set_tools(&mut self, tools: &[Tool]) {
        *self.gpu.tools_mut(1) = tools.to_vec();
        *self.cpu.tools_mut() = tools.to_vec();
    }

    fn step(&mut self, time: f64) {
        self.gpu.step(time).expect("a step");
        self.cpu.step(time).expect("a step");
        assert_eq!(self.gpu.divergence(1), None);
        let found = [self.gpu.wrench(1, 0), self.cpu.wrench(0)];
        for (sum, wrench) in self.impulses.iter_mut().zip(found) {
            sum.force += wrench.force * time;
            sum.torque += wrench.torque * time;
        }
    }

    /// Greatest distance between the two [m].
    fn error(&self) -> f64 {
        let found = self.gpu.positions(1).expect("positions");
        assert_eq!(found.len(), self.cpu.positions().len());
        let pairs = found.iter().zip(self.cpu.positions());
        let errors = pairs.map(|(a, b)| (Vector3::from(*a) - Vector3::from(b)).norm());
        errors.fold(0.0, f64::max)
    }

    /// Furthest that any vertex has come from a body's rest [m].
    fn furthest(&self, body: &XpbdBody) -> f64 {
        let pairs = body.mesh.positions.iter().zip(self.cpu.positions());
        let ways = pairs.map(|(a, b)| (Vector3::from(*a) - Vector3::from(b)).norm());
        ways.fold(0.0, f64::max)
    }

    /// Fails unless the impulses on the first tool are nonzero and agree to a relative tolerance.
    fn assert_same_impulse(&self, share: f64) {
        let [found, wanted] = &self.impulses;
        for (found, wanted) in [(found.force, wanted.force), (found.torque, wanted.torque)] {
            let error = (found - wanted).norm();
            eprintln!(
                "impulse {:.3e} within {:.1e}",
                wanted.norm(),
                error / wanted.norm()
            );
            assert!(wanted.norm() > 1e-6, "{wanted:?}");
            assert!(error < share * wanted.norm(), "{found:?} {wanted:?}");
        }
    }
}

#[test]
fn neo_hookean_elements_go_where_they_go_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    for poisson_ratio in [0.3, 0.47] {
        let body = XpbdBody {
            material: Material {
                young_modulus: 1e4,
                poisson_ratio,
                ..Material::default()
            },
            velocity: [0.05, 0.0, 0.0],
            ..block()
        };
        let config = XpbdConfig {
            substep: 2e-4,
            ..config()
        };
        let mut pair = Pair::new(&gpu, &config, std::slice::from_ref(&body), &[]);
        pair.set_tools(&[ball(), Tool::new(Shape::HalfSpace)]);
        let mut done = 0;
        // Both are in f32 and add up in one order; what differs is how products are fused and quotients rounded. A position of 0.03 m
        // is rounded to 2e-9 m. An element's stress is rounded to λ times 1e-7, which moves vertices by parts of that.
        for (n_substeps, most) in [(1, 4e-9), (20, 1e-7), (200, 5e-7)] {
            pair.step(f64::from(n_substeps - done) * config.substep);
            done = n_substeps;
            let error = pair.error();
            eprintln!("ν = {poisson_ratio}, {n_substeps} substeps: within {error:.1e} m");
            assert!(error < most, "{n_substeps}: {error}");
        }
        assert!(pair.furthest(&body) > 1e-3, "{}", pair.furthest(&body));
        pair.assert_same_impulse(1e-4);
    }
}

#[test]
fn damping_attachments_and_several_bodies_are_those_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let springs = Elasticity::Springs {
        distance_compliance: 1e-3,
        volume_compliance: 1e-12,
    };
    for sweep in [Sweep::Jacobi, Sweep::AveragedJacobi { relaxation: 1.2 }] {
        let config = XpbdConfig { sweep, ..config() };
        let low = XpbdBody {
            damping_time: 0.02,
            ..block()
        };
        let high = XpbdBody {
            mesh: lattice([2, 2, 2], [0.02, 0.02, 0.02], [0.015, 0.01, 0.035], 0.1),
            elasticity: springs,
            damping_time: 0.005,
            velocity: [0.0, 0.0, 0.2],
            ..XpbdBody::default()
        };
        let first = low.mesh.positions.len() as u32;
        let attachments = [
            Attachment {
                vertex: 47,
                to: Anchor::Vertex(first + 4),
                length: 0.01,
                compliance: 1e-3,
            },
            Attachment {
                vertex: first + 26,
                to: Anchor::Point([0.03, 0.03, 0.08]),
                length: 0.02,
                compliance: 1e-4,
            },
        ];
        let mut pair = Pair::new(&gpu, &config, &[low, high], &attachments);
        pair.set_tools(&[ball()]);
        pair.step(0.02);
        let before = pair.cpu.positions();
        pair.gpu
            .move_anchor(1, 0, [0.04, 0.02, 0.09])
            .expect("moved");
        pair.cpu.move_anchor(0, [0.04, 0.02, 0.09]).expect("moved");
        pair.step(0.04);
        let error = pair.error();
        eprintln!("{sweep:?}: within {error:.1e} m");
        assert!(error < 3e-7, "{error}");
        let last = before.len() - 1;
        assert!(pair.cpu.positions()[last][2] - before[last][2] > 1e-3);
        pair.assert_same_impulse(1e-4);
        for (error, field) in [
            (pair.gpu.move_anchor(1, 1, [0.0; 3]), "anchor"),
            (pair.gpu.move_anchor(1, 0, [f64::NAN; 3]), "anchor.to"),
        ] {
            let Err(GpuError::Tissue(TissueError::Setting(setting))) = error else {
                panic!("{error:?}");
            };
            assert_eq!(setting.field, field);
        }
    }
}

#[test]
fn tools_grasp_and_let_go_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let body = XpbdBody {
        damping_time: 0.01,
        ..block()
    };
    let mut pair = Pair::new(&gpu, &config(), std::slice::from_ref(&body), &[]);
    let lift = Tool {
        position: Vector3::new(0.021, 0.017, 0.05),
        rotation: UnitQuaternion::from_scaled_axis(Vector3::new(0.2, 0.1, 0.0)),
        linear: Vector3::new(0.02, 0.0, 0.1),
        angular: Vector3::new(0.0, 0.0, 1.0),
        friction: 0.3,
        ..Tool::new(Shape::Sphere { radius: 0.005 })
    };
    pair.set_tools(&[lift, ball()]);
    let at = Vector3::new(0.021, 0.017, 0.03);
    let n = pair.gpu.grasp(1, 0, at, 0.012, 6).expect("a grasp");
    assert_eq!(n, pair.cpu.grasp(0, at, 0.012, 6));
    assert!(n >= 4, "{n}");
    // Held vertices are not grasped again, and unknown tools grasp nothing.
    assert_eq!(pair.gpu.grasp(1, 0, at, 0.003, 6).expect("a grasp"), 0);
    assert_eq!(pair.gpu.grasp(1, 5, at, 0.012, 6).expect("a grasp"), 0);
    pair.step(0.05);
    let error = pair.error();
    eprintln!("grasped: within {error:.1e} m");
    assert!(error < 3e-7, "{error}");
    let highest = |pair: &Pair| {
        let positions = pair.gpu.positions(1).expect("positions");
        positions.iter().map(|p| p[2]).fold(0.0, f64::max)
    };
    assert!(highest(&pair) > 0.035, "{}", highest(&pair));
    // Tissue pulls it down.
    let force = pair.gpu.wrench(1, 0).force;
    assert!(force.z < -0.05, "{force:?}");
    pair.assert_same_impulse(1e-4);

    pair.gpu.release(1, 0).expect("let go");
    pair.cpu.release(0);
    pair.step(0.1);
    let error = pair.error();
    eprintln!("let go: within {error:.1e} m");
    assert!(error < 1e-6, "{error}");
    assert!(highest(&pair) < 0.0335, "{}", highest(&pair));
    // A removed tool releases its vertices.
    pair.gpu.grasp(1, 1, at, 0.012, 6).expect("a grasp");
    pair.cpu.grasp(1, at, 0.012, 6);
    pair.set_tools(&[]);
    pair.step(0.05);
    assert!(pair.error() < 1e-6, "{}", pair.error());
}

#[test]
fn sticking_vertices_are_held_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let body = XpbdBody {
        damping_time: 0.01,
        ..block()
    };
    let mut pair = Pair::new(&gpu, &config(), std::slice::from_ref(&body), &[]);
    let sticky = Tool {
        friction: f64::INFINITY,
        ..ball()
    };
    pair.set_tools(std::slice::from_ref(&sticky));
    pair.step(0.05);
    // Up again, with the sticking vertices.
    let turn = |tool: &mut Tool| tool.linear = Vector3::new(0.0, 0.0, 0.2);
    turn(&mut pair.gpu.tools_mut(1)[0]);
    turn(&mut pair.cpu.tools_mut()[0]);
    pair.step(0.05);
    let error = pair.error();
    eprintln!("sticks: within {error:.1e} m");
    assert!(error < 3e-7, "{error}");
    assert!(pair.gpu.wrench(1, 0).force.z < -0.05);
    pair.assert_same_impulse(1e-4);
    // Finite friction holds nothing.
    pair.gpu.tools_mut(1)[0].friction = 0.5;
    pair.cpu.tools_mut()[0].friction = 0.5;
    pair.step(0.02);
    pair.step(0.02);
    assert!(pair.error() < 1e-6, "{}", pair.error());
    assert_eq!(pair.gpu.wrench(1, 0).force.norm(), 0.0);
}

#[test]
fn a_gripper_picks_and_drops() {
    let Some(gpu) = gpu() else { return };
    let body = XpbdBody {
        damping_time: 0.01,
        ..block()
    };
    let mut pair = Pair::new(&gpu, &config(), std::slice::from_ref(&body), &[]);
    let trocar = Vector3::new(0.1, 0.05, 0.25);
    let tip = |z: f64| Vector3::new(0.021, 0.017, z);
    let (open, closed) = (30f64.to_radians(), 2f64.to_radians());
    let geometry = GripperGeometry {
        grasp_radius: 0.013,
        ..GripperGeometry::default()
    };
    let mut world = pair.gpu.world(1).expect("a world");
    let gripper = Gripper::new(&mut world, geometry, trocar, tip(0.043), 0.2, open);
    let mut first = gripper.expect("a gripper");
    let gripper = Gripper::new(&mut pair.cpu, geometry, trocar, tip(0.043), 0.2, open);
    let mut second = gripper.expect("a gripper");
    let mut go = |pair: &mut Pair, z: f64, opening: f64| {
        let mut world = pair.gpu.world(1).expect("a world");
        let moved = first.move_to(&mut world, tip(z), 0.2, opening, 0.05);
        moved.expect("on the GPU");
        let moved = second.move_to(&mut pair.cpu, tip(z), 0.2, opening, 0.05);
        moved.expect("on the CPU");
        pair.step(0.05);
        let world = pair.gpu.world(1).expect("a world");
        [first.wrench(&world), second.wrench(&pair.cpu)]
    };
    go(&mut pair, 0.043, closed);
    let [found, wanted] = go(&mut pair, 0.055, closed);
    assert!(wanted.force.z < -0.02, "{wanted:?}");
    assert!((found.force - wanted.force).norm() < 1e-4 * wanted.force.norm());
    assert!(pair.error() < 1e-6, "{}", pair.error());
    go(&mut pair, 0.055, open);
    let [found, _] = go(&mut pair, 0.07, open);
    assert_eq!(found.force.norm(), 0.0);
    assert!(pair.error() < 1e-6, "{}", pair.error());
    assert!(pair.gpu.world(2).is_none());
}

/// A bar, notched in its middle, that tears, held at its left end.
fn bar(elasticity: Elasticity) -> XpbdBody {
    let mut bar = XpbdBody {
        mesh: lattice([8, 2, 2], [0.08, 0.02, 0.02], [0.0; 3], 0.1),
        damping_time: 0.02,
        tear_strain: Some(0.5),
        elasticity,
        ..XpbdBody::default()
    };
    let middle = |tet: &[u32; 4], axis: usize| {
        let places = tet.iter().map(|i| bar.mesh.positions[*i as usize][axis]);
        places.sum::<f64>() / 4.0
    };
    let is_notch =
        |tet: &&[u32; 4]| !((0.03..0.04).contains(&middle(tet, 0)) && middle(tet, 2) > 0.01);
    let tets = bar.mesh.tets.iter().filter(is_notch);
    bar.mesh.tets = tets.copied().collect();
    bar.fixed = vertices(&bar, |p| p[0] < 2e-3);
    bar
}

/// Grips the right end of a bar and pulls.
fn pull() -> Tool {
    Tool {
        position: Vector3::new(0.08, 0.01, 0.01),
        linear: Vector3::new(0.4, 0.0, 0.05),
        ..Tool::new(Shape::Sphere { radius: 1e-3 })
    }
}

#[test]
fn elements_tear_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let config = XpbdConfig {
        gravity: [0.0; 3],
        ..config()
    };
    for elasticity in [
        Elasticity::NeoHookean,
        Elasticity::Springs {
            distance_compliance: 1e-3,
            volume_compliance: 1e-12,
        },
    ] {
        let body = bar(elasticity);
        let n_tets = body.mesh.tets.len();
        let mut pair = Pair::new(&gpu, &config, &[body], &[]);
        pair.set_tools(&[pull()]);
        let n = pair.gpu.grasp(1, 0, pull().position, 0.017, 100);
        let wanted = pair.cpu.grasp(0, pull().position, 0.017, 100);
        assert_eq!(n.expect("a grasp"), wanted);
        let mut left = n_tets;
        let mut stopped = [Vector3::zeros(); 2];
        for _ in 0..16 {
            pair.step(0.01);
            stopped[0] += pair.gpu.stopped_impulse(1);
            stopped[1] += pair.cpu.stopped_impulse();
            let tets = pair.gpu.tets(1).expect("elements");
            assert_eq!(tets, pair.cpu.tets());
            left = tets.len();
        }
        let error = pair.error();
        eprintln!("{left} of {n_tets} are left, within {error:.1e} m, {stopped:?}");
        assert!(left < n_tets - 4 && left > n_tets / 2, "{left} of {n_tets}");
        // The torn-off part oscillates for 320 substeps.
        assert!(error < 1e-5, "{error}");
        assert_eq!(
            pair.gpu.surface(1).expect("a surface").triangles,
            pair.cpu.surface().triangles
        );
        assert!((stopped[0] - stopped[1]).norm() < 1e-3 * stopped[1].norm().max(1e-6));
        pair.assert_same_impulse(1e-3);
        // The other world has no tools.
        assert_eq!(pair.gpu.tets(0).expect("elements").len(), n_tets);
        pair.gpu.reset(&[1]).expect("a reset");
        assert_eq!(pair.gpu.tets(1).expect("elements").len(), n_tets);
    }
}

#[test]
fn vertices_without_elements_stay_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let mut body = XpbdBody {
        mesh: lattice([4, 1, 1], [0.04, 0.01, 0.01], [0.0; 3], 0.1),
        tear_strain: Some(0.2),
        ..XpbdBody::default()
    };
    body.fixed = vertices(&body, |p| p[0] < 2e-3);
    let n_vertices = body.mesh.positions.len();
    let mut pair = Pair::new(&gpu, &config(), &[body], &[]);
    let pull = Tool {
        position: Vector3::new(0.04, 0.005, 0.005),
        linear: Vector3::new(1.0, 0.0, 0.2),
        ..Tool::new(Shape::Sphere { radius: 1e-3 })
    };
    pair.set_tools(std::slice::from_ref(&pull));
    // By one vertex, whose elements cannot follow.
    let n = pair.gpu.grasp(1, 0, pull.position, 0.014, 1);
    assert_eq!(n.expect("a grasp"), 1);
    pair.cpu.grasp(0, pull.position, 0.014, 1);
    let mut stopped = [Vector3::zeros(); 2];
    for _ in 0..8 {
        pair.step(5e-3);
        stopped[0] += pair.gpu.stopped_impulse(1);
        stopped[1] += pair.cpu.stopped_impulse();
        assert_eq!(pair.gpu.tets(1).expect("elements"), pair.cpu.tets());
    }
    let mut used: Vec<u32> = pair.cpu.tets().into_iter().flatten().collect();
    used.sort_unstable();
    used.dedup();
    let n_loose = n_vertices - used.len();
    let (error, wanted) = (pair.error(), stopped[1].norm());
    eprintln!("{n_loose} loose, within {error:.1e} m, {stopped:?}");
    assert!(n_loose > 0 && error < 1e-6, "{n_loose} {error}");
    assert!((stopped[0] - stopped[1]).norm() < 1e-4 * wanted && wanted > 1e-5);
}

#[test]
fn momentum_is_what_tools_and_supports_give() {
    let Some(gpu) = gpu() else { return };
    let config = XpbdConfig {
        drag: 0.0,
        gravity: [0.0; 3],
        ..config()
    };
    let mut body = bar(Elasticity::NeoHookean);
    body.fixed.clear();
    let n_tets = body.mesh.tets.len();
    let mut world = GpuXpbd::new(&gpu, config, &[body], &[], 1).expect("a world");
    *world.tools_mut(0) = vec![pull(), Tool::new(Shape::Sphere { radius: 1e-3 })];
    world
        .grasp(0, 0, pull().position, 0.017, 100)
        .expect("a grasp");
    let n = world.grasp(0, 1, Vector3::new(0.0, 0.01, 0.01), 0.017, 100);
    assert!(n.expect("a grasp") > 4);
    let mut given = Vector3::zeros();
    let mut size = 0.0;
    for _ in 0..16 {
        world.step(0.01).expect("a step");
        for tool in 0..2 {
            let force = world.wrench(0, tool).force;
            given -= force * 0.01;
            size += force.norm() * 0.01;
        }
        given += world.stopped_impulse(0);
    }
    let momentum = world.momentum(0).expect("momentum");
    let error = (momentum - given).norm() / size;
    eprintln!("momentum {momentum:?} within {error:.1e} of impulses");
    // As on the CPU: positions are rounded to f32 with each correction.
    assert!(error < 2e-4, "{error}");
    let n_left = world.tets(0).expect("elements").len();
    assert!(n_left < n_tets - 4, "{n_left} of {n_tets}");
}

#[test]
fn a_world_is_the_same_alone_and_among_others_and_after_a_restore() {
    let Some(gpu) = gpu() else { return };
    let body = bar(Elasticity::NeoHookean);
    let make = |n_worlds: usize| {
        GpuXpbd::new(&gpu, config(), std::slice::from_ref(&body), &[], n_worlds).expect("worlds")
    };
    let start = |worlds: &mut GpuXpbd, world: usize, lower: f64| {
        let floor = Tool {
            position: Vector3::new(0.0, 0.0, -lower),
            friction: 0.3,
            ..Tool::new(Shape::HalfSpace)
        };
        *worlds.tools_mut(world) = vec![pull(), floor];
        let at = pull().position;
        worlds.grasp(world, 0, at, 0.017, 100).expect("a grasp");
    };
    let end = |worlds: &GpuXpbd, world: usize| {
        (
            worlds.save(world).expect("a state"),
            worlds.wrench(world, 1),
        )
    };
    let mut three = make(3);
    (0..3).for_each(|i| start(&mut three, i, 1e-3 * i as f64));
    (0..6).for_each(|_| three.step(0.02).expect("a step"));
    assert!(three.tets(2).expect("elements").len() < body.mesh.tets.len());
    let mut alone = make(1);
    start(&mut alone, 0, 2e-3);
    (0..3).for_each(|_| alone.step(0.02).expect("a step"));
    let (half, tools) = (alone.save(0).expect("a state"), alone.tools(0).to_vec());
    (0..3).for_each(|_| alone.step(0.02).expect("a step"));
    assert_eq!(end(&alone, 0), end(&three, 2));
    assert_ne!(end(&three, 1), end(&three, 2));
    // A restored state includes held vertices and torn elements, in any world.
    three.restore(1, &half).expect("restored");
    assert_eq!(three.save(1).expect("a state"), half);
    *three.tools_mut(1) = tools;
    (0..3).for_each(|_| three.step(0.02).expect("a step"));
    assert_eq!(end(&three, 1), end(&alone, 0));

    let mut bad = half.clone();
    let last = bad.len() - 4;
    bad[last] = 7;
    assert!(matches!(
        alone.restore(0, &bad),
        Err(GpuError::Tissue(TissueError::State(_)))
    ));
}

#[test]
fn more_than_the_gpu_takes_is_refused() {
    let Some(gpu) = gpu() else { return };
    let error = GpuXpbd::new(&gpu, config(), &[block()], &[], 1_000_000).unwrap_err();
    // 360 elements of twelve words and 60 patches of 24.
    let GpuError::Device(DeviceError::Limit { what, needed, .. }) = &error else {
        panic!("{error}");
    };
    assert_eq!(what, "the corrections of all worlds in words");
    assert_eq!(*needed, 5_760_000_000);
}
