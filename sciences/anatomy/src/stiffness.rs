//! Stiffness that a face feels on the skin, from the layers below it: soft where there are only organs, stiff above ribs.
//!
//! A rigid flat face of radius $a$ on layers of moduli $E_i$ between depths $z_i$ and $z_{i+1}$ is pressed in by
//! $u = F \sum_i \frac{1 - \nu^2}{2 a E_i} (\varphi(z_i) - \varphi(z_{i+1}))$ with
//! $\varphi(z) = \frac{2}{\pi} \left(\arctan\frac{a}{z} + \frac{z/a}{2 (1 - \nu)(1 + z^2/a^2)}\right)$:
//! each layer is strained as in a half-space below the middle of the face (Johnson 1985, *Contact Mechanics*, Sections 3.4 and 3.8).
//! Bones and the table do not give way. Against the exact solution of stacks of fat, muscle and viscera it errs by −8 to 4 %; above a rib
//! that fills the width of the face it is 24 % too stiff.

use insonate_volumes::Segmentation;

use crate::patient::Patient;
use crate::tissues::{Tissue, TissueKind, Tissues};

/// Radius of the face that feels the stiffness [m].
const RADIUS: f64 = 0.017;
/// Poisson's ratio.
const POISSON: f64 = 0.45;
/// Distance of samples across [m], and along the depth [m].
const STEP: f64 = 0.006;
const DEPTH_STEP: f64 = 0.001;
/// Depth up to which bones make a place an uneven reference [m].
const FREE_DEPTH: f64 = 0.06;
/// Least thickness of a column of the body [m].
const LEAST_THICKNESS: f64 = 0.02;
/// Young's modulus of tissue without one [kPa].
const SOFT: f64 = 6.0;
/// Allowed factors.
const FACTORS: [f64; 2] = [0.4, 3.0];

/// Relative stiffness over the skin, seen from the front.
#[derive(Clone, Debug, PartialEq)]
pub struct StiffnessMap {
    /// Columns, towards the left [m].
    pub left: Vec<f64>,
    /// Rows, towards the head [m].
    pub head: Vec<f64>,
    /// Factor at each row and column: 1 in the middle of the places without bones near the skin.
    pub factor: Vec<Vec<f64>>,
}

/// Stiffness of a flat face on layers of a thickness [m] and Young's modulus [kPa] above a rigid bed [N/m].
pub fn face_stiffness(layers: &[[f64; 2]]) -> f64 {
    let mut top = 0.0;
    let mut compliance = 0.0;
    for [thickness, modulus] in layers {
        let strained = share(top) - share(top + thickness);
        compliance += (1.0 - POISSON * POISSON) / (2.0 * RADIUS * 1e3 * modulus) * strained;
        top += thickness;
    }
    1.0 / compliance
}

/// Share of the indentation below a depth [m].
fn share(depth: f64) -> f64 {
    if depth <= 0.0 {
        return 1.0;
    }
    let t = depth / RADIUS;
    let shear = t / (2.0 * (1.0 - POISSON) * (1.0 + t * t));
    std::f64::consts::FRAC_2_PI * (t.recip().atan() + shear)
}

/// What is below a place of the skin.
#[derive(Clone, Copy)]
struct Column {
    stiffness: f64,
    /// Depth of the first bone [m]; infinite if there is none.
    bone: f64,
}

impl StiffnessMap {
    /// The map of a patient whose classes have the tissues of a table.
    pub fn of(patient: &Patient, tissues: &Tissues) -> Self {
        let [low, high] = patient.skin.bounds();
        let axis = |axis: usize| {
            let n = ((high[axis] - low[axis]) / STEP).ceil().clamp(2.0, 198.0);
            let step = (high[axis] - low[axis]) / n;
            (0..=n as usize).map(move |k| low[axis] + k as f64 * step)
        };
        let (left, head): (Vec<f64>, Vec<f64>) = (axis(0).collect(), axis(1).collect());
        let materials = Moduli::of(&patient.labels, tissues);
        let n_depth = ((high[2] - low[2]) / DEPTH_STEP).ceil() as usize + 2;
        let across = (left[left.len() - 1] - left[0]) / (left.len() - 1) as f64;
        let rows: Vec<Vec<Option<Column>>> = head
            .iter()
            .map(|y| {
                let corner = [left[0], *y, high[2] + DEPTH_STEP];
                let ways = [[across, 0.0, 0.0], [0.0, 0.0, -DEPTH_STEP]];
                let section = patient.labels.section(corner, ways, [left.len(), n_depth]);
                let column = |n: usize| {
                    let values = section.iter().skip(n).step_by(left.len());
                    materials.column(values.copied())
                };
                (0..left.len()).map(column).collect()
            })
            .collect();
        let reference = reference(&rows);
        let [rows_of_face, columns_of_face] =
            [&head, &left].map(|own| (RADIUS / (own[1] - own[0])).floor() as isize);
        let mean = |row: usize, column: usize| {
            let (mut sum, mut n) = (0.0, 0usize);
            for i in -rows_of_face..=rows_of_face {
                for j in -columns_of_face..=columns_of_face {
                    let far = (i as f64 * (head[1] - head[0])).hypot(j as f64 * across);
                    let own = row.checked_add_signed(i).and_then(|row| rows.get(row));
                    let own = own.zip(column.checked_add_signed(j));
                    let own = own.and_then(|(row, column)| row.get(column).copied().flatten());
                    if let Some(own) = own.filter(|_| far <= RADIUS) {
                        sum += own.stiffness;
                        n += 1;
                    }
                }
            }
            let factor = if n == 0 {
                1.0
            } else {
                sum / n as f64 / reference
            };
            factor.clamp(FACTORS[0], FACTORS[1])
        };
        let factor =
            (0..head.len()).map(|row| (0..left.len()).map(|column| mean(row, column)).collect());
        Self {
            factor: factor.collect(),
            left,
            head,
        }
    }
}

impl StiffnessMap {
    /// The factor at the nearest place of the map; coordinates are to the left and to the head [m].
    pub fn at(&self, left: f64, head: f64) -> f64 {
        let nearest = |axis: &[f64], x: f64| {
            let far = |n: &usize| (axis[*n] - x).abs();
            let places = 0..axis.len();
            places.min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0)
        };
        self.factor[nearest(&self.head, head)][nearest(&self.left, left)]
    }
}

/// Median stiffness of places without bones near the skin or, if there are none, of all places.
fn reference(rows: &[Vec<Option<Column>>]) -> f64 {
    let all = || rows.iter().flatten().flatten();
    let mut free: Vec<f64> = all()
        .filter(|column| column.bone > FREE_DEPTH)
        .map(|column| column.stiffness)
        .collect();
    if free.is_empty() {
        free = all().map(|column| column.stiffness).collect();
    }
    free.sort_by(f64::total_cmp);
    free.get(free.len() / 2).copied().unwrap_or(1.0)
}

/// Young's modulus of each value of the labels [kPa]; `None` for bones.
struct Moduli(Vec<Option<f64>>);

impl Moduli {
    fn of(labels: &Segmentation, tissues: &Tissues) -> Self {
        let modulus = |tissue: Option<&Tissue>| match tissue {
            Some(own) if own.kind == TissueKind::Rigid => None,
            Some(own) => Some(own.modulus_kpa.unwrap_or(SOFT)),
            None => Some(SOFT),
        };
        let classes = labels.classes().iter();
        let classes = classes.map(|class| modulus(tissues.of(&class.name)));
        // The background within a body is gas.
        Self(std::iter::once(Some(SOFT)).chain(classes).collect())
    }

    /// What is below the front end of a column of values; `None` if there is hardly any body.
    fn column(&self, values: impl Iterator<Item = u8>) -> Option<Column> {
        let values: Vec<u8> = values.collect();
        let first = values.iter().position(|value| *value > 0)?;
        let last = values.iter().rposition(|value| *value > 0)?;
        let own = &values[first..=last];
        let moduli = own.iter().map(|value| self.0[usize::from(*value)]);
        let layers: Vec<[f64; 2]> = moduli
            .map_while(|modulus| Some([DEPTH_STEP, modulus?]))
            .collect();
        let depth = layers.len() as f64 * DEPTH_STEP;
        let has_bone = layers.len() < own.len();
        let is_thin = own.len() as f64 * DEPTH_STEP < LEAST_THICKNESS;
        (!is_thin && !layers.is_empty()).then(|| Column {
            stiffness: face_stiffness(&layers),
            bone: if has_bone { depth } else { f64::INFINITY },
        })
    }
}
