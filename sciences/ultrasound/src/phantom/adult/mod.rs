//! The interior of the adult patient's trunk: layers, ribs, lungs and organs, in the torso's frame at rest.
//!
//! +x to the patient's left, +y to the head, +z up from the table, origin on the table below the centre of the trunk, as in
//! [`insonate_models::patients::Trunk`].
//! Organs are ellipsoids and tubes at positions from anatomy books, scaled with the trunk; a seed moves and scales them.
//! They are not a copy of a real person.

mod ct;
mod index;
mod landmarks;
mod liver_kidney_view;
mod organs;
mod segmentation;
mod shape;
mod skin;
mod soft_organ;
mod stretch;
mod surface;
mod thorax;
mod voxels;

use std::sync::Arc;

use insonate_models::patients::{Physique, Trunk};
use insonate_settings::check_range;
use nalgebra::Isometry3;

pub use self::landmarks::Landmarks;
use self::organs::Organs;
use self::skin::SkinDepth;
pub use self::soft_organ::{SoftOrgan, SurfacePoint};
use self::thorax::Thorax;
use self::voxels::{VoxelNeighborhood, Voxels};
use super::site::pose_on_skin;
use super::{Phantom, PointMaterial, SegmentMaterial};
use crate::UltrasoundError;
use crate::deformation::{Point, Vector};
use crate::material::{
    self, AIR, BILE, BLOOD, BONE, BOWEL, CARTILAGE, FASCIA, FAT, KIDNEY_CORTEX, KIDNEY_PYRAMID,
    KIDNEY_SINUS, LIVER, LUNG, MUSCLE, Material, SKIN, SPLEEN, URINE, WALL,
};

/// Thickness of the skin, and of the fascia between fat and muscle [m].
const SKIN_THICKNESS: f32 = 0.0018;
const FASCIA_THICKNESS: f32 = 0.0008;
/// Thickness of the muscle in front of the belly [m].
const MUSCLE_THICKNESS: f32 = 0.011;
/// Upper limit of clearances: the distance to the skin is approximate farther away [m].
const LONGEST: f32 = 0.012;

/// The interior of an adult's trunk.
#[derive(Clone, Debug)]
pub struct Adult {
    materials: Vec<Material>,
    skin: Arc<SkinDepth>,
    /// Size of the trunk relative to the reference man.
    scale: Vector,
    /// Thickness of the fat below the skin [m].
    fat: f32,
    thorax: Thorax,
    organs: Organs,
    voxels: Voxels,
}

impl Adult {
    /// A trunk of a physique, with organs moved and scaled by a seed.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: the physique is outside of the range of adults.
    pub fn new(physique: &Physique, seed: u64) -> Result<Self, UltrasoundError> {
        physique
            .check()
            .map_err(|error| UltrasoundError::setting("physique", physique, error.to_string()))?;
        let trunk = Trunk::new(physique);
        let [half_width, half_thickness, half_length] = trunk.half_size().map(|x| x as f32);
        // Unit: the reference man's trunk.
        let scale = Vector::new(
            half_width / 0.17,
            half_length / 0.30,
            half_thickness / 0.108,
        );
        let fat = (0.0011 * (physique.body_mass_index() as f32 - 15.0)).clamp(0.003, 0.03);
        let deep_fat = Material {
            name: "fat between organs",
            ..material::FAT
        };
        let mut adult = Self {
            // In the order of `index`.
            materials: vec![
                AIR,
                SKIN,
                FAT,
                FASCIA,
                MUSCLE,
                BONE,
                CARTILAGE,
                LUNG,
                LIVER,
                BLOOD,
                WALL,
                BILE,
                KIDNEY_CORTEX,
                KIDNEY_PYRAMID,
                KIDNEY_SINUS,
                SPLEEN,
                BOWEL,
                URINE,
                deep_fat,
            ],
            skin: Arc::new(SkinDepth::new(&trunk)),
            scale,
            fat,
            thorax: Thorax::new(scale),
            organs: Organs::new(scale, seed),
            voxels: Voxels::default(),
        };
        adult.fill();
        Ok(adult)
    }

    /// The same trunk with the organs of another seed; faster than a new trunk.
    #[must_use]
    pub fn with_organs(&self, seed: u64) -> Self {
        let mut adult = Self {
            materials: self.materials.clone(),
            skin: self.skin.clone(),
            organs: Organs::new(self.scale, seed),
            voxels: Voxels::default(),
            ..*self
        };
        adult.fill();
        adult
    }

    fn fill(&mut self) {
        let [low, high] = self.skin.bounds();
        self.voxels = Voxels::new(low, high, |point| self.exact_place(point));
    }

    /// Corners of a box around the trunk [m].
    pub fn bounds(&self) -> [Point; 2] {
        self.skin.bounds()
    }

    /// Pose of a probe on the skin above x, y. Its axis is the inward normal, +x is turned by `rotation` [rad] from the patient's left
    /// about that axis, and it is pushed in by `indentation` [m].
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: there is no skin above this place, or the indentation is outside of 0 to 0.03 m.
    pub fn probe_pose(
        &self,
        [x, y]: [f64; 2],
        rotation: f64,
        indentation: f64,
    ) -> Result<Isometry3<f64>, UltrasoundError> {
        check_range("indentation", indentation, [0.0, 0.03], "m")?;
        let column = |z: f32| Point::new(x as f32, y as f32, z);
        let allowed = "above the trunk";
        let missing = || UltrasoundError::setting("site", [x, y], allowed);
        if !(x.is_finite() && y.is_finite() && rotation.is_finite()) {
            return Err(missing());
        }
        let heights = (0..2000).map(|step| 0.4 - 0.0002 * step as f32);
        let height = heights
            .into_iter()
            .find(|&z| self.skin.depth(&column(z)) > 0.0)
            .ok_or_else(missing)?;
        let point = column(height);
        let inward = self.skin.inward(&point);
        Ok(pose_on_skin(&point, &inward, rotation, indentation))
    }

    /// Depths below the skin at which skin, fat and fascia end [m].
    fn layer_ends(&self) -> [f32; 3] {
        let fat = SKIN_THICKNESS + self.fat;
        [SKIN_THICKNESS, fat, fat + FASCIA_THICKNESS]
    }

    /// Material and clearance at a point, and the clearance from everything that is not an organ [m]; 0 outside of organs.
    fn exact_place(&self, rest: &Point) -> (PointMaterial, f32) {
        self.place_at_depth(rest, self.skin.depth(rest))
    }

    /// Like [`Self::exact_place`], at a known depth below the skin [m].
    fn place_at_depth(&self, rest: &Point, depth: f32) -> (PointMaterial, f32) {
        let at = |material: u8, clearance: f32| {
            let clearance = clearance.clamp(0.0, LONGEST);
            let place = PointMaterial {
                material,
                clearance,
            };
            (place, 0.0)
        };
        if depth < 0.0 {
            return at(index::AIR, -0.7 * depth);
        }
        // Layers below the skin.
        let (ends, mut start) = (self.layer_ends(), 0.0);
        for (layer, end) in ends.into_iter().enumerate() {
            if depth < end {
                let clearance = 0.7 * (depth - start).min(end - depth);
                return at(index::SKIN + layer as u8, clearance);
            }
            start = end;
        }
        let below = depth - start;
        let thorax = match self.thorax.place(rest, below) {
            Ok(place) => return at(place.material, place.clearance.min(0.7 * below)),
            Err(clearance) => clearance,
        };
        let wall = self.thorax.wall(rest, MUSCLE_THICKNESS);
        if below < wall {
            return at(
                index::MUSCLE,
                (0.55 * (wall - below)).min(0.7 * below).min(thorax),
            );
        }
        let rim = (0.55 * (below - wall)).min(thorax).clamp(0.0, LONGEST);
        let mut place = self.organs.place(rest);
        place.clearance = place.clearance.min(rim);
        (place, rim)
    }
}

impl Phantom for Adult {
    fn bounds(&self) -> Option<[Point; 2]> {
        Some(self.bounds())
    }

    fn materials(&self) -> &[Material] {
        &self.materials
    }

    fn place(&self, rest: &Point) -> PointMaterial {
        let known = self.voxels.at(rest);
        if let Some(place) = known.place {
            return place;
        }
        let Some(rim) = known.rim else {
            return self.exact_place(rest).0;
        };
        let mut place = self.organs.place(rest);
        place.clearance = place.clearance.min(rim);
        place
    }

    fn stretch(&self, start: &Point, way: &Vector) -> SegmentMaterial {
        let VoxelNeighborhood { place, rim } = self.voxels.at(start);
        let length = way.norm();
        if let Some(place) = place
            && (place.clearance >= length || rim.is_none())
        {
            return SegmentMaterial::by_clearance(place, length);
        }
        match rim {
            Some(rim) => self.organs.stretch(start, way).up_to(rim / length),
            None => self.close_stretch(start, way),
        }
    }

    fn normal(&self, rest: &Point) -> Vector {
        // Corners of a tetrahedron.
        const REACH: f32 = 0.5e-3;
        const CORNERS: [[f32; 3]; 4] = [
            [1.0, 1.0, 1.0],
            [1.0, -1.0, -1.0],
            [-1.0, 1.0, -1.0],
            [-1.0, -1.0, 1.0],
        ];
        if self.voxels.at(rest).rim.is_some() {
            let outward = self.organs.outward(rest);
            if let Some(normal) = outward.and_then(|outward| outward.try_normalize(1e-9)) {
                return normal;
            }
        }
        // Gradient of the clearance, negative beyond the boundary.
        let own = self.place(rest).material;
        let mut sum = Vector::zeros();
        for corner in CORNERS {
            let way = Vector::from(corner);
            let place = self.place(&(rest + REACH * way));
            sum += if place.material == own { way } else { -way } * place.clearance;
        }
        sum.try_normalize(1e-9)
            .unwrap_or_else(|| self.skin.inward(rest))
    }
}
