//! A flat wall.

use nalgebra::Vector3;

use super::{Lumen, WallPoint};
use crate::ContinuumError;

/// The free space on one side of a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    point: Vector3<f64>,
    normal: Vector3<f64>,
}

impl Plane {
    /// The plane through a point [m] whose normal, of any length, points into the free space.
    ///
    /// # Errors
    /// [`ContinuumError::Setting`] for values that are not finite, or a zero normal.
    pub fn new(point: Vector3<f64>, normal: Vector3<f64>) -> Result<Self, ContinuumError> {
        if !point.iter().all(|x| x.is_finite()) {
            let point: [f64; 3] = point.into();
            return Err(ContinuumError::setting("point", point, "finite"));
        }
        Ok(Self {
            point,
            normal: super::unit("normal", normal)?,
        })
    }
}

impl Lumen for Plane {
    fn walls_near(&self, point: &Vector3<f64>, within: f64, walls: &mut Vec<WallPoint>) {
        let distance = (point - self.point).dot(&self.normal);
        if distance < within {
            walls.push(WallPoint {
                position: point - self.normal * distance,
                normal: self.normal,
                distance,
            });
        }
    }
}
