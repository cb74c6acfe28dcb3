//! Bodies, joints, loop closures, tendons and motors.

use super::PsmConfig;
use super::links::{Motion, Row, rows};
use super::parameters::{
    BAR_LENGTH, Friction, JAW_A_FRICTION, JAW_B_FRICTION, JAW_TO_JAW_FRICTION, JAWS_RANGE,
    LOWER_PIN, MOTOR_6_FRICTION, MOTOR_7_FRICTION, MOTOR_LIMITS, PIN_OFFSET, WRIST_FRICTION,
    WRIST_FROM_MOTORS, WRIST_ROTOR,
};
use super::{REMOTE_CENTER_HEIGHT, REMOTE_CENTER_REACH, shells};
use crate::mjcf::{Body, Camera, DefaultClass, Element, FixedTendon, Inertial, Joint, Mjcf, Site};
use crate::robots::arm::class_geom;

/// Joints of the wrist and the jaws.
const WRIST_JOINTS: [&str; 3] = ["wrist_pitch", "jaw_a", "jaw_b"];

/// Motors 1 to 7: name, and the joint or tendon that each drives.
const MOTORS: [(&str, &str, &str); 7] = [
    ("motor_1", "joint", "yaw"),
    ("motor_2", "joint", "pitch"),
    ("motor_3", "joint", "insertion"),
    ("motor_4", "joint", "roll"),
    ("motor_5", "tendon", "motor_5"),
    ("motor_6", "tendon", "motor_6"),
    ("motor_7", "tendon", "motor_7"),
];

/// The loop closures are stiff: the least time constant [s] that MuJoCo permits for this time step or a shorter one, with almost no slack.
const CLOSURE_SOLREF: [f64; 2] = [0.002, 1.0];
const CLOSURE_SOLIMP: [f64; 3] = [0.999, 0.9999, 1e-5];

/// Friction is equally stiff: the regularisation leaves a creep of 1 % of the Coulomb force over a wrist's inertia, below 0.01 rad/s.
const FRICTION_SOLREF: [f64; 2] = [0.002, 1.0];
const FRICTION_SOLIMP: [f64; 3] = [0.99, 0.999, 1e-3];

/// The MJCF document of the PSM.
pub(super) fn build(config: PsmConfig) -> Mjcf {
    let mut mjcf = Mjcf::new("psm");
    for (class, contype, conaffinity, group) in
        [("visual", 0, 0, 2), ("trunk", 1, 2, 3), ("wrist", 3, 0, 3)]
    {
        mjcf.default()
            .add(DefaultClass::new(class).with(class_geom(contype, conaffinity, group)));
    }
    shells::materials(&mut mjcf);
    let base = base(&mut mjcf, config);
    mjcf.worldbody().add(base);
    close_loops(&mut mjcf, config);
    add_tendons(&mut mjcf);
    add_motors(&mut mjcf);
    mjcf
}

fn base(mjcf: &mut Mjcf, config: PsmConfig) -> Body {
    // Frame 0 has x to the left and y forward.
    let turned = [
        std::f64::consts::FRAC_1_SQRT_2,
        0.0,
        0.0,
        -std::f64::consts::FRAC_1_SQRT_2,
    ];
    let pivot = [REMOTE_CENTER_REACH - BAR_LENGTH, 0.0, REMOTE_CENTER_HEIGHT];
    let frame_0 = Body::new("frame_0").pos(pivot).quat(turned).with(
        Site::new("remote_center")
            .pos([0.0, BAR_LENGTH, 0.0])
            .group(4),
    );
    Body::new("base")
        .with_all(shells::base(mjcf))
        .with(
            Camera::new("overview")
                .pos([0.62, -1.25, 0.72])
                .xyaxes([0.94, 0.34, 0.0, -0.095, 0.262, 0.96])
                .fovy(46.0),
        )
        .with(subtree(mjcf, frame_0, 0, config))
}

/// Adds the links that are attached to frame `frame` to `body`.
fn subtree(mjcf: &mut Mjcf, mut body: Body, frame: usize, config: PsmConfig) -> Body {
    for row in rows().into_iter().filter(|row| row.parent == frame) {
        if row.name == "counterweight" && !config.counterweight {
            continue;
        }
        let child = link(mjcf, &row, config);
        body = body.with(subtree(mjcf, child, row.frame, config));
    }
    body
}

fn link(mjcf: &mut Mjcf, row: &Row, config: PsmConfig) -> Body {
    let mass = &row.mass;
    let inertial = Inertial::new(mass.mass, mass.center_of_mass).fullinertia(mass.inertia);
    let body = Body::new(row.name)
        .pos(row.pos())
        .quat(row.quat())
        .with(inertial)
        .with(joint(row));
    body.with_all(shells::link(mjcf, row.name, config.instrument))
}

fn joint(row: &Row) -> Joint {
    let joint = match row.motion {
        Motion::Turn => Joint::hinge(row.joint),
        Motion::Slide => Joint::slide(row.joint),
    };
    let mut joint = joint.axis([0.0, 0.0, 1.0]);
    if let Some(range) = row.range {
        joint = joint.range(range);
    }
    if let Some(friction) = row.friction {
        joint = joint
            .damping(friction.viscous)
            .set("frictionloss", friction.coulomb)
            .set("solreffriction", FRICTION_SOLREF)
            .set("solimpfriction", FRICTION_SOLIMP);
    }
    if row.armature > 0.0 {
        joint = joint.armature(row.armature);
    }
    if row.stiffness > 0.0 {
        joint = joint.stiffness(row.stiffness);
    }
    joint
}

/// Adds the pins that close the loops of the body tree, and the transmission of the counterweight.
fn close_loops(mjcf: &mut Mjcf, config: PsmConfig) {
    let pin = |name: &str, body1: &str, body2: &str, anchor: [f64; 3]| {
        Element::new("connect")
            .with_attribute("name", name)
            .with_attribute("body1", body1)
            .with_attribute("body2", body2)
            .with_attribute("anchor", anchor)
            .with_attribute("solref", CLOSURE_SOLREF)
            .with_attribute("solimp", CLOSURE_SOLIMP)
    };
    let equality = mjcf.equality();
    equality.add(pin(
        "support_pin",
        "support",
        "yaw_link",
        [-PIN_OFFSET, -LOWER_PIN, 0.0],
    ));
    equality.add(pin("rail_pin", "upper_bar", "rail", [BAR_LENGTH, 0.0, 0.0]));
    if config.counterweight {
        equality.add(
            Element::new("joint")
                .with_attribute("name", "transmission")
                .with_attribute("joint1", "counterweight")
                .with_attribute("joint2", "insertion")
                .with_attribute("solref", CLOSURE_SOLREF)
                .with_attribute("solimp", CLOSURE_SOLIMP),
        );
    }
}

/// Fixed tendons: the angles of motors 5 to 7, and the angle between the jaws.
fn add_tendons(mjcf: &mut Mjcf) {
    let [wrist, a, b] = WRIST_JOINTS;
    let [[pitch, ..], [coupled, jaw, _], _] = WRIST_FROM_MOTORS;
    let from_wrist = -coupled / (pitch * jaw);
    let with_friction = |tendon: FixedTendon, friction: Friction| {
        tendon
            .set("frictionloss", friction.coulomb)
            .set("solreffriction", FRICTION_SOLREF)
            .set("solimpfriction", FRICTION_SOLIMP)
            .set("damping", friction.viscous)
    };
    let tendons = [
        FixedTendon::new("motor_5", [(wrist, 1.0 / pitch)]),
        with_friction(
            FixedTendon::new("motor_6", [(wrist, from_wrist), (a, 1.0 / jaw)]),
            MOTOR_6_FRICTION,
        )
        .set("armature", WRIST_ROTOR),
        with_friction(
            FixedTendon::new("motor_7", [(wrist, from_wrist), (b, 1.0 / jaw)]),
            MOTOR_7_FRICTION,
        )
        .set("armature", WRIST_ROTOR),
        with_friction(
            FixedTendon::new("jaws", [(b, 1.0), (a, -1.0)]),
            JAW_TO_JAW_FRICTION,
        )
        .set("range", JAWS_RANGE),
    ];
    for tendon in tendons {
        mjcf.tendon().add(tendon);
    }
}

fn add_motors(mjcf: &mut Mjcf) {
    for (((name, kind, moved), limit), offset) in
        MOTORS.into_iter().zip(MOTOR_LIMITS).zip(motor_offsets())
    {
        mjcf.actuator().add(
            Element::new("general")
                .with_attribute("name", name)
                .with_attribute(kind, moved)
                .with_attribute("ctrlrange", [-limit, limit])
                .with_attribute("biastype", "affine")
                .with_attribute("biasprm", [-offset, 0.0, 0.0]),
        );
    }
}

/// The friction offsets of joints, motors and jaws, as torques that motors 1 to 7 must overcome [N·m, motor 3: N].
fn motor_offsets() -> [f64; 7] {
    let joint = |name: &str| {
        let row = rows().into_iter().find(|row| row.joint == name);
        row.and_then(|row| row.friction)
            .map_or(0.0, |friction| friction.offset)
    };
    let at_joints = [
        WRIST_FRICTION.offset,
        JAW_A_FRICTION.offset - JAW_TO_JAW_FRICTION.offset,
        JAW_B_FRICTION.offset + JAW_TO_JAW_FRICTION.offset,
    ];
    let at_motor = |motor: usize| -> f64 {
        WRIST_FROM_MOTORS
            .iter()
            .zip(at_joints)
            .map(|(row, torque)| row[motor] * torque)
            .sum()
    };
    [
        joint("yaw"),
        joint("pitch"),
        joint("insertion"),
        joint("roll"),
        at_motor(0),
        at_motor(1) + MOTOR_6_FRICTION.offset,
        at_motor(2) + MOTOR_7_FRICTION.offset,
    ]
}
