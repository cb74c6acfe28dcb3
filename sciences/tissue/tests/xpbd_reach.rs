//! Contract of a finite reach: the force on the tool is nearly unchanged, tissue out of reach does not move, and
//! restored states continue identically.

#[expect(clippy::pedantic, reason = "shared by several tests")]
mod xpbd_blocks;

use insonate_tissue::SoftTissue as _;
use insonate_tissue::tool::{Shape, Tool};
use insonate_tissue::xpbd::{Xpbd, XpbdBatch, XpbdBody, XpbdConfig};
use nalgebra::Vector3;
use xpbd_blocks::{lattice, vertices};

/// A slab of 30 × 12 × 6 cm on the table.
fn slab() -> XpbdBody {
    let mut slab = XpbdBody {
        mesh: lattice([20, 8, 4], [0.3, 0.12, 0.06], [0.0; 3], 0.0),
        damping_time: 0.01,
        ..XpbdBody::default()
    };
    slab.fixed = vertices(&slab, |p| p[2] < 1e-6);
    slab
}

fn config(reach: f64) -> XpbdConfig {
    XpbdConfig {
        gravity: [0.0; 3],
        active_radius: reach,
        ..XpbdConfig::default()
    }
}

/// A world whose ball is 1 cm deep near one end and slides to the other.
fn pressed(reach: f64) -> Xpbd {
    let mut world = Xpbd::new(config(reach), &[slab()], &[]).expect("a valid slab");
    world.tools_mut().push(Tool {
        position: Vector3::new(0.08, 0.06, 0.085),
        linear: Vector3::new(0.0, 0.0, -0.1),
        friction: 0.1,
        ..Tool::new(Shape::Sphere { radius: 0.025 })
    });
    world.step(0.1).expect("stable");
    world.tools_mut()[0].linear = Vector3::new(0.1, 0.0, 0.0);
    world
}

/// Mean force on the ball along z over a slide of 14 cm [N].
fn slide(world: &mut Xpbd) -> f64 {
    let forces = (0..140).map(|_| {
        world.step(0.01).expect("stable");
        world.wrench(0).force.z
    });
    forces.sum::<f64>() / 140.0
}

#[test]
fn a_reach_beyond_the_body_changes_no_bit() {
    let [mut whole, mut wide] = [f64::INFINITY, 1.0].map(pressed);
    assert_eq!(slide(&mut whole), slide(&mut wide));
    assert_eq!(whole.positions(), wide.positions());
}

/// Within 8 % of the force of the whole slab.
#[test]
fn a_tool_meets_about_the_same_force_and_what_is_far_stands_still() {
    let [mut whole, mut near] = [f64::INFINITY, 0.06].map(pressed);
    let start = slab().mesh.positions;
    let far = |p: &[f64; 3]| p[0] > 0.2;
    let moved = start.iter().zip(near.positions());
    let moved = moved.filter(|(p, _)| far(p));
    for (p, now) in moved {
        let way = Vector3::from(*p) - Vector3::from(now);
        assert!(way.norm() < 1e-7, "{p:?} {now:?}");
    }
    let [wanted, found] = [slide(&mut whole), slide(&mut near)];
    assert!(wanted > 1.0, "{wanted}");
    assert!((found / wanted - 1.0).abs() < 0.08, "{found} {wanted}");
    // The tissue that was pressed and left behind has recovered within a tenth of the depth.
    let end = near.positions();
    let left = start.iter().zip(&end).filter(|(p, _)| p[0] < 0.1);
    for (p, now) in left {
        let way = Vector3::from(*p) - Vector3::from(*now);
        assert!(way.norm() < 1e-3, "{p:?} {now:?}");
    }
}

#[test]
fn a_restored_state_goes_on_as_the_saved_one() {
    let mut world = pressed(0.06);
    slide(&mut world);
    let state = world.save();
    let tools = world.tools_mut().clone();
    let go = |world: &mut Xpbd| {
        world.tools_mut()[0].linear = Vector3::new(-0.1, 0.0, 0.0);
        slide(world)
    };
    let (wanted, end) = (go(&mut world), world.positions());
    // Restored into a world that was elsewhere and into a new one.
    let fresh = Xpbd::new(config(0.06), &[slab()], &[]).unwrap();
    for mut other in [world, fresh] {
        other.restore(&state).unwrap();
        other.tools_mut().clone_from(&tools);
        assert_eq!(go(&mut other), wanted);
        assert_eq!(other.positions(), end);
    }
}

#[test]
fn worlds_side_by_side_and_bodies_that_tear_are_refused() {
    let refused = XpbdBatch::new(config(0.06), &[slab()], &[], 2).unwrap_err();
    assert!(refused.to_string().contains("reach"), "{refused}");
    let mut tears = slab();
    tears.tear_strain = Some(0.5);
    let refused = Xpbd::new(config(0.06), &[tears], &[]).unwrap_err();
    assert!(refused.to_string().contains("reach"), "{refused}");
}
