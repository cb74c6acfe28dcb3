//! The front of the neck at the level of the thyroid gland, at rest, for linear arrays.
//!
//! +x to the patient's left, +y to the head, +z to the front, origin on the skin in front of the centre of the trachea.
//! Vessels, muscles and trachea are infinite along the neck; the thyroid is finite.
//! A seed draws positions and sizes. The neck is not a copy of a real person.

mod index;
mod organs;
mod shape;

use insonate_settings::check_range;
use nalgebra::Isometry3;

use self::organs::{Organ, organs};
use super::site::pose_on_skin;
use super::{Phantom, PointMaterial};
use crate::UltrasoundError;
use crate::deformation::{Point, Vector};
use crate::material::{
    AIR, BLOOD, BONE, CARTILAGE, CONNECTIVE_TISSUE, FASCIA, FAT, MUSCLE, Material, SKIN, THYROID,
    WALL,
};

/// In the order of `index`.
const MATERIALS: [Material; 11] = [
    AIR,
    SKIN,
    FAT,
    FASCIA,
    MUSCLE,
    THYROID,
    BLOOD,
    WALL,
    CARTILAGE,
    BONE,
    CONNECTIVE_TISSUE,
];

/// Largest distance of a probe from the middle [m].
const REACH: f64 = 0.03;

/// The front of an adult's neck.
#[derive(Clone, Debug)]
pub struct Neck {
    organs: Vec<Organ>,
    /// Radius of the skin about an axis along the neck [m].
    skin: f32,
}

impl Neck {
    /// Depth of a picture that reaches the spine [m].
    pub const DEPTH: f64 = 0.045;
    /// Indentation at which a flat face 50 mm wide is in full contact with the round neck [m].
    pub const INDENTATION: f64 = 0.004;

    /// A neck with sizes and positions drawn by a seed.
    pub fn new(seed: u64) -> Self {
        let (organs, skin) = organs(seed);
        Self { organs, skin }
    }

    /// Corners of a box that contains the lobes of the thyroid, for any seed [m].
    pub fn thyroid_bounds() -> [Point; 2] {
        [
            Point::new(-0.024, -0.025, -0.033),
            Point::new(0.024, 0.025, -0.010),
        ]
    }

    /// Pose of a probe on the skin in front of x, y. Its axis is the inward normal, +x is turned by `rotation` [rad] from the patient's left
    /// about that axis, and it is pushed in by `indentation` [m].
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: the place is farther than 30 mm from the middle, or the indentation is outside of 0 to 0.015 m.
    pub fn probe_pose(
        &self,
        [x, y]: [f64; 2],
        rotation: f64,
        indentation: f64,
    ) -> Result<Isometry3<f64>, UltrasoundError> {
        check_range("site x", x, [-REACH, REACH], "m")?;
        check_range("site y", y, [-REACH, REACH], "m")?;
        check_range("rotation", rotation, [-100.0, 100.0], "rad")?;
        check_range("indentation", indentation, [0.0, 0.015], "m")?;
        let x = x as f32;
        let out = Vector::new(x, 0.0, (self.skin * self.skin - x * x).sqrt()) / self.skin;
        let point = Point::new(x, y as f32, self.skin * (out.z - 1.0));
        Ok(pose_on_skin(&point, &-out, rotation, indentation))
    }

    /// Material and clearance at a point [m], and the solid with the nearest boundary.
    fn nearest(&self, rest: &Point) -> (PointMaterial, Option<&Organ>) {
        let mut place = PointMaterial {
            material: index::CONNECTIVE_TISSUE,
            clearance: f32::MAX,
        };
        let mut nearest = None;
        for organ in &self.organs {
            let distance = organ.distance(rest);
            if distance.abs() < place.clearance {
                (place.clearance, nearest) = (distance.abs(), Some(organ));
            }
            if distance < 0.0 {
                place.material = organ.material;
                break;
            }
        }
        (place, nearest)
    }
}

impl Phantom for Neck {
    fn materials(&self) -> &[Material] {
        &MATERIALS
    }

    fn place(&self, rest: &Point) -> PointMaterial {
        self.nearest(rest).0
    }

    fn normal(&self, rest: &Point) -> Vector {
        const STEP: f32 = 1e-4;
        let slopes = self.nearest(rest).1.map(|organ| {
            [Vector::x(), Vector::y(), Vector::z()].map(|axis| {
                let [ahead, behind] = [rest + STEP * axis, rest - STEP * axis];
                organ.distance(&ahead) - organ.distance(&behind)
            })
        });
        let normal = slopes.and_then(|slopes| Vector::from(slopes).try_normalize(1e-9));
        normal.unwrap_or_else(Vector::z)
    }
}
