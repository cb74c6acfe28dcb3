//! Whether a CT belongs to a segmentation: what it covers, and its values in the classes.

use insonate_volumes::{CtImage, CtRows, Segmentation, VoxelFrame};
use nalgebra::Vector3;

use crate::AnatomyError;
use crate::tissues::{Tissue, TissueKind, Tissues};

/// Values below this are air [HU].
const AIR: i16 = -500;
/// Shares of the voxels of solid classes in air: of a warning, and of a refusal.
const IN_AIR: [f64; 2] = [0.03, 0.2];
/// Mean values of a liver, fatty or with a contrast agent [HU].
const LIVER: [f64; 2] = [-20.0, 200.0];
/// Name of the tissue that they are of.
const LIVER_NAME: &str = "liver";

/// Values of classes.
#[derive(Clone, Copy, Default)]
struct Values {
    sum: i64,
    n: u64,
}

/// Values of a CT in the classes of a segmentation.
#[derive(Default)]
pub(super) struct Exam {
    liver: Values,
    bone: Values,
    /// Voxels of classes without gas, and how many of them are in air.
    solid: [u64; 2],
    /// First and last voxel with a class, and the number of such voxels that the CT does not cover.
    bounds: Option<[[usize; 3]; 2]>,
    n_outside: u64,
}

impl Values {
    fn add(&mut self, value: i16) {
        self.sum += i64::from(value);
        self.n += 1;
    }

    fn mean(self) -> Option<f64> {
        (self.n > 0).then(|| self.sum as f64 / self.n as f64)
    }
}

impl Exam {
    pub(super) fn of(ct: &CtImage, segmentation: &Segmentation, tissues: &Tissues) -> Self {
        let [nx, ny, _] = segmentation.count();
        let classes = segmentation.classes().iter();
        let classes: Vec<_> = classes.map(|class| tissues.of(&class.name)).collect();
        let is = |wanted: &dyn Fn(&Tissue) -> bool| {
            let mut is_own = [false; 256];
            for (tissue, value) in classes.iter().zip(1..) {
                is_own[value] = tissue.is_some_and(wanted);
            }
            is_own
        };
        let is_liver = is(&|own| own.name == LIVER_NAME);
        let is_bone = is(&|own| own.is_spongy);
        let mut is_solid = [false; 256];
        for (tissue, value) in classes.iter().zip(1..) {
            // Bowel has gas, and a body its holes.
            let is_open = |kind: TissueKind| matches!(kind, TissueKind::Gas | TissueKind::Body);
            is_solid[value] = tissue.is_some_and(|own| !own.holds_gas && !is_open(own.kind));
        }
        let rows = CtRows::new(ct, segmentation.count(), &segmentation.frame());
        let mut values = vec![0; nx];
        let mut exam = Self::default();
        for (row, own) in segmentation.voxels().chunks_exact(nx).enumerate() {
            let Some(first) = own.iter().position(|class| *class != 0) else {
                continue;
            };
            let last = own.iter().rposition(|class| *class != 0).unwrap_or(first);
            let [y, z] = [row % ny, row / ny];
            let bounds = exam.bounds.get_or_insert([[usize::MAX; 3], [0; 3]]);
            for (axis, [least, most]) in [[first, last], [y, y], [z, z]].into_iter().enumerate() {
                bounds[0][axis] = bounds[0][axis].min(least);
                bounds[1][axis] = bounds[1][axis].max(most);
            }
            rows.read([y, z], &mut values);
            for (class, value) in own[first..=last].iter().zip(&values[first..=last]) {
                let class = usize::from(*class);
                if class == 0 {
                    continue;
                }
                if *value == CtRows::OUTSIDE {
                    exam.n_outside += 1;
                    continue;
                }
                if is_solid[class] {
                    exam.solid[0] += 1;
                    exam.solid[1] += u64::from(*value < AIR);
                }
                if is_liver[class] {
                    exam.liver.add(*value);
                }
                if is_bone[class] {
                    exam.bone.add(*value);
                }
            }
        }
        exam
    }

    /// Checks that the CT covers all classes, and has no air in them.
    pub(super) fn check(
        &self,
        ct: &CtImage,
        segmentation: &Segmentation,
    ) -> Result<(), AnatomyError> {
        if let (Some([first, last]), true) = (self.bounds, self.n_outside > 0) {
            let frame = segmentation.frame();
            let part = VoxelFrame {
                origin: frame.origin + frame.steps * Vector3::from(first.map(|n| n as f64)),
                steps: frame.steps,
            };
            let own = part.bounds([0, 1, 2].map(|axis| last[axis] - first[axis] + 1));
            return Err(AnatomyError::Refused(format!(
                "the CT reaches from {} mm (left, head, front), but the classes from {} mm: {} of their voxels are outside of it",
                in_mm(ct.frame().bounds(ct.count())),
                in_mm(own),
                self.n_outside
            )));
        }
        let share = self.in_air();
        if share > IN_AIR[1] {
            return Err(AnatomyError::Refused(format!(
                "the CT has air in {:.0} % of the voxels of organs and bones; at most {:.0} % are allowed: do CT and segmentation belong together?",
                100.0 * share,
                100.0 * IN_AIR[1]
            )));
        }
        Ok(())
    }

    fn in_air(&self) -> f64 {
        self.solid[1] as f64 / self.solid[0].max(1) as f64
    }

    /// Mean value of the liver [HU].
    pub(super) fn liver(&self) -> Option<f64> {
        self.liver.mean()
    }

    /// Mean value of the bones [HU].
    pub(super) fn bone(&self) -> Option<f64> {
        self.bone.mean()
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let share = self.in_air();
        if share > IN_AIR[0] {
            warnings.push(format!(
                "the CT has air in {:.0} % of the voxels of organs and bones",
                100.0 * share
            ));
        }
        let [least, most] = LIVER;
        let odd = self.liver().filter(|hu| !(least..=most).contains(hu));
        warnings.extend(odd.map(|hu| {
            format!(
                "the CT has a mean of {hu:.0} HU in the liver; a liver has {least} to {most} HU: do CT and segmentation belong together?"
            )
        }));
        warnings
    }
}

/// A box in words [mm].
fn in_mm(bounds: [Vector3<f64>; 2]) -> String {
    let [low, high] = bounds.map(|corner| {
        let corner = [0, 1, 2].map(|axis| format!("{:.0}", 1e3 * corner[axis]));
        format!("({})", corner.join(", "))
    });
    format!("{low} to {high}")
}
