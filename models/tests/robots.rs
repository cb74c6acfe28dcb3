//! Contract: every robot that carries a probe is a serial arm of torque motors with physical inertias and published limits. Its shells do
//! not collide, its forward kinematics matches the manufacturer's Denavit–Hartenberg table, and its start pose holds a probe
//! straight down above the table.

#![expect(clippy::unwrap_used, reason = "a missing element fails the test")]

use insonate_models::arena::ROBOT_BASE;
use insonate_models::mjcf::{Element, Namespace};
use insonate_models::robots::{self, Robot};
use nalgebra::{Isometry3, Matrix3, Quaternion, Translation3, UnitQuaternion, Vector3};
use std::f64::consts::{FRAC_PI_2, PI};

/// Tolerance of positions [m]; rounding alone gives 1e-15.
const POSITION_TOLERANCE: f64 = 1e-9;
/// Number of random joint vectors per robot.
const N_SAMPLES: u64 = 200;

/// `world_from_body` from the element's `pos` and `quat`.
fn local_pose(element: &Element) -> Isometry3<f64> {
    let [x, y, z] = element.array("pos").unwrap_or_default();
    let [w, i, j, k] = element.array("quat").unwrap_or([1.0, 0.0, 0.0, 0.0]);
    Isometry3::from_parts(
        Translation3::new(x, y, z),
        UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k)),
    )
}

/// All robots that carry a probe.
fn serial_arms() -> impl Iterator<Item = Robot> {
    let all = robots::ALL.iter().map(|(_, make)| make());
    all.filter(|robot| robot.flange.is_some())
}

/// Bodies from the base to the flange.
fn chain(robot: &Robot) -> Vec<&Element> {
    let world = robot.mjcf.section("worldbody").unwrap();
    let mut bodies = vec![world.child("body").unwrap()];
    while let Some(body) = bodies.last().unwrap().child("body") {
        bodies.push(body);
    }
    assert_eq!(bodies.last().unwrap().name(), robot.flange.as_deref());
    bodies
}

/// `base_from_flange` at joint angles `qpos` [rad], computed from the MJCF tree.
fn forward_kinematics(robot: &Robot, qpos: &[f64]) -> Isometry3<f64> {
    let mut angles = qpos.iter();
    chain(robot)
        .iter()
        .fold(Isometry3::identity(), |pose, body| {
            let turn = body
                .child("joint")
                .map_or(UnitQuaternion::identity(), |joint| {
                    let axis = Vector3::from(joint.array("axis").unwrap());
                    UnitQuaternion::from_scaled_axis(axis * *angles.next().unwrap())
                });
            pose * local_pose(body) * turn
        })
}

fn rot_x(angle: f64) -> Isometry3<f64> {
    Isometry3::rotation(Vector3::x() * angle)
}

fn rot_z(angle: f64) -> Isometry3<f64> {
    Isometry3::rotation(Vector3::z() * angle)
}

/// Franka's table in Craig's convention: rows `[a, d, alpha]` precede the joint.
fn panda_flange(qpos: &[f64]) -> Isometry3<f64> {
    let rows = [
        [0.0, 0.333, 0.0],
        [0.0, 0.0, -FRAC_PI_2],
        [0.0, 0.316, FRAC_PI_2],
        [0.0825, 0.0, FRAC_PI_2],
        [-0.0825, 0.384, -FRAC_PI_2],
        [0.0, 0.0, FRAC_PI_2],
        [0.088, 0.0, FRAC_PI_2],
    ];
    let arm = rows
        .iter()
        .zip(qpos)
        .fold(Isometry3::identity(), |pose, ([a, d, alpha], angle)| {
            pose * rot_x(*alpha)
                * Isometry3::translation(*a, 0.0, 0.0)
                * rot_z(*angle)
                * Isometry3::translation(0.0, 0.0, *d)
        });
    arm * Isometry3::translation(0.0, 0.0, 0.107)
}

/// Universal Robots' table in the standard convention: rows `[a, d, alpha]` follow the joint.
fn ur5e_flange(qpos: &[f64]) -> Isometry3<f64> {
    let rows = [
        [0.0, 0.1625, FRAC_PI_2],
        [-0.425, 0.0, 0.0],
        [-0.3922, 0.0, 0.0],
        [0.0, 0.1333, FRAC_PI_2],
        [0.0, 0.0997, -FRAC_PI_2],
        [0.0, 0.0996, 0.0],
    ];
    // The table's base frame is rotated by 180° relative to ours.
    rows.iter()
        .zip(qpos)
        .fold(rot_z(PI), |pose, ([a, d, alpha], angle)| {
            pose * rot_z(*angle) * Isometry3::translation(*a, 0.0, *d) * rot_x(*alpha)
        })
}

/// Random numbers in 0–1 from a seed (SplitMix64).
fn uniform(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut bits = *state;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

fn check_forward_kinematics(robot: &Robot, table: fn(&[f64]) -> Isometry3<f64>) {
    let mut state = 7;
    for _ in 0..N_SAMPLES {
        let qpos: Vec<f64> = robot
            .home_qpos
            .iter()
            .map(|_| 2.0 * PI * (uniform(&mut state) - 0.5))
            .collect();
        let (found, expected) = (forward_kinematics(robot, &qpos), table(&qpos));
        let distance = (found.translation.vector - expected.translation.vector).norm();
        assert!(
            distance < POSITION_TOLERANCE,
            "{} at {qpos:?}: {distance} m apart",
            robot.name
        );
        let angle = found.rotation.angle_to(&expected.rotation);
        assert!(
            angle < 1e-7,
            "{} at {qpos:?}: {angle} rad apart",
            robot.name
        ); // acos near 1 loses half of the digits
    }
}

#[test]
fn panda_agrees_with_its_table() {
    check_forward_kinematics(&robots::panda::panda(), panda_flange);
}

#[test]
fn ur5e_agrees_with_its_table() {
    check_forward_kinematics(&robots::ur5e::ur5e(), ur5e_flange);
}

#[test]
fn ur5e_stretches_along_its_table() {
    // All angles zero: the arm lies along +x, and the flange points along +y in the manufacturer's base frame, which is rotated with the base.
    let flange = forward_kinematics(&robots::ur5e::ur5e(), &[0.0; 6]);
    let expected = Vector3::new(0.425 + 0.3922, 0.1333 + 0.0996, 0.1625 - 0.0997);
    assert!(
        (flange.translation.vector - expected).norm() < 1e-12,
        "{flange}"
    );
}

#[test]
fn home_holds_a_probe_straight_down_over_the_table() {
    for robot in serial_arms() {
        let name = &robot.name;
        let world_from_flange = Isometry3::translation(ROBOT_BASE[0], ROBOT_BASE[1], ROBOT_BASE[2])
            * forward_kinematics(&robot, &robot.home_qpos);
        let face = world_from_flange * nalgebra::Point3::new(0.0, 0.0, 0.16);
        let expected = Vector3::new(0.0, 0.0, 0.8 + 0.105 + 0.1);
        assert!(
            (face.coords - expected).norm() < 1e-9,
            "{name}: face at {face}"
        );
        let down = UnitQuaternion::from_scaled_axis(Vector3::x() * PI);
        assert!(
            world_from_flange.rotation.angle_to(&down) < 1e-7,
            "{name}: {}",
            world_from_flange.rotation
        );
    }
}

#[test]
fn every_robot_is_a_valid_document_under_its_name() {
    for (name, make) in robots::ALL {
        let robot = make();
        assert_eq!(robot.name, *name);
        assert!(robot.mjcf.to_xml().is_ok(), "{:?}", robot.mjcf.to_xml());
        assert_eq!(robot.mjcf.to_xml().unwrap(), make().mjcf.to_xml().unwrap());
        assert!(robots::by_name(name).is_some());
    }
    assert!(robots::by_name("r2d2").is_none());
}

#[test]
fn joints_turn_about_z_within_limits_that_hold_home() {
    for robot in serial_arms() {
        let name = &robot.name;
        let joints: Vec<&Element> = chain(&robot)
            .into_iter()
            .filter_map(|body| body.child("joint"))
            .collect();
        assert_eq!(joints.len(), robot.home_qpos.len());
        assert_eq!(joints.len(), robot.velocity_limits.len());
        for (joint, home) in joints.iter().zip(&robot.home_qpos) {
            assert_eq!(joint.array("axis"), Some([0.0, 0.0, 1.0]));
            let [low, high] = joint.array("range").unwrap();
            let margin = (home - low).min(high - home);
            assert!(
                margin > 0.5,
                "{name}: {} starts {margin} rad from its limit",
                joint.label()
            );
        }
    }
}

#[test]
fn every_joint_has_a_torque_motor_of_its_name() {
    for robot in serial_arms() {
        let name = &robot.name;
        let joints: Vec<&str> = robot.mjcf.names(Namespace::Joint);
        assert_eq!(robot.mjcf.names(Namespace::Actuator), joints, "{name}");
        for motor in robot.mjcf.section("actuator").unwrap().children() {
            assert_eq!(motor.tag(), "motor");
            assert_eq!(motor.text("joint"), motor.name());
            let [low, high] = motor.array("ctrlrange").unwrap();
            assert!(low == -high && high > 0.0);
            assert_eq!(motor.array("forcerange"), Some([low, high]));
        }
    }
}

#[test]
fn torque_limits_are_the_published_ones() {
    let limits = |robot: Robot| -> Vec<f64> {
        robot
            .mjcf
            .section("actuator")
            .unwrap()
            .children()
            .iter()
            .map(|motor| motor.array::<2>("ctrlrange").unwrap()[1])
            .collect()
    };
    assert_eq!(
        limits(robots::panda::panda()),
        [87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0]
    );
    assert_eq!(
        limits(robots::ur5e::ur5e()),
        [150.0, 150.0, 150.0, 28.0, 28.0, 28.0]
    );
}

/// Margin of the triangle inequality of `[xx, yy, zz, xy, xz, yz]`; negative for a tensor that is not physical.
fn physical_slack([xx, yy, zz, xy, xz, yz]: [f64; 6]) -> f64 {
    let mut moments: Vec<f64> = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
        .symmetric_eigenvalues()
        .iter()
        .copied()
        .collect();
    moments.sort_by(f64::total_cmp);
    moments[0].min(moments[0] + moments[1] - moments[2])
}

#[test]
fn inertias_are_physical_and_gravity_is_compensated() {
    assert!(
        physical_slack([1.0, 1.0, 2.5, 0.0, 0.0, 0.0]) < 0.0,
        "the check refuses what no body has"
    );
    for robot in serial_arms() {
        let name = &robot.name;
        for (depth, body) in chain(&robot).into_iter().enumerate() {
            if depth > 0 {
                assert_eq!(
                    body.array("gravcomp"),
                    Some([1.0]),
                    "{name}: {}",
                    body.label()
                );
            }
            if let Some(inertial) = body.child("inertial") {
                let slack = physical_slack(inertial.array("fullinertia").unwrap());
                assert!(slack > 1e-7, "{name}: {} slack {slack}", body.label());
            } else {
                assert_eq!(body.name(), Some("flange"));
            }
        }
    }
}

#[test]
fn moving_masses_are_the_published_sums() {
    let moving = |robot: &Robot| -> f64 {
        chain(robot)
            .iter()
            .skip(1)
            .filter_map(|body| body.child("inertial")?.array::<1>("mass"))
            .map(|[mass]| mass)
            .sum()
    };
    assert!((moving(&robots::panda::panda()) - 16.062_132).abs() < 1e-9); // Gaz et al. 2019, links 1 to 7
    assert!((moving(&robots::ur5e::ur5e()) - 17.7).abs() < 1e-9); // Universal Robots, links 1 to 6
}

#[test]
fn shells_do_not_collide_and_capsules_do() {
    for robot in serial_arms() {
        let name = &robot.name;
        let geoms: Vec<&Element> = chain(&robot)
            .iter()
            .flat_map(|body| body.children())
            .filter(|child| child.tag() == "geom")
            .collect();
        assert!(
            geoms.iter().any(|geom| geom.text("class") == Some("trunk"))
                && geoms.iter().any(|geom| geom.text("class") == Some("wrist"))
        );
        for geom in geoms {
            let is_capsule = geom.text("type") == Some("capsule");
            match geom.text("class") {
                Some("visual") => {
                    assert!(geom.text("material").is_some(), "{name}: {}", geom.label());
                }
                Some("trunk" | "wrist") => assert!(is_capsule, "{name}: {}", geom.label()),
                other => panic!("{name}: {} is of class {other:?}", geom.label()),
            }
        }
        let class = |wanted: &str, attribute: &str| -> f64 {
            let defaults = robot.mjcf.section("default").unwrap();
            let class = defaults
                .children()
                .iter()
                .find(|class| class.text("class") == Some(wanted))
                .unwrap();
            class.child("geom").unwrap().array::<1>(attribute).unwrap()[0]
        };
        let bits = |class_name: &str| {
            (
                class(class_name, "contype") as u32,
                class(class_name, "conaffinity") as u32,
            )
        };
        let collide = |a: (u32, u32), b: (u32, u32)| a.0 & b.1 != 0 || b.0 & a.1 != 0;
        let (visual, trunk, wrist, surroundings) =
            (bits("visual"), bits("trunk"), bits("wrist"), (0, 1));
        assert!(
            collide(trunk, wrist) && collide(trunk, surroundings) && collide(wrist, surroundings)
        );
        assert!(
            !collide(trunk, trunk)
                && !collide(wrist, wrist)
                && !collide(surroundings, surroundings)
        );
        for other in [visual, trunk, wrist, surroundings] {
            assert!(!collide(visual, other));
        }
    }
}
