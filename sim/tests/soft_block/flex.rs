//! The block as a flex of MuJoCo, as the torso `flex` is made, without its skin.

use insonate_models::mjcf::{Body, Element, Flex, Geom, Inertial, Joint, Mjcf};
use insonate_sim::Physics;
use insonate_sim::readings::ProbeContact;
use insonate_tissue::mesh::TetMesh;
use nalgebra::{Matrix3, Vector3};

use super::contestants::{HALF_LENGTH, base, mesh, moduli};
use super::motion::{GAP, Measured, STEP, follow};
use super::{Case, HEIGHT, POISSON, Tool};

/// Radius of the elements [m]; the block is lower by it.
const RADIUS: f64 = 2e-4;
/// Density [kg/m³].
const DENSITY: f64 = 1000.0;
/// Lower limit of the mass of a vertex over $h^2 K_{ii}$, for which a step is stable.
const LEAST_MASS: f64 = 2.1;
/// Damping of the vertices over their mass [1/s].
const DAMPING: f64 = 40.0;
/// Impedance of the contact, as hard as allowed.
const IMPEDANCE: [f64; 3] = [0.99, 0.999, 0.001];

/// Time step for cells of a width [s].
pub(crate) fn timestep(cell: f64) -> f64 {
    if cell > 0.007 { 1e-3 } else { 5e-4 }
}

/// Mass of each vertex [kg].
fn masses(mesh: &TetMesh, moduli: &[f64], timestep: f64) -> Vec<f64> {
    let mut masses = vec![0.0; mesh.positions.len()];
    let mut least = masses.clone();
    for (index, tet) in mesh.tets.iter().enumerate() {
        let [a, b, c, d] = mesh.corners(index);
        let edges = Matrix3::from_columns(&[b - a, c - a, d - a]);
        let volume = edges.determinant() / 6.0;
        let inverse = edges.try_inverse().expect("no tetrahedron is flat");
        let [p, q, r] = [0, 1, 2].map(|row| inverse.row(row).transpose());
        let wave = moduli[index] * (1.0 - POISSON) / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON));
        for (&vertex, gradient) in tet.iter().zip([-(p + q + r), p, q, r]) {
            masses[vertex as usize] += 0.25 * DENSITY * volume;
            least[vertex as usize] +=
                LEAST_MASS * timestep * timestep * wave * volume * gradient.norm_squared();
        }
    }
    masses.iter().zip(&least).map(|(a, b)| a.max(*b)).collect()
}

/// A flex of some of the tetrahedra. Fixed vertices belong to the world.
fn elements(name: &str, mesh: &TetMesh, is_fixed: &[bool], tets: &[[u32; 4]]) -> Flex {
    let mut vertices: Vec<u32> = tets.iter().flatten().copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    let (mut bodies, mut places) = (Vec::new(), Vec::new());
    for &vertex in &vertices {
        if is_fixed[vertex as usize] {
            bodies.push("world".to_owned());
            places.extend(mesh.positions[vertex as usize]);
        } else {
            bodies.push(format!("v{vertex}"));
            places.extend([0.0; 3]);
        }
    }
    let number = |vertex: &u32| {
        let found = vertices.binary_search(vertex);
        found.expect("a vertex of these tetrahedra") as f64
    };
    let corners: Vec<f64> = tets.iter().flatten().map(number).collect();
    Flex::new(name, 3)
        .radius(RADIUS)
        .set("flatskin", false)
        .set("body", bodies.join(" "))
        .set("vertex", places)
        .set("element", corners)
}

fn elasticity(young_modulus: f64) -> Element {
    Element::new("elasticity")
        .with_attribute("young", young_modulus)
        .with_attribute("poisson", POISSON)
}

fn contact(case: &Case, collides: bool, timestep: f64) -> Element {
    let condim = if case.friction > 0.0 { 3 } else { 1 };
    Element::new("contact")
        .with_attribute("contype", 0)
        .with_attribute("conaffinity", i32::from(collides))
        .with_attribute("selfcollide", "none")
        .with_attribute("priority", 1)
        .with_attribute("condim", condim)
        .with_attribute("friction", [case.friction.max(1e-5), 1e-5, 1e-5])
        .with_attribute("solref", [4.0 * timestep, 1.0])
        .with_attribute("solimp", IMPEDANCE)
}

/// The tool on two slide joints, along x and z.
fn tool(case: &Case) -> Body {
    let (geom, to_center) = match case.tool {
        Tool::Ball { radius } => (Geom::sphere(radius), radius),
        Tool::Punch { radius } => (Geom::cylinder([radius, HALF_LENGTH]), HALF_LENGTH),
    };
    Body::new("tool")
        .pos([0.0, 0.0, HEIGHT + GAP + RADIUS + to_center])
        .gravcomp(1.0)
        .with(Inertial::new(1e3, [0.0; 3]).diaginertia([1.0; 3]))
        .with(Joint::slide("along").axis([1.0, 0.0, 0.0]))
        .with(Joint::slide("up").axis([0.0, 0.0, 1.0]))
        .with(geom)
}

/// The block and the tool of a case as MJCF.
pub(crate) fn scene(case: &Case, cell: f64) -> String {
    let (mesh, timestep) = (mesh(cell), timestep(cell));
    let moduli = moduli(case, &mesh);
    let masses = masses(&mesh, &moduli, timestep);
    let mut is_fixed = vec![false; mesh.positions.len()];
    for vertex in base(&mesh) {
        is_fixed[vertex as usize] = true;
    }
    let mut mjcf = Mjcf::new("block");
    mjcf.option()
        .set("timestep", timestep)
        .set("integrator", "Euler")
        .set("solver", "CG")
        .set("iterations", 50)
        .set("cone", "elliptic")
        .set("gravity", [0.0; 3]);
    mjcf.worldbody().add(tool(case));
    for (vertex, position) in mesh.positions.iter().enumerate() {
        if is_fixed[vertex] {
            continue;
        }
        let mass = masses[vertex];
        let slide = |axis: usize| {
            let mut direction = [0.0; 3];
            direction[axis] = 1.0;
            let name = format!("{}{vertex}", ["x", "y", "z"][axis]);
            Joint::slide(&name).axis(direction).damping(DAMPING * mass)
        };
        let carrier = Body::new(&format!("n{vertex}"))
            .pos(*position)
            .with(Inertial::new(mass, [0.0; 3]).diaginertia([1e-4; 3]))
            .with_all([0, 1, 2].map(slide))
            .with(Body::new(&format!("v{vertex}")));
        mjcf.worldbody().add(carrier);
    }
    // A flex has one modulus: the lower layer has a second flex on the same bodies.
    let softest = moduli.iter().copied().fold(f64::INFINITY, f64::min);
    let quiet = || Element::new("edge").with_attribute("damping", 1e-9);
    let whole = elements("block", &mesh, &is_fixed, &mesh.tets)
        .with(contact(case, true, timestep))
        .with(quiet())
        .with(elasticity(softest));
    mjcf.deformable().add(whole);
    let stiffer = moduli.iter().copied().fold(0.0, f64::max);
    if stiffer > softest {
        let tets: Vec<[u32; 4]> = mesh
            .tets
            .iter()
            .zip(&moduli)
            .filter(|(_, own)| **own > softest)
            .map(|(tet, _)| *tet)
            .collect();
        let lower = elements("lower", &mesh, &is_fixed, &tets)
            .with(contact(case, false, timestep))
            .with(quiet())
            .with(elasticity(stiffer - softest));
        mjcf.deformable().add(lower);
    }
    mjcf.to_xml().expect("a valid document")
}

/// MuJoCo's finite elements.
pub(crate) fn flex(case: &Case, cell: f64) -> Measured {
    let mut physics = Physics::from_xml(&scene(case, cell)).expect("MuJoCo takes it");
    let contact = ProbeContact::below(physics.model(), "tool").expect("the tool is there");
    let n_substeps = (STEP / physics.timestep()).round() as usize;
    follow(case, |velocity| {
        let mut sum = Vector3::zeros();
        for _ in 0..n_substeps {
            // The contact does not slow the tool down.
            physics.qvel_mut()[..2].copy_from_slice(&velocity);
            physics.step().expect("the press is stable");
            sum += contact.force_in_world(&physics);
        }
        sum / n_substeps as f64
    })
}
