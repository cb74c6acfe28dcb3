//! A straight tube of infinite length.

use nalgebra::Vector3;

use super::{Lumen, WallPoint};
use crate::ContinuumError;

/// A straight round tube of infinite length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StraightTube {
    point: Vector3<f64>,
    axis: Vector3<f64>,
    radius: f64,
}

impl StraightTube {
    /// A tube around an axis (a vector of any length) through a point [m], with a radius [m].
    ///
    /// # Errors
    /// [`ContinuumError::Setting`] for values that are not finite, a zero axis, or a radius outside 0.1 mm to
    /// 1 m.
    pub fn new(
        point: Vector3<f64>,
        axis: Vector3<f64>,
        radius: f64,
    ) -> Result<Self, ContinuumError> {
        if !point.iter().all(|x| x.is_finite()) {
            let point: [f64; 3] = point.into();
            return Err(ContinuumError::setting("point", point, "finite"));
        }
        super::check_radius("radius", radius)?;
        Ok(Self {
            point,
            axis: super::unit("axis", axis)?,
            radius,
        })
    }
}

impl Lumen for StraightTube {
    /// The nearest point of the wall, and the one opposite.
    fn walls_near(&self, point: &Vector3<f64>, within: f64, walls: &mut Vec<WallPoint>) {
        let from_point = point - self.point;
        let along = self.axis * from_point.dot(&self.axis);
        let across = from_point - along;
        let outward = across
            .try_normalize(1e-12)
            .unwrap_or_else(|| super::perpendicular(&self.axis));
        for (outward, distance) in [
            (outward, self.radius - across.norm()),
            (-outward, self.radius + across.norm()),
        ] {
            if distance < within {
                walls.push(WallPoint {
                    position: self.point + along + outward * self.radius,
                    normal: -outward,
                    distance,
                });
            }
        }
    }
}
