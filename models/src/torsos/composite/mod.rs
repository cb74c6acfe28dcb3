//! The composite soft torso: the shell of particles that MuJoCo 2.x–3.2.4 created for `<composite type="box|cylinder|ellipsoid">`.
//!
//! MuJoCo removed it in 3.2.5, so it is expanded here, with the same bodies, constraints and order:
//!
//! * every outer point of a lattice is a body `B{i}_{j}_{k}` with a slide joint `J…` and a capsule `G…` that extends inward from it;
//! * per point, one constraint holds its joint at 0, and one constraint per next neighbour couples the two joints, with the stiffness and
//!   damping of [`crate::torsos::Softness`] (`solref = -stiffness -damping`, acceleration units, as in the thesis: Jakobsen 2021);
//!   the former has MuJoCo's default time constant unless [`TorsoConfig::rest`] is set;
//! * a tendon `T` holds the sum of all joints, which approximates the enclosed volume;
//! * a sphere `Gcenter` is in the middle.
//!
//! MuJoCo's composite was tuned at a spacing of 35 mm. At other spacings, the particles' mass and the weight of the neighbour constraints
//! are scaled such that the skin keeps its mass and its stiffness per area, and its tension ([`particle_mass`], [`neighbor_weight`]).
//! Only the soft layers ([`TorsoConfig::soft_layers`]) have bodies and constraints; the others are only drawn.
//!
//! Unlike MuJoCo's composite, the shell is anchored: it is fixed in the body `shell` of the body `torso` without a free joint.
//! In `shell`, x is across the patient, y from back to front and z from head to feet.

mod breathing;
mod landmarks;
mod lattice;
mod mapping;
mod skin;
mod surface;

use breathing::{BREATH, Excursion, REST_TIME_CONSTANT, oscillator};
use insonate_settings::check_range;
use landmarks::landmarks;
use lattice::Lattice;
use mapping::{Rest, rotation_from_z};
use skin::{SKIN, skin, trunk_skin};
use surface::surface;

use super::config::{Shape, TorsoConfig};
use super::solref::Solref;
use super::tissue::SOLVER;
use super::torso::Torso;
use crate::ModelError;
use crate::mjcf::{
    Body, DefaultClass, Element, Equality, FixedTendon, Geom, Material, Mjcf, Namespace,
};
use crate::patients::{Sex, body_parts};

/// Radius of the capsules at the spacing of the thesis, and half length of the capsules [m].
const CAPSULE: [f64; 2] = [0.0075, 0.025];
/// Mass of each capsule at the spacing of the thesis [kg].
const MASS: f64 = 0.01;
/// Spacing of the thesis [m].
const SPACING: f64 = 0.035;
/// Sliding [1], torsional [m] and rolling [m] friction of the skin under gel.
const FRICTION: [f64; 3] = [0.01, 0.005, 0.0001];
/// Impedance of the rest constraints, and of the neighbour constraints at the spacing of the thesis.
const IMPEDANCE: f64 = 0.9;
/// Lower limit of the impedance of a neighbour constraint; it is reached at a spacing of 110 mm.
const LEAST_IMPEDANCE: f64 = 0.01;
/// Time constant [s], damping ratio and impedance of the constraint that holds the volume.
const VOLUME: ([f64; 2], [f64; 2]) = ([0.01, 1.0], [0.99, 0.99]);
/// Upper limit of the time step [s]: half of the time constant of the volume constraint.
const MAX_TIMESTEP: f64 = 0.005;
/// Upper limit of the outer size [m].
const MAX_SIZE: f64 = 2.0;
/// Upper limit of the particles that MuJoCo steps in reasonable time.
const MAX_PARTICLES: usize = 3000;
/// Target for the number of soft points in [`TorsoConfig::fitted_to_probe`]: some 20 000 steps/s with an arm.
const SOFT_POINTS: usize = 1500;
/// Value of the custom text [`SOLVER`] by which a scene requests the shell solver next to MuJoCo.
pub const SHELL_SOLVER: &str = "fast";
/// Default class of the shell.
const SHELL: &str = "shell";

/// The expanded composite torso of the thesis.
///
/// # Errors
/// [`ModelError::OutOfRange`] or [`ModelError::Conflict`] if the configuration is invalid.
pub fn composite(config: &TorsoConfig) -> Result<Torso, ModelError> {
    check(config)?;
    let lattice = Lattice::of(config);
    let rest = Rest::new(config, &lattice);
    let depth = rest.depth();
    let name = |index: usize| {
        let suffix = Lattice::suffix(lattice.points[index]);
        lattice.moves(index).then(|| format!("B{suffix}"))
    };
    let names: Vec<Option<String>> = (0..lattice.points.len()).map(name).collect();
    let mut mjcf = Mjcf::new("composite");
    mjcf.section_mut("option")
        .set("timestep", 0.002)
        .set("integrator", "implicitfast");
    defaults(&mut mjcf, config);
    mjcf.asset().add(
        Material::new(SKIN)
            .rgba([0.86, 0.65, 0.54, 1.0])
            .specular(0.25)
            .shininess(0.35),
    );

    let mut torso = Body::new("torso").with(shell(&lattice, &rest, depth, config.shape));
    let trunk = config.trunk();
    if let Some(physique) = config.physique() {
        torso = torso.with(body_parts(&physique, &mut mjcf));
    }
    if let Some(breathing) = &config.breathing {
        torso = torso.with(oscillator(breathing));
    }
    mjcf.worldbody().add(torso);
    mjcf.section_mut("deformable").add(match &trunk {
        Some(trunk) => trunk_skin(trunk, &lattice, &rest, &names),
        None => skin(&lattice, &rest, &names),
    });
    constrain(&mut mjcf, config, &lattice, &rest);
    let surface = surface(&lattice, &rest, depth);
    let sex = config.physique().map(|physique| physique.sex);
    let marks: &[_] = match (config.shape, sex) {
        (Shape::Human, _) => &landmarks::HUMAN,
        (_, Some(Sex::Male)) => &landmarks::MAN,
        _ => &[],
    };
    for landmark in landmarks(marks, &surface, &rest, config.half_size()) {
        let name = names[landmark.particle].as_deref();
        if let Some(body) = name.and_then(|name| mjcf.find_mut(Namespace::Body, name)) {
            body.add(landmark.site);
        }
    }

    Ok(Torso {
        name: "composite",
        mjcf,
        surface,
        max_timestep: MAX_TIMESTEP,
        n_qpos: lattice.moving().count() + usize::from(config.breathing.is_some()),
        config: config.clone(),
    })
}

/// The same torso, marked for the solver that steps the shell outside MuJoCo.
///
/// A torso that is soft on the front only is also marked for deep contact along the axes of the points, which MuJoCo does not support.
///
/// # Errors
/// The errors of [`composite`].
pub fn fast(config: &TorsoConfig) -> Result<Torso, ModelError> {
    let mut torso = composite(config)?;
    torso.name = "fast";
    torso.mjcf.root_mut().set("model", "fast");
    let text = |name: &str, data: &str| {
        Element::new("text")
            .with_attribute("name", name)
            .with_attribute("data", data)
    };
    torso.mjcf.custom().add(text(SOLVER, SHELL_SOLVER));
    if config.soft_layers.is_some() {
        torso
            .mjcf
            .custom()
            .add(text("torso_deep_contact", "inward"));
    }
    Ok(torso)
}

fn check(config: &TorsoConfig) -> Result<(), ModelError> {
    config.check()?;
    if config.field.is_some() && config.breathing.is_some() {
        return Err(ModelError::Conflict(
            "a shell with a softness that varies over the skin does not breathe; mpm and xpbd torsos do"
                .to_owned(),
        ));
    }
    for half in config.half_size() {
        check_range(
            "spacing x (count - 1)",
            2.0 * half,
            [0.0, MAX_SIZE],
            "m across, through and along",
        )?;
    }
    let particles = Lattice::size(config);
    if particles > MAX_PARTICLES {
        let [across, through, along] = config.count;
        return Err(ModelError::Conflict(format!(
            "the number of moving points in a lattice of {across} x {through} x {along} points is {particles}; it must be at most {MAX_PARTICLES}"
        )));
    }
    Ok(())
}

/// Adds the defaults of all particles.
fn defaults(mjcf: &mut Mjcf, config: &TorsoConfig) {
    let joint = Element::new("joint")
        .with_attribute("type", "slide")
        .with_attribute("axis", [0.0, 0.0, 1.0])
        .with_attribute("group", 3);
    let capsule = capsule(config);
    let mut geom = Element::new("geom")
        .with_attribute("type", "capsule")
        .with_attribute("size", capsule)
        .with_attribute("pos", [0.0, 0.0, -(capsule[0] + capsule[1])])
        .with_attribute("mass", particle_mass(config))
        .with_attribute("friction", FRICTION)
        .with_attribute("contype", 0)
        .with_attribute("group", 3);
    if let Some(contact) = config.contact {
        geom = geom.with_attribute("solref", contact.attribute());
    }
    mjcf.default()
        .add(DefaultClass::new(SHELL).with(joint).with(geom));
}

/// Radius and half length of the capsules [m]. A radius above half of the spacing would only blunt the edges of the probe.
fn capsule(config: &TorsoConfig) -> [f64; 2] {
    let [radius, half_length] = CAPSULE;
    [radius.min(0.5 * config.spacing), half_length]
}

/// Mass of a particle [kg]: the mass per area is the same at any spacing.
fn particle_mass(config: &TorsoConfig) -> f64 {
    MASS * (config.spacing / SPACING).powi(2)
}

/// Weight of a neighbour constraint against the masses that it couples, relative to the thesis. It keeps the tension of the skin the
/// same at any spacing.
///
/// A constraint with stiffness $k$, impedance $d$ and half the mass $m$ of a particle acts as a spring of $k m / 2 (1 - d)$ (MuJoCo
/// documentation, "Solver parameters"); a net of such springs has their tension.
fn neighbor_weight(config: &TorsoConfig) -> f64 {
    (SPACING / config.spacing).powi(2)
}

impl TorsoConfig {
    /// Matches the lattice of a shell to a probe of `thickness` [m], so that the probe does not fall between points: the spacing is at most half
    /// the thickness, or as fine as the limit on particles permits. Only the front is soft.
    pub fn fitted_to_probe(self, thickness: f64) -> Self {
        let mut most = 0.5 * thickness;
        loop {
            let config = self.clone().refined(most);
            if Lattice::size(&config) <= MAX_PARTICLES {
                return config;
            }
            most *= 1.05;
        }
    }

    /// Changes the lattice to a spacing of at most `most` [m], with a soft front only.
    fn refined(self, most: f64) -> Self {
        let spaced = self.with_max_spacing(most);
        let [across, through, along] = spaced.count;
        let (front, ring) = (across * along, 2 * (across + along) - 4);
        let layers = 1 + SOFT_POINTS.saturating_sub(front) / ring;
        Self {
            soft_layers: Some(layers.clamp(2, through - through / 2)),
            ..spaced
        }
    }

    /// Impedance of the rest and of the neighbour constraints of a shell where the factor of its softness is 1.
    pub fn shell_impedances(&self) -> [f64; 2] {
        let neighbors = 1.0 - (1.0 - IMPEDANCE) / neighbor_weight(self);
        [IMPEDANCE, neighbors.max(LEAST_IMPEDANCE)]
    }
}

/// The body that contains the particles, rotated so that its y axis points up.
fn shell(lattice: &Lattice, rest: &Rest, depth: f64, shape: Shape) -> Body {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let mut center = Geom::sphere(2.0 * CAPSULE[0]).name("Gcenter").pos([0.0; 3]);
    if matches!(shape, Shape::Human | Shape::Adult) {
        // MuJoCo's shapes keep their hard centre. In the slim waist of the other shapes, a probe would hit it.
        center = center.conaffinity(0);
    }
    let particles = lattice.moving().map(|index| {
        let suffix = Lattice::suffix(lattice.points[index]);
        Body::new(&format!("B{suffix}"))
            .pos(rest.positions[index])
            .quat(rotation_from_z(rest.axes[index]))
            .with(Element::new("joint").with_attribute("name", format!("J{suffix}")))
            .with(Element::new("geom").with_attribute("name", format!("G{suffix}")))
    });
    Body::new("shell")
        .pos([0.0, 0.0, depth])
        .quat([half, half, 0.0, 0.0])
        .childclass(SHELL)
        .with(center)
        .with_all(particles)
}

/// Factor of the softness at each point, shape `[n_points]`.
fn factors(config: &TorsoConfig, lattice: &Lattice, rest: &Rest) -> Vec<f64> {
    let Some(field) = &config.field else {
        return vec![1.0; lattice.points.len()];
    };
    // The shell's x and -z are the torso's x and y.
    let places = rest.positions.iter();
    places.map(|[x, _, z]| field.at(*x, -z)).collect()
}

/// The `solref` and the impedance of a constraint whose force is larger by a factor at the same displacement, velocity and acceleration.
///
/// MuJoCo's constraint force is $(a + b v + k q) / R$ with $R \propto (1 - d) / d$ for an impedance $d$ (documentation, "Solver parameters").
/// The impedance scales $1 / R$, and the `solref` keeps $b$ and $k$, which depend on the impedance too.
fn scaled(solref: [f64; 2], impedance: f64, factor: f64) -> ([f64; 2], f64) {
    if factor.total_cmp(&1.0).is_eq() {
        return (solref, impedance);
    }
    let other = 1.0 / (1.0 + (1.0 - impedance) / (impedance * factor));
    let [stiffness, damping] = match solref {
        [time, ratio] if time > 0.0 => [1.0 / (time * ratio).powi(2), 2.0 / time],
        [stiffness, damping] => [-stiffness, -damping],
    };
    let change = other / impedance;
    ([-change * stiffness, -change * damping], other)
}

/// Adds rest and neighbour constraints, and the volume constraint.
fn constrain(mjcf: &mut Mjcf, config: &TorsoConfig, lattice: &Lattice, rest: &Rest) {
    let joints: Vec<String> = lattice
        .points
        .iter()
        .map(|&point| format!("J{}", Lattice::suffix(point)))
        .collect();
    let excursion = config
        .breathing
        .as_ref()
        .map(|breathing| Excursion::new(config, breathing, lattice, rest));
    let neighbor_solref = config.neighbor_solref().attribute();
    let factors = factors(config, lattice, rest);
    let [rest_impedance, neighbor_impedance] = config.shell_impedances();
    let rest_solref = config
        .rest
        .map_or([REST_TIME_CONSTANT, 1.0], Solref::attribute);
    for index in lattice.moving() {
        let joint = &joints[index];
        let held = match &excursion {
            None => Equality::joint(joint, None),
            Some(excursion) => Equality::joint(joint, Some(BREATH)).polycoef([
                0.0,
                excursion.rest[index],
                0.0,
                0.0,
                0.0,
            ]),
        };
        let (solref, impedance) = scaled(rest_solref, rest_impedance, factors[index]);
        mjcf.equality()
            .add(held.solref(solref).solimp(vec![impedance; 2]));
        for next in lattice.next_neighbors(index) {
            let factor = 0.5 * (factors[index] + factors[next]);
            let (solref, impedance) = scaled(neighbor_solref, neighbor_impedance, factor);
            let alike = Equality::joint(joint, Some(&joints[next]))
                .solref(solref)
                .solimp(vec![impedance; 2]);
            mjcf.equality().add(alike);
        }
    }
    let mut terms: Vec<(&str, f64)> = lattice
        .moving()
        .map(|index| (joints[index].as_str(), 1.0))
        .collect();
    if let Some(excursion) = &excursion {
        terms.push((BREATH, -excursion.displacement.iter().sum::<f64>()));
    }
    mjcf.tendon().add(FixedTendon::new("T", terms).group(3));
    let (solref, solimp) = VOLUME;
    mjcf.equality()
        .add(Equality::tendon("T").solref(solref).solimp(solimp.to_vec()));
}
