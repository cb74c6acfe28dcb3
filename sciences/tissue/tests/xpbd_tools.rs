//! Tools grasp, drop, tear and rub tetrahedra, and attachments hold them.

#[expect(clippy::pedantic, reason = "shared by several tests")]
mod xpbd_blocks;

use insonate_tissue::tool::{Shape, Tool};
use insonate_tissue::xpbd::{
    Anchor, Attachment, Elasticity, Gripper, GripperGeometry, Xpbd, XpbdBody, XpbdConfig,
};
use insonate_tissue::{SoftTissue as _, TissueError};
use nalgebra::Vector3;
use xpbd_blocks::{lattice, vertices};

fn body(low: [f64; 3]) -> XpbdBody {
    XpbdBody {
        mesh: lattice([5, 5, 3], [0.05, 0.05, 0.03], low, 0.0),
        damping_time: 0.01,
        ..XpbdBody::default()
    }
}

fn config() -> XpbdConfig {
    XpbdConfig {
        substep: 1e-3,
        gravity: [0.0; 3],
        drag: 10.0,
        ..XpbdConfig::default()
    }
}

fn highest(world: &Xpbd) -> f64 {
    let heights = world.positions().into_iter().map(|p| p[2]);
    heights.fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn a_gripper_picks_and_drops() {
    let mut block = body([0.0; 3]);
    block.fixed = vertices(&block, |p| p[2] < 1e-6);
    let mut world = Xpbd::new(config(), &[block], &[]).unwrap();
    let trocar = Vector3::new(0.1, 0.05, 0.25);
    let tip = |z: f64| Vector3::new(0.025, 0.025, z);
    let (open, closed) = (30f64.to_radians(), 2f64.to_radians());
    let mut gripper = Gripper::new(
        &mut world,
        GripperGeometry {
            grasp_radius: 0.013,
            ..GripperGeometry::default()
        },
        trocar,
        tip(0.06),
        0.2,
        open,
    )
    .unwrap();
    let go = |world: &mut Xpbd, gripper: &mut Gripper, z: f64, opening: f64| {
        for _ in 0..10 {
            let from = gripper.tip().z;
            let there = tip(from + (z - from) * 0.5);
            gripper.move_to(world, there, 0.2, opening, 0.03).unwrap();
            world.step(0.03).unwrap();
        }
        gripper.move_to(world, tip(z), 0.2, opening, 0.03).unwrap();
        world.step(0.03).unwrap();
        // The shaft goes through the trocar.
        let shaft = &world.tools_mut()[0];
        let axis = shaft.rotation * Vector3::z();
        let off = (trocar - shaft.position).cross(&axis).norm();
        assert!(off < 1e-6, "{off}");
        assert!((shaft.position - axis * 0.15 - gripper.tip()).norm() < 1e-6);
    };
    go(&mut world, &mut gripper, 0.043, open);
    assert!(!gripper.is_closed());
    go(&mut world, &mut gripper, 0.043, closed);
    assert!(gripper.is_closed());
    go(&mut world, &mut gripper, 0.058, closed);
    assert!(highest(&world) > 0.036, "{}", highest(&world));
    // Tissue pulls it back down.
    let pull = gripper.wrench(&world).force;
    assert!(pull.z < -0.02, "{pull:?}");
    // A state includes held vertices.
    let state = world.save();
    go(&mut world, &mut gripper, 0.058, open);
    go(&mut world, &mut gripper, 0.08, open);
    (0..30).for_each(|_| world.step(0.03).unwrap());
    assert!((highest(&world) - 0.03).abs() < 1e-4, "{}", highest(&world));
    assert!(gripper.wrench(&world).force.norm() < 1e-9);
    world.restore(&state).unwrap();
    world.tools_mut().iter_mut().for_each(|tool| {
        tool.linear = Vector3::zeros();
        tool.angular = Vector3::zeros();
    });
    world.step(0.3).unwrap();
    assert!(highest(&world) > 0.036, "what was held again has gone");
    // Invalid poses.
    for bad in [trocar, Vector3::new(f64::NAN, 0.0, 0.0)] {
        let error = gripper.move_to(&mut world, bad, 0.0, open, 0.03);
        assert!(matches!(error, Err(TissueError::Setting(_))));
    }
}

#[test]
fn tearing_splits_a_bar() {
    for elasticity in [
        Elasticity::NeoHookean,
        Elasticity::Springs {
            distance_compliance: 1e-3,
            volume_compliance: 1e-12,
        },
    ] {
        let mut bar = XpbdBody {
            mesh: lattice([8, 2, 2], [0.08, 0.02, 0.02], [0.0; 3], 0.0),
            damping_time: 0.02,
            tear_strain: Some(0.5),
            elasticity,
            ..XpbdBody::default()
        };
        // The weak spot: a notch of two removed cells in the middle.
        let middle = |tet: &[u32; 4]| {
            let x: f64 = tet.iter().map(|i| bar.mesh.positions[*i as usize][0]).sum();
            let z: f64 = tet.iter().map(|i| bar.mesh.positions[*i as usize][2]).sum();
            (0.03..0.04).contains(&(x / 4.0)) && z / 4.0 > 0.01
        };
        let notched = bar.mesh.tets.iter().filter(|tet| !middle(tet));
        bar.mesh.tets = notched.copied().collect();
        bar.fixed = vertices(&bar, |p| p[0] < 1e-6);
        let n_tets = bar.mesh.tets.len();
        let right = vertices(&bar, |p| p[0] > 0.0799);
        let mut world = Xpbd::new(config(), &[bar], &[]).unwrap();
        let is_closed = |world: &Xpbd| {
            let surface = world.surface();
            let mut sides = std::collections::BTreeMap::new();
            for [a, b, c] in &surface.triangles {
                for (from, to) in [(a, b), (b, c), (c, a)] {
                    *sides.entry((*from.min(to), *from.max(to))).or_insert(0) +=
                        if from < to { 1 } else { -1 };
                }
            }
            sides.values().all(|sum| *sum == 0)
        };
        assert!(is_closed(&world));
        world.tools_mut().push(Tool {
            position: Vector3::new(0.084, 0.01, 0.01),
            linear: Vector3::new(0.1, 0.0, 0.0),
            friction: f64::INFINITY,
            ..Tool::new(Shape::Cuboid {
                half: [0.005, 0.02, 0.02],
            })
        });
        world.step(0.1).unwrap();
        assert_eq!(world.n_tets(), n_tets, "torn too early");
        let force = world.wrench(0).force.x;
        world.step(1.0).unwrap();
        world.tools_mut()[0].linear.x = 0.0;
        world.step(1.0).unwrap();
        world.step(0.1).unwrap();
        assert!(world.n_tets() < n_tets && world.n_tets() > n_tets / 2);
        assert!(is_closed(&world));
        // No force passes through it any more, and no element connects both ends.
        assert!(force < -0.1, "{force}");
        assert!(world.wrench(0).force.norm() < 0.01 * force.abs());
        let tets = world.tets();
        let mut reached = vec![false; world.positions().len()];
        reached[right[0] as usize] = true;
        for _ in 0..tets.len() {
            let mut grows = false;
            for tet in &tets {
                let some = tet.iter().any(|i| reached[*i as usize]);
                let all = tet.iter().all(|i| reached[*i as usize]);
                if some && !all {
                    for i in tet {
                        reached[*i as usize] = true;
                    }
                    grows = true;
                }
            }
            if !grows {
                break;
            }
        }
        let positions = world.positions();
        let mut crosses = positions.iter().zip(&reached);
        assert!(!crosses.any(|(p, is)| *is && p[0] < 0.011));
        // A reset restores all elements.
        world.reset();
        assert_eq!(world.n_tets(), n_tets);
    }
}

#[test]
fn attachments_hold() {
    let (left, right) = (body([0.0; 3]), body([0.07, 0.0, 0.0]));
    let n_left = left.mesh.positions.len() as u32;
    let ends = vertices(&left, |p| p[0] > 0.0499);
    let starts = vertices(&right, |p| p[0] < 0.0701);
    let outer = vertices(&right, |p| p[0] > 0.1199);
    let mut left = left;
    left.fixed = vertices(&left, |p| p[0] < 1e-6);
    let mut attachments: Vec<Attachment> = ends
        .iter()
        .zip(&starts)
        .map(|(end, start)| Attachment {
            vertex: *end,
            to: Anchor::Vertex(start + n_left),
            length: 0.0,
            compliance: 0.0,
        })
        .collect();
    let stiffness = 10.0;
    attachments.push(Attachment {
        vertex: outer[0] + n_left,
        to: Anchor::Point([0.2, 0.0, 0.0]),
        length: 0.0,
        compliance: 1.0 / stiffness,
    });
    let mut world = Xpbd::new(config(), &[left, right], &attachments).unwrap();
    (0..20).for_each(|_| world.step(0.1).unwrap());
    let at = |world: &Xpbd, i: u32| Vector3::from(world.positions()[i as usize]);
    for (end, start) in ends.iter().zip(&starts) {
        let gap = (at(&world, *end) - at(&world, start + n_left)).norm();
        // Displacement in one substep by the elements, which are solved later.
        assert!(gap < 1e-3, "{gap}");
    }
    // The anchor pulls at both bodies as far as the spring allows, and the force decreases when it comes
    // nearer.
    let held = at(&world, outer[0] + n_left);
    assert!(held.x > 0.105, "{held:?}");
    assert!(at(&world, ends[0]).x > 0.051, "{:?}", at(&world, ends[0]));
    world.move_anchor(0, [0.15, 0.0, 0.0]).unwrap();
    (0..20).for_each(|_| world.step(0.1).unwrap());
    assert!(at(&world, outer[0] + n_left).x < held.x - 1e-3);
    assert!(matches!(
        world.move_anchor(1, [0.0; 3]),
        Err(TissueError::Setting(_))
    ));
    let nonsense = Attachment {
        vertex: 5,
        to: Anchor::Vertex(5),
        length: 0.0,
        compliance: 0.0,
    };
    let error = Xpbd::new(config(), &[body([0.0; 3])], &[nonsense]).unwrap_err();
    assert!(
        matches!(error, TissueError::Setting(error) if error.field == "attachments[0].to.vertex")
    );
}

/// Acceleration within 3 % of gravity along the slope, normal force within 2 % of the weight.
#[test]
fn a_block_slides_by_coulombs_law() {
    // On a slope of 20°: stays at a coefficient above tan 20° = 0.364, and slides with g (sin − μ cos) below.
    let slope = 20f64.to_radians();
    for friction in [0.45, 0.2] {
        let config = XpbdConfig {
            gravity: [9.81 * slope.sin(), 0.0, -9.81 * slope.cos()],
            drag: 0.0,
            ..config()
        };
        let mut world = Xpbd::new(config, &[body([0.0; 3])], &[]).unwrap();
        world.tools_mut().push(Tool {
            friction,
            ..Tool::new(Shape::HalfSpace)
        });
        world.step(0.3).unwrap();
        let mass: f64 = world.masses().iter().sum();
        let early = world.momentum().x / mass;
        world.step(0.3).unwrap();
        let found = (world.momentum().x / mass - early) / 0.3;
        let wanted = 9.81 * (slope.sin() - friction * slope.cos()).max(0.0);
        assert!(
            (found - wanted).abs() < 0.03 * 9.81 * slope.sin(),
            "{friction}: {found} {wanted}"
        );
        let force = world.wrench(0).force;
        let weight = mass * 9.81 * slope.cos();
        assert!((force.z / weight + 1.0).abs() < 0.02, "{force:?} {weight}");
    }
}
