//! Pose of a probe on the skin of a label volume.

use insonate_settings::check_range;
use nalgebra::{Isometry3, Matrix3};

use super::LabelVolume;
use crate::UltrasoundError;
use crate::deformation::{Point, Vector};
use crate::phantom::Phantom;
use crate::phantom::site::pose_on_skin;

/// The skin around a site is approximated by a plane over this length [m], from a number of heights along each side.
const SIDE: f32 = 0.02;
const N_HEIGHTS: i32 = 5;
/// Least step of the search for skin [m].
const STEP: f32 = 1e-4;

impl LabelVolume {
    /// Lowest and highest coordinates of its voxels [m].
    pub fn bounds(&self) -> [Point; 2] {
        let corners = self.frame.corners(self.count).map(nalgebra::Matrix::cast);
        let all = |pick: fn(&Vector, &Vector) -> Vector| {
            let rest = corners.iter().skip(1);
            Point::from(rest.fold(corners[0], |bound, corner| pick(&bound, corner)))
        };
        [all(Vector::inf), all(Vector::sup)]
    }

    /// Pose of a probe on the front, as in [`Adult::probe_pose`](crate::phantom::Adult::probe_pose); `site` is in the volume's own
    /// coordinates, left and towards the head [m].
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: there is only gas below this place, the volume is not surrounded by gas, or the indentation is outside of
    /// 0 to 0.03 m.
    pub fn probe_pose(
        &self,
        site: [f64; 2],
        rotation: f64,
        indentation: f64,
    ) -> Result<Isometry3<f64>, UltrasoundError> {
        check_range("indentation", indentation, [0.0, 0.03], "m")?;
        if !self.materials[0].is_gas() {
            let name = self.materials[0].name;
            let allowed = "a gas, as air, in which a probe can stand";
            return Err(UltrasoundError::setting("outside", name, allowed));
        }
        let [x, y] = site.map(|x| x as f32);
        let [low, high] = self.bounds();
        let missing = || {
            let allowed = format!(
                "above tissue; the volume reaches from {:?} to {:?}",
                [low.x, low.y],
                [high.x, high.y]
            );
            UltrasoundError::setting("site", site, allowed)
        };
        if !(x.is_finite() && y.is_finite() && rotation.is_finite()) {
            return Err(missing());
        }
        let skin = self.skin(x, y).ok_or_else(missing)?;
        Ok(pose_on_skin(
            &skin,
            &self.inward(&skin),
            rotation,
            indentation,
        ))
    }

    /// The first point from the front that is not in gas.
    fn skin(&self, x: f32, y: f32) -> Option<Point> {
        let [low, high] = self.bounds();
        let mut point = Point::new(x, y, high.z + STEP);
        while point.z > low.z {
            let place = self.place(&point);
            if !self.materials[usize::from(place.material)].is_gas() {
                return Some(point);
            }
            point.z -= place.clearance.max(STEP);
        }
        None
    }

    /// Inward normal of the least-squares plane of the skin around a point.
    fn inward(&self, skin: &Point) -> Vector {
        let place = |n: i32| SIDE * (n as f32 / (N_HEIGHTS - 1) as f32 - 0.5);
        let around = (0..N_HEIGHTS).flat_map(|n| (0..N_HEIGHTS).map(move |m| (place(n), place(m))));
        let (mut square, mut product) = (Matrix3::zeros(), Vector::zeros());
        for (x, y) in around {
            if let Some(found) = self.skin(skin.x + x, skin.y + y) {
                let row = Vector::new(x, y, SIDE);
                // Skips heights far below, which are next to the body.
                if (found.z - skin.z).abs() < SIDE {
                    square += row * row.transpose();
                    product += row * (found.z - skin.z);
                }
            }
        }
        let slopes = square.try_inverse().map(|inverse| inverse * product);
        let slopes = slopes.filter(|slopes| slopes.iter().all(|x| x.is_finite()));
        slopes.map_or_else(
            || -Vector::z(),
            |slopes| Vector::new(slopes.x, slopes.y, -1.0).normalize(),
        )
    }
}
