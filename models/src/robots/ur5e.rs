//! Universal Robots UR5e, 6 joints.
//!
//! * Kinematics, masses and centres of mass: Universal Robots, *DH parameters for calculations of kinematics and dynamics*
//!   (support article), UR5e; standard Denavit–Hartenberg convention, centres of mass in the DH frames.
//! * Inertias: `physical_parameters.yaml` of Universal Robots' ROS 2 description, UR5e, in the DH frames.
//!   All are physical (positive, triangle inequality). The base (4 kg, cylinder) is from the same file, which marks it as doubtful; it
//!   never moves.
//! * Limits: UR5e user manual 5.8 and *Max. joint torques* (support article): ±360°, 180°/s, 150 and 28 N·m. The elbow gets
//!   ±180° as in the manufacturer's own description, because the shoulder blocks it beyond this.
//! * Damping 0.1 and 0.01 N·m·s/rad and armature 0.1 kg·m² are chosen, as for the Panda: the manufacturer publishes neither.
//! * The base is rotated by 180° as in the manufacturer's ROS description, so that the arm reaches along +x at zero angles.
//! * Shells were drawn for this project after the outline of the arm; they are not Universal Robots' meshes. The tubes are offset from the
//!   joint centres by 0.138 m and 0.007 m, as measured in the manufacturer's description.

use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::LazyLock;

use super::arm::{Arm, IDENTITY, Link, X_MINUS_90, X_PLUS_90};
use super::robot::Robot;
use crate::mjcf::{Geom, Material};
use crate::shapes::{MassProperties, lathe, rounded_cylinder};

/// Upper limits of joint speeds [rad/s].
const VELOCITY_LIMITS: [f64; 6] = [PI; 6];

/// Start pose [rad]: probe straight down, 0.10 m above a 0.105 m torso on the table, elbow up.
const HOME_QPOS: [f64; 6] = [
    -0.24034293093736722,
    -1.4055822221312493,
    1.7088127591637148,
    -1.8740268638273618,
    -FRAC_PI_2,
    -1.811139257732264,
];

/// Offset of the upper arm's tube from the joint centres along the shoulder axis [m].
const SHOULDER_OFFSET: f64 = 0.138;
/// Offset of the forearm's tube [m].
const ELBOW_OFFSET: f64 = 0.007;

/// Number of vertices around a shell.
const N_AROUND: usize = 24;

/// The UR5e.
pub fn ur5e() -> Robot {
    // The surfaces are generated once.
    static MADE: LazyLock<Robot> = LazyLock::new(make);
    MADE.clone()
}

fn make() -> Robot {
    Robot {
        name: "ur5e".into(),
        summary: "Universal Robots UR5e, 6 joints, 0.85 m reach, 5 kg payload".into(),
        mjcf: arm().finish([0.0, 0.0, 0.0996], IDENTITY),
        flange: Some("flange".to_owned()),
        home_qpos: HOME_QPOS.to_vec(),
        velocity_limits: VELOCITY_LIMITS.to_vec(),
        notes: Vec::new(),
    }
}

fn arm() -> Arm {
    let base = MassProperties {
        mass: 4.0,
        center_of_mass: [0.0, 0.0, 0.025],
        inertia: [0.00443333, 0.00443333, 0.0072, 0.0, 0.0, 0.0],
    };
    let mut arm = Arm::new("ur5e", &base);
    arm.material(
        Material::new("aluminium")
            .rgba([0.73, 0.75, 0.77, 1.0])
            .specular(0.6)
            .shininess(0.6),
    );
    arm.material(
        Material::new("tube")
            .rgba([0.82, 0.83, 0.84, 1.0])
            .specular(0.5)
            .shininess(0.5),
    );
    arm.material(
        Material::new("joint")
            .rgba([0.13, 0.14, 0.15, 1.0])
            .specular(0.3)
            .shininess(0.4),
    );
    arm.material(
        Material::new("cap")
            .rgba([0.35, 0.6, 0.82, 1.0])
            .specular(0.4)
            .shininess(0.6),
    );
    let base_geoms = base_geoms(&mut arm);
    arm.base_geoms(base_geoms);
    for link in links(&mut arm) {
        arm.link(link);
    }
    arm
}

/// The twist of a DH row.
#[derive(Clone, Copy)]
enum Twist {
    Minus90,
    Zero,
    Plus90,
}

impl Twist {
    /// Transforms a vector from the row's frame to the previous frame.
    fn rotate(self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        match self {
            Self::Minus90 => [x, z, -y],
            Self::Zero => [x, y, z],
            Self::Plus90 => [x, -z, y],
        }
    }

    fn quat(self) -> [f64; 4] {
        match self {
            Self::Minus90 => X_MINUS_90,
            Self::Zero => IDENTITY,
            Self::Plus90 => X_PLUS_90,
        }
    }
}

/// A row of the manufacturer's table.
struct Row {
    name: &'static str,
    joint: &'static str,
    /// Link length [m].
    a: f64,
    /// Joint offset [m].
    d: f64,
    alpha: Twist,
    /// Mass [kg].
    mass: f64,
    /// Centre of mass in the row's DH frame [m].
    com: [f64; 3],
    /// Inertia in the row's DH frame, `[xx, yy, zz, xy, xz, yz]` [kg·m²].
    inertia: [f64; 6],
    /// Torque limit [N·m].
    torque: f64,
}

impl Row {
    /// Mass properties in the link's frame, which is the DH frame of the previous row, rotated by the joint.
    fn mass_properties(&self) -> MassProperties {
        let [x, y, z] = self.alpha.rotate(self.com);
        let [xx, yy, zz, xy, xz, yz] = self.inertia;
        let inertia = match self.alpha {
            Twist::Minus90 => [xx, zz, yy, xz, -xy, -yz],
            Twist::Zero => self.inertia,
            Twist::Plus90 => [xx, zz, yy, -xz, xy, -yz],
        };
        MassProperties {
            mass: self.mass,
            center_of_mass: [x + self.a, y, z + self.d],
            inertia,
        }
    }
}

const ROWS: [Row; 6] = [
    Row {
        name: "shoulder",
        joint: "shoulder_pan_joint",
        a: 0.0,
        d: 0.1625,
        alpha: Twist::Plus90,
        mass: 3.761,
        com: [0.0, -0.02561, 0.00193],
        inertia: [
            0.0070021, 0.00648091, 0.00657286, 7.3e-7, -1.053e-5, 0.00049994,
        ],
        torque: 150.0,
    },
    Row {
        name: "upper_arm",
        joint: "shoulder_lift_joint",
        a: -0.425,
        d: 0.0,
        alpha: Twist::Zero,
        mass: 8.058,
        com: [0.2125, 0.0, 0.11336],
        inertia: [
            0.01505885, 0.33388086, 0.33247207, -5.4e-5, 5.63e-6, -1.81e-6,
        ],
        torque: 150.0,
    },
    Row {
        name: "forearm",
        joint: "elbow_joint",
        a: -0.3922,
        d: 0.0,
        alpha: Twist::Zero,
        mass: 2.846,
        com: [0.15, 0.0, 0.0265],
        inertia: [
            0.00399632, 0.07879254, 0.0784851, -1.365e-5, 0.00137272, -6.6e-6,
        ],
        torque: 150.0,
    },
    Row {
        name: "wrist_1",
        joint: "wrist_1_joint",
        a: 0.0,
        d: 0.1333,
        alpha: Twist::Plus90,
        mass: 1.37,
        com: [0.0, -0.0018, 0.01634],
        inertia: [
            0.00165491, 0.00135962, 0.00126279, -2.82e-6, -4.38e-6, 0.00010157,
        ],
        torque: 28.0,
    },
    Row {
        name: "wrist_2",
        joint: "wrist_2_joint",
        a: 0.0,
        d: 0.0997,
        alpha: Twist::Minus90,
        mass: 1.3,
        com: [0.0, 0.0018, 0.01634],
        inertia: [
            0.00135617, 0.00127827, 0.00096614, -2.74e-6, 4.44e-6, -5.048e-5,
        ],
        torque: 28.0,
    },
    Row {
        name: "wrist_3",
        joint: "wrist_3_joint",
        a: 0.0,
        d: 0.0996,
        alpha: Twist::Zero,
        mass: 0.365,
        com: [0.0, 0.0, -0.001159],
        inertia: [0.00018694, 0.00018908, 0.00025756, 6e-8, -1.7e-7, -9.2e-7],
        torque: 28.0,
    },
];

fn links(arm: &mut Arm) -> Vec<Link> {
    const HALF_TURN_ABOUT_Z: [f64; 4] = [0.0, 0.0, 0.0, 1.0];
    let geoms = [
        shoulder_geoms(arm),
        upper_arm_geoms(arm),
        forearm_geoms(arm),
        wrist_1_geoms(arm),
        wrist_2_geoms(arm),
        wrist_3_geoms(arm),
    ];
    let mut pose = ([0.0; 3], HALF_TURN_ABOUT_Z);
    let mut links = Vec::new();
    for (row, geoms) in ROWS.iter().zip(geoms) {
        let limit = if row.joint == "elbow_joint" {
            PI
        } else {
            2.0 * PI
        };
        links.push(Link {
            name: row.name,
            joint: row.joint,
            pos: pose.0,
            quat: pose.1,
            mass: row.mass_properties(),
            range: [-limit, limit],
            torque: row.torque,
            damping: if row.torque > 50.0 { 0.1 } else { 0.01 },
            armature: 0.1,
            geoms,
        });
        pose = ([row.a, 0.0, row.d], row.alpha.quat());
    }
    links
}

fn capsule(class: &'static str, from: [f64; 3], to: [f64; 3], radius: f64) -> Geom {
    Geom::capsule_between(from, to, radius).class(class)
}

/// A motor housing along `axis` through `center`: from its seam at `span[0]` to its blue cap at `span[1]` [m].
fn housing(
    arm: &mut Arm,
    name: &str,
    center: [f64; 3],
    axis: [f64; 3],
    radius: f64,
    span: [f64; 2],
) -> Vec<Geom> {
    let (seam, end) = (span[0], span[1]);
    let body = rounded_cylinder(radius, [seam, end], 0.006, N_AROUND);
    let cap = lathe(
        &[
            [radius * 0.94, end - 0.008],
            [radius * 0.94, end + 0.004],
            [radius * 0.88, end + 0.009],
            [radius * 0.7, end + 0.0125],
            [radius * 0.35, end + 0.0145],
        ],
        N_AROUND,
    );
    let at = |along: f64| std::array::from_fn(|i| center[i] + along * axis[i]);
    vec![
        arm.shell(name, &body, "aluminium").pos(center).zaxis(axis),
        arm.shell(&format!("{name}_cap"), &cap, "cap")
            .pos(center)
            .zaxis(axis),
        Geom::cylinder([radius * 0.955, 0.004])
            .pos(at(seam - 0.001))
            .zaxis(axis)
            .class("visual")
            .material("joint"),
    ]
}

/// A tube along -x from `from` to `to` [m], with flared ends at both housings.
fn tube(arm: &mut Arm, name: &str, offset: f64, span: [f64; 2], radii: [f64; 2]) -> Geom {
    let (from, to) = (span[0], span[1]);
    let at = |share: f64| from + share * (to - from);
    let radius = |share: f64| radii[0] + share * (radii[1] - radii[0]);
    let profile = [
        [radius(0.0) * 1.1, at(0.0)],
        [radius(0.0) * 1.1, at(0.17)],
        [radius(0.0) * 1.06, at(0.19)],
        [radius(0.2), at(0.21)],
        [radius(0.8), at(0.79)],
        [radius(1.0) * 1.06, at(0.81)],
        [radius(1.0) * 1.1, at(0.83)],
        [radius(1.0) * 1.1, at(1.0)],
    ];
    arm.shell(name, &lathe(&profile, N_AROUND), "tube")
        .pos([0.0, 0.0, offset])
        .zaxis([-1.0, 0.0, 0.0])
}

fn base_geoms(arm: &mut Arm) -> Vec<Geom> {
    let foot = lathe(
        &[
            [0.0745, 0.0],
            [0.0745, 0.018],
            [0.073, 0.022],
            [0.066, 0.03],
            [0.064, 0.04],
            [0.064, 0.075],
            [0.062, 0.082],
        ],
        N_AROUND,
    );
    vec![
        arm.shell("base", &foot, "aluminium"),
        Geom::cylinder([0.061, 0.006])
            .pos([0.0, 0.0, 0.085])
            .class("visual")
            .material("joint"),
        Geom::cylinder([0.018, 0.012])
            .pos([-0.06, 0.0, 0.038])
            .zaxis([1.0, 0.0, 0.0])
            .class("visual")
            .material("joint"),
    ]
}

/// Link 1: column; the shoulder axis is -y at 0.1625 m.
fn shoulder_geoms(arm: &mut Arm) -> Vec<Geom> {
    let column = rounded_cylinder(0.0635, [0.09, 0.215], 0.022, N_AROUND);
    let mut geoms = vec![
        arm.shell("column", &column, "aluminium"),
        capsule("trunk", [0.0, 0.0, 0.1], [0.0, 0.0, 0.16], 0.066),
    ];
    geoms.extend(housing(
        arm,
        "shoulder",
        [0.0, 0.0, 0.1625],
        [0.0, 1.0, 0.0],
        0.0605,
        [-0.068, 0.062],
    ));
    geoms
}

/// Link 2: the tube along -x next to the shoulder, with a housing at each end.
fn upper_arm_geoms(arm: &mut Arm) -> Vec<Geom> {
    let end = [-0.425, 0.0, SHOULDER_OFFSET];
    let mut geoms = vec![
        tube(
            arm,
            "upper_tube",
            SHOULDER_OFFSET,
            [0.0, 0.425],
            [0.05, 0.048],
        ),
        capsule("trunk", [0.0, 0.0, SHOULDER_OFFSET], end, 0.06),
    ];
    geoms.extend(housing(
        arm,
        "upper_arm",
        [0.0, 0.0, SHOULDER_OFFSET],
        [0.0, 0.0, 1.0],
        0.0605,
        [-0.064, 0.06],
    ));
    geoms.extend(housing(
        arm,
        "elbow",
        end,
        [0.0, 0.0, 1.0],
        0.0585,
        [-0.064, 0.058],
    ));
    geoms
}

/// Link 3: the thinner tube, in the plane of the joint centres.
fn forearm_geoms(arm: &mut Arm) -> Vec<Geom> {
    let end = [-0.3922, 0.0, ELBOW_OFFSET];
    let mut geoms = vec![
        tube(
            arm,
            "lower_tube",
            ELBOW_OFFSET,
            [0.0, 0.3922],
            [0.0435, 0.0365],
        ),
        capsule("wrist", [0.0, 0.0, ELBOW_OFFSET], end, 0.05),
    ];
    geoms.extend(housing(
        arm,
        "forearm",
        [0.0, 0.0, ELBOW_OFFSET],
        [0.0, 0.0, -1.0],
        0.0585,
        [-0.062, 0.055],
    ));
    geoms.extend(housing(
        arm,
        "forearm_end",
        end,
        [0.0, 0.0, -1.0],
        0.0455,
        [-0.062, 0.047],
    ));
    geoms
}

/// Link 4: a housing along z and one along the next axis, -y.
fn wrist_1_geoms(arm: &mut Arm) -> Vec<Geom> {
    let center = [0.0, 0.0, 0.1333];
    let mut geoms = vec![capsule("wrist", [0.0, 0.0, 0.06], [0.0, 0.0, 0.15], 0.045)];
    geoms.extend(housing(
        arm,
        "wrist_1",
        center,
        [0.0, 0.0, 1.0],
        0.0455,
        [-0.058, 0.047],
    ));
    geoms.extend(neck(arm, "wrist_1_neck", center, [0.0, -1.0, 0.0]));
    geoms
}

/// Link 5: as link 4, with the next axis along +y.
fn wrist_2_geoms(arm: &mut Arm) -> Vec<Geom> {
    let center = [0.0, 0.0, 0.0997];
    let mut geoms = vec![capsule("wrist", [0.0, 0.0, 0.05], [0.0, 0.0, 0.115], 0.045)];
    geoms.extend(housing(
        arm,
        "wrist_2",
        center,
        [0.0, 0.0, 1.0],
        0.0455,
        [-0.045, 0.047],
    ));
    geoms.extend(neck(arm, "wrist_2_neck", center, [0.0, 1.0, 0.0]));
    geoms
}

/// The part of a wrist housing that carries the next joint.
fn neck(arm: &mut Arm, name: &str, center: [f64; 3], axis: [f64; 3]) -> Vec<Geom> {
    let body = rounded_cylinder(0.0435, [0.0, 0.05], 0.003, N_AROUND);
    vec![arm.shell(name, &body, "aluminium").pos(center).zaxis(axis)]
}

/// Link 6: the ISO 9409-1-50 tool flange.
fn wrist_3_geoms(arm: &mut Arm) -> Vec<Geom> {
    let flange = lathe(
        &[
            [0.041, 0.054],
            [0.0415, 0.057],
            [0.0415, 0.079],
            [0.039, 0.083],
            [0.0325, 0.084],
            [0.0315, 0.085],
            [0.0315, 0.0996],
        ],
        N_AROUND,
    );
    vec![
        arm.shell("tool_flange", &flange, "aluminium"),
        Geom::cylinder([0.0405, 0.003])
            .pos([0.0, 0.0, 0.052])
            .class("visual")
            .material("joint"),
        capsule("wrist", [0.0, 0.0, 0.05], [0.0, 0.0, 0.065], 0.0375),
    ]
}
