//! What a segmentation holds, and whether a patient can be made of it.

use std::collections::BTreeMap;

use insonate_volumes::Segmentation;
use nalgebra::{Point3, Vector3};
use serde::{Deserialize, Serialize};

use crate::cut_planes::direction_of;
use crate::orientation::{Axis, Evidence, compare};
use crate::tissues::{TissueKind, Tissues};

/// Largest part of a class on a face of the grid without being cut off there [voxels].
const TOUCHES: usize = 4;
/// Classes that ultrasound of the abdomen looks for; `_*` stands for at least one class that begins so.
const EXPECTED: [&str; 8] = [
    "liver",
    "spleen",
    "kidney_left",
    "kidney_right",
    "aorta",
    "inferior_vena_cava",
    "vertebrae_*",
    "rib_*",
];

/// A class of a segmentation.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassFinding {
    /// Its name.
    pub name: String,
    /// Name of its tissue; `None` for a class that the table of tissues does not have.
    pub tissue: Option<String>,
    /// Volume [ml].
    pub volume_ml: f64,
    /// Mean position: left, head, front [m].
    pub centre: [f64; 3],
}

/// A class that the edge of the volume cuts off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CutClass {
    /// Its name.
    pub name: String,
    /// Direction of the edge: left, right, head, feet, front or back.
    pub direction: String,
    /// Number of its voxels on the edge.
    pub n_voxels: usize,
}

/// Whether a patient can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing was found that speaks against it.
    Good,
    /// It can be made, but there are warnings.
    Doubtful,
    /// It cannot be made, for the reasons in [`Findings::refusals`].
    Refused,
}

/// What was found in a segmentation.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// Classes with voxels.
    pub classes: Vec<ClassFinding>,
    /// Names of classes without a tissue, with the most similar known class.
    pub unmapped: Vec<(String, Option<String>)>,
    /// Expected classes that are missing.
    pub missing: Vec<String>,
    /// Classes that the edges of the volume cut off.
    pub cut: Vec<CutClass>,
    /// Comparisons of positions.
    pub evidence: Vec<Evidence>,
    /// Lowest and highest coordinates of all classes [m].
    pub bounds: [[f64; 3]; 2],
    /// Reasons against making a patient.
    pub refusals: Vec<String>,
    /// Warnings.
    pub warnings: Vec<String>,
}

impl Findings {
    /// Examines a segmentation.
    pub fn of(segmentation: &Segmentation, tissues: &Tissues) -> Self {
        let ml = 1e6 * segmentation.voxel_volume();
        let centroids = segmentation.centroids();
        let all = segmentation.classes().iter().zip(&centroids);
        let classes: Vec<ClassFinding> = all
            .filter_map(|(class, centre)| {
                let tissue = tissues.of(&class.name);
                Some(ClassFinding {
                    name: class.name.clone(),
                    tissue: tissue.map(|tissue| tissue.name.clone()),
                    volume_ml: ml * class.n_voxels as f64,
                    centre: (*centre)?.coords.into(),
                })
            })
            .collect();
        let (bounds, cut) = extents(segmentation);
        Self::of_classes(classes, cut, bounds, tissues)
    }

    /// Examines classes, the parts of them that are cut off, and the lowest and highest coordinates of all [m].
    pub(crate) fn of_classes(
        classes: Vec<ClassFinding>,
        cut: Vec<CutClass>,
        bounds: [[f64; 3]; 2],
        tissues: &Tissues,
    ) -> Self {
        let unmapped = classes.iter().filter(|class| class.tissue.is_none());
        let unmapped = unmapped.map(|class| {
            let near = tissues.similar(&class.name).map(str::to_owned);
            (class.name.clone(), near)
        });
        let places = classes.iter();
        let places: BTreeMap<&str, _> = places
            .map(|class| (&*class.name, Point3::from(class.centre)))
            .collect();
        let mut findings = Self {
            unmapped: unmapped.collect(),
            missing: missing(&classes),
            cut,
            evidence: compare(&places),
            bounds,
            refusals: Vec::new(),
            warnings: Vec::new(),
            classes,
        };
        findings.judge(tissues);
        findings
    }

    /// Whether a patient can be made.
    pub fn verdict(&self) -> Verdict {
        match (self.refusals.is_empty(), self.warnings.is_empty()) {
            (false, _) => Verdict::Refused,
            (true, false) => Verdict::Doubtful,
            (true, true) => Verdict::Good,
        }
    }

    /// Number of comparisons along an axis that agree with a body, and that do not.
    pub fn votes(&self, axis: Axis) -> [usize; 2] {
        let own = || {
            self.evidence
                .iter()
                .filter(|evidence| evidence.axis == axis)
        };
        let n_agree = own().filter(|evidence| evidence.agrees()).count();
        [n_agree, own().count() - n_agree]
    }

    fn judge(&mut self, tissues: &Tissues) {
        for axis in Axis::ALL {
            self.judge_axis(axis);
        }
        let is_known = |class: &&ClassFinding| class.tissue.is_some();
        if !self.classes.iter().any(|class| is_known(&class)) {
            let names: Vec<&str> = self
                .classes
                .iter()
                .map(|class| &*class.name)
                .take(5)
                .collect();
            self.refusals.push(format!(
                "no class is known ({}): is the class map right?",
                names.join(", ")
            ));
        }
        // Arms or a face alone have no skin of the trunk.
        let is_trunk = |class: &ClassFinding| tissues.is_trunk(&class.name);
        if !self.classes.iter().any(is_trunk) {
            self.refusals.push(
                "there is no skin without the body as a class: add body_trunc of TotalSegmentator's task `body`".to_owned(),
            );
        }
        if !self.unmapped.is_empty() {
            let names: Vec<&str> = self.unmapped.iter().map(|(name, _)| &**name).collect();
            self.warnings.push(format!(
                "no tissue is known for {}: soft tissue is used",
                names.join(", ")
            ));
        }
        if !self.missing.is_empty() {
            let missing = format!("missing are {}", self.missing.join(", "));
            self.warnings.push(missing);
        }
        // Bodies, vessels and muscles end at the head and the feet of a scan of a trunk.
        let is_organ =
            |cut: &&CutClass| tissues.of(&cut.name).is_some_and(|tissue| tissue.is_whole);
        let cut = self.cut.iter().filter(is_organ);
        let cut: Vec<String> = cut
            .map(|cut| format!("{} ({})", cut.name, cut.direction))
            .collect();
        if !cut.is_empty() {
            let text = format!("the edges of the volume cut off {}", cut.join(", "));
            self.warnings.push(text);
        }
        let is_side = |cut: &&CutClass| !["head", "feet"].contains(&&*cut.direction);
        let is_body = |cut: &&CutClass| {
            let kind = tissues.of(&cut.name).map(|tissue| tissue.kind);
            kind == Some(TissueKind::Body)
        };
        let sides = self.cut.iter().filter(is_side).filter(is_body);
        let sides: Vec<&str> = sides.map(|cut| &*cut.direction).collect();
        if !sides.is_empty() {
            self.warnings.push(format!(
                "the field of view ends within the body ({}): there is no skin",
                sides.join(", ")
            ));
        }
    }

    fn judge_axis(&mut self, axis: Axis) {
        let [agree, disagree] = self.votes(axis);
        let [one, other] = axis.directions();
        let wrong = self
            .evidence
            .iter()
            .filter(|own| own.axis == axis && !own.agrees());
        let wrong = wrong.map(|own| format!("{} and {}", own.far, own.near));
        let wrong = wrong.take(5).collect::<Vec<_>>().join("; ");
        if disagree > agree {
            self.refusals.push(format!(
                "{one} and {other} are exchanged: {disagree} of {} comparisons say so ({wrong}). \
                 Is the orientation of the file, or the class map, wrong?",
                agree + disagree
            ));
        } else if disagree > 0 {
            self.warnings.push(format!(
                "{disagree} of {} comparisons of {one} and {other} disagree with a body: {wrong}",
                agree + disagree
            ));
        } else if agree == 0 {
            self.warnings.push(format!(
                "no two classes tell {one} from {other}: the orientation of the file is taken as it is"
            ));
        }
    }
}

fn missing(classes: &[ClassFinding]) -> Vec<String> {
    let is_present = |expected: &str| match expected.strip_suffix('*') {
        Some(start) => classes.iter().any(|class| class.name.starts_with(start)),
        None => classes.iter().any(|class| class.name == expected),
    };
    let missing = EXPECTED
        .into_iter()
        .filter(|expected| !is_present(expected));
    missing.map(str::to_owned).collect()
}

/// Bounds of all classes, and the classes on the faces of the grid.
pub(crate) fn extents(segmentation: &Segmentation) -> ([[f64; 3]; 2], Vec<CutClass>) {
    let count = segmentation.count();
    let frame = segmentation.frame();
    let [nx, ny, nz] = count;
    let [mut low, mut high] = [[usize::MAX; 3], [0; 3]];
    let n_classes = segmentation.classes().len();
    // For each class the number of its voxels on the first and last faces along each axis.
    let mut faces = vec![[0usize; 6]; n_classes + 1];
    for (row, own) in segmentation.voxels().chunks_exact(nx).enumerate() {
        let [y, z] = [row % ny, row / ny];
        let Some(first) = own.iter().position(|value| *value != 0) else {
            continue;
        };
        let last = own.iter().rposition(|value| *value != 0).unwrap_or(first);
        for (axis, [least, most]) in [[first, last], [y, y], [z, z]].into_iter().enumerate() {
            low[axis] = low[axis].min(least);
            high[axis] = high[axis].max(most);
        }
        faces[usize::from(own[0])][0] += 1;
        faces[usize::from(own[nx - 1])][1] += 1;
        let across = [(2, y == 0), (3, y == ny - 1), (4, z == 0), (5, z == nz - 1)];
        for (face, _) in across.into_iter().filter(|(_, is_on)| *is_on) {
            for &value in own {
                faces[usize::from(value)][face] += 1;
            }
        }
    }
    let classes = segmentation.classes().iter().zip(&faces[1..]);
    let mut cut = Vec::new();
    for (class, on) in classes {
        let on = on.iter().enumerate().filter(|(_, n)| **n > TOUCHES);
        cut.extend(on.map(|(face, n)| CutClass {
            name: class.name.clone(),
            direction: direction_of(&frame, face).to_owned(),
            n_voxels: *n,
        }));
    }
    if low[0] > high[0] {
        return ([[0.0; 3]; 2], cut);
    }
    let part = insonate_volumes::VoxelFrame {
        origin: frame.origin + frame.steps * Vector3::from(low.map(|n| n as f64)),
        steps: frame.steps,
    };
    let size = [0, 1, 2].map(|axis| high[axis] - low[axis] + 1);
    (part.bounds(size).map(Into::into), cut)
}
