//! Poses of a probe on the skin.

use nalgebra::{Isometry3, Matrix3, Rotation3, Vector3};

use crate::deformation::{Point, Vector};

/// Pose of a probe whose face is at a point of the skin. Its axis is the inward normal, +x is turned by `rotation` [rad] from the patient's
/// left about that axis, and it is pushed in by `indentation` [m].
pub(super) fn pose_on_skin(
    skin: &Point,
    inward: &Vector,
    rotation: f64,
    indentation: f64,
) -> Isometry3<f64> {
    let inward = inward.cast::<f64>();
    let left = Vector3::x();
    let across = (left - inward * left.dot(&inward))
        .try_normalize(1e-3)
        .unwrap_or_else(Vector3::y);
    let frame = Matrix3::from_columns(&[across, inward.cross(&across), inward]);
    let turned = Rotation3::from_matrix_unchecked(frame)
        * Rotation3::from_axis_angle(&Vector3::z_axis(), rotation);
    let face = skin.coords.cast::<f64>() + inward * indentation;
    Isometry3::from_parts(face.into(), turned.into())
}
