//! Contract: forces at contact points sum to the wrench of each solver, their recording changes no bit, and their distribution under a
//! ball and a flat punch is that of contact mechanics.

#[expect(clippy::pedantic, dead_code, reason = "shared by several tests")]
mod physics_blocks;
#[expect(clippy::pedantic, reason = "shared by several tests")]
mod xpbd_blocks;

use std::f64::consts::PI;
use std::sync::Arc;

use insonate_tissue::condensed::{Condensed, CondensedBody, CondensedModel, Layer};
use insonate_tissue::mesh::TetMesh;
use insonate_tissue::mpm::{Contact, Formulation, MlsMpm, MpmConfig};
use insonate_tissue::tool::{ContactPoint, Shape, Tool};
use insonate_tissue::xpbd::{Xpbd, XpbdBody, XpbdConfig};
use insonate_tissue::{Graspable as _, Material, SoftTissue};
use nalgebra::{UnitQuaternion, Vector3};
use xpbd_blocks::{lattice, vertices};

const SOFT: Material = Material {
    young_modulus: 2e4,
    poisson_ratio: 0.4,
    density: 1000.0,
    viscosity: 20.0,
    tearing: None,
};
/// Edges of the blocks [m]; their lower corner is the origin.
const SIZE: [f64; 3] = [0.06, 0.06, 0.04];

/// A table that holds the block, and a ball 1 mm above its middle.
fn tools(records_points: bool) -> [Tool; 2] {
    let table = Tool {
        position: Vector3::z() * 1e-4,
        friction: f64::INFINITY,
        ..Tool::new(Shape::HalfSpace)
    };
    let ball = Tool {
        position: Vector3::new(0.03, 0.03, SIZE[2] + 0.021),
        rotation: UnitQuaternion::from_euler_angles(0.2, 0.1, 0.3),
        friction: 0.5,
        records_points,
        ..Tool::new(Shape::Sphere { radius: 0.02 })
    };
    [table, ball]
}

fn condensed(records_points: bool) -> Box<dyn SoftTissue> {
    let mut mesh = TetMesh::cuboid(SIZE.map(|edge| 0.5 * edge), 0.01).expect("a small mesh");
    for position in &mut mesh.positions {
        *position = std::array::from_fn(|axis| position[axis] + 0.5 * SIZE[axis]);
    }
    let lower = (0..mesh.positions.len() as u32).filter(|&i| mesh.positions[i as usize][2] < 1e-9);
    let model = CondensedModel::new(CondensedBody {
        fixed: lower.collect(),
        mesh,
        poisson_ratio: SOFT.poisson_ratio,
        factors: Vec::new(),
        sample_spacing: 0.003,
    })
    .expect("a valid body");
    let layer = Layer::new(0.003, 0.3, SOFT.young_modulus, SOFT.poisson_ratio);
    let mut body =
        Condensed::new(Arc::new(model), SOFT.young_modulus, 0.01, layer).expect("valid constants");
    body.tools_mut().extend(tools(records_points));
    Box::new(body)
}

fn particles(formulation: Formulation, records_points: bool) -> MlsMpm {
    let tools = tools(records_points).to_vec();
    let all = |_: [f64; 3]| true;
    physics_blocks::part_of(SIZE, 0.008, SOFT, formulation, [0.0; 3], tools, all)
}

fn constraints(records_points: bool) -> Box<dyn SoftTissue> {
    let mesh = lattice([8, 8, 5], SIZE, [0.0; 3], 0.0);
    let mut body = XpbdBody {
        mesh,
        material: SOFT,
        ..XpbdBody::default()
    };
    body.fixed = vertices(&body, |position| position[2] < 1e-9);
    let config = XpbdConfig {
        gravity: [0.0; 3],
        ..XpbdConfig::default()
    };
    let mut world = Xpbd::new(config, &[body], &[]).expect("a valid body");
    world.tools_mut().extend(tools(records_points));
    Box::new(world)
}

/// All solvers, and the name of each.
fn worlds(records_points: bool) -> Vec<(&'static str, Box<dyn SoftTissue>)> {
    let mpm = |formulation| Box::new(particles(formulation, records_points));
    vec![
        ("condensed", condensed(records_points)),
        ("mpm", mpm(Formulation::UpdatedLagrangian)),
        ("mpm, total", mpm(Formulation::TotalLagrangian)),
        ("xpbd", constraints(records_points)),
    ]
}

/// Presses, slides and turns the ball; `see` is called after each step.
fn rub(world: &mut dyn SoftTissue, mut see: impl FnMut(&mut dyn SoftTissue)) {
    let moves = [
        (Vector3::new(0.0, 0.0, -0.15), Vector3::zeros()),
        (Vector3::new(0.1, 0.05, 0.0), Vector3::new(2.0, 0.0, 5.0)),
    ];
    for (linear, angular) in moves {
        (world.tools_mut()[1].linear, world.tools_mut()[1].angular) = (linear, angular);
        for _ in 0..30 {
            world.step(0.002).expect("stable");
            see(world);
        }
    }
}

fn check_sums(name: &str, world: &mut dyn SoftTissue) -> f64 {
    let wrench = world.wrench(1);
    let origin = world.tools_mut()[1].position;
    let points = world.contact_points(1).expect("they are recorded");
    let force: Vector3<f64> = points.iter().map(|point| point.force).sum();
    let torque: Vector3<f64> = points
        .iter()
        .map(|point| (point.position - origin).cross(&point.force))
        .sum();
    let size: f64 = points.iter().map(|point| point.force.norm()).sum();
    assert!(
        (force - wrench.force).norm() <= 1e-10 * size,
        "{name}: {force} {wrench:?}"
    );
    // The points are within 2.5 cm of the origin.
    assert!(
        (torque - wrench.torque).norm() <= 1e-10 * 0.025 * size,
        "{name}: {torque} {wrench:?}"
    );
    wrench.force.norm()
}

/// To 1e-10 of the sum of the forces' sizes.
#[test]
fn forces_at_points_sum_to_the_wrench() {
    for (name, mut world) in worlds(true) {
        assert_eq!(
            world.contact_points(1),
            None,
            "{name}: before the first step"
        );
        let mut most: f64 = 0.0;
        rub(&mut *world, |world| {
            most = most.max(check_sums(name, world));
        });
        assert!(most > 0.3, "{name}: {most} N");
        // The table's are not recorded.
        assert_eq!(world.contact_points(0), None, "{name}");
        assert_eq!(world.contact_points(2), None, "{name}");
        world.reset();
        assert_eq!(world.contact_points(1), None, "{name}: after a reset");
    }
}

/// Contact at nodes, and particles and vertices that a tool holds.
#[test]
fn forces_at_nodes_and_on_held_points_sum_to_the_wrench() {
    let mut nodes = MlsMpm::new(
        MpmConfig {
            contact: Contact::Nodes,
            ..particles(Formulation::UpdatedLagrangian, true)
                .config()
                .clone()
        },
        &[physics_blocks::block(SIZE, 0.008, SOFT)],
    )
    .expect("valid");
    nodes.tools = tools(true).to_vec();
    let mut most: f64 = 0.0;
    rub(&mut nodes, |world| {
        most = most.max(check_sums("nodes", world));
    });
    assert!(most > 0.3, "{most} N");

    let mut held = particles(Formulation::UpdatedLagrangian, true);
    let at = Vector3::new(0.03, 0.03, SIZE[2]);
    assert!(held.grasp(1, at, 0.008, 10) > 0);
    let mut most: f64 = 0.0;
    rub(&mut held, |world| {
        most = most.max(check_sums("held", world));
    });
    assert!(most > 0.3, "{most} N");
}

#[test]
fn recording_changes_no_bit() {
    for ((name, mut recording), (_, mut plain)) in worlds(true).into_iter().zip(worlds(false)) {
        let mut wrenches = [Vec::new(), Vec::new()];
        rub(&mut *recording, |world| wrenches[0].push(world.wrench(1)));
        rub(&mut *plain, |world| {
            wrenches[1].push(world.wrench(1));
            assert_eq!(world.contact_points(1), None, "{name}");
        });
        assert_eq!(wrenches[0], wrenches[1], "{name}");
        assert!(recording.save() == plain.save(), "{name}");
    }
}

#[test]
fn points_do_not_depend_on_threads() {
    let run = |n_threads: usize| {
        let config = MpmConfig {
            n_threads,
            ..particles(Formulation::TotalLagrangian, true)
                .config()
                .clone()
        };
        let body = physics_blocks::block(SIZE, 0.008, SOFT);
        let mut world = MlsMpm::new(config, &[body]).expect("valid");
        world.tools = tools(true).to_vec();
        let mut all = Vec::new();
        rub(&mut world, |world| {
            all.extend_from_slice(world.contact_points(1).expect("they are recorded"));
        });
        all
    };
    let one = run(1);
    assert!(one.len() > 1000);
    assert!(one == run(3));
}

const MODULUS: f64 = 3e4;
const POISSON: f64 = 0.4;
/// Height and half width of a box that is pressed in the middle of its upper side [m].
const HALF: f64 = 0.06;
/// Width of the elements below the tool [m].
const FINE: f64 = 0.0025;

/// A box on a table, much larger than the contact, whose elements grow away from the middle of its upper side, the origin.
fn wide_box() -> Condensed {
    const N: usize = 9;
    let edge = HALF / N as f64;
    // The axes are z, x and y: the stiffness matrix is narrow if vertices are counted along the shortest one first.
    let mut mesh = TetMesh::cuboid([0.5 * HALF, HALF, HALF], edge).expect("a small mesh");
    // The width of the elements is FINE at the middle.
    let width = FINE / edge;
    let stretched = |x: f64| HALF * (width * x + (1.0 - width) * x.powi(3));
    for position in &mut mesh.positions {
        let [z, x, y] = *position;
        let below = 0.5 - z / HALF;
        *position = [stretched(x / HALF), stretched(y / HALF), -stretched(below)];
    }
    let lower =
        (0..mesh.positions.len() as u32).filter(|&i| mesh.positions[i as usize][2] < -HALF + 1e-9);
    let model = CondensedModel::new(CondensedBody {
        fixed: lower.collect(),
        mesh,
        poisson_ratio: POISSON,
        factors: Vec::new(),
        sample_spacing: 0.0006,
    })
    .expect("a valid body");
    // As stiff as the facets of the skin allow: the pressures here compress it by 0.1 mm.
    let layer = Layer::new(0.001, 0.6, MODULUS, POISSON);
    Condensed::new(Arc::new(model), MODULUS, 0.0, layer).expect("valid constants")
}

/// Presses a tool whose lowest point is `above` below its origin to a depth [m]. Returns the vertical force [N] and the points.
fn press(shape: Shape, above: f64, depth: f64) -> (f64, Vec<ContactPoint>) {
    let mut body = wide_box();
    body.tools_mut().push(Tool {
        position: Vector3::z() * above,
        linear: Vector3::z() * (-depth / 0.02),
        records_points: true,
        ..Tool::new(shape)
    });
    for _ in 0..10 {
        body.step(0.002).expect("stable");
    }
    let points = body.contact_points(0).expect("they are recorded").to_vec();
    (body.wrench(0).force.z, points)
}

/// Vertical force of the points within a radius [m].
fn within(points: &[ContactPoint], radius: f64) -> f64 {
    points
        .iter()
        .filter(|point| point.position.x.hypot(point.position.y) <= radius)
        .map(|point| point.force.z)
        .sum()
}

/// p₀ √(1 − r² / a²) with a = (3 F R / 4 E*)^⅓ and p₀ = 3 F / 2 π a² (Hertz 1882; Johnson 1985, Eqs. 4.22 to 4.24), in four rings: within 3 % of
/// p₀ up to half of the contact radius, and 12 % beyond, where elements are a quarter of the contact radius wide.
#[test]
fn pressure_under_a_ball_is_that_of_hertz() {
    let (radius, depth) = (0.05, 0.002);
    let (force, points) = press(Shape::Sphere { radius }, radius, depth);
    let modulus = MODULUS / (1.0 - POISSON * POISSON);
    let contact = (0.75 * force * radius / modulus).cbrt();
    let peak = 1.5 * force / (PI * contact * contact);
    eprintln!("ball: {force:.4} N, contact radius {contact:.5} m, peak pressure {peak:.1} Pa");
    let part = |r: f64| 1.0 - (1.0 - r * r).powf(1.5);
    for ring in 0..4 {
        let [inner, outer] = [0, 1].map(|side| f64::from(ring + side) / 4.0);
        let area = PI * contact * contact * (outer * outer - inner * inner);
        let found = (within(&points, outer * contact) - within(&points, inner * contact)) / area;
        let wanted = force * (part(outer) - part(inner)) / area;
        let error = (found - wanted) / peak;
        eprintln!("ring {inner} to {outer}: {found:.1} of {wanted:.1} Pa, {error:+.4} of p0");
        let most = if outer > 0.5 { 0.12 } else { 0.03 };
        assert!(error.abs() < most, "{found} {wanted}");
    }
}

/// F / 2 π a² √(1 − r² / a²) (Johnson 1985, Eq. 3.34), whose force within r is F (1 − √(1 − r² / a²)): within 10 % up to a quarter of the radius,
/// 20 % up to half and 3 % up to 90 % of it. Elements are a quarter of the radius wide, and the singularity at the edge is spread over one.
#[test]
fn pressure_under_a_flat_punch_is_that_of_a_half_space() {
    let (radius, depth) = (0.01, 0.0005);
    let shape = Shape::Cylinder {
        radius,
        half_length: 0.01,
    };
    let (force, points) = press(shape, 0.01, depth);
    let mean = force / (PI * radius * radius);
    eprintln!("punch: {force:.4} N, mean pressure {mean:.1} Pa");
    for (part, most) in [(0.25_f64, 0.1), (0.5, 0.2), (0.9, 0.03)] {
        let found = within(&points, part * radius);
        let wanted = force * (1.0 - (1.0 - part * part).sqrt());
        let error = found / wanted - 1.0;
        eprintln!("within {part} of the radius: {found:.4} of {wanted:.4} N, {error:+.3}");
        assert!(error.abs() < most, "{found} {wanted}");
    }
    // All of the force is below the face.
    let below = within(&points, 1.01 * radius);
    assert!((below / force - 1.0).abs() < 0.01, "{below} {force}");
}
