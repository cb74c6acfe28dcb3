//! Contract of layered bodies in both solvers: each layer has the stiffness of its own material, fixed parts do not
//! move, and tied bodies stay together.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::path::Path;

use insonate_tissue::body::{
    Attachment, Layer, Region, Roi, Solid, TissueBody, liver, mpm_scene, slab, torso, xpbd_scene,
};
use insonate_tissue::mpm::{MlsMpm, MpmBody, MpmConfig};
use insonate_tissue::tool::{Shape, Tool};
use insonate_tissue::xpbd::{Anchor, Xpbd, XpbdConfig};
use insonate_tissue::{Graspable, Material, SoftTissue};
use nalgebra::Vector3;

/// Young's moduli of the lower and the upper half [Pa].
const SOFT: f64 = 1e4;
const STIFF: f64 = 4e4;
/// Cell width and edge length [m].
const CELL: f64 = 0.01;
/// Half width and half length of a bar [m].
const HALF: [f64; 3] = [0.02, 0.02, 0.04];
/// Height of its centre [m].
const AT: f64 = 0.1;
const HERE: &str = "";

/// A material without lateral contraction, so that bars in series have an exact solution.
fn material(young_modulus: f64) -> Material {
    Material {
        young_modulus,
        poisson_ratio: 0.0,
        viscosity: 50.0,
        ..Material::default()
    }
}

fn layer(young_modulus: f64) -> Layer {
    Layer {
        name: "tissue".to_owned(),
        thickness: f64::INFINITY,
        material: material(young_modulus),
    }
}

fn below(z: f64) -> Roi {
    Roi::HalfSpace {
        point: [0.0, 0.0, z],
        normal: [0.0, 0.0, 1.0],
    }
}

/// A bar along z, soft below and stiff above, its lower end fixed.
fn bar() -> TissueBody {
    TissueBody {
        name: "bar".to_owned(),
        position: [AT; 3],
        solid: Solid::Cuboid { half: HALF },
        layers: vec![layer(STIFF)],
        regions: vec![Region {
            name: "soft".to_owned(),
            place: below(0.0),
            material: material(SOFT),
        }],
        fixed: vec![below(0.003 - HALF[2])],
        attachments: Vec::new(),
    }
}

/// The same bar, made of two tied bodies.
fn tied_bars() -> [TissueBody; 2] {
    let half = [HALF[0], HALF[1], 0.5 * HALF[2]];
    let lower = TissueBody {
        name: "lower".to_owned(),
        position: [AT, AT, AT - half[2]],
        solid: Solid::Cuboid { half },
        layers: vec![layer(SOFT)],
        regions: Vec::new(),
        fixed: vec![below(0.003 - half[2])],
        attachments: Vec::new(),
    };
    let upper = TissueBody {
        name: "upper".to_owned(),
        position: [AT, AT, AT + half[2]],
        layers: vec![layer(STIFF)],
        fixed: Vec::new(),
        attachments: vec![Attachment {
            to: "lower".to_owned(),
            distance: 0.6 * CELL,
        }],
        ..lower.clone()
    };
    [lower, upper]
}

fn mpm(bodies: &[MpmBody]) -> MlsMpm {
    let config = MpmConfig {
        cell_width: CELL,
        cells: [20; 3],
        gravity: [0.0; 3],
        n_threads: 1,
        ..MpmConfig::default()
    };
    MlsMpm::new(config, bodies).unwrap()
}

fn still() -> XpbdConfig {
    XpbdConfig {
        substep: 1e-4,
        gravity: [0.0; 3],
        drag: 30.0,
        max_courant: f64::INFINITY,
        n_threads: 1,
        ..XpbdConfig::default()
    }
}

/// Displaces the points of the upper end along z [m] and waits. Returns the positions of all points before and after.
fn draw(
    world: &mut (impl Graspable + insonate_tissue::SoftTissue),
    way: f64,
) -> [Vec<[f64; 3]>; 2] {
    let start = world.positions();
    let end = Vector3::new(AT, AT, AT + HALF[2]);
    Graspable::tools_mut(world).push(Tool {
        position: end,
        linear: Vector3::new(0.0, 0.0, way / 0.1),
        ..Tool::new(Shape::Sphere { radius: 1e-6 })
    });
    let mut n_held = 0;
    for at in start.iter().filter(|at| at[2] > end.z - 0.3 * CELL) {
        n_held += world.grasp(0, Vector3::from(*at), 1e-7, 1);
    }
    assert!(n_held >= 25, "{n_held} points are held");
    world.step(0.1).unwrap();
    Graspable::tools_mut(world)[0].linear = Vector3::zeros();
    world.step(1.4).unwrap();
    [start, world.positions()]
}

/// Strain along z between two heights above the centre [m], by linear regression of the displacements between them.
fn strain([start, end]: &[Vec<[f64; 3]>; 2], low: f64, high: f64) -> f64 {
    let points: Vec<(f64, f64)> = start
        .iter()
        .zip(end)
        .map(|(start, end)| (start[2] - AT, end[2] - start[2]))
        .filter(|(z, _)| (low - 1e-9..=high + 1e-9).contains(z))
        .collect();
    let n = points.len() as f64;
    assert!(n > 30.0, "{n} points from {low} to {high}");
    let mean = points.iter().map(|(z, way)| (z / n, way / n));
    let (z0, way0) = mean.fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
    let (mut above, mut below) = (0.0, 0.0);
    for (z, way) in points {
        above += (z - z0) * (way - way0);
        below += (z - z0) * (z - z0);
    }
    above / below
}

/// Both halves of a bar in series carry the same force: strains are proportional to 1 / E within 3 %, and the force is
/// E ε A within a tolerance.
fn check_series(name: &str, places: &[Vec<[f64; 3]>; 2], force: f64, tolerance: f64) {
    let soft = strain(places, -0.03, -0.01);
    let stiff = strain(places, 0.01, 0.03);
    let ratio = soft / stiff / (STIFF / SOFT);
    eprintln!("{name}: strains {:+.1} %", 1e2 * (ratio - 1.0));
    assert!((ratio - 1.0).abs() < 0.03, "{name}: {soft} {stiff} {ratio}");
    let area = 4.0 * HALF[0] * HALF[1];
    let wanted = -SOFT * soft * area;
    let ratio = force / wanted;
    eprintln!("{name}: force {:+.1} %", 1e2 * (ratio - 1.0));
    assert!(
        (ratio - 1.0).abs() < tolerance,
        "{name}: {force} N, {wanted} N"
    );
}

/// In both halves of a bar the stress is E ε, with the strain of its points, within a tolerance.
fn check_stress(name: &str, world: &dyn SoftTissue, places: &[Vec<[f64; 3]>; 2], tolerance: f64) {
    let stress = world.stress().unwrap();
    let (centers, von_mises) = (stress.centers(), stress.von_mises());
    for (young_modulus, low, high) in [(SOFT, -0.03, -0.01), (STIFF, 0.01, 0.03)] {
        let strain = strain(places, low, high);
        let inside = |index: &usize| (low..=high).contains(&(centers[*index][2] - AT));
        let elements: Vec<usize> = (0..stress.len()).filter(inside).collect();
        let mean = |of: &dyn Fn(usize) -> f64| {
            let volume: f64 = elements.iter().map(|i| stress.volumes[*i]).sum();
            elements
                .iter()
                .map(|i| of(*i) * stress.volumes[*i])
                .sum::<f64>()
                / volume
        };
        let wanted = young_modulus * strain;
        let found = mean(&|i| stress.stresses[i][(2, 2)]);
        // The bar is drawn or pressed along z alone.
        let along = mean(&|i| stress.principal_strains[i][if strain > 0.0 { 0 } else { 2 }]);
        let ratios = [
            found / wanted,
            mean(&|i| von_mises[i]) / wanted.abs(),
            along / strain,
        ];
        eprintln!("{name}: stress, von Mises, strain {ratios:.3?}");
        for ratio in ratios {
            assert!(
                (ratio - 1.0).abs() < tolerance,
                "{name}: {ratios:?} of {wanted} Pa"
            );
        }
    }
}

#[test]
fn halves_of_a_bar_stretch_by_their_own_stiffness() {
    for way in [4e-4, -4e-4] {
        let bodies = bar().mpm_bodies(CELL, 0.0, 0, Path::new(HERE)).unwrap();
        let moduli: Vec<f64> = bodies.iter().map(|b| b.material.young_modulus).collect();
        assert_eq!(moduli, [STIFF, SOFT]);
        let mut world = mpm(&bodies);
        let places = draw(&mut world, way);
        // The outermost half cell of a bar that is four cells wide carries too little force.
        check_series("mpm", &places, world.wrench(0).force.z, 0.08);
        check_stress("mpm", &world, &places, 0.05);
        // The fixed end carries the same force.
        let balance = world.wrench(0).force + world.fixed_wrench().force;
        assert!(
            balance.norm() < 0.01 * world.wrench(0).force.norm(),
            "{balance}"
        );

        let body = bar().xpbd_body(CELL, 0.0, Path::new(HERE)).unwrap();
        let fixed = body.fixed.clone();
        assert_eq!(fixed.len(), 25);
        let mut world = Xpbd::new(still(), &[body], &[]).unwrap();
        let places = draw(&mut world, way);
        check_series("xpbd", &places, world.wrench(0).force.z, 0.03);
        check_stress("xpbd", &world, &places, 0.03);
        for vertex in fixed {
            let [start, end] = [&places[0], &places[1]].map(|at| at[vertex as usize]);
            assert_eq!(start, end);
        }
    }
}

#[test]
fn tied_bodies_stay_together() {
    let bodies = tied_bars();
    let way = 2e-3;
    // Particles: the layers that face each other stay half a cell apart.
    let mut world = mpm(&mpm_scene(&bodies, CELL, 0.0, 0, Path::new(HERE)).unwrap());
    let places = draw(&mut world, way);
    let gap = |at: &[[f64; 3]]| {
        let n = at.len() / 2;
        let height = |of: &[[f64; 3]], start: &[[f64; 3]], wanted: f64| {
            let near = of.iter().zip(start);
            let near = near.filter(|(_, start)| (start[2] - AT - wanted).abs() < 1e-6);
            let heights: Vec<f64> = near.map(|(at, _)| at[2]).collect();
            heights.iter().sum::<f64>() / heights.len() as f64
        };
        let start = &places[0];
        height(&at[n..], &start[n..], 0.25 * CELL) - height(&at[..n], &start[..n], -0.25 * CELL)
    };
    let [before, after] = [gap(&places[0]), gap(&places[1])];
    assert!((before - 0.5 * CELL).abs() < 1e-6, "{before}");
    eprintln!("gap: {:+.1} %", 1e2 * (after / before - 1.0));
    // The same strain as the tissue around it, within some per cent.
    assert!((1.0..1.15).contains(&(after / before)), "{before} {after}");
    let ratio = strain(&places, -0.03, -0.01) / strain(&places, 0.01, 0.03);
    assert!((ratio / (STIFF / SOFT) - 1.0).abs() < 0.1, "{ratio}");

    // Tetrahedra: rigid ties.
    let (made, ties) = xpbd_scene(&bodies, CELL, 0.0, Path::new(HERE)).unwrap();
    assert_eq!(ties.len(), 25);
    let mut world = Xpbd::new(still(), &made, &ties).unwrap();
    let places = draw(&mut world, way);
    for tie in &ties {
        let Anchor::Vertex(other) = tie.to else {
            panic!("{tie:?}")
        };
        let ends = [tie.vertex, other].map(|i| Vector3::from(places[1][i as usize]));
        assert!(tie.length < 1e-12);
        assert!((ends[0] - ends[1]).norm() < 1e-2 * way, "{tie:?} {ends:?}");
    }
    let ratio = strain(&places, -0.03, -0.01) / strain(&places, 0.01, 0.03);
    assert!((ratio / (STIFF / SOFT) - 1.0).abs() < 0.1, "{ratio}");
    // Without ties the upper body moves alone.
    let mut world = Xpbd::new(still(), &made, &[]).unwrap();
    let places = draw(&mut world, way);
    let tie = &ties[12];
    let apart = places[1][tie.vertex as usize][2] - AT;
    assert!(apart > 0.9 * way, "{apart}");
}

#[test]
fn presets_come_whole_into_both_solvers() {
    for (body, width) in [(slab(), 0.006), (liver(), 0.012), (torso(), 0.025)] {
        let materials = body.materials();
        let all = body.particles(width, 0.3, 1, Path::new(HERE)).unwrap();
        let bodies = body.mpm_bodies(width, 0.3, 1, Path::new(HERE)).unwrap();
        assert!(bodies.len() >= 2, "{}", body.name);
        let count: usize = bodies.iter().map(|b| b.positions.len()).sum();
        assert_eq!(count, all.positions.len());
        let fixed: usize = bodies.iter().map(|b| b.fixed.len()).sum();
        assert_eq!(fixed, all.is_fixed.iter().filter(|is| **is).count());
        let of = |index: u16| materials[usize::from(index)];
        let mass: f64 = bodies
            .iter()
            .map(|b| b.material.density * b.particle_volume * b.positions.len() as f64)
            .sum();
        let wanted = all.materials.iter().map(|index| of(*index).density);
        let wanted = wanted.sum::<f64>() * all.particle_volume;
        assert!((mass / wanted - 1.0).abs() < 1e-9, "{}", body.name);

        let tets = body.tetrahedra(width, Path::new(HERE)).unwrap();
        let made = body.xpbd_body(width, 0.01, Path::new(HERE)).unwrap();
        let wanted: Vec<Material> = tets.materials.iter().map(|index| of(*index)).collect();
        assert_eq!(made.tet_materials, wanted);
        let volumes = tets.mesh.volumes();
        let wanted: f64 = wanted.iter().zip(volumes).map(|(m, v)| m.density * v).sum();
        let mut world = Xpbd::new(XpbdConfig::default(), std::slice::from_ref(&made), &[]).unwrap();
        let mass: f64 = world.masses().iter().sum();
        assert!((mass / wanted - 1.0).abs() < 1e-9, "{}", body.name);
        let start = world.positions();
        world.step(0.02).unwrap();
        let end = world.positions();
        assert_ne!(start, end);
        let is_still = |vertex: &u32| start[*vertex as usize] == end[*vertex as usize];
        assert!(!made.fixed.is_empty() && made.fixed.iter().all(is_still));
    }
}

#[test]
fn invalid_ties_and_materials_are_refused_by_name() {
    let here = Path::new(HERE);
    let mut bodies = tied_bars();
    bodies[1].attachments[0].to = "absent".to_owned();
    let error = xpbd_scene(&bodies, CELL, 0.0, here)
        .unwrap_err()
        .to_string();
    let wanted = "upper.attachments[0].to is \"absent\"; it must be another one of lower, upper";
    assert_eq!(error, wanted);
    // 3 cm between the bodies: further than the tie, then than a cell.
    bodies[1].attachments[0].to = "lower".to_owned();
    bodies[1].position[2] += 0.03;
    let error = xpbd_scene(&bodies, CELL, 0.0, here)
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("upper.attachments[0].distance is 0.006"),
        "{error}"
    );
    bodies[1].attachments[0].distance = 0.05;
    assert!(xpbd_scene(&bodies, CELL, 0.0, here).unwrap().1.len() >= 25);
    let error = mpm_scene(&bodies, CELL, 0.0, 0, here)
        .unwrap_err()
        .to_string();
    assert!(error.contains("within a cell"), "{error}");

    let particles = bar().particles(CELL, 0.0, 0, here).unwrap();
    let error = particles.mpm_bodies(&bar().materials()[..1]).unwrap_err();
    assert_eq!(error.to_string(), "materials is 1; it must be below 1");
    let mut made = bar().xpbd_body(CELL, 0.0, here).unwrap();
    made.tet_materials.pop();
    let error = Xpbd::new(still(), &[made], &[]).unwrap_err().to_string();
    assert!(error.contains("bodies[0].tet_materials.len"), "{error}");
}
