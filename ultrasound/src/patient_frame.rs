//! Between a patient's frame and that of 3D Slicer.
//!
//! A patient lies on the back: +x to the left, +y to the head, +z to the front.
//! 3D Slicer's axes are right, anterior, superior (RAS).

use nalgebra::Matrix3;

/// The directions of left, head and front in right, anterior, superior, as columns: a rotation.
pub fn ras_from_patient() -> Matrix3<f64> {
    Matrix3::new(-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0)
}
