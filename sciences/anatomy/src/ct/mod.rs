//! What a CT adds to a segmentation: the body, fat, muscle and gas between the classes, and the density of bones.
//!
//! | voxels | by their value |
//! |---|---|
//! | of the body, without another class | fat from −190 to −30 HU, muscle from −29 to 150 HU, gas below −400 HU; skin stays the body |
//! | of stomach and bowel | gas below −400 HU |
//! | of bones | cancellous bone up to the middle of the densities of cancellous and cortical bone |
//!
//! Other classes stay as they are, because contrast agents change the values of vessels and organs.

mod body;
mod cells;
mod exam;
mod hounsfield;
mod refine;
mod table;

use insonate_volumes::{CtImage, Segmentation};
use serde::{Deserialize, Serialize};

use crate::AnatomyError;
use crate::findings::CutClass;
use crate::tissues::Tissues;

pub use hounsfield::{density, sound_speed};
pub(crate) use refine::{CLASSES, refine};

use body::Body;
use exam::Exam;

/// Name of the body's class, as in TotalSegmentator's task `body`.
const BODY_CLASS: &str = "body_trunc";

/// What a CT says about a patient.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CtFindings {
    /// Where the CT came from.
    pub source: String,
    /// Whether the body is that of the CT, because the segmentation has none.
    pub has_body: bool,
    /// Mean value of the liver [HU].
    pub liver_hu: Option<f64>,
    /// Mean value of the bones [HU].
    pub bone_hu: Option<f64>,
    /// Density of the bones from that value [kg/m³].
    pub bone_density: Option<f64>,
    /// Volumes of the classes of the CT [ml].
    pub fat_ml: f64,
    /// As [`fat_ml`](Self::fat_ml).
    pub muscle_ml: f64,
    /// As [`fat_ml`](Self::fat_ml).
    pub gas_ml: f64,
    /// As [`fat_ml`](Self::fat_ml).
    pub cancellous_ml: f64,
    /// Volume of what is next to the body: table, tubes and cables [ml].
    pub removed_ml: f64,
    /// Number of its connected parts.
    pub removed_parts: usize,
    /// Side of the body on which a table is: front, back, left or right.
    pub table: Option<String>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Classes of the segmentation, before the CT changed them, that the edges of the volume cut off.
    #[serde(default)]
    pub cut: Vec<CutClass>,
}

impl CtFindings {
    /// Examines a CT of a segmented patient, and adds the body to a segmentation without one. `source` says where the CT came from. The
    /// segmentation may have another grid of the same frame; it is grown if it does not hold the body.
    ///
    /// # Errors
    /// [`AnatomyError::Refused`]: the CT does not cover the classes, has air where they are, or has no body; the segmentation with the
    /// body has too many voxels.
    pub fn of(
        ct: &CtImage,
        segmentation: Segmentation,
        tissues: &Tissues,
        source: &str,
    ) -> Result<(Self, Segmentation), AnatomyError> {
        let exam = Exam::of(ct, &segmentation, tissues);
        exam.check(ct, &segmentation)?;
        let present = segmentation.classes().iter();
        let is_trunk = |name: &str| tissues.is_trunk(name);
        let mut present = present.filter(|class| class.n_voxels > 0 && is_trunk(&class.name));
        let known = present.next().map(|class| class.name.clone());
        let refuse =
            |error: insonate_volumes::VolumeError| AnatomyError::Refused(error.to_string());
        let mut labels = segmentation;
        let body = if known.is_some() {
            Body::by_labels(ct, &labels)?
        } else {
            let body = Body::by_density(ct)?;
            labels = labels.grown_to(body.bounds()).map_err(refuse)?;
            body
        };
        let value = labels.add_class(known.as_deref().unwrap_or(BODY_CLASS));
        let value = value.map_err(refuse)?;
        if known.is_none() {
            body.put(ct, &mut labels, value);
            let text = "the body is that of the CT, because the segmentation has none";
            labels.note(text.to_owned());
        }
        body::fill_holes(&mut labels, value);
        let removed = body.removed();
        let mut warnings = ct.notes().to_vec();
        warnings.extend(exam.warnings());
        warnings.extend(removed.table.and_then(lying));
        let found = Self {
            source: source.to_owned(),
            has_body: known.is_none(),
            liver_hu: exam.liver(),
            bone_hu: exam.bone(),
            bone_density: exam.bone().map(density),
            removed_ml: 1e6 * removed.volume,
            removed_parts: removed.n_parts,
            table: removed.table.map(str::to_owned),
            warnings,
            ..Self::default()
        };
        Ok((found, labels))
    }
}

/// Warning of a patient who did not lie on the back.
fn lying(table: &str) -> Option<String> {
    match table {
        "front" => Some(
            "the table of the CT is in front of the body: the patient lay prone, so the belly is flattened, and the torso lies on its back"
                .to_owned(),
        ),
        "back" => None,
        side => Some(format!(
            "the table of the CT is on the {side} of the body: the patient lay on that side, and the torso lies on its back"
        )),
    }
}
