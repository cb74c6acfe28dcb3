//! Rigid motion of a body.

use nalgebra::Isometry3;

use super::{Deformation, Point};

/// A body that keeps its shape.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rigid {
    /// Pose of the rest shape.
    pub world_from_rest: Isometry3<f32>,
}

impl Deformation for Rigid {
    fn rest_from_world(&self, world: &Point) -> Option<Point> {
        Some(self.world_from_rest.inverse_transform_point(world))
    }

    fn rest_from_worlds(&self, points: &mut [Point]) {
        if self.world_from_rest == Isometry3::identity() {
            return;
        }
        for point in points {
            *point = self.world_from_rest.inverse_transform_point(point);
        }
    }

    fn world_from_rest(&self, rest: &Point) -> Option<Point> {
        Some(self.world_from_rest * rest)
    }

    fn max_compression(&self, _: &Point) -> f32 {
        1.0
    }
}
