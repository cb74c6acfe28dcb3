//! Poses, twists and wrenches in one frame.

use nalgebra::{Matrix3, Quaternion, Rotation3, UnitQuaternion, Vector3};

/// Position and orientation of a frame in another; `world_from_probe` maps probe coordinates to world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Origin [m].
    pub position: Vector3<f64>,
    /// Orientation.
    pub rotation: UnitQuaternion<f64>,
}

impl Pose {
    /// A pose from MuJoCo's numbers: position [m] and quaternion `[w, x, y, z]`, normalised here.
    pub fn from_quat(position: [f64; 3], quat: [f64; 4]) -> Self {
        let [w, x, y, z] = quat;
        let rotation = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
        Self {
            position: position.into(),
            rotation,
        }
    }

    /// A pose from MuJoCo's numbers: position [m] and row-major rotation matrix.
    pub fn from_matrix(position: [f64; 3], matrix: [f64; 9]) -> Self {
        let matrix = Matrix3::from_row_slice(&matrix);
        let rotation =
            UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix));
        Self {
            position: position.into(),
            rotation,
        }
    }

    /// A pose whose z axis points along `z_axis` and whose x axis is as close to `x_hint` as possible.
    ///
    /// Both are directions in the parent frame, of any length; a hint that is parallel to the axis is replaced.
    pub fn with_z_axis(position: Vector3<f64>, z_axis: Vector3<f64>, x_hint: Vector3<f64>) -> Self {
        let z = z_axis.normalize();
        let across = |hint: Vector3<f64>| (hint - z * z.dot(&hint)).try_normalize(1e-6);
        let x = across(x_hint)
            .or_else(|| across(Vector3::x()))
            .or_else(|| across(Vector3::y()))
            .unwrap_or_else(Vector3::x);
        let matrix = Matrix3::from_columns(&[x, z.cross(&x), z]);
        let rotation =
            UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix));
        Self { position, rotation }
    }

    /// The quaternion as MuJoCo writes it, `[w, x, y, z]`.
    pub fn quat(&self) -> [f64; 4] {
        let q = self.rotation.quaternion();
        [q.w, q.i, q.j, q.k]
    }

    /// A point of this frame [m] in the parent frame.
    pub fn transform(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.rotation * point + self.position
    }

    /// The z axis in the parent frame; for a probe, the beam's direction.
    pub fn z_axis(&self) -> Vector3<f64> {
        self.rotation * Vector3::z()
    }
}

impl Default for Pose {
    /// A frame that coincides with its parent.
    fn default() -> Self {
        Self {
            position: Vector3::zeros(),
            rotation: UnitQuaternion::identity(),
        }
    }
}

impl std::ops::Mul for Pose {
    type Output = Self;

    /// `a_from_b * b_from_c` is `a_from_c`.
    fn mul(self, other: Self) -> Self {
        Self {
            position: self.transform(&other.position),
            rotation: self.rotation * other.rotation,
        }
    }
}

/// Velocity of a frame; both parts in world.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Twist {
    /// Velocity of the origin [m/s].
    pub linear: Vector3<f64>,
    /// Angular velocity [rad/s].
    pub angular: Vector3<f64>,
}

/// Force and torque about the origin of the frame in which they are expressed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wrench {
    /// Force [N].
    pub force: Vector3<f64>,
    /// Torque [N·m].
    pub torque: Vector3<f64>,
}

impl std::ops::Sub for Wrench {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            force: self.force - other.force,
            torque: self.torque - other.torque,
        }
    }
}

/// Axes of a contact: its unit normal and two tangents.
pub(crate) fn contact_frame(normal: &Vector3<f64>) -> [Vector3<f64>; 3] {
    let helper = if normal.y.abs() < 0.5 {
        Vector3::y()
    } else {
        Vector3::z()
    };
    let first = (helper - normal * helper.dot(normal)).normalize();
    [*normal, first, normal.cross(&first)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrix_and_quaternion_agree() {
        let pose = Pose::from_quat([1.0, 2.0, 3.0], [0.5, 0.5, -0.5, 0.5]);
        let matrix: [f64; 9] = {
            let m = pose.rotation.to_rotation_matrix();
            std::array::from_fn(|i| m[(i / 3, i % 3)])
        };
        let again = Pose::from_matrix([1.0, 2.0, 3.0], matrix);
        assert!(pose.rotation.angle_to(&again.rotation) < 1e-12);
        assert!((pose.quat()[2] + 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_z_axis_is_kept_with_any_hint() {
        let z = Vector3::new(0.0, 0.0, -2.0);
        for hint in [
            Vector3::x(),
            Vector3::z(),
            Vector3::new(1.0, 1.0, 1.0),
            Vector3::zeros(),
        ] {
            let pose = Pose::with_z_axis(Vector3::zeros(), z, hint);
            assert!((pose.z_axis() + Vector3::z()).norm() < 1e-12);
        }
        let pose = Pose::with_z_axis(Vector3::zeros(), z, Vector3::x());
        assert!((pose.rotation * Vector3::x() - Vector3::x()).norm() < 1e-12);
    }
}
