//! Material indices of labels.

use std::collections::BTreeMap;

use insonate_volumes::LabelImage;

use super::body::UNLABELLED;
use super::table::MaterialTable;
use crate::UltrasoundError;
use crate::material::{AIR, Material};

/// Materials; the first one is outside of the volume.
pub(super) struct Palette {
    pub(super) materials: Vec<Material>,
    /// Material index of each label, in the order of the image's labels, or of each value of a segmentation.
    pub(super) of_label: Vec<u8>,
    /// Material indices of gases that are outside or of label 0.
    pub(super) unlabelled: Vec<u8>,
    /// Material index of label 0, if the table has it.
    zero: Option<u8>,
}

impl Palette {
    /// # Errors
    /// [`UltrasoundError::Setting`] names the labels without a material.
    pub(super) fn new(image: &LabelImage, table: &MaterialTable) -> Result<Self, UltrasoundError> {
        check_known(image, table)?;
        let mut materials = vec![table.outside];
        // Sorted by label and not by voxel: an index means the same however the volume is stored, and in every volume of the table.
        let mut places: BTreeMap<i64, u8> = BTreeMap::new();
        for (&label, &wanted) in &table.labels {
            // A gas with a label is distinguished from parts without a label.
            let beyond = places.get(&UNLABELLED).copied().unwrap_or_default() + 1;
            let has_own = label != UNLABELLED && wanted.is_gas();
            let start = if has_own { usize::from(beyond) } else { 0 };
            places.insert(label, number(&mut materials, start, wanted));
        }
        let zero = places.get(&UNLABELLED).copied();
        let gases = [Some(0), zero].into_iter().flatten();
        let mut unlabelled: Vec<u8> = gases
            .filter(|&number| materials[usize::from(number)].is_gas())
            .collect();
        unlabelled.dedup();
        Ok(Self {
            of_label: image.labels().iter().map(|label| places[label]).collect(),
            materials,
            unlabelled,
            zero,
        })
    }

    /// Materials of classes from 1 on; 0 is air.
    pub(super) fn of_classes(wanted: &[Material]) -> Self {
        let mut materials = vec![AIR];
        let of_class = wanted.iter().map(|own| {
            // A gas with a class is distinguished from the background.
            let start = usize::from(own.is_gas());
            number(&mut materials, start, *own)
        });
        let of_label = std::iter::once(0).chain(of_class).collect();
        Self {
            of_label,
            materials,
            unlabelled: vec![0],
            zero: Some(0),
        }
    }

    /// Material index of the body.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: it is a gas, or label 0 is not a gas.
    pub(super) fn body(&mut self, table: &MaterialTable) -> Result<u8, UltrasoundError> {
        let zero = self.zero.map(|zero| self.materials[usize::from(zero)]);
        if let Some(zero) = zero.filter(|zero| !zero.is_gas()) {
            let allowed = "a gas, as air, where a body is given";
            return Err(UltrasoundError::setting("label 0", zero.name, allowed));
        }
        if table.body.is_gas() {
            let allowed = "tissue, as soft tissue";
            return Err(UltrasoundError::setting("body", table.body.name, allowed));
        }
        Ok(number(&mut self.materials, 0, table.body))
    }
}

/// Index of a material among those from `start` on; adds the material if it is missing.
fn number(materials: &mut Vec<Material>, start: usize, wanted: Material) -> u8 {
    let known = materials[start..].iter().position(|known| *known == wanted);
    let number = known.map_or(materials.len(), |known| start + known);
    if number == materials.len() {
        materials.push(wanted);
    }
    number as u8
}

fn check_known(image: &LabelImage, table: &MaterialTable) -> Result<(), UltrasoundError> {
    let missing = image.occurring().into_iter();
    let missing = missing.filter(|(label, _)| !table.labels.contains_key(label));
    let missing: Vec<String> = missing
        .take(8)
        .map(|(label, n)| format!("{label} ({n} voxels)"))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let known: Vec<i64> = table.labels.keys().copied().collect();
    Err(UltrasoundError::setting(
        "labels without a material",
        missing,
        format!("none: the table has {known:?}"),
    ))
}
