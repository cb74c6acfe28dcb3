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

/// A rotation from a quaternion that Rust gave: its bits are kept. Normals of skins are `f32`, so its length may differ from 1 by 1e-7.
pub(crate) fn same_rotation(given: [f64; 4]) -> Result<UnitQuaternion<f64>> {
    let [w, i, j, k] = given;
    let quaternion = Quaternion::new(w, i, j, k);
    if (quaternion.norm_squared() - 1.0).abs() < 1e-6 {
        return Ok(UnitQuaternion::new_unchecked(quaternion));
    }
    rotation(given)
}

/// The quaternion wxyz of a rotation.
pub(crate) fn wxyz(rotation: &UnitQuaternion<f64>) -> [f64; 4] {
    [rotation.w, rotation.i, rotation.j, rotation.k]
}
