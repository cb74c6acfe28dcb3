//! Rotation vectors and their derivatives.
//!
//! $$ T^{-1}(\theta) = I - \tfrac12 \hat\theta + c\,\hat\theta^2, \qquad c = \frac{1 - \tfrac t2 \cot \tfrac t2}{t^2}, \quad t = |\theta| $$
//!
//! maps a small spatial rotation `s` to the change of the rotation vector of `exp(s) R` (Battini & Pacoste 2002, Eq. 23,
//! <https://doi.org/10.1016/S0045-7825(01)00352-8>).

use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};

/// Matrix of `v ×`.
pub(crate) fn skew(v: &Vector3<f64>) -> Matrix3<f64> {
    v.cross_matrix()
}

/// Rotation vector of a rotation matrix, exact up to an angle of π.
pub(crate) fn log(rotation: &Matrix3<f64>) -> Vector3<f64> {
    let axis_sin = 0.5
        * Vector3::new(
            rotation[(2, 1)] - rotation[(1, 2)],
            rotation[(0, 2)] - rotation[(2, 0)],
            rotation[(1, 0)] - rotation[(0, 1)],
        );
    let cos = 0.5 * (rotation.trace() - 1.0);
    if cos < -0.5 {
        // The antisymmetric part vanishes towards π.
        let rotation = Rotation3::from_matrix_unchecked(*rotation);
        return UnitQuaternion::from_rotation_matrix(&rotation).scaled_axis();
    }
    let sin = axis_sin.norm();
    if sin < 1e-7 {
        return axis_sin;
    }
    axis_sin * (sin.atan2(cos) / sin)
}

/// `c` and its derivative over `t`, divided by `t`.
fn coefficients(t: f64) -> (f64, f64) {
    let t2 = t * t;
    if t < 0.2 {
        let c = 1.0 / 12.0 + t2 * (1.0 / 720.0 + t2 * (1.0 / 30240.0 + t2 / 1_209_600.0));
        let slope = 1.0 / 360.0 + t2 * (1.0 / 7560.0 + t2 / 201_600.0);
        return (c, slope);
    }
    let (sin, cos) = (0.5 * t).sin_cos();
    let c = (1.0 - 0.5 * t * cos / sin) / t2;
    let slope = (t * (t + t.sin()) - 8.0 * sin * sin) / (4.0 * t2 * t2 * sin * sin);
    (c, slope)
}

/// T⁻¹(θ).
pub(crate) fn inverse_tangent(theta: &Vector3<f64>) -> Matrix3<f64> {
    let (c, _) = coefficients(theta.norm());
    let hat = skew(theta);
    Matrix3::identity() - 0.5 * hat + c * hat * hat
}

/// Symmetric part of the derivative of `T⁻ᵀ(θ) moment` over spatial rotations (Battini & Pacoste 2002, Eq. 40).
pub(crate) fn moment_tangent(
    theta: &Vector3<f64>,
    moment: &Vector3<f64>,
    inverse_tangent: &Matrix3<f64>,
) -> Matrix3<f64> {
    let (c, slope) = coefficients(theta.norm());
    let twice = theta.cross(&theta.cross(moment));
    let over_theta = c
        * (theta * moment.transpose() - 2.0 * moment * theta.transpose()
            + Matrix3::from_diagonal_element(theta.dot(moment)))
        + slope * twice * theta.transpose()
        - 0.5 * skew(moment);
    let tangent = over_theta * inverse_tangent;
    0.5 * (tangent + tangent.transpose())
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    #[test]
    fn the_logarithm_is_exact_from_zero_to_pi() {
        let axis = Vector3::new(0.36, -0.48, 0.8);
        for angle in [0.0, 1e-9, 1e-4, 0.5, 2.0, 3.0, 0.99 * PI] {
            let rotation = UnitQuaternion::from_scaled_axis(axis * angle);
            let back = log(rotation.to_rotation_matrix().matrix());
            assert!((back - axis * angle).norm() < 1e-9, "{angle}: {back}");
        }
    }

    #[test]
    fn derivatives_are_those_of_finite_differences() {
        for scale in [1e-3, 0.15, 0.25, 1.5] {
            let theta = Vector3::new(0.6, -0.3, 0.7) * scale;
            let moment = Vector3::new(-0.2, 0.5, 0.9);
            let rotated = |s: &Vector3<f64>| {
                let rotation =
                    UnitQuaternion::from_scaled_axis(*s) * UnitQuaternion::from_scaled_axis(theta);
                log(rotation.to_rotation_matrix().matrix())
            };
            let t_inv = inverse_tangent(&theta);
            let tangent = moment_tangent(&theta, &moment, &t_inv);
            let step = 1e-4;
            for axis in 0..3 {
                let s = Vector3::ith(axis, step);
                let slope = (rotated(&s) - rotated(&-s)) / (2.0 * step);
                assert!((slope - t_inv * Vector3::ith(axis, 1.0)).norm() < 1e-7);
                let bend = (rotated(&s) + rotated(&-s) - 2.0 * theta).dot(&moment) / (step * step);
                assert!(
                    (bend - tangent[(axis, axis)]).abs() < 1e-6,
                    "{scale} {axis}"
                );
            }
        }
    }
}
