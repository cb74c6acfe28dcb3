//! Whether classes are where a body has them: left and right, head and feet, front and back.
//!
//! A rule compares the mean positions of two classes along an axis of the patient's frame. Rules hold for a body without situs inversus.

use std::collections::BTreeMap;

use nalgebra::Point3;

/// An axis of the patient's frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Axis {
    /// To the left.
    Left,
    /// To the head.
    Head,
    /// To the front.
    Front,
}

/// A comparison of two classes.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// The axis.
    pub axis: Axis,
    /// The class that a body has farther along the axis.
    pub far: String,
    /// The class that a body has nearer.
    pub near: String,
    /// Distance of the first from the second along the axis [m]; negative if they are exchanged.
    pub distance: f64,
}

impl Evidence {
    /// Whether the two classes are where a body has them.
    pub fn agrees(&self) -> bool {
        self.distance > 0.0
    }
}

impl Axis {
    /// All axes.
    pub const ALL: [Self; 3] = [Self::Left, Self::Head, Self::Front];

    /// Its two directions, the positive one first.
    pub fn directions(self) -> [&'static str; 2] {
        match self {
            Self::Left => ["left", "right"],
            Self::Head => ["head", "feet"],
            Self::Front => ["front", "back"],
        }
    }

    fn of(self, point: &Point3<f64>) -> f64 {
        point[self as usize]
    }
}

/// Classes along an axis, the farther one first.
const RULES: [(Axis, &str, &str); 20] = [
    (Axis::Left, "spleen", "liver"),
    (Axis::Left, "aorta", "inferior_vena_cava"),
    (Axis::Left, "stomach", "gallbladder"),
    (Axis::Left, "spleen", "gallbladder"),
    (Axis::Left, "heart", "superior_vena_cava"),
    (Axis::Head, "heart", "urinary_bladder"),
    (Axis::Head, "liver", "urinary_bladder"),
    (Axis::Head, "spleen", "urinary_bladder"),
    (Axis::Head, "lung_lower_lobe_left", "kidney_left"),
    (Axis::Head, "lung_lower_lobe_right", "kidney_right"),
    (Axis::Head, "vertebrae_T12", "vertebrae_L3"),
    (Axis::Head, "vertebrae_L1", "vertebrae_L4"),
    (Axis::Head, "vertebrae_T6", "vertebrae_T11"),
    (Axis::Head, "liver", "vertebrae_L5"),
    (Axis::Front, "liver", "kidney_right"),
    (Axis::Front, "aorta", "spinal_cord"),
    (Axis::Front, "inferior_vena_cava", "spinal_cord"),
    (Axis::Front, "sternum", "heart"),
    (Axis::Front, "stomach", "kidney_left"),
    (Axis::Front, "urinary_bladder", "sacrum"),
];

/// Compares all classes that are present: those of the rules, and each class `x_left` with its `x_right`.
pub(crate) fn compare(centroids: &BTreeMap<&str, Point3<f64>>) -> Vec<Evidence> {
    let rules = RULES.map(|(axis, far, near)| (axis, far.to_owned(), near.to_owned()));
    let sides = centroids.keys().filter(|name| name.contains("_left"));
    let sides = sides.map(|left| {
        let right = left.replacen("_left", "_right", 1);
        (Axis::Left, (*left).to_owned(), right)
    });
    let all = rules.into_iter().chain(sides);
    let all = all.filter_map(|(axis, far, near)| {
        let [a, b] = [centroids.get(&*far)?, centroids.get(&*near)?];
        let distance = axis.of(a) - axis.of(b);
        Some(Evidence {
            axis,
            far,
            near,
            distance,
        })
    });
    all.collect()
}
