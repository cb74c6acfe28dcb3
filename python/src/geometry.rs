//! Rotations and poses from Python.

use nalgebra::{Quaternion, UnitQuaternion};

use crate::error::{Result, value_error};

/// A rotation from a quaternion wxyz of any length. A quaternion of length 1 is used without rounding.
pub(crate) fn rotation([w, i, j, k]: [f64; 4]) -> Result<UnitQuaternion<f64>> {
    let quaternion = Quaternion::new(w, i, j, k);
    let square = quaternion.norm_squared();
    if (square - 1.0).abs() < 1e-15 {
        return Ok(UnitQuaternion::new_unchecked(quaternion));
    }
    UnitQuaternion::try_new(quaternion, 1e-9)
        .filter(|_| square.is_finite())
        .ok_or_else(|| value_error("a rotation is a finite quaternion wxyz that is not zero"))
}

/// The quaternion wxyz of a rotation.
pub(crate) fn wxyz(rotation: &UnitQuaternion<f64>) -> [f64; 4] {
    [rotation.w, rotation.i, rotation.j, rotation.k]
}
