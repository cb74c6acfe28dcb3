//! Contract of the constraint solver on the GPU: it is the method in the equations (an oracle in f64), a world is the same alone and among
//! others, worlds do not touch each other, states come back bit by bit, and what cannot be done is said.
//!
//! Without a driver these tests are skipped, or fail where `INSONATE_REQUIRE_GPU` is 1.
#![cfg(feature = "gpu")]

mod gpu_driver;

use std::collections::BTreeSet;
use std::sync::Arc;

use gpu_driver::gpu;
use insonate_meshes::TriangleMesh;
use insonate_tissue::gpu::xpbd::GpuXpbd;
use insonate_tissue::gpu::{Gpu, GpuError};
use insonate_tissue::mesh::TetMesh;
use insonate_tissue::tool::{DistanceField, Shape, Tool};
use insonate_tissue::xpbd::{Elasticity, Sweep, XpbdBody, XpbdConfig};
use insonate_tissue::{Divergence, Material, TissueError};
use nalgebra::{UnitQuaternion, Vector3};

/// Relaxation of averaged corrections.
const RELAXATION: f64 = 1.6;
/// Compliances of edges [m/N] and volumes [m³/Pa].
const COMPLIANCES: [f64; 2] = [1e-6, 1e-14];

fn config() -> XpbdConfig {
    XpbdConfig {
        substep: 1.0 / 600.0,
        sweep: Sweep::AveragedJacobi {
            relaxation: RELAXATION,
        },
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

/// Cells of 2 cm in six tetrahedra each, all around the same diagonal (Kuhn 1960).
fn block(cells: [u32; 3]) -> XpbdBody {
    let [nx, ny, nz] = cells;
    let id = |at: [u32; 3]| (at[0] * (ny + 1) + at[1]) * (nz + 1) + at[2];
    let mut mesh = TetMesh::default();
    for i in 0..=nx {
        for j in 0..=ny {
            for k in 0..=nz {
                mesh.positions.push([i, j, k].map(|n| 0.02 * f64::from(n)));
            }
        }
    }
    let orders = [
        ([0, 1, 2], false),
        ([0, 2, 1], true),
        ([1, 0, 2], true),
        ([1, 2, 0], false),
        ([2, 0, 1], false),
        ([2, 1, 0], true),
    ];
    for cell in 0..nx * ny * nz {
        for (order, is_odd) in orders {
            let mut at = [cell / (ny * nz), cell / nz % ny, cell % nz];
            let mut tet = [id(at); 4];
            for (vertex, axis) in tet[1..].iter_mut().zip(order) {
                at[axis] += 1;
                *vertex = id(at);
            }
            if is_odd {
                tet.swap(2, 3);
            }
            mesh.tets.push(tet);
        }
    }
    let fixed = (0..mesh.positions.len() as u32)
        .filter(|vertex| mesh.positions[*vertex as usize][2] == 0.0)
        .collect();
    let [distance_compliance, volume_compliance] = COMPLIANCES;
    XpbdBody {
        mesh,
        material: Material {
            density: 1000.0,
            ..Material::default()
        },
        elasticity: Elasticity::Springs {
            distance_compliance,
            volume_compliance,
        },
        fixed,
        ..XpbdBody::default()
    }
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

/// Plain XPBD with averaged corrections, vertex by vertex, in f64.
struct Oracle {
    config: XpbdConfig,
    body: XpbdBody,
    edges: BTreeSet<[u32; 2]>,
    inverse: Vec<f64>,
    x: Vec<Vector3<f64>>,
    v: Vec<Vector3<f64>>,
    tools: Vec<Tool>,
    impulses: Vec<[Vector3<f64>; 2]>,
}

impl Oracle {
    fn new(config: XpbdConfig, body: XpbdBody, tools: Vec<Tool>) -> Self {
        let x: Vec<_> = body.mesh.positions.iter().map(|p| (*p).into()).collect();
        let mut masses = vec![0.0; x.len()];
        let mut edges = BTreeSet::new();
        for tet in &body.mesh.tets {
            for (i, a) in tet.iter().enumerate() {
                masses[*a as usize] += 0.25 * body.material.density * volume(&x, *tet);
                edges.extend(tet[..i].iter().map(|b| [*a.min(b), *a.max(b)]));
            }
        }
        let mut inverse: Vec<f64> = masses.iter().map(|mass| 1.0 / mass).collect();
        body.fixed.iter().for_each(|i| inverse[*i as usize] = 0.0);
        Self {
            v: vec![Vector3::zeros(); x.len()],
            impulses: vec![[Vector3::zeros(); 2]; tools.len()],
            config,
            body,
            edges,
            inverse,
            x,
            tools,
        }
    }

    fn substep(&mut self, dt: f64) {
        let rest: Vec<Vector3<f64>> = self
            .body
            .mesh
            .positions
            .iter()
            .map(|p| (*p).into())
            .collect();
        let w = &self.inverse;
        let mut p = self.x.clone();
        for i in 0..p.len() {
            if w[i] > 0.0 {
                p[i] += dt * (self.v[i] + dt * Vector3::from(self.config.gravity));
            }
        }
        let mut sums = vec![(Vector3::zeros(), 0.0); p.len()];
        let mut correct = |parts: &[(u32, Vector3<f64>)], over: f64, compliance: f64| {
            let all: f64 = parts
                .iter()
                .map(|(i, g)| w[*i as usize] * g.norm_squared())
                .sum();
            for (i, grad) in parts {
                let (sum, n) = &mut sums[*i as usize];
                *sum -= grad * (w[*i as usize] * over / (all + compliance / (dt * dt)).max(1e-20));
                *n += 1.0;
            }
        };
        for [a, b] in &self.edges {
            let [i, j] = [*a as usize, *b as usize];
            let length = (rest[i] - rest[j]).norm();
            let way: Vector3<f64> = p[i] - p[j];
            let grad = way / way.norm();
            let parts = [(*a, grad), (*b, -grad)];
            correct(&parts, way.norm() - length, COMPLIANCES[0]);
        }
        for tet in &self.body.mesh.tets {
            let [a, b, c, d] = tet.map(|i| p[i as usize]);
            let grads = [
                (b - a).cross(&(c - a)) / 6.0,
                (d - a).cross(&(b - a)) / 6.0,
                (c - a).cross(&(d - a)) / 6.0,
            ];
            let first = -(grads[0] + grads[1] + grads[2]);
            let [i, j, k, l] = *tet;
            let parts = [(i, first), (j, grads[2]), (k, grads[1]), (l, grads[0])];
            let over = volume(&p, *tet) - volume(&rest, *tet);
            correct(&parts, over, COMPLIANCES[1]);
        }
        self.tools
            .iter_mut()
            .for_each(|tool| *tool = tool.after(dt));
        for (i, (sum, n)) in sums.into_iter().enumerate() {
            if w[i] == 0.0 {
                continue;
            }
            let mut q = p[i] + sum * (RELAXATION / n);
            for (tool, impulse) in self.tools.iter().zip(&mut self.impulses) {
                let arm = q - tool.position;
                let surface = tool.shape.surface(&(tool.rotation.inverse() * arm));
                if surface.distance >= 0.0 {
                    continue;
                }
                let (normal, depth) = (tool.rotation * surface.normal, -surface.distance);
                let relative = q - self.x[i] - (tool.linear + tool.angular.cross(&arm)) * dt;
                let along = relative - normal * relative.dot(&normal);
                let held = (tool.friction * depth / along.norm().max(1e-12)).min(1.0);
                let way = normal * depth - along * held;
                q += way;
                let push = -way / (w[i] * dt);
                impulse[0] += push;
                impulse[1] += (q - tool.position).cross(&push);
            }
            self.v[i] = (q - self.x[i]) * ((1.0 - self.config.drag * dt) / dt);
            self.x[i] = q;
        }
    }
}

fn volume(x: &[Vector3<f64>], tet: [u32; 4]) -> f64 {
    let [a, b, c, d] = tet.map(|i| x[i as usize]);
    (b - a).dot(&(c - a).cross(&(d - a))) / 6.0
}

#[test]
fn it_is_the_method_in_the_equations() {
    let Some(gpu) = gpu() else { return };
    is_the_method(&gpu, press());
}

#[test]
fn a_tool_may_be_a_field() {
    let Some(gpu) = gpu() else { return };
    let rod = TriangleMesh::cylinder(0.02, 0.03, 24);
    let field = DistanceField::new(&rod, 24).unwrap();
    let mut tools = press();
    tools[0].shape = Shape::Field(Arc::new(field));
    tools[0].position.z = 0.111;
    is_the_method(&gpu, tools);
}

fn is_the_method(gpu: &Gpu, tools: Vec<Tool>) {
    let (config, body) = (config(), block([3, 4, 4]));
    let mut oracle = Oracle::new(config.clone(), body.clone(), tools.clone());
    let mut worlds = make(gpu, &config, &body, 2).expect("worlds");
    *worlds.tools_mut(1) = tools;
    let (n_steps, time) = (20, 10.0 * config.substep);
    let mut impulses = [[Vector3::zeros(); 2]; 2];
    for _ in 0..n_steps {
        worlds.step(time).expect("a step");
        (0..10).for_each(|_| oracle.substep(config.substep));
        for (tool, sum) in impulses.iter_mut().enumerate() {
            let wrench = worlds.wrench(1, tool);
            sum[0] += wrench.force * time;
            sum[1] += wrench.torque * time;
        }
    }
    let found = worlds.positions(1).expect("positions");
    let mut moved = 0.0f64;
    for ((found, wanted), start) in found.iter().zip(&oracle.x).zip(&body.mesh.positions) {
        let error = (Vector3::from(*found) - wanted).norm();
        // 200 substeps in f32 of a body of 0.1 m.
        assert!(error < 2e-6, "{found:?} {wanted:?}");
        moved = moved.max((wanted - Vector3::from(*start)).norm());
    }
    assert!(moved > 5e-3, "{moved}");
    for (found, wanted) in impulses.iter().zip(&oracle.impulses).take(1) {
        for (found, wanted) in found.iter().zip(wanted) {
            assert!(wanted.norm() > 1e-3);
            let error = (found - wanted).norm();
            assert!(error < 1e-3 * wanted.norm(), "{found:?} {wanted:?}");
        }
    }
    // The world without tools has felt none.
    assert_eq!(worlds.wrench(0, 0).force.norm(), 0.0);
    assert!(worlds.positions(0).expect("positions") != found);
}

#[test]
fn a_world_is_the_same_alone_and_among_others() {
    let Some(gpu) = gpu() else { return };
    let (config, body) = (config(), block([2, 3, 4]));
    let run = |heights: &[f64]| {
        let mut worlds = make(&gpu, &config, &body, heights.len()).unwrap();
        for (i, height) in heights.iter().enumerate() {
            *worlds.tools_mut(i) = press();
            worlds.tools_mut(i)[0].position.z += height;
        }
        (0..6).for_each(|_| worlds.step(0.02).unwrap());
        (0..heights.len())
            .map(|i| (worlds.save(i).unwrap(), worlds.wrench(i, 0)))
            .collect::<Vec<_>>()
    };
    let together = run(&[0.0, 0.002, 0.004]);
    assert!(together[0].1.force.norm() > 0.0);
    assert_ne!(together[0], together[1]);
    assert_eq!(run(&[0.0])[0], together[0]);
    assert_eq!(run(&[0.004])[0], together[2]);
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
fn what_cannot_be_followed_ends_its_world_alone() {
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
fn what_cannot_be_is_refused() {
    let Some(gpu) = gpu() else { return };
    let make = |body: &XpbdBody| make(&gpu, &config(), body, 1);
    let refused = |result: Result<GpuXpbd, GpuError>, wanted: &str| {
        let error = result.unwrap_err();
        let GpuError::Tissue(TissueError::Setting { field, .. }) = &error else {
            panic!("{error}");
        };
        assert_eq!(field, wanted);
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
                face_contact: true,
                ..config()
            },
            "face_contact",
        ),
    ] {
        let body = block([1, 1, 1]);
        refused(GpuXpbd::new(&gpu, config, &[body], &[], 1), field);
    }
    let mut worlds = make(&block([1, 1, 1])).unwrap();
    assert!(matches!(
        worlds.step(-1.0),
        Err(GpuError::Tissue(TissueError::Setting { .. }))
    ));
    assert!(worlds.reset(&[1]).is_err());
}
