//! `flex`: a solid of tetrahedra, stepped by MuJoCo's finite elements, under a skin.
//!
//! Structure of the document, and why it is stable where other flexes were not (measured in MuJoCo 3.17.0):
//! * A lattice of points fills the torso ([`lattice`]). Points at the table are fixed to it; each other point is a body on three slide
//!   joints. Their gravity is compensated, so the torso rests exactly in its given shape.
//! * The solid is a three-dimensional flex in full coordinates with the integrator `Euler`: elasticity is explicit and cheap,
//!   and the masses of the points are chosen so that a step of 2 ms is stable for any softness ([`tissue`]).
//! * MuJoCo rejects joint damping on a flex's own bodies. So each of them is welded to a carrier that has the joints and their damping.
//! * A two-dimensional flex on the upper points is the skin: a membrane that does not collide.
//! * The elements of the solid have a radius: contact is rounded and independent of the facets. The outer size includes the radius.
//! * The contact is MuJoCo's default, which does not chatter (a time constant of 4 ms does),
//!   and takes precedence over the probe's by priority.
//! * The torso collides with geoms that have `contype` 1, such as a probe's face and a robot's links, but not with table or floor.
//!
//! Breathing moves the plate to which the lower points are fixed: a very heavy body on a spring, which no probe can stop.

mod lattice;
mod levels;
mod outer;
mod tissue;

use std::collections::BTreeSet;
use std::f64::consts::TAU;

pub(super) use self::lattice::Lattice;
pub(super) use self::tissue::{DENSITY, FACE_RADIUS, POISSON, Tissue, fitted_height};

use self::lattice::Block;
use self::tissue::{SKIN_POISSON, SKIN_THICKNESS};
use super::breathing::Breathing;
use super::config::TorsoConfig;
use super::solref::Solref;
use super::torso::Torso;
use crate::ModelError;
use crate::mjcf::{Body, Element, Flex, Inertial, Joint, Material, Mjcf, Skin};
use crate::patients::{Bone, DrawnSkin, Trunk, body_parts};

/// Name of the flex whose vertices are the particles.
const TISSUE: &str = "tissue";
/// Name of the flex of the skin.
const MEMBRANE: &str = "membrane";
/// Upper limit of the points of a lattice; more would take minutes to compile and seconds to step.
const MOST_POINTS: usize = 20_000;
/// Upper limit of the radius of the elements [m].
const MOST_RADIUS: f64 = 0.01;
/// Lower limit of the radius of the elements [m].
const LEAST_RADIUS: f64 = 0.001;
/// Default contact: MuJoCo's default time constant [s] and damping ratio.
const CONTACT: [f64; 2] = [0.02, 1.0];
/// Upper limit of the time step [s]. The mass of the nodes is chosen for it.
const MAX_TIMESTEP: f64 = 0.002;
/// Mass of the plate that moves in breathing [kg]; 40 N move it by 0.16 mm at 0.25 Hz.
const PLATE_MASS: f64 = 1e5;

/// A flex torso.
///
/// # Errors
/// [`ModelError::OutOfRange`] if [`TorsoConfig::check`] fails, [`ModelError::Conflict`] if there are too many points.
pub fn flex(config: &TorsoConfig) -> Result<Torso, ModelError> {
    let radius = MOST_RADIUS.min(0.3 * config.spacing);
    make("flex", config, radius, Tissue::fill)
}

/// A torso of tetrahedra with the tissue from `fill`, rounded by a radius [m].
pub(super) fn make(
    name: &'static str,
    config: &TorsoConfig,
    radius: f64,
    fill: impl Fn(&Lattice, &TorsoConfig) -> Tissue,
) -> Result<Torso, ModelError> {
    config.check()?;
    let n_points: usize = config.count.iter().product();
    if n_points > MOST_POINTS {
        return Err(ModelError::Conflict(format!(
            "the number of points of a {name} torso is {n_points}; it must be at most {MOST_POINTS}; choose a smaller count"
        )));
    }
    let [half_width, half_height, half_length] = config.half_size();
    let block = Block {
        shape: config.shape,
        size: [
            half_width - radius,
            2.0 * half_height - radius,
            half_length - radius,
        ],
        trunk: config.trunk(),
    };
    let lattice = Lattice::fill(&block, config.count);
    let tissue = fill(&lattice, config);

    let mut mjcf = Mjcf::new(name);
    write_option(&mut mjcf);
    mjcf.asset().add(
        Material::new("skin")
            .rgba([0.87, 0.67, 0.56, 1.0])
            .set("specular", 0.2)
            .set("shininess", 0.2),
    );
    let mut torso = bodies(&lattice, &tissue, config);
    if let Some(trunk) = &block.trunk {
        if let Some(physique) = config.physique() {
            torso = torso.with(body_parts(&physique, &mut mjcf));
        }
        mjcf.section_mut("deformable")
            .add(trunk_skin(trunk, &lattice, base_of(config)));
    }
    mjcf.worldbody().add(torso);
    let base = base_of(config);
    let contact = config.contact.map_or(CONTACT, Solref::attribute);
    // MuJoCo's elements need a radius above zero.
    let rounded = radius.max(LEAST_RADIUS);
    let mut solid = solid(&lattice, &tissue, base, rounded, contact);
    if block.trunk.is_some() {
        // The finer skin is drawn instead.
        solid = solid.group(4);
    }
    mjcf.deformable().add(solid);
    if tissue.skin_young_modulus > 0.0 {
        mjcf.deformable().add(skin(&lattice, &tissue));
    }
    add_stiffer_places(&mut mjcf, &lattice, &tissue, base, rounded);

    let n_free = n_points - config.count[0] * config.count[2];
    Ok(Torso {
        name,
        mjcf,
        surface: outer::outer_surface(&block, config.count, radius),
        max_timestep: MAX_TIMESTEP,
        n_qpos: 3 * n_free + usize::from(config.breathing.is_some()),
        config: config.clone(),
    })
}

/// Adds what places of a higher factor have more than the least of the softness, as flexes on the same bodies.
fn add_stiffer_places(
    mjcf: &mut Mjcf,
    lattice: &Lattice,
    tissue: &Tissue,
    base: &str,
    radius: f64,
) {
    for (level, pair) in (1..).zip(tissue.levels.factors().windows(2)) {
        let more = pair[1] - pair[0];
        let stiffer = |middle: [f64; 3]| tissue.levels.level_at(middle) >= level;
        let tets = &lattice.tetrahedra;
        let tets: Vec<[usize; 4]> = chosen(tets, |corners| stiffer(lattice.middle(*corners)));
        if !tets.is_empty() {
            let name = format!("{TISSUE}_{level}");
            let elasticity = elasticity(more * tissue.young_modulus, POISSON);
            let points = points_of(&tets);
            let flex = elements(&name, 3, lattice, &points, base, &tets);
            mjcf.deformable().add(unseen(flex, radius).with(elasticity));
        }
        let triangles = chosen(&lattice.top(), |corners| stiffer(lattice.middle(*corners)));
        if tissue.skin_young_modulus > 0.0 && !triangles.is_empty() {
            let name = format!("{MEMBRANE}_{level}");
            let points = points_of(&triangles);
            let flex = elements(&name, 2, lattice, &points, "torso", &triangles);
            let elasticity = skin_elasticity(more * tissue.skin_young_modulus);
            mjcf.deformable()
                .add(unseen(flex, LEAST_RADIUS).with(elasticity));
        }
    }
}

/// Sets the integrator and solver for which masses and contact were tuned. Time steps may be shorter than 2 ms, but not longer.
fn write_option(mjcf: &mut Mjcf) {
    mjcf.option()
        .set("integrator", "Euler")
        .set("solver", "CG")
        .set("iterations", 50);
}

/// The body to which the lower points are fixed.
fn base_of(config: &TorsoConfig) -> &'static str {
    if config.breathing.is_some() {
        "plate"
    } else {
        "torso"
    }
}

/// The root body of the torso with all moving bodies.
fn bodies(lattice: &Lattice, tissue: &Tissue, config: &TorsoConfig) -> Body {
    let free = (0..lattice.points.len()).filter(|&index| !lattice.is_pinned(index));
    let carriers = free.map(|index| carrier(lattice, tissue, index));
    match config.breathing {
        Some(breathing) => Body::new("torso").with(plate(breathing).with_all(carriers)),
        None => Body::new("torso").with_all(carriers),
    }
}

/// The body of a point: mass, three slide joints with damping, and the flex's own body, which is welded to it.
fn carrier(lattice: &Lattice, tissue: &Tissue, index: usize) -> Body {
    let slide = |axis: usize| {
        let mut direction = [0.0; 3];
        direction[axis] = 1.0;
        Joint::slide(&format!(
            "J{}{}",
            ["x", "y", "z"][axis],
            label(lattice, index)
        ))
        .axis(direction)
        .damping(significant(tissue.damping[index]))
    };
    let mass = significant(tissue.mass[index]);
    Body::new(&format!("N{}", label(lattice, index)))
        .pos(lattice.points[index].map(micrometres))
        .gravcomp(1.0)
        .with(Inertial::new(mass, [0.0; 3]).diaginertia([1e-4; 3]))
        .with_all([0, 1, 2].map(slide))
        .with(Body::new(&vertex_body(lattice, index)))
}

/// A body so heavy that the torso does not affect its oscillation on its spring: it rises by the amplitude and returns once per breath.
fn plate(breathing: Breathing) -> Body {
    let stiffness = PLATE_MASS * (TAU * breathing.rate).powi(2);
    Body::new("plate")
        .gravcomp(1.0)
        .with(Inertial::new(PLATE_MASS, [0.0; 3]).diaginertia([1e3; 3]))
        .with(
            Joint::slide("breath")
                .axis([0.0, 0.0, 1.0])
                .stiffness(stiffness)
                .springref(0.5 * breathing.amplitude),
        )
}

/// The solid.
fn solid(lattice: &Lattice, tissue: &Tissue, base: &str, radius: f64, contact: [f64; 2]) -> Flex {
    let points: Vec<usize> = (0..lattice.points.len()).collect();
    elements(TISSUE, 3, lattice, &points, base, &lattice.tetrahedra)
        .radius(radius)
        .material("skin")
        .with(
            Element::new("contact")
                .with_attribute("contype", 0)
                .with_attribute("conaffinity", 1)
                .with_attribute("selfcollide", "none")
                .with_attribute("priority", 1)
                .with_attribute("friction", [0.01, 0.005, 0.0001])
                .with_attribute("solref", contact)
                .with_attribute("solimp", [0.9, 0.95, 0.001]),
        )
        .with(negligible_edge_damping())
        .with(elasticity(
            tissue.levels.factors()[0] * tissue.young_modulus,
            POISSON,
        ))
}

/// Those of the elements that fulfil a condition.
fn chosen<const N: usize>(
    elements: &[[usize; N]],
    is_chosen: impl Fn(&[usize; N]) -> bool,
) -> Vec<[usize; N]> {
    elements.iter().copied().filter(is_chosen).collect()
}

/// The points of elements, in order.
fn points_of<const N: usize>(elements: &[[usize; N]]) -> Vec<usize> {
    let points: BTreeSet<usize> = elements.iter().flatten().copied().collect();
    points.into_iter().collect()
}

/// A flex that is not drawn and does not collide.
fn unseen(flex: Flex, radius: f64) -> Flex {
    flex.radius(radius)
        .group(4)
        .with(
            Element::new("contact")
                .with_attribute("contype", 0)
                .with_attribute("conaffinity", 0)
                .with_attribute("selfcollide", "none"),
        )
        .with(negligible_edge_damping())
}

/// The fine skin over the lattice of an adult.
fn trunk_skin(trunk: &Trunk, lattice: &Lattice, base: &str) -> Skin {
    let bone = |body: String, position: [f64; 3]| Bone {
        body,
        position,
        quat: [1.0, 0.0, 0.0, 0.0],
    };
    // One bone for all fixed points, then one for each point.
    let mut bones = vec![bone(base.to_owned(), [0.0; 3])];
    let points = lattice.points.iter().enumerate();
    bones.extend(
        points.map(|(index, &point)| bone(vertex_body(lattice, index), point.map(micrometres))),
    );
    DrawnSkin::new(trunk, lattice.count).element(
        "skin",
        "skin",
        |position| position,
        &bones,
        |place| {
            let index = lattice.index(place);
            if lattice.is_pinned(index) {
                0
            } else {
                index + 1
            }
        },
    )
}

/// The membrane of the skin. It is not drawn and does not collide.
fn skin(lattice: &Lattice, tissue: &Tissue) -> Flex {
    let triangles = lattice.top();
    let high = lattice.count[1] - 1;
    let points: Vec<usize> = (0..lattice.points.len())
        .filter(|&index| lattice.place(index)[1] == high)
        .collect();
    let flex = elements(MEMBRANE, 2, lattice, &points, "torso", &triangles);
    let young_modulus = tissue.levels.factors()[0] * tissue.skin_young_modulus;
    unseen(flex, LEAST_RADIUS).with(skin_elasticity(young_modulus))
}

/// The elasticity of the skin.
fn skin_elasticity(young_modulus: f64) -> Element {
    elasticity(young_modulus, SKIN_POISSON)
        .with_attribute("thickness", SKIN_THICKNESS)
        .with_attribute("elastic2d", "stretch")
}

/// A flex of some of the lattice's points. Fixed points belong to the body `base`.
fn elements<const N: usize>(
    name: &str,
    dim: i32,
    lattice: &Lattice,
    points: &[usize],
    base: &str,
    elements: &[[usize; N]],
) -> Flex {
    let mut bodies = Vec::with_capacity(points.len());
    let mut vertices = Vec::with_capacity(3 * points.len());
    let mut vertex_of = vec![0.0; lattice.points.len()];
    for (vertex, &point) in points.iter().enumerate() {
        vertex_of[point] = vertex as f64;
        if lattice.is_pinned(point) {
            bodies.push(base.to_owned());
            vertices.extend(lattice.points[point].map(micrometres));
        } else {
            bodies.push(vertex_body(lattice, point));
            vertices.extend([0.0; 3]);
        }
    }
    let corners: Vec<f64> = elements.iter().flatten().map(|&p| vertex_of[p]).collect();
    Flex::new(name, dim)
        .set("flatskin", false)
        .set("body", bodies.join(" "))
        .set("vertex", vertices)
        .set("element", corners)
}

/// The elasticity of the elements.
fn elasticity(young_modulus: f64, poisson_ratio: f64) -> Element {
    Element::new("elasticity")
        .with_attribute("young", significant(young_modulus))
        .with_attribute("poisson", poisson_ratio)
}

/// Negligible damping. Without damping, MuJoCo assumes that the flex has no forces, and warns.
/// It costs speed: 3000 instead of 4800 steps/s.
fn negligible_edge_damping() -> Element {
    Element::new("edge").with_attribute("damping", 1e-9)
}

/// Name of the flex's own body at a point.
fn vertex_body(lattice: &Lattice, index: usize) -> String {
    format!("V{}", label(lattice, index))
}

/// Indices of a point in names: `i_j_k`, across, upwards, along.
fn label(lattice: &Lattice, index: usize) -> String {
    let [i, j, k] = lattice.place(index);
    format!("{i}_{j}_{k}")
}

/// Rounds a length to the micrometre, which keeps the document short.
fn micrometres(length: f64) -> f64 {
    (length * 1e6).round() / 1e6
}

/// Rounds a positive number to six significant digits.
fn significant(value: f64) -> f64 {
    let scale = 10_f64.powf(5.0 - value.log10().floor());
    (value * scale).round() / scale
}
