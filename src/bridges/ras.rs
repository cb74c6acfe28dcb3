//! Conversion between the world frame and the patient frame of 3D Slicer: right, anterior, superior (RAS), in millimetres.
//!
//! The patient lies on the back with the head towards +y: right is −x, anterior is +z, superior is +y. Both frames share the origin.

use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};

use crate::openigtlink::Transform;
use crate::sim::Pose;
use crate::ultrasound::ras_from_patient;

/// Millimetres per metre.
const MM: f64 = 1000.0;

/// Converts a pose in the world to 3D Slicer's frame.
pub(super) fn from_world(world_from_probe: &Pose) -> Transform {
    let rotation = ras_from_patient() * world_from_probe.rotation.to_rotation_matrix().matrix();
    let translation = ras_from_patient() * world_from_probe.position * MM;
    Transform {
        rotation: [0, 1, 2].map(|row| [0, 1, 2].map(|column| rotation[(row, column)])),
        translation: translation.into(),
    }
}

/// Converts a point in the world [m] to 3D Slicer's frame [mm].
pub(super) fn point(in_world: &Vector3<f64>) -> Vector3<f64> {
    ras_from_patient() * in_world * MM
}

/// Converts a pose in 3D Slicer's frame to the world.
pub(super) fn to_world(ras_from_probe: &Transform) -> Pose {
    let back = ras_from_patient().transpose();
    let rotation = Matrix3::from_fn(|row, column| ras_from_probe.rotation[row][column]);
    // Received matrices have 32-bit precision, so take the nearest rotation.
    let rotation = Rotation3::from_matrix(&(back * rotation));
    Pose {
        position: back * Vector3::from(ras_from_probe.translation) / MM,
        rotation: UnitQuaternion::from_rotation_matrix(&rotation),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_is_superior_and_the_chest_anterior() {
        let at = |x, y, z| Pose {
            position: Vector3::new(x, y, z),
            ..Pose::default()
        };
        assert_eq!(
            from_world(&at(0.0, 0.1, 0.0)).translation,
            [0.0, 0.0, 100.0]
        );
        assert_eq!(
            from_world(&at(0.0, 0.0, 0.2)).translation,
            [0.0, 200.0, 0.0]
        );
        // The left arm of a patient who lies on the back, head towards +y, is at +x.
        assert_eq!(
            from_world(&at(0.3, 0.0, 0.0)).translation,
            [-300.0, 0.0, 0.0]
        );
    }

    #[test]
    fn a_pose_comes_back() {
        let pose = Pose {
            position: Vector3::new(0.1, -0.2, 0.9),
            rotation: UnitQuaternion::from_euler_angles(0.3, -2.0, 1.0),
        };
        let back = to_world(&from_world(&pose));
        assert!((back.position - pose.position).norm() < 1e-12);
        assert!(back.rotation.angle_to(&pose.rotation) < 1e-6);
    }
}
