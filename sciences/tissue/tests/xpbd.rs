//! Contract of XPBD: it agrees with its equations in f64, conserves momentum, gives the same bits on any number of threads and in any
//! lane, restores saved states, and says why it diverged.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

#[expect(clippy::pedantic, reason = "shared by several tests")]
mod xpbd_blocks;
#[expect(
    clippy::pedantic,
    clippy::needless_range_loop,
    reason = "read as mathematics"
)]
mod xpbd_oracle;

use insonate_tissue::tool::{Shape, Tool};
use insonate_tissue::xpbd::{Elasticity, Sweep, Xpbd, XpbdBatch, XpbdBody, XpbdConfig};
use insonate_tissue::{Divergence, SoftTissue as _, TissueError};
use nalgebra::{Matrix3, Vector3};
use xpbd_blocks::{lattice, vertices};
use xpbd_oracle::{Ball, Constraint, Law, Oracle, TET_SHARE, by_color, cubes, shape_gradients};

const SPRINGS: Elasticity = Elasticity::Springs {
    distance_compliance: 2e-4,
    volume_compliance: 1e-13,
};

/// Springs that stay stiff enough under averaging to carry the ball.
const STIFF_SPRINGS: Elasticity = Elasticity::Springs {
    distance_compliance: 1e-6,
    volume_compliance: 0.0,
};

/// A block of 6 × 5 × 4 cm with its lowest vertices fixed.
fn body(elasticity: Elasticity, damping_time: f64) -> XpbdBody {
    let mut body = XpbdBody {
        mesh: lattice([5, 4, 3], [0.06, 0.05, 0.04], [0.3, -0.2, 0.0], 0.1),
        elasticity,
        damping_time,
        ..XpbdBody::default()
    };
    body.fixed = vertices(&body, |p| p[2] < 3e-3);
    body
}

fn config(sweep: Sweep) -> XpbdConfig {
    XpbdConfig {
        substep: 1e-3,
        sweep,
        drag: 0.5,
        max_courant: f64::INFINITY,
        face_contact: false,
        n_threads: 1,
        ..XpbdConfig::default()
    }
}

/// A ball that comes down on the block and along it.
fn ball() -> Tool {
    Tool {
        position: Vector3::new(0.33, -0.18, 0.062),
        linear: Vector3::new(0.05, 0.02, -0.2),
        friction: 0.3,
        ..Tool::new(Shape::Sphere { radius: 0.02 })
    }
}

/// The same world in f64.
fn oracle(config: &XpbdConfig, body: &XpbdBody) -> Oracle {
    let positions: Vec<Vector3<f64>> = body.mesh.positions.iter().map(|p| (*p).into()).collect();
    let material = &body.material;
    let (mu, lambda) = (material.lame_mu(), material.lame_lambda());
    let mut masses = vec![0.0; positions.len()];
    let (mut pairs, mut tets) = (Vec::new(), Vec::new());
    for tet in &body.mesh.tets {
        let at = tet.map(|i| i as usize);
        let x = at.map(|i| positions[i]);
        let edges = Matrix3::from_columns(&[x[1] - x[0], x[2] - x[0], x[3] - x[0]]);
        let volume = edges.determinant() / 6.0;
        for i in at {
            masses[i] += volume * material.density / 4.0;
        }
        for i in 0..4 {
            for j in i + 1..4 {
                pairs.push((at[i].min(at[j]), at[i].max(at[j]), volume));
            }
        }
        let law = match body.elasticity {
            Elasticity::NeoHookean => {
                let (mu, lambda) = (TET_SHARE * mu, TET_SHARE * (lambda + mu));
                Law::Solid(shape_gradients(&edges).to_vec(), volume, lambda, mu)
            }
            Elasticity::Springs {
                volume_compliance, ..
            } => Law::Volume(volume, volume_compliance, body.damping_time),
        };
        tets.push(Constraint {
            vertices: at.to_vec(),
            law,
        });
    }
    pairs.sort_by_key(|(a, b, _)| (*a, *b));
    let edges = pairs.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
    let edges = edges.map(|same| {
        let (a, b, _) = same[0];
        let length = (positions[a] - positions[b]).norm();
        let volume: f64 = same.iter().map(|(_, _, volume)| volume).sum();
        let law = match body.elasticity {
            Elasticity::NeoHookean => {
                Law::Dashpot(2.5 * mu * body.damping_time * volume / length.powi(2))
            }
            Elasticity::Springs {
                distance_compliance,
                ..
            } => Law::Distance(length, distance_compliance, body.damping_time),
        };
        Constraint {
            vertices: vec![a, b],
            law,
        }
    });
    let mut constraints = vec![edges.collect::<Vec<_>>(), tets];
    if body.elasticity == Elasticity::NeoHookean {
        constraints.push(cubes(body, &positions));
    }
    if config.sweep == Sweep::GaussSeidel {
        constraints = constraints.into_iter().map(by_color).collect();
    }
    let mut inv_masses: Vec<f64> = masses.iter().map(|mass| 1.0 / mass).collect();
    for vertex in &body.fixed {
        inv_masses[*vertex as usize] = 0.0;
    }
    let tool = ball();
    Oracle {
        velocities: vec![Vector3::zeros(); positions.len()],
        positions,
        inv_masses,
        constraints,
        sweep: match config.sweep {
            Sweep::GaussSeidel => xpbd_oracle::Sweep::GaussSeidel,
            Sweep::Jacobi => xpbd_oracle::Sweep::Jacobi,
            Sweep::AveragedJacobi { relaxation } => xpbd_oracle::Sweep::Averaged(relaxation),
        },
        iterations: config.iterations as usize,
        gravity: config.gravity.into(),
        drag: config.drag,
        push_speed: config.push_speed,
        ball: Ball {
            position: tool.position,
            velocity: tool.linear,
            radius: 0.02,
            friction: tool.friction,
        },
        impulse: Vector3::zeros(),
    }
}

/// Positions within 2 µm, impulses on the tool within 0.2 %.
#[test]
fn it_agrees_with_its_equations_in_f64() {
    let averaged = Sweep::AveragedJacobi { relaxation: 1.3 };
    for (sweep, iterations, elasticity, damping_time) in [
        (Sweep::GaussSeidel, 1, Elasticity::NeoHookean, 0.0),
        (Sweep::GaussSeidel, 1, Elasticity::NeoHookean, 0.01),
        (Sweep::GaussSeidel, 3, Elasticity::NeoHookean, 0.01),
        (Sweep::Jacobi, 1, Elasticity::NeoHookean, 0.01),
        (Sweep::GaussSeidel, 1, SPRINGS, 0.0),
        (Sweep::GaussSeidel, 2, SPRINGS, 0.02),
        (averaged, 1, STIFF_SPRINGS, 0.02),
    ] {
        let name = format!("{sweep:?} {iterations} {elasticity:?} {damping_time}");
        let body = body(elasticity, damping_time);
        let config = XpbdConfig {
            iterations,
            // With averaging the body is too soft to carry its weight.
            gravity: [0.0, 0.0, if sweep == averaged { 0.0 } else { -9.81 }],
            ..config(sweep)
        };
        let mut oracle = oracle(&config, &body);
        let mut world = Xpbd::new(config, &[body], &[]).unwrap();
        world.tools_mut().push(ball());
        let (n_steps, n_substeps, dt) = (5, 12u32, 1e-3);
        let mut impulse = Vector3::zeros();
        for _ in 0..n_steps {
            let time = f64::from(n_substeps) * dt;
            world.step(time).unwrap();
            impulse += world.wrench(0).force * time;
            for _ in 0..n_substeps {
                oracle.ball.position += oracle.ball.velocity * dt;
                oracle.substep(dt);
            }
        }
        let mut moved = 0.0f64;
        let rest = &oracle;
        for (found, wanted) in world.positions().iter().zip(&rest.positions) {
            let error = (Vector3::from(*found) - wanted).norm();
            moved = moved.max(0.04 - wanted.z);
            // 60 substeps in f32 with positions of 0.03 m: some 1e-8 m; contact that begins a substep later does the rest.
            assert!(error < 2e-6, "{name}: {found:?} {wanted:?}");
        }
        assert!(moved > 5e-3, "{name}: {moved}");
        let wanted = oracle.impulse;
        assert!(wanted.norm() > 1e-4, "{name}: {wanted:?}");
        assert!(
            (impulse - wanted).norm() < 2e-3 * wanted.norm(),
            "{name}: {impulse:?} {wanted:?}"
        );
    }
}

/// Within 1e-3 over 200 substeps: positions are rounded to f32.
#[test]
fn momentum_is_conserved() {
    for (sweep, elasticity) in [
        (Sweep::GaussSeidel, Elasticity::NeoHookean),
        (Sweep::Jacobi, Elasticity::NeoHookean),
        (Sweep::GaussSeidel, SPRINGS),
        (Sweep::Jacobi, SPRINGS),
    ] {
        let mut free = body(elasticity, 0.01);
        free.fixed.clear();
        let config = XpbdConfig {
            gravity: [0.0; 3],
            drag: 0.0,
            ..config(sweep)
        };
        let mut world = Xpbd::new(config, &[free], &[]).unwrap();
        // A push makes it rotate and oscillate.
        world.tools_mut().push(Tool {
            linear: Vector3::new(0.3, 0.0, -1.0),
            ..ball()
        });
        world.step(0.03).unwrap();
        let impulse = world.wrench(0).force * -0.03;
        world.tools_mut().clear();
        let before = world.momentum();
        assert!(before.norm() > 1e-3, "{before:?}");
        // Action equals reaction.
        assert!((impulse - before).norm() < 1e-3 * before.norm());
        world.step(0.2).unwrap();
        // Each of 200 substeps rounds positions to 4e-9 m: velocities at random to 4e-6 m/s, of 5e-2.
        assert!(
            (world.momentum() - before).norm() < 1e-3 * before.norm(),
            "{sweep:?} {elasticity:?}: {before:?} {:?}",
            world.momentum()
        );
    }
}

/// Height within 1e-4 of the fall.
#[test]
fn a_free_body_falls_with_gravity() {
    let mut free = body(Elasticity::NeoHookean, 0.01);
    free.fixed.clear();
    let before = free.mesh.positions.clone();
    let config = XpbdConfig {
        drag: 0.0,
        ..config(Sweep::GaussSeidel)
    };
    let mut world = Xpbd::new(config, &[free], &[]).unwrap();
    world.step(0.3).unwrap();
    // Velocity first, then position: n (n + 1) / 2 steps of g Δt².
    let fall = -9.81 * 1e-6 * 300.0 * 301.0 / 2.0;
    for (now, before) in world.positions().iter().zip(&before) {
        assert!((now[2] - before[2] - fall).abs() < 1e-4 * -fall, "{now:?}");
        assert!((now[0] - before[0]).abs() < 1e-5);
    }
}

/// Positions, velocities and the torque on the tool.
type Moved = (Vec<[f64; 3]>, Vec<[f64; 3]>, Vector3<f64>);

fn all(batch: &mut XpbdBatch) -> Vec<Moved> {
    (0..batch.n_worlds())
        .map(|i| {
            let world = batch.world(i).unwrap();
            (
                world.positions(),
                world.velocities(),
                world.wrench(0).torque,
            )
        })
        .collect()
}

/// The ball of each world.
fn balls(batch: &mut XpbdBatch) {
    batch.for_each(|index, mut world| {
        let mut tool = ball();
        tool.position.x += 1e-3 * index as f64;
        tool.angular = Vector3::new(0.0, 3.0, 1.0);
        *world.tools_mut() = vec![tool];
    });
}

#[test]
fn bits_depend_neither_on_threads_nor_on_lanes() {
    for sweep in [Sweep::GaussSeidel, Sweep::Jacobi] {
        let run = |n_threads: usize| {
            let config = XpbdConfig {
                n_threads,
                face_contact: true,
                ..config(sweep)
            };
            let body = body(Elasticity::NeoHookean, 0.01);
            let mut batch = XpbdBatch::new(config, &[body], &[], 37).unwrap();
            balls(&mut batch);
            for _ in 0..5 {
                assert!(batch.step(0.02).unwrap().iter().all(Option::is_none));
            }
            all(&mut batch)
        };
        let one = run(1);
        assert_ne!(one[0], one[1]);
        for n_threads in [2, 3] {
            assert_eq!(run(n_threads), one, "{n_threads} threads");
        }
        // A single world.
        for index in [0, 20, 36] {
            let config = XpbdConfig {
                face_contact: true,
                ..config(sweep)
            };
            let body = body(Elasticity::NeoHookean, 0.01);
            let mut world = Xpbd::new(config, &[body], &[]).unwrap();
            let mut tool = ball();
            tool.position.x += 1e-3 * index as f64;
            tool.angular = Vector3::new(0.0, 3.0, 1.0);
            world.tools_mut().push(tool);
            (0..5).for_each(|_| world.step(0.02).unwrap());
            let alone = (
                world.positions(),
                world.velocities(),
                world.wrench(0).torque,
            );
            if sweep == Sweep::GaussSeidel {
                assert_eq!(alone, one[index], "world {index}");
                continue;
            }
            // Sums in another order.
            for (found, wanted) in alone.0.iter().zip(&one[index].0) {
                assert!((Vector3::from(*found) - Vector3::from(*wanted)).norm() < 1e-6);
            }
        }
    }
}

#[test]
fn worlds_that_are_not_stepped_are_unchanged() {
    let run = |moves: fn(usize) -> bool| {
        let body = body(Elasticity::NeoHookean, 0.01);
        let mut batch = XpbdBatch::new(config(Sweep::GaussSeidel), &[body], &[], 3).unwrap();
        balls(&mut batch);
        batch.step(0.02).unwrap();
        let before = all(&mut batch);
        assert!(
            batch
                .step_where(0.02, moves)
                .unwrap()
                .iter()
                .all(Option::is_none)
        );
        (before, all(&mut batch))
    };
    let (before, moved) = run(|_| true);
    let (_, some) = run(|world| world != 1);
    assert_ne!(before[1], moved[1]);
    assert_eq!(
        some,
        [moved[0].clone(), before[1].clone(), moved[2].clone()]
    );
}

#[test]
fn restored_states_continue_bit_identically() {
    let torn = XpbdBody {
        tear_strain: Some(0.35),
        ..body(Elasticity::NeoHookean, 0.01)
    };
    let config = config(Sweep::GaussSeidel);
    let sticky = Tool {
        friction: f64::INFINITY,
        linear: Vector3::new(0.0, 0.0, 0.5),
        position: Vector3::new(0.33, -0.18, 0.052),
        ..ball()
    };
    let mut world = Xpbd::new(config.clone(), std::slice::from_ref(&torn), &[]).unwrap();
    world.tools_mut().push(sticky);
    (0..4).for_each(|_| world.step(0.01).unwrap());
    let n_tets = world.n_tets();
    assert!(n_tets < torn.mesh.tets.len(), "nothing is torn");
    let state = world.save();
    let tools = world.tools_mut().clone();
    (0..3).for_each(|_| world.step(0.01).unwrap());
    let wanted = (world.positions(), world.velocities(), world.wrench(0));
    let mut other = Xpbd::new(config.clone(), std::slice::from_ref(&torn), &[]).unwrap();
    *other.tools_mut() = tools.clone();
    other.restore(&state).unwrap();
    assert_eq!(other.n_tets(), n_tets);
    assert_eq!(other.save(), state);
    (0..3).for_each(|_| other.step(0.01).unwrap());
    let found = (other.positions(), other.velocities(), other.wrench(0));
    assert_eq!(found, wanted);
    // A world of a batch accepts it too.
    let mut batch = XpbdBatch::new(config, &[torn], &[], 5).unwrap();
    let mut lane = batch.world(3).unwrap();
    *lane.tools_mut() = tools;
    lane.restore(&state).unwrap();
    (0..3).for_each(|_| assert!(batch.step(0.01).unwrap()[3].is_none()));
    let lane = batch.world(3).unwrap();
    assert_eq!(
        (lane.positions(), lane.velocities(), lane.wrench(0)),
        wanted
    );
    // Invalid bytes change nothing.
    let before = other.save();
    for bad in [
        &state[..state.len() - 1],
        &state[..40],
        b"",
        b"XPBD\x01\0\0\0\xff\xff\xff\xff",
    ] {
        assert!(matches!(other.restore(bad), Err(TissueError::State(_))));
    }
    let mut bad = state.clone();
    bad[61..65].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(matches!(other.restore(&bad), Err(TissueError::State(_))));
    assert_eq!(other.save(), before);
}

#[test]
fn a_world_resets_alone() {
    let config = config(Sweep::GaussSeidel);
    let mut batch = XpbdBatch::new(config, &[body(Elasticity::NeoHookean, 0.0)], &[], 20).unwrap();
    let start = all(&mut batch);
    balls(&mut batch);
    batch.step(0.05).unwrap();
    let before = all(&mut batch);
    batch.world(17).unwrap().reset();
    let after = all(&mut batch);
    for index in 0..20 {
        let wanted = if index == 17 { &start } else { &before };
        assert_eq!(after[index].0, wanted[index].0, "{index}");
    }
    assert_eq!(batch.world(17).unwrap().time(), 0.0);
    assert_eq!(batch.world(16).unwrap().time(), 0.05);
    assert!(batch.world(20).is_none());
}

#[test]
fn a_world_diverges_alone_and_says_why() {
    let config = XpbdConfig {
        push_speed: f64::INFINITY,
        max_speed: 5.0,
        ..config(Sweep::GaussSeidel)
    };
    let new = || {
        let body = body(Elasticity::NeoHookean, 0.0);
        XpbdBatch::new(config.clone(), &[body], &[], 18).unwrap()
    };
    let (mut calm, mut batch) = (new(), new());
    balls(&mut calm);
    balls(&mut batch);
    // A tool at 10 m/s, a tool that starts inside tissue, an invalid pose.
    batch.world(3).unwrap().tools_mut()[0].linear.z = -10.0;
    batch.world(5).unwrap().tools_mut()[0].position.z = 0.03;
    batch.world(17).unwrap().tools_mut()[0].position.x = f64::NAN;
    let start = batch.world(17).unwrap().positions();
    for _ in 0..4 {
        calm.step(0.01).unwrap();
        let errors = batch.step(0.01).unwrap();
        for (index, error) in errors.iter().enumerate() {
            match index {
                3 | 5 => {
                    let is_named = matches!(
                        error,
                        Some(TissueError::Diverged {
                            reason: Divergence::Runaway { .. },
                            ..
                        })
                    );
                    assert!(is_named, "{index}: {error:?}");
                }
                17 => assert!(
                    matches!(error, Some(TissueError::Setting(error)) if error.field == "tool.position")
                ),
                _ => assert!(error.is_none(), "{index}: {error:?}"),
            }
        }
    }
    let (calm, found) = (all(&mut calm), all(&mut batch));
    for index in 0..18 {
        assert!(found[index].0.iter().flatten().all(|x| x.is_finite()));
        if ![3, 5, 17].contains(&index) {
            assert_eq!(found[index], calm[index], "{index}");
        }
    }
    assert_eq!(found[17].0, start);
    // It continues after a reset, or with a valid pose.
    batch.world(3).unwrap().reset();
    balls(&mut batch);
    let errors = batch.step(0.01).unwrap();
    assert!(errors[3].is_none() && errors[17].is_none());
    assert!(errors[5].is_some());
}

#[test]
fn tissue_recovers_from_fast_tools_and_long_steps() {
    // With a limit on how fast it is pushed out: a tool born inside, one at 10 m/s, and steps of a sixtieth of a second.
    for (substep, tool) in [
        (
            1e-3,
            Tool {
                position: Vector3::new(0.33, -0.18, 0.02),
                linear: Vector3::zeros(),
                ..ball()
            },
        ),
        (
            1e-3,
            Tool {
                linear: Vector3::new(0.0, 0.0, -10.0),
                ..ball()
            },
        ),
        (1.0 / 60.0, ball()),
    ] {
        let config = XpbdConfig {
            substep,
            face_contact: true,
            max_courant: 0.5,
            ..config(Sweep::GaussSeidel)
        };
        let soft = body(Elasticity::NeoHookean, 0.02);
        let rest = soft.mesh.positions.clone();
        let mut world = Xpbd::new(config, &[soft], &[]).unwrap();
        world.tools_mut().push(tool.clone());
        (0..6).for_each(|_| world.step(1.0 / 60.0).unwrap());
        world.tools_mut().clear();
        (0..120).for_each(|_| world.step(1.0 / 60.0).unwrap());
        for (now, rest) in world.positions().iter().zip(&rest) {
            let error = (Vector3::from(*now) - Vector3::from(*rest)).norm();
            assert!(error < 2e-3, "{substep} {}: {now:?} {rest:?}", tool.linear);
        }
    }
}

#[test]
fn inverted_elements_recover() {
    // A state in which all vertices are below the floor of the block.
    let soft = body(Elasticity::NeoHookean, 0.01);
    let rest = soft.mesh.positions.clone();
    let config = XpbdConfig {
        gravity: [0.0; 3],
        drag: 5.0,
        ..config(Sweep::GaussSeidel)
    };
    let mut world = Xpbd::new(config, &[soft], &[]).unwrap();
    let mut state = world.save();
    for (vertex, position) in rest.iter().enumerate() {
        if position[2] > 3e-3 {
            let at = 8 + 8 + 8 + 17 + 12 * vertex + 8;
            let z = f32::from_le_bytes(state[at..at + 4].try_into().unwrap());
            state[at..at + 4].copy_from_slice(&(z - 0.05).to_le_bytes());
        }
    }
    world.restore(&state).unwrap();
    (0..60).for_each(|_| world.step(1.0 / 30.0).unwrap());
    for (now, rest) in world.positions().iter().zip(&rest) {
        let error = (Vector3::from(*now) - Vector3::from(*rest)).norm();
        assert!(error < 1e-4, "{now:?} {rest:?}");
    }
}
