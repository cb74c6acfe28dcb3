//! Surfaces of organs at rest, as points with areas.
//!
//! Directions lie on a golden spiral over a ball, which is stretched to each of the organ's ellipsoids.

use insonate_settings::check_range;

use super::shape::Shape;
use super::{Adult, SoftOrgan, SurfacePoint};
use crate::UltrasoundError;
use crate::deformation::{Point, Vector};
use crate::phantom::Phantom as _;

/// Depth below the surface at which the organ's material must be found [m].
const BELOW: f32 = 0.0015;

impl Adult {
    /// Points of an organ's surface at rest, `n` for each of its ellipsoids, without points inside of another one of them and points that
    /// are cut off by the chest wall, the lung or a vessel.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: `n` is outside of 16 to 65536.
    pub fn surface(
        &self,
        organ: SoftOrgan,
        n: usize,
    ) -> Result<Vec<SurfacePoint>, UltrasoundError> {
        check_range("points of a surface", n as f64, [16.0, 65536.0], "")?;
        let outlines = self.organs.outlines().iter();
        let shapes = outlines.filter(|(other, _)| *other == organ);
        let shapes: Vec<Shape> = shapes.flat_map(|(_, shapes)| shapes.clone()).collect();
        let is_own = |own: usize, point: &Point| {
            let mut others = shapes.iter().enumerate().filter(|(other, _)| *other != own);
            others.all(|(_, shape)| shape.distance(point)[0] > 0.0)
        };
        let mut points = Vec::new();
        for (own, shape) in shapes.iter().enumerate() {
            let (center, _) = shape.ball();
            let placed = directions(n).filter_map(|direction| shape.surface(&direction));
            points.extend(placed.filter_map(|(rest, share)| {
                let below = rest - (rest - center).normalize() * BELOW;
                let found = self.materials()[usize::from(self.place(&below).material)].name;
                let area = share * 2.0 * std::f32::consts::TAU / n as f32;
                (is_own(own, &rest) && found.starts_with(organ.material()))
                    .then_some(SurfacePoint { rest, area })
            }));
        }
        Ok(points)
    }
}

/// Directions of unit length, evenly distributed over a ball.
fn directions(n: usize) -> impl Iterator<Item = Vector> {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    (0..n).map(move |index| {
        let z = 1.0 - (2.0 * index as f64 + 1.0) / n as f64;
        let (sin, cos) = (golden * index as f64).sin_cos();
        let across = (1.0 - z * z).sqrt();
        Vector::new((across * cos) as f32, (across * sin) as f32, z as f32)
    })
}
