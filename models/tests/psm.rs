//! Contract: the PSM is the mechanism of the published table: its frames, loop closures, physical inertias, and motors with their limits
//! that are coupled as by the instrument's cables. It holds with and without counterweight, and for every instrument.

#![expect(clippy::unwrap_used, reason = "a missing element fails the test")]

use insonate_models::mjcf::{Element, Mjcf, Namespace};
use insonate_models::robots::psm::{self, Instrument, PsmConfig, parameters};
use nalgebra::{Isometry3, Matrix3, Matrix4, Quaternion, Translation3, UnitQuaternion, Vector3};

fn with(instrument: Instrument, counterweight: bool) -> Mjcf {
    psm::configured(PsmConfig {
        instrument,
        counterweight,
    })
    .mjcf
}

fn local_pose(body: &Element) -> Isometry3<f64> {
    let [x, y, z] = body.array("pos").unwrap_or_default();
    let [w, i, j, k] = body.array("quat").unwrap_or([1.0, 0.0, 0.0, 0.0]);
    Isometry3::from_parts(
        Translation3::new(x, y, z),
        UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k)),
    )
}

/// `base_from_body` with every joint at zero.
fn poses(mjcf: &Mjcf) -> Vec<(String, Isometry3<f64>)> {
    fn walk(body: &Element, parent: Isometry3<f64>, poses: &mut Vec<(String, Isometry3<f64>)>) {
        let pose = parent * local_pose(body);
        poses.push((body.name().unwrap().to_owned(), pose));
        for child in body.children().iter().filter(|child| child.tag() == "body") {
            walk(child, pose, poses);
        }
    }
    let mut all = Vec::new();
    let base = mjcf.section("worldbody").unwrap().child("body").unwrap();
    walk(base, Isometry3::identity(), &mut all);
    all
}

fn pose(mjcf: &Mjcf, name: &str) -> Isometry3<f64> {
    poses(mjcf)
        .into_iter()
        .find(|(known, _)| known == name)
        .unwrap()
        .1
}

#[test]
fn both_closures_meet_and_the_tool_passes_the_remote_center() {
    let mjcf = with(Instrument::LargeNeedleDriver, true);
    for pin in mjcf
        .section("equality")
        .unwrap()
        .children()
        .iter()
        .filter(|pin| pin.tag() == "connect")
    {
        let anchor = Vector3::from(pin.array::<3>("anchor").unwrap());
        let first = pose(&mjcf, pin.text("body1").unwrap());
        // MuJoCo computes the anchor on the second body from this posture; on both bodies it is at the pin of the drawing.
        let second = match pin.name().unwrap() {
            "support_pin" => (
                "yaw_link",
                Vector3::new(0.0, 0.0, -parameters::SUPPORT_REACH),
            ),
            _ => ("rail", Vector3::new(0.0, -parameters::PIN_SPACING, 0.0)),
        };
        let second = pose(&mjcf, second.0) * nalgebra::Point3::from(second.1);
        let gap = (first * nalgebra::Point3::from(anchor) - second).norm();
        assert!(gap < 1e-12, "{pin:?}: {gap} m");
    }
    let center = Vector3::new(psm::REMOTE_CENTER_REACH, 0.0, psm::REMOTE_CENTER_HEIGHT);
    let carriage = pose(&mjcf, "carriage");
    let along = carriage.rotation * Vector3::z();
    let offset = center - carriage.translation.vector;
    assert!(along.cross(&offset).norm() < 1e-12, "{offset}");
    assert!((along.dot(&offset) - parameters::REMOTE_CENTER_TO_CARRIAGE).abs() < 1e-12);
    let wrist = pose(&mjcf, "wrist").translation.vector;
    let tip = center + along * (parameters::TOOL_LENGTH - parameters::REMOTE_CENTER_TO_CARRIAGE);
    assert!((wrist - tip).norm() < 1e-12);
}

#[test]
fn every_inertia_is_physical() {
    let mjcf = with(Instrument::FenestratedGrasper, true);
    let base = mjcf.section("worldbody").unwrap().child("body").unwrap();
    let mut n_links = 0;
    for body in base.descendants() {
        let Some(inertial) = body.child("inertial") else {
            continue;
        };
        n_links += 1;
        let [xx, yy, zz, xy, xz, yz] = inertial.array("fullinertia").unwrap();
        let [mass] = inertial.array("mass").unwrap();
        let inertia = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        let second = Matrix3::identity() * (0.5 * inertia.trace()) - inertia;
        let mut pseudo = Matrix4::identity() * mass;
        pseudo.fixed_view_mut::<3, 3>(0, 0).copy_from(&second);
        let least = pseudo.symmetric_eigenvalues().min();
        assert!(least > 1e-10, "{}: {least}", body.label());
        assert!(
            inertia.norm() < 2.0,
            "{}: nothing here weighs tons",
            body.label()
        );
    }
    assert_eq!(n_links, 12);
}

#[test]
fn motors_and_couplings_are_the_published_ones() {
    let mjcf = with(Instrument::LargeNeedleDriver, true);
    let limits: Vec<f64> = mjcf
        .section("actuator")
        .unwrap()
        .children()
        .iter()
        .map(|motor| motor.array::<2>("ctrlrange").unwrap()[1])
        .collect();
    assert_eq!(limits, parameters::MOTOR_LIMITS);
    // The coefficients of the tendons are the inverse of the published matrix.
    let [wrist, a, b] = ["wrist_pitch", "jaw_a", "jaw_b"];
    let row = |tendon: &str| -> [f64; 3] {
        let tendon = mjcf.find(Namespace::Tendon, tendon).unwrap();
        [wrist, a, b].map(|joint| {
            let term = tendon
                .children()
                .iter()
                .find(|term| term.text("joint") == Some(joint));
            term.map_or(0.0, |term| term.array::<1>("coef").unwrap()[0])
        })
    };
    let motors = Matrix3::from_row_slice(&["motor_5", "motor_6", "motor_7"].map(row).concat());
    let joints = Matrix3::from_row_slice(&parameters::WRIST_FROM_MOTORS.concat());
    assert!((motors * joints - Matrix3::identity()).norm() < 1e-12);
}

#[test]
fn instruments_and_counterweight_are_a_choice() {
    for (name, instrument) in Instrument::ALL {
        for counterweight in [true, false] {
            let robot = psm::configured(PsmConfig {
                instrument,
                counterweight,
            });
            assert!(
                robot.mjcf.to_xml().is_ok(),
                "{name}: {:?}",
                robot.mjcf.to_xml()
            );
            assert_eq!(
                robot.mjcf.find(Namespace::Body, "counterweight").is_some(),
                counterweight
            );
            assert_eq!(
                robot.mjcf.names(Namespace::Joint).len(),
                robot.home_qpos.len()
            );
            let tip = robot
                .mjcf
                .find(Namespace::Site, "tip_a")
                .unwrap()
                .array::<3>("pos")
                .unwrap();
            assert_eq!(tip, [0.0, -instrument.jaw_length(), 0.0]);
        }
    }
}
