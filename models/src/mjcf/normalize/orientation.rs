//! Converts orientations of MJCF to quaternions `[w, x, y, z]`.

use nalgebra::{Unit, UnitQuaternion, Vector3};

/// The rotation by three angles [rad] about the axes of `sequence`.
///
/// $q = q_1 q_2 q_3$ for lower-case letters, whose axes rotate with the frame (intrinsic). The axis of an upper-case letter is fixed
/// in the parent (extrinsic), so its rotation is multiplied from the left.
pub(super) fn from_euler(sequence: [char; 3], angles: [f64; 3]) -> [f64; 4] {
    let mut rotation = UnitQuaternion::identity();
    for (letter, angle) in sequence.into_iter().zip(angles) {
        let axis = match letter.to_ascii_lowercase() {
            'x' => Vector3::x_axis(),
            'y' => Vector3::y_axis(),
            _ => Vector3::z_axis(),
        };
        let step = UnitQuaternion::from_axis_angle(&axis, angle);
        rotation = if letter.is_ascii_lowercase() {
            rotation * step
        } else {
            step * rotation
        };
    }
    to_array(&rotation)
}

/// The rotation about an axis by an angle [rad]; `None` for a zero axis.
pub(super) fn from_axis_angle([x, y, z, angle]: [f64; 4]) -> Option<[f64; 4]> {
    let axis = Unit::try_new(Vector3::new(x, y, z), f64::EPSILON)?;
    Some(to_array(&UnitQuaternion::from_axis_angle(&axis, angle)))
}

pub(super) fn to_array(rotation: &UnitQuaternion<f64>) -> [f64; 4] {
    let quaternion = rotation.quaternion();
    [quaternion.w, quaternion.i, quaternion.j, quaternion.k]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(actual: [f64; 4], expected: [f64; 4]) {
        for (actual, expected) in actual.iter().zip(expected) {
            assert!((actual - expected).abs() < 1e-12, "{actual} {expected}");
        }
    }

    /// Values from `mju_euler2Quat` of MuJoCo 3.17.
    #[test]
    fn euler_sequences_follow_mujoco() {
        let angles = [0.1, 0.2, 0.3];
        check(from_euler(['x', 'y', 'z'], angles), EXPECTED_XYZ);
        check(from_euler(['X', 'Y', 'Z'], angles), EXPECTED_FIXED_XYZ);
        check(from_euler(['z', 'Y', 'x'], angles), EXPECTED_MIXED);
    }

    const EXPECTED_XYZ: [f64; 4] = [
        0.9818561728660808,
        0.06407134770607116,
        0.09115754934299071,
        0.15343930202422257,
    ];
    const EXPECTED_FIXED_XYZ: [f64; 4] = [
        0.9833474432563558,
        0.034270798550482096,
        0.10602051106179562,
        0.1435721750273919,
    ];
    const EXPECTED_MIXED: [f64; 4] = [
        0.9818561728660808,
        0.15343930202422257,
        0.10602051106179562,
        0.034270798550482096,
    ];
}
