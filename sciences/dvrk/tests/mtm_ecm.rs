//! Contract: masters and camera arm move according to their published tables and mechanisms.

use insonate_dvrk::{ecm, mtm};
use nalgebra::{IsometryMatrix3, SMatrix, SVector, Vector3};

const EXACT: f64 = 1e-12;

/// Joint positions that fill ranges of ±1.
fn positions<const N: usize>(n: usize) -> impl Iterator<Item = SVector<f64, N>> {
    (1..=n).map(|index| {
        SVector::from_fn(|joint, _| {
            let root = [2.0, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0_f64][joint].sqrt();
            2.0 * (root * index as f64).fract() - 1.0
        })
    })
}

/// Whether `jacobian` is the derivative of `pose` at `q`.
fn check<const N: usize>(
    pose: impl Fn(&SVector<f64, N>) -> IsometryMatrix3<f64>,
    jacobian: SMatrix<f64, 6, N>,
    q: &SVector<f64, N>,
) {
    let step = 1e-6;
    for joint in 0..N {
        let moved = |sign: f64| {
            let mut other = *q;
            other[joint] += sign * step;
            pose(&other)
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

#[test]
fn jacobians_are_derivatives_of_poses() {
    for q in positions::<7>(50) {
        check(mtm::gripper_pose, mtm::gripper_jacobian(&q), &q);
    }
    for q in positions::<4>(50) {
        check(ecm::tip_pose, ecm::tip_jacobian(&q), &q);
    }
}

#[test]
fn wrist_axes_of_a_master_intersect_in_the_hand_and_its_arm_has_the_published_lengths() {
    for q in positions::<7>(50) {
        let hand = mtm::gripper_pose(&q).translation.vector;
        let mut turned = q;
        for joint in 3..7 {
            turned[joint] += 0.7;
        }
        assert!((mtm::gripper_pose(&turned).translation.vector - hand).amax() < EXACT);
        // The arm is planar with a yaw axis: the distance from the shoulder depends only on the elbow.
        let (s, c) = q[2].sin_cos();
        let along = 0.2794 - 0.3645 * s - 0.1506 * c;
        let across = 0.3645 * c - 0.1506 * s;
        assert!((hand.norm() - along.hypot(across)).abs() < EXACT, "{q}");
    }
    // At zero the upper arm hangs down, the forearm is level, and the wrist stands upright on it.
    let rest = mtm::gripper_pose(&SVector::zeros()).translation.vector;
    let expected = Vector3::new(0.0, -0.3645, 0.1506 - 0.2794);
    assert!((rest - expected).amax() < EXACT, "{rest}");
}

#[test]
fn the_endoscope_passes_its_remote_centre_and_reaches_its_target() {
    for mut q in positions::<4>(200) {
        q[2] = 0.13 + 0.12 * q[2];
        let tip = ecm::tip_pose(&q);
        let axis = tip.rotation * Vector3::z();
        assert!(axis.cross(&tip.translation.vector).norm() < EXACT);
        assert!((tip.translation.vector.norm() - (q[2] + 0.0007)).abs() < EXACT);
        let found = ecm::inverse_kinematics(&tip.translation.vector, q[3]).unwrap();
        assert!((found - q).amax() < 1e-9, "{q} {found}");
    }
    for bad in [0.0, f64::NAN, f64::INFINITY] {
        assert!(ecm::inverse_kinematics(&Vector3::new(bad, 0.0, 0.0), 0.0).is_err());
    }
}
