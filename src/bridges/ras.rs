//! Between the world and 3D Slicer's patient: right, anterior, superior, in millimetres.
//!
//! The patient lies on the back, the head towards +y: right is −x, anterior +z, superior +y; the origin is the world's.

use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};

use crate::openigtlink::Transform;
use crate::sim::Pose;
use crate::ultrasound::ras_from_patient;

/// Millimetres in a metre.
const MM: f64 = 1000.0;

/// A pose of the world for 3D Slicer.
pub(super) fn from_world(world_from_probe: &Pose) -> Transform {
    let rotation = ras_from_patient() * world_from_probe.rotation.to_rotation_matrix().matrix();
    let translation = ras_from_patient() * world_from_probe.position * MM;
    Transform {
        rotation: [0, 1, 2].map(|row| [0, 1, 2].map(|column| rotation[(row, column)])),
        translation: translation.into(),
    }
}

/// A pose of 3D Slicer in the world.
pub(super) fn to_world(ras_from_probe: &Transform) -> Pose {
    let back = ras_from_patient().transpose();
    let rotation = Matrix3::from_fn(|row, column| ras_from_probe.rotation[row][column]);
    // The nearest rotation: what comes in has the precision of 32 bits.
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
        // The left arm of a patient on the back, head up, lies at +x.
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
