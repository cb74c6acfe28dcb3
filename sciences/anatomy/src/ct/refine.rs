//! Classes of a CT within the body: fat, muscle and gas, and cancellous bone.

use insonate_volumes::{CtImage, CtRows, Segmentation};

use super::CtFindings;
use super::hounsfield::{FAT, GAS, MUSCLE, cancellous_limit};
use crate::AnatomyError;
use crate::tissues::{TissueKind, Tissues};

/// Names of the classes.
pub(crate) const CLASSES: [&str; 4] = ["fat", "muscle", "gas", "cancellous_bone"];
/// Thickness of the skin [m].
const SKIN: f64 = 0.002;

/// What the value of a voxel decides.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    Nothing,
    Body,
    Bowel,
    Bone,
}

/// Adds the classes of a CT to labels that have the body, and their volumes to the findings.
pub(crate) fn refine(
    ct: &CtImage,
    labels: &mut Segmentation,
    tissues: &Tissues,
    found: &mut CtFindings,
) -> Result<(), AnatomyError> {
    let mut open = [Open::Nothing; 256];
    for (class, value) in labels.classes().iter().zip(1..) {
        open[value] = match tissues.of(&class.name) {
            Some(own) if own.kind == TissueKind::Body => Open::Body,
            Some(own) if own.holds_gas => Open::Bowel,
            Some(own) if own.is_spongy => Open::Bone,
            _ => Open::Nothing,
        };
    }
    let mut values = [0; CLASSES.len()];
    for (value, name) in values.iter_mut().zip(CLASSES) {
        let added = labels.add_class(name);
        *value = added.map_err(|error| AnatomyError::Refused(error.to_string()))?;
    }
    let [fat, muscle, gas, cancellous] = values;
    let most_cancellous = cancellous_limit();
    let count = labels.count();
    let rows = CtRows::new(ct, count, &labels.frame());
    let skin = Skin::of(labels);
    let mut hu = vec![0; count[0]];
    let mut counts = [0usize; CLASSES.len()];
    labels.change(|voxels| {
        for (row, own) in voxels.chunks_exact_mut(count[0]).enumerate() {
            if own
                .iter()
                .all(|value| open[usize::from(*value)] == Open::Nothing)
            {
                continue;
            }
            let [y, z] = [row % count[1], row / count[1]];
            rows.read([y, z], &mut hu);
            for (x, (own, hu)) in own.iter_mut().zip(&hu).enumerate() {
                let kind = open[usize::from(*own)];
                if kind == Open::Nothing || *hu == CtRows::OUTSIDE {
                    continue;
                }
                let found = match kind {
                    Open::Bone if *hu <= most_cancellous => Some(3),
                    Open::Body if skin.contains([x, y, z]) => None,
                    Open::Bowel | Open::Body if *hu < GAS => Some(2),
                    Open::Body if (FAT[0]..=FAT[1]).contains(hu) => Some(0),
                    Open::Body if (MUSCLE[0]..=MUSCLE[1]).contains(hu) => Some(1),
                    _ => None,
                };
                if let Some(found) = found {
                    *own = [fat, muscle, gas, cancellous][found];
                    counts[found] += 1;
                }
            }
        }
    });
    let ml = 1e6 * labels.voxel_volume();
    [
        found.fat_ml,
        found.muscle_ml,
        found.gas_ml,
        found.cancellous_ml,
    ] = counts.map(|n| ml * n as f64);
    Ok(())
}

/// The voxels of a body within the thickness of its skin, along the axes of the grid.
struct Skin {
    count: [usize; 3],
    strides: [usize; 3],
    /// Thickness along each axis [voxels].
    reach: [usize; 3],
    /// A bit for each voxel without a class.
    is_free: Vec<u64>,
}

impl Skin {
    fn of(labels: &Segmentation) -> Self {
        let count = labels.count();
        let words = labels.voxels().chunks(64).map(|voxels| {
            let bits = voxels.iter().enumerate();
            bits.fold(0, |word, (bit, value)| word | u64::from(*value == 0) << bit)
        });
        let frame = labels.frame();
        // A voxel is no skin if the skin fills less than half of it.
        let reach = |axis: usize| {
            let edge = frame.steps.column(axis).norm();
            if edge <= 2.0 * SKIN {
                (SKIN / edge).ceil() as usize
            } else {
                0
            }
        };
        Self {
            count,
            strides: [1, count[0], count[0] * count[1]],
            reach: [0, 1, 2].map(reach),
            is_free: words.collect(),
        }
    }

    fn is_free(&self, at: usize) -> bool {
        self.is_free[at / 64] >> (at % 64) & 1 == 1
    }

    fn contains(&self, index: [usize; 3]) -> bool {
        let at = index[0] + index[1] * self.strides[1] + index[2] * self.strides[2];
        (0..3).any(|axis| {
            let (place, stride) = (index[axis], self.strides[axis]);
            (1..=self.reach[axis]).any(|away| {
                let is_below = place >= away && self.is_free(at - away * stride);
                is_below || place + away < self.count[axis] && self.is_free(at + away * stride)
            })
        })
    }
}
