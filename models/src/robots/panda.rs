//! Franka Emika Panda, 7 joints.
//!
//! * Kinematics: Denavit–Hartenberg parameters in Craig's convention and joint position, velocity and torque limits, Franka
//!   Emika, *Robot and interface specifications* (Franka Control Interface documentation); flange at 0.107 m.
//! * Masses, centres of mass and inertias: Gaz, Cognetti, Oliva, Robuffo Giordano, De Luca 2019, "Dynamic identification of the
//!   Franka Emika Panda robot with retrieval of feasible parameters using penalty-based optimization", IEEE RA-L 4(4),
//!   doi:10.1109/LRA.2019.2931248, as given per link in Franka's `franka_description` (`inertial.yaml`).
//!   They reproduce the measured dynamics of the arm, but not the mass of each part: the 0.65 kg of link 2 were not weighed.
//!   All eight tensors are physical (positive, triangle inequality). Link 2 has a margin of only 1.7e-6 kg·m², so no value is altered.
//! * Collision capsules: the coarse self-collision model of `franka_description`.
//! * Damping 0.1 and 0.01 N·m·s/rad as in robosuite's Panda, which the thesis used.
//!   No dry friction: Franka's torque interface takes torques "without gravity and friction", so the arm compensates for it.
//!   Armature 0.1 kg·m² is chosen: the part of the rotor inertia that remains after the torque loop. The reflected inertia is
//!   0.21–0.61 kg·m² (Franka's values for the related FR3).
//! * Shells were drawn for this project after the outline of the arm; they are not Franka's meshes.

use std::f64::consts::FRAC_PI_4;
use std::sync::LazyLock;

use super::arm::{Arm, IDENTITY, Link, X_MINUS_90, X_PLUS_90};
use super::robot::Robot;
use crate::mjcf::{Geom, Material};
use crate::shapes::{MassProperties, Section, lathe, loft, rounded_cylinder};

/// Upper limits of joint speeds [rad/s].
const VELOCITY_LIMITS: [f64; 7] = [2.175, 2.175, 2.175, 2.175, 2.61, 2.61, 2.61];

/// Start pose [rad]: probe straight down, 0.10 m above a 0.105 m torso on the table, elbow up.
const HOME_QPOS: [f64; 7] = [
    0.0,
    0.10823650027943373,
    0.0,
    -2.111221926217109,
    0.0,
    2.2194584264965425,
    0.0,
];

/// Number of vertices around a shell.
const N_AROUND: usize = 28;

/// The Panda.
pub fn panda() -> Robot {
    // The surfaces are generated once.
    static MADE: LazyLock<Robot> = LazyLock::new(make);
    MADE.clone()
}

fn make() -> Robot {
    Robot {
        name: "panda".into(),
        summary: "Franka Emika Panda, 7 joints, 0.855 m reach, 3 kg payload".into(),
        mjcf: arm().finish([0.0, 0.0, 0.107], IDENTITY),
        flange: Some("flange".to_owned()),
        home_qpos: HOME_QPOS.to_vec(),
        velocity_limits: VELOCITY_LIMITS.to_vec(),
        notes: Vec::new(),
    }
}

fn arm() -> Arm {
    let base = mass(
        0.629769,
        [-0.041018, -0.00014, 0.049974],
        [0.00315, 0.00388, 0.004285, 8.2904e-7, 0.00015, 8.2299e-6],
    );
    let mut arm = Arm::new("panda", &base);
    arm.material(
        Material::new("white")
            .rgba([0.93, 0.94, 0.95, 1.0])
            .specular(0.45)
            .shininess(0.7),
    );
    arm.material(
        Material::new("joint")
            .rgba([0.16, 0.17, 0.19, 1.0])
            .specular(0.3)
            .shininess(0.4),
    );
    arm.material(
        Material::new("steel")
            .rgba([0.66, 0.68, 0.7, 1.0])
            .specular(0.7)
            .shininess(0.8),
    );
    arm.material(
        Material::new("status")
            .rgba([0.25, 0.55, 0.95, 1.0])
            .set("emission", 0.5),
    );
    let base_geoms = base_geoms(&mut arm);
    arm.base_geoms(base_geoms);
    for link in links(&mut arm) {
        arm.link(link);
    }
    arm
}

/// A link: pose and limits from Franka, mass properties from Gaz et al.
struct Row {
    name: &'static str,
    joint: &'static str,
    /// Origin in the previous link [m].
    pos: [f64; 3],
    /// Orientation in the previous link: the twist of the row.
    quat: [f64; 4],
    mass: MassProperties,
    /// Joint limits [rad].
    range: [f64; 2],
    /// Torque limit [N·m].
    torque: f64,
}

const fn mass(mass: f64, com: [f64; 3], inertia: [f64; 6]) -> MassProperties {
    MassProperties {
        mass,
        center_of_mass: com,
        inertia,
    }
}

/// Limits of joints whose axes are along the links [rad].
const WIDE: [f64; 2] = [-2.8973, 2.8973];

#[rustfmt::skip]
const ROWS: [Row; 7] = [
    Row {
        name: "link1", joint: "joint1", pos: [0.0, 0.0, 0.333], quat: IDENTITY, range: WIDE, torque: 87.0,
        mass: mass(4.970684, [0.003875, 0.002081, -0.04762], [0.70337, 0.70661, 0.009117, -0.000139, 0.006772, 0.019169]),
    },
    Row {
        name: "link2", joint: "joint2", pos: [0.0; 3], quat: X_MINUS_90, range: [-1.7628, 1.7628], torque: 87.0,
        mass: mass(0.646926, [-0.003141, -0.02872, 0.003495], [0.007962, 0.02811, 0.025995, -0.003925, 0.010254, 0.000704]),
    },
    Row {
        name: "link3", joint: "joint3", pos: [0.0, -0.316, 0.0], quat: X_PLUS_90, range: WIDE, torque: 87.0,
        mass: mass(3.228604, [0.027518, 0.039252, -0.066502], [0.037242, 0.036155, 0.01083, -0.004761, -0.011396, -0.012805]),
    },
    Row {
        name: "link4", joint: "joint4", pos: [0.0825, 0.0, 0.0], quat: X_PLUS_90, range: [-3.0718, -0.0698], torque: 87.0,
        mass: mass(3.587895, [-0.05317, 0.104419, 0.027454], [0.025853, 0.019552, 0.028323, 0.007796, -0.001332, 0.008641]),
    },
    Row {
        name: "link5", joint: "joint5", pos: [-0.0825, 0.384, 0.0], quat: X_MINUS_90, range: WIDE, torque: 12.0,
        mass: mass(1.225946, [-0.011953, 0.041065, -0.038437], [0.035549, 0.029474, 0.008627, -0.002117, -0.004037, 0.000229]),
    },
    Row {
        name: "link6", joint: "joint6", pos: [0.0; 3], quat: X_PLUS_90, range: [-0.0175, 3.7525], torque: 12.0,
        mass: mass(1.666555, [0.060149, -0.014117, -0.010517], [0.001964, 0.004354, 0.005433, 0.000109, -0.001158, 0.000341]),
    },
    Row {
        name: "link7", joint: "joint7", pos: [0.088, 0.0, 0.0], quat: X_PLUS_90, range: WIDE, torque: 12.0,
        mass: mass(0.735522, [0.010517, -0.004252, 0.061597], [0.012516, 0.010027, 0.004815, -0.000428, -0.001196, -0.000741]),
    },
];

fn links(arm: &mut Arm) -> Vec<Link> {
    let geoms = [
        shoulder_geoms(arm),
        upper_arm_geoms(arm),
        elbow_geoms(arm),
        lower_elbow_geoms(arm),
        forearm_geoms(arm),
        wrist_geoms(arm),
        hand_geoms(arm),
    ];
    let link = |(row, geoms): (Row, Vec<Geom>)| Link {
        name: row.name,
        joint: row.joint,
        pos: row.pos,
        quat: row.quat,
        mass: row.mass,
        range: row.range,
        torque: row.torque,
        damping: if row.torque > 50.0 { 0.1 } else { 0.01 },
        armature: 0.1,
        geoms,
    };
    ROWS.into_iter().zip(geoms).map(link).collect()
}

/// A section with this exponent.
fn section(at: f64, center: [f64; 2], half: [f64; 2], exponent: f64) -> Section {
    Section {
        at,
        center,
        half,
        exponent,
    }
}

fn capsule(class: &'static str, from: [f64; 3], to: [f64; 3], radius: f64) -> Geom {
    Geom::capsule_between(from, to, radius).class(class)
}

/// A dark ring about z between two heights [m].
fn seam(radius: f64, span: [f64; 2]) -> Geom {
    let half = (span[1] - span[0]) / 2.0;
    Geom::cylinder([radius, half])
        .pos([0.0, 0.0, span[0] + half])
        .class("visual")
        .material("joint")
}

fn base_geoms(arm: &mut Arm) -> Vec<Geom> {
    let foot = loft(
        &[
            section(0.0, [-0.034, 0.0], [0.103, 0.094], 3.2),
            section(0.012, [-0.034, 0.0], [0.105, 0.096], 3.2),
            section(0.04, [-0.033, 0.0], [0.103, 0.094], 3.0),
            section(0.07, [-0.028, 0.0], [0.094, 0.086], 2.7),
            section(0.095, [-0.016, 0.0], [0.078, 0.074], 2.4),
            section(0.115, [-0.005, 0.0], [0.066, 0.065], 2.1),
            section(0.128, [0.0, 0.0], [0.061, 0.061], 2.0),
            section(0.137, [0.0, 0.0], [0.06, 0.06], 2.0),
        ],
        N_AROUND,
    );
    vec![
        arm.shell("base", &foot, "white"),
        Geom::cylinder([0.0613, 0.0015])
            .pos([0.0, 0.0, 0.131])
            .class("visual")
            .material("status"),
        Geom::cuboid([0.006, 0.05, 0.03])
            .pos([-0.136, 0.0, 0.042])
            .class("visual")
            .material("joint"),
        capsule("trunk", [-0.09, 0.0, 0.06], [-0.06, 0.0, 0.06], 0.06),
    ]
}

/// Link 1: column and shoulder dome. The frame is at the shoulder; joint 2 turns about y.
fn shoulder_geoms(arm: &mut Arm) -> Vec<Geom> {
    let dome = loft(&dome_sections(0.062, 0.0), N_AROUND);
    let mut geoms = vec![
        arm.shell("shoulder", &dome, "white"),
        seam(0.0585, [-0.197, -0.187]),
        capsule("trunk", [0.0, 0.0, -0.24], [0.0, 0.0, -0.05], 0.06),
    ];
    geoms.extend(caps(
        arm,
        "shoulder_cap",
        [0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        0.064,
    ));
    geoms
}

/// A column that ends in a dome of radius `radius` [m] with its drum along y; the seam is at -0.187 m.
fn dome_sections(radius: f64, shift: f64) -> Vec<Section> {
    let mut sections = vec![
        section(-0.187, [0.0; 2], [0.0585; 2], 2.0),
        section(-0.15, [0.0; 2], [0.0585; 2], 2.0),
        section(-0.11, [0.0; 2], [0.0585, 0.0595], 2.1),
        section(-0.075, [shift, 0.0], [0.06, 0.062], 2.4),
        section(-0.035, [shift, 0.0], [radius, 0.065], 2.9),
    ];
    sections.extend(drum_top(radius, 0.066, [shift, 0.0]));
    sections
}

/// The upper half of a drum along y, above the x-y plane.
fn drum_top(radius: f64, half_length: f64, center: [f64; 2]) -> Vec<Section> {
    [0.0, 0.35, 0.6, 0.8, 0.92, 0.985]
        .into_iter()
        .map(|height: f64| {
            let width = (1.0 - height * height).sqrt();
            let taper = 1.0 - 0.22 * height.powi(4);
            section(
                radius * height,
                center,
                [radius * width, half_length * taper],
                3.2,
            )
        })
        .collect()
}

/// Dark caps at both ends of a drum along `axis`.
fn caps(
    arm: &mut Arm,
    name: &str,
    center: [f64; 3],
    axis: [f64; 3],
    half_length: f64,
) -> Vec<Geom> {
    let cap = lathe(
        &[
            [0.047, -0.004],
            [0.047, 0.001],
            [0.044, 0.0035],
            [0.036, 0.0055],
            [0.016, 0.0065],
        ],
        N_AROUND,
    );
    let geom = arm.shell(name, &cap, "joint");
    [1.0, -1.0]
        .into_iter()
        .map(|side| {
            let pos = std::array::from_fn(|i| center[i] + side * half_length * axis[i]);
            geom.clone().pos(pos).zaxis(axis.map(|x| side * x))
        })
        .collect()
}

/// Link 2: the tube above the shoulder, along -y.
fn upper_arm_geoms(arm: &mut Arm) -> Vec<Geom> {
    let tube = loft(
        &[
            section(-0.02, [0.0; 2], [0.05, 0.05], 2.4),
            section(0.03, [0.0; 2], [0.0605, 0.056], 2.4),
            section(0.08, [0.0; 2], [0.0595, 0.0585], 2.1),
            section(0.11, [0.0; 2], [0.0585; 2], 2.0),
            section(0.136, [0.0; 2], [0.0585; 2], 2.0),
        ],
        N_AROUND,
    );
    let along_minus_y = tube.map(|[u, v, s]| [u, -s, v]);
    vec![
        arm.shell("upper_arm", &along_minus_y, "white"),
        Geom::cylinder([0.0585, 0.005])
            .pos([0.0, -0.141, 0.0])
            .zaxis([0.0, 1.0, 0.0])
            .class("visual")
            .material("joint"),
        capsule("trunk", [0.0, 0.0, -0.06], [0.0, 0.0, 0.06], 0.06),
    ]
}

/// Link 3: the tube below the elbow and its overhang; joint 4 rotates about -y at x = 0.0825 m.
fn elbow_geoms(arm: &mut Arm) -> Vec<Geom> {
    let shell = loft(&elbow_sections(), N_AROUND);
    let mut geoms = vec![
        arm.shell("elbow", &shell, "white"),
        capsule("trunk", [0.0, 0.0, -0.22], [0.0, 0.0, -0.07], 0.06),
    ];
    geoms.extend(caps(
        arm,
        "elbow_cap",
        [0.0825, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        0.062,
    ));
    geoms
}

/// From a tube on the z axis to a drum about y at x = 0.0825 m.
fn elbow_sections() -> Vec<Section> {
    vec![
        section(-0.17, [0.0, 0.0], [0.0585, 0.0585], 2.0),
        section(-0.14, [0.001, 0.0], [0.0585, 0.0585], 2.0),
        section(-0.11, [0.008, 0.0], [0.064, 0.059], 2.2),
        section(-0.08, [0.022, 0.0], [0.076, 0.06], 2.5),
        section(-0.05, [0.036, 0.0], [0.088, 0.062], 2.8),
        section(-0.02, [0.045, 0.0], [0.093, 0.063], 3.0),
        section(0.005, [0.051, 0.0], [0.089, 0.064], 3.0),
        section(0.026, [0.06, 0.0], [0.076, 0.063], 3.0),
        section(0.042, [0.069, 0.0], [0.056, 0.06], 2.9),
        section(0.053, [0.077, 0.0], [0.034, 0.056], 2.8),
        section(0.0585, [0.0815, 0.0], [0.012, 0.05], 2.8),
    ]
}

/// Link 4: the elbow shape of link 3 upside down, from the elbow to the forearm, along y.
fn lower_elbow_geoms(arm: &mut Arm) -> Vec<Geom> {
    let shell = loft(&elbow_sections(), N_AROUND).map(|[u, v, s]| [u - 0.0825, -s, v * 0.86]);
    vec![
        arm.shell("lower_elbow", &shell, "white"),
        Geom::cylinder([0.0585, 0.005])
            .pos([-0.0825, 0.175, 0.0])
            .zaxis([0.0, 1.0, 0.0])
            .class("visual")
            .material("joint"),
        capsule("wrist", [0.0, 0.0, -0.06], [0.0, 0.0, 0.06], 0.06),
    ]
}

/// Link 5: the forearm, bent to +y near the wrist; joint 6 rotates about -y.
fn forearm_geoms(arm: &mut Arm) -> Vec<Geom> {
    let shell = loft(
        &[
            section(-0.204, [0.0, 0.0], [0.0585, 0.0585], 2.0),
            section(-0.18, [0.0, 0.001], [0.0585, 0.0585], 2.0),
            section(-0.155, [0.0, 0.01], [0.056, 0.056], 2.1),
            section(-0.13, [0.0, 0.027], [0.051, 0.05], 2.2),
            section(-0.105, [0.0, 0.044], [0.047, 0.043], 2.3),
            section(-0.08, [0.0, 0.057], [0.045, 0.037], 2.4),
            section(-0.05, [0.0, 0.066], [0.046, 0.032], 2.5),
            section(-0.02, [0.0, 0.069], [0.048, 0.029], 2.7),
            section(0.01, [0.0, 0.069], [0.047, 0.029], 2.7),
            section(0.032, [0.0, 0.069], [0.037, 0.027], 2.5),
            section(0.044, [0.0, 0.069], [0.022, 0.022], 2.3),
            section(0.049, [0.0, 0.069], [0.008, 0.012], 2.0),
        ],
        N_AROUND,
    );
    vec![
        arm.shell("forearm", &shell, "white"),
        Geom::cylinder([0.036, 0.003])
            .pos([0.0, 0.098, 0.0])
            .zaxis([0.0, 1.0, 0.0])
            .class("visual")
            .material("joint"),
        capsule("wrist", [0.0, 0.0, -0.31], [0.0, 0.0, -0.21], 0.06),
        capsule("wrist", [0.0, 0.08, -0.2], [0.0, 0.08, -0.06], 0.025),
    ]
}

/// Link 6: the wrist, from the drum about z to the last joint about -y at x = 0.088 m.
fn wrist_geoms(arm: &mut Arm) -> Vec<Geom> {
    let shell = loft(
        &[
            section(-0.05, [0.0, 0.006], [0.012, 0.03], 2.4),
            section(-0.043, [0.0, 0.006], [0.028, 0.043], 2.8),
            section(-0.026, [0.0, 0.006], [0.043, 0.048], 3.2),
            section(0.0, [0.0, 0.006], [0.05, 0.049], 3.4),
            section(0.035, [0.002, 0.005], [0.049, 0.049], 3.2),
            section(0.065, [0.004, 0.002], [0.05, 0.048], 2.8),
            section(0.092, [0.005, 0.0], [0.051, 0.047], 2.6),
            section(0.115, [0.004, 0.0], [0.048, 0.041], 2.5),
            section(0.13, [0.002, 0.0], [0.04, 0.028], 2.4),
            section(0.137, [0.0, 0.0], [0.028, 0.012], 2.2),
        ],
        N_AROUND,
    )
    .map(|[u, v, s]| [s, u, v]);
    vec![
        arm.shell("wrist", &shell, "white"),
        Geom::cylinder([0.036, 0.003])
            .pos([0.0, 0.0, 0.056])
            .class("visual")
            .material("joint"),
        capsule("wrist", [0.0, 0.0, -0.07], [0.0, 0.0, 0.01], 0.05),
    ]
}

/// Link 7: the collar, the pilot disc and the ISO 9409-1-50 flange, along z.
fn hand_geoms(arm: &mut Arm) -> Vec<Geom> {
    let collar = rounded_cylinder(0.046, [0.058, 0.096], 0.008, N_AROUND);
    let pilot = rounded_cylinder(0.03, [0.062, 0.092], 0.008, N_AROUND);
    let towards_pilot = FRAC_PI_4.cos() * 0.048;
    vec![
        arm.shell("collar", &collar, "white"),
        arm.shell("pilot", &pilot, "white")
            .pos([towards_pilot, -towards_pilot, 0.0]),
        seam(0.043, [0.046, 0.06]),
        Geom::cylinder([0.0315, 0.007])
            .pos([0.0, 0.0, 0.1])
            .class("visual")
            .material("steel"),
        capsule("wrist", [0.0, 0.0, -0.06], [0.0, 0.0, 0.08], 0.04),
    ]
}
