//! Contract: frames, tool pose, Jacobian and inverse kinematics agree with published descriptions of the PSM.

mod states;

use std::f64::consts::{FRAC_PI_2, PI};

use insonate_dvrk::{JointVector, classic, coupling};
use nalgebra::{IsometryMatrix3, Matrix4, Rotation3, Vector3};

/// Tolerance for rounding in chains of rotations.
const EXACT: f64 = 1e-12;

/// A row `[a, alpha, d, theta]` of a modified Denavit-Hartenberg table as a homogeneous matrix.
fn modified_dh([a, alpha, d, theta]: [f64; 4]) -> Matrix4<f64> {
    let translate = |x, y, z| Matrix4::new_translation(&Vector3::new(x, y, z));
    Matrix4::from_axis_angle(&Vector3::x_axis(), alpha)
        * translate(a, 0.0, 0.0)
        * Matrix4::from_axis_angle(&Vector3::z_axis(), theta)
        * translate(0.0, 0.0, d)
}

fn product(rows: &[[f64; 4]]) -> Matrix4<f64> {
    rows.iter()
        .fold(Matrix4::identity(), |all, row| all * modified_dh(*row))
}

/// The open chain through the remote centre that is equivalent to the parallelograms (Fontanelli et al. 2017; Ferro et al. 2022).
fn open_chain(q: &JointVector) -> [[f64; 4]; 7] {
    [
        [0.0, FRAC_PI_2, -0.516, q[0] + FRAC_PI_2],
        [0.0, -FRAC_PI_2, 0.0, q[1] - FRAC_PI_2],
        [0.0, FRAC_PI_2, q[2] - 0.4318, PI],
        [0.0, 0.0, 0.4162, q[3]],
        [0.0, FRAC_PI_2, 0.0, q[4] + FRAC_PI_2],
        [0.0091, -FRAC_PI_2, 0.0, q[5] + FRAC_PI_2],
        [0.0, -FRAC_PI_2, -0.0091, PI],
    ]
}

#[test]
fn the_closed_chain_moves_as_the_open_chain_through_the_remote_centre() {
    let psm = classic();
    for q in states::positions(1000) {
        let rows = open_chain(&q);
        let frames = psm.forward_kinematics(&q);
        for (n_rows, link) in [(4, 10), (5, 11), (6, 12)] {
            let difference = (product(&rows[..n_rows]) - frames[link].to_homogeneous()).amax();
            assert!(difference < EXACT, "link {link}: {difference:e}");
        }
        // The tool points along the mean of the jaws.
        let mut closed = q;
        closed[6] = q[5];
        let tip = product(&rows).fixed_view::<3, 1>(0, 3).into_owned();
        let ours = psm.tool_pose(&closed).translation.vector;
        assert!((tip - ours).amax() < EXACT);
    }
}

#[test]
fn the_tool_frame_is_the_dvrks() {
    // The table of the dVRK: wrist angles rotated by π, and its tool transform with the jaw of this geometry.
    let psm = classic();
    let (a, d) = (FRAC_PI_2, 0.0091);
    let dvrk_tool = Matrix4::new(
        0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0, d, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
    );
    for joint in states::positions(100) {
        let q = coupling::console_from_joint(&joint);
        let chain = product(&[
            [0.0, a, -0.516, q[0] + a],
            [0.0, -a, 0.0, q[1] - a],
            [0.0, a, q[2] - 0.4318, 0.0],
            [0.0, 0.0, 0.4162, q[3]],
            [0.0, -a, 0.0, q[4] - a],
            [0.0091, -a, 0.0, q[5] - a],
        ]) * dvrk_tool;
        let difference = (chain - psm.tool_pose(&joint).to_homogeneous()).amax();
        assert!(difference < EXACT, "{difference:e}");
    }
}

#[test]
fn both_parallelograms_close_and_the_shaft_passes_the_remote_centre() {
    let psm = classic();
    let g = psm.geometry;
    for q in states::positions(1000) {
        let frames = psm.forward_kinematics(&q);
        let at = |link: usize, x: f64, y: f64| frames[link] * nalgebra::Point3::new(x, y, 0.0);
        // The rail (6) and the middle bar (7) are attached to the lower bar (4) and meet the upper bar (5).
        let rail = at(6, 0.0, -g.l_2h2) - at(5, g.l_2l2, 0.0);
        let middle = at(7, 0.0, g.l_2h2) - at(5, g.l_2l1, 0.0);
        assert!(
            rail.amax() < EXACT && middle.amax() < EXACT,
            "{rail} {middle}"
        );
        let shaft = frames[10].rotation * Vector3::z();
        let to_remote_centre = psm.remote_centre() - frames[10].translation.vector;
        assert!(shaft.cross(&to_remote_centre).norm() < EXACT);
    }
}

#[test]
fn inverse_kinematics_inverts_the_tool_pose() {
    let psm = classic();
    for q in states::positions(1000) {
        let found = psm
            .inverse_kinematics(&psm.tool_pose(&q), q[6] - q[5])
            .unwrap();
        assert!((found - q).amax() < 1e-9, "{q} {found}");
    }
}

#[test]
fn inverse_kinematics_refuses_poses_without_unique_joints() {
    let psm = classic();
    let at = |x: f64| {
        IsometryMatrix3::from_parts(
            (psm.remote_centre() + Vector3::new(x, 0.0, -psm.geometry.l_clip)).into(),
            Rotation3::from_axis_angle(&Vector3::x_axis(), PI),
        )
    };
    for bad in [0.0, 0.05, f64::NAN, f64::INFINITY] {
        let error = psm.inverse_kinematics(&at(bad), 0.1).unwrap_err();
        assert!(error.to_string().starts_with("the tool cannot be reached"));
    }
    let pose = psm.tool_pose(&JointVector::from_element(0.1));
    assert!(psm.inverse_kinematics(&pose, f64::NAN).is_err());
}

#[test]
fn the_jacobian_is_the_derivative_of_the_pose() {
    let psm = classic();
    let step = 1e-6;
    for q in states::positions(50) {
        let jacobian = psm.tool_jacobian(&q);
        for joint in 0..7 {
            let moved = |sign: f64| {
                let mut other = q;
                other[joint] += sign * step;
                psm.tool_pose(&other)
            };
            let (before, after) = (moved(-1.0), moved(1.0));
            let v = (after.translation.vector - before.translation.vector) / (2.0 * step);
            let turn = *(after.rotation * before.rotation.inverse()).matrix() / (4.0 * step);
            let turn = turn - turn.transpose();
            let w = Vector3::new(turn.m32, turn.m13, turn.m21);
            let column = jacobian.column(joint);
            assert!((column.fixed_rows::<3>(0) - v).amax() < 1e-8);
            assert!((column.fixed_rows::<3>(3) - w).amax() < 1e-8);
        }
    }
}

#[test]
fn coupling_conserves_power_and_is_invertible() {
    let mut states = states::positions(200);
    while let (Some(velocity), Some(torque)) = (states.next(), states.next()) {
        let motor_velocity = coupling::motor_from_joint(&velocity);
        let motor_torque = coupling::motor_torque_from_joint(&torque);
        let power = velocity.dot(&torque);
        assert!((motor_velocity.dot(&motor_torque) - power).abs() < EXACT);
        assert!((coupling::joint_from_motor(&motor_velocity) - velocity).amax() < EXACT);
        assert!((coupling::joint_torque_from_motor(&motor_torque) - torque).amax() < EXACT);
        let console = coupling::console_from_joint(&velocity);
        assert!((coupling::joint_from_console(&console) - velocity).amax() < EXACT);
        // The published matrix from motors to the console's wrist yaw and jaw opening.
        let m = &motor_velocity;
        let yaw = -0.8306 * m[4] + 0.6089 * (m[5] + m[6]);
        assert!((console[5] - yaw).abs() < EXACT);
        assert!((console[6] - 1.2178 * (m[6] - m[5])).abs() < EXACT);
    }
}
