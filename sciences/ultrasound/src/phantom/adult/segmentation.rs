//! The trunk as a segmentation, with the classes of TotalSegmentator v2: a synthetic patient for everything that reads segmentations.

use insonate_settings::check_range;
use insonate_volumes::{ClassMap, LabelImage, Segmentation, VoxelFrame};
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use super::{Adult, MUSCLE_THICKNESS};
use crate::UltrasoundError;
use crate::deformation::Point;

/// Numbers of classes: those of TotalSegmentator's task `total`, and the tissues of its tasks `body` and `tissue_types` after them.
pub(super) mod class {
    pub(crate) const SPLEEN: u8 = 1;
    /// Right, left.
    pub(crate) const KIDNEY: [u8; 2] = [2, 3];
    pub(crate) const GALLBLADDER: u8 = 4;
    pub(crate) const LIVER: u8 = 5;
    /// Upper, lower.
    pub(crate) const LEFT_LOBES: [u8; 2] = [10, 11];
    /// Upper, middle, lower.
    pub(crate) const RIGHT_LOBES: [u8; 3] = [12, 13, 14];
    pub(crate) const SMALL_BOWEL: u8 = 18;
    pub(crate) const URINARY_BLADDER: u8 = 21;
    pub(crate) const SACRUM: u8 = 25;
    /// Higher vertebrae follow.
    pub(crate) const VERTEBRA_L5: u8 = 27;
    pub(crate) const AORTA: u8 = 52;
    pub(crate) const INFERIOR_VENA_CAVA: u8 = 63;
    pub(crate) const PORTAL_VEIN: u8 = 64;
    /// Left, right; lower ribs follow.
    pub(crate) const RIB_1: [u8; 2] = [92, 104];
    pub(crate) const STERNUM: u8 = 116;
    pub(crate) const COSTAL_CARTILAGES: u8 = 117;
    pub(crate) const BODY: u8 = 118;
    pub(crate) const SUBCUTANEOUS_FAT: u8 = 119;
    pub(crate) const TORSO_FAT: u8 = 120;
    pub(crate) const SKELETAL_MUSCLE: u8 = 121;

    /// Names of the classes that are not in `total`.
    pub(crate) const TISSUES: [(u8, &str); 4] = [
        (BODY, "body_trunc"),
        (SUBCUTANEOUS_FAT, "subcutaneous_fat"),
        (TORSO_FAT, "torso_fat"),
        (SKELETAL_MUSCLE, "skeletal_muscle"),
    ];
}

/// Allowed edges of voxels [m].
const EDGES: [f64; 2] = [0.001, 0.01];

impl Adult {
    /// The trunk in cubic voxels with an edge [m], as TotalSegmentator labels a CT: the classes of its task `total`, `body_trunc`, and fat
    /// and muscle of `tissue_types`. The first index runs to the right, the second to the front, the third to the head.
    ///
    /// Skin is `body_trunc`. The walls of vessels, gallbladder and bladder belong to their class, and so do vessels within the liver, apart
    /// from the portal vein's trunk.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: the edge is outside of 0.001 to 0.01 m.
    pub fn segmentation(&self, edge: f64) -> Result<Segmentation, UltrasoundError> {
        check_range("edge of voxels", edge, EDGES, "m")?;
        let [low, high] = self.bounds().map(|corner| corner.coords.cast::<f64>());
        let size = high - low;
        let n = |axis: usize| (size[axis] / edge).ceil() as usize;
        let count = [n(0), n(2), n(1)];
        let steps = Matrix3::new(-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0) * edge;
        let half = count.map(|n| 0.5 * (n as f64 - 1.0));
        let origin = 0.5 * (low + high) - steps * Vector3::from(half);
        let [nx, ny, _] = count;
        let labels = (0..count.iter().product()).into_par_iter().map(|voxel| {
            let index = [voxel % nx, voxel / nx % ny, voxel / (nx * ny)].map(|n| n as f64);
            let place = origin + steps * Vector3::from(index);
            i64::from(self.class(&Point::from(place.cast::<f32>())))
        });
        let labels: Vec<i64> = labels.collect();
        let image = LabelImage::new(count, VoxelFrame { origin, steps }, &labels)?;
        let mut map = ClassMap::of("total")?;
        let tissues = class::TISSUES.map(|(label, name)| (i64::from(label), name.to_owned()));
        map.classes.extend(tissues);
        Ok(Segmentation::of(image, Some(&map))?)
    }

    /// Class at a point; 0 outside of the trunk.
    fn class(&self, rest: &Point) -> u8 {
        let depth = self.skin.depth(rest);
        let [skin, _, fascia] = self.layer_ends();
        if depth < 0.0 {
            return 0;
        } else if depth < skin {
            return class::BODY;
        } else if depth < fascia {
            return class::SUBCUTANEOUS_FAT;
        }
        let below = depth - fascia;
        let chest = self.thorax.class(rest, below);
        let wall =
            (below < self.thorax.wall(rest, MUSCLE_THICKNESS)).then_some(class::SKELETAL_MUSCLE);
        let organ = || self.organs.class(rest).unwrap_or(class::TORSO_FAT);
        chest.or(wall).unwrap_or_else(organ)
    }
}
