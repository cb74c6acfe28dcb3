//! Rotation between the patient's frame and the frame of 3D Slicer.
//!
//! The patient lies on the back: +x to the left, +y to the head, +z to the front.
//! 3D Slicer uses right, anterior, superior (RAS).

use nalgebra::Matrix3;

/// Directions of left, head and front in RAS, as the columns of a rotation.
pub fn ras_from_patient() -> Matrix3<f64> {
    Matrix3::new(-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0)
}
