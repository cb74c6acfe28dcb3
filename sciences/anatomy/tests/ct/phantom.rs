//! A trunk of boxes on a table, as a CT and as labels.

use insonate_anatomy::{AnatomyError, CtFindings, Patient, PatientSettings, Tissues};
use insonate_volumes::{ClassMap, CtImage, LabelImage, Segmentation, VoxelFrame};
use nalgebra::{Matrix3, Vector3};

/// Voxels of the CT, the first index to the left, the second to the head, the third to the front.
pub(crate) const COUNT: [usize; 3] = [112, 60, 92];
pub(crate) const EDGE: f64 = 0.003;
/// Half axes of the trunk, to the left and to the front [m]. It is cut off at head and feet.
pub(crate) const TRUNK: [f64; 2] = [0.135, 0.1];
/// Thickness of skin, fat and muscle [m].
pub(crate) const LAYERS: [f64; 3] = [0.002, 0.02, 0.015];
/// Boxes within: name, centre, half edges [m].
pub(crate) const BOXES: [(&str, [f64; 3], [f64; 3]); 6] = [
    ("liver", [-0.04, 0.0, 0.02], [0.03, 0.04, 0.03]),
    ("spleen", [0.06, 0.0, -0.01], [0.015, 0.03, 0.02]),
    ("colon", [0.035, -0.02, 0.035], [0.03, 0.03, 0.02]),
    ("vertebrae_L1", [0.0, 0.0, -0.045], [0.02, 0.03, 0.015]),
    ("aorta", [0.012, 0.0, -0.02], [0.009, 0.08, 0.009]),
    (
        "costal_cartilages",
        [0.0, 0.05, 0.05],
        [0.012, 0.012, 0.006],
    ),
];
/// Gas in the colon: centre and radius [m].
pub(crate) const BUBBLE: ([f64; 3], f64) = ([0.035, -0.02, 0.04], 0.012);
/// Thickness of the shell of the vertebra [m].
pub(crate) const SHELL: f64 = 0.003;
/// Top of a table below the trunk, with a pad between them, thickness, half width [m].
pub(crate) const TABLE: [f64; 3] = [-0.108, 0.006, 0.15];

/// What the trunk consists of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Matter {
    Air,
    Table,
    Skin,
    Fat,
    Muscle,
    /// An open lung, which no class has.
    Lung,
    Gas,
    Cancellous,
    /// Other voxels of a box.
    Box(usize),
}

/// Depth below the skin, about [m].
pub(crate) fn depth(place: &Vector3<f64>) -> f64 {
    let level = (place.x / TRUNK[0]).hypot(place.z / TRUNK[1]);
    let slope = Vector3::new(place.x / TRUNK[0].powi(2), 0.0, place.z / TRUNK[1].powi(2));
    (1.0 - level) * level / slope.norm().max(1e-9)
}

pub(crate) fn is_in(place: &Vector3<f64>, centre: [f64; 3], half: [f64; 3]) -> bool {
    let away = place - Vector3::from(centre);
    (0..3).all(|axis| away[axis].abs() < half[axis])
}

pub(crate) fn matter(place: &Vector3<f64>) -> Matter {
    let depth = depth(place);
    if (place.x / TRUNK[0]).hypot(place.z / TRUNK[1]) > 1.0 {
        let below = TABLE[0] - place.z;
        let is_table = (0.0..TABLE[1]).contains(&below) && place.x.abs() < TABLE[2];
        // It touches the skin.
        let is_cable = (place.x - TRUNK[0] - 0.004).hypot(place.z) < 0.004;
        return if is_table || is_cable {
            Matter::Table
        } else {
            Matter::Air
        };
    }
    if depth < LAYERS[0] {
        return Matter::Skin;
    } else if depth < LAYERS[0] + LAYERS[1] {
        return Matter::Fat;
    }
    let (centre, radius) = BUBBLE;
    if (place - Vector3::from(centre)).norm() < radius {
        return Matter::Gas;
    }
    for (n, (name, centre, half)) in BOXES.into_iter().enumerate() {
        if is_in(place, centre, half) {
            let inner = half.map(|x| x - SHELL);
            let is_inner = name.starts_with("vertebrae") && is_in(place, centre, inner);
            return if is_inner {
                Matter::Cancellous
            } else {
                Matter::Box(n)
            };
        }
    }
    let is_lung = is_in(place, [-0.03, 0.08, 0.0], [0.03, 0.03, 0.03]);
    if is_lung {
        return Matter::Lung;
    }
    if depth < LAYERS.iter().sum() {
        Matter::Muscle
    } else {
        Matter::Fat
    }
}

/// Hounsfield units with a contrast agent in liver and aorta.
pub(crate) fn hu(place: &Vector3<f64>) -> i16 {
    match matter(place) {
        Matter::Air => -1000,
        Matter::Table => 150,
        Matter::Skin => 40,
        Matter::Fat => -100,
        Matter::Muscle => 55,
        Matter::Lung => -850,
        Matter::Gas => -950,
        Matter::Cancellous => 250,
        Matter::Box(n) => match BOXES[n].0 {
            "vertebrae_L1" => 1200,
            "aorta" => 320,
            "costal_cartilages" => 300,
            "colon" => 30,
            _ => 120,
        },
    }
}

/// A grid around the origin; columns are directions of the indices.
pub(crate) fn frame(count: [usize; 3], steps: Matrix3<f64>) -> VoxelFrame {
    let half = Vector3::from(count.map(|n| 0.5 * (n as f64 - 1.0)));
    VoxelFrame {
        origin: -(steps * half),
        steps,
    }
}

/// Places of a grid in the order of voxels.
pub(crate) fn places(count: [usize; 3], frame: VoxelFrame) -> impl Iterator<Item = Vector3<f64>> {
    let [nx, ny, nz] = count;
    (0..nx * ny * nz).map(move |n| {
        let index = Vector3::new(n % nx, n / nx % ny, n / nx / ny);
        frame.origin + frame.steps * index.map(|n| n as f64)
    })
}

/// The CT, in which places are moved or mirrored by a function.
pub(crate) fn ct_of(
    at: impl Fn(Vector3<f64>) -> Vector3<f64>,
    value: impl Fn(&Vector3<f64>) -> i16,
) -> CtImage {
    let frame = frame(COUNT, Matrix3::identity() * EDGE);
    let values = places(COUNT, frame).map(|place| value(&at(place)));
    CtImage::new(COUNT, frame, values.collect()).expect("the CT is valid")
}

pub(crate) fn ct() -> CtImage {
    ct_of(|place| place, hu)
}

/// The boxes on a grid; with the body if it is wanted.
pub(crate) fn labels(count: [usize; 3], frame: VoxelFrame, with_body: bool) -> Segmentation {
    let label = |place: Vector3<f64>| match matter(&place) {
        Matter::Air | Matter::Table => 0,
        Matter::Box(n) => n as i64 + 1,
        // They are in the vertebra and the colon.
        Matter::Cancellous => 4,
        Matter::Gas => 3,
        _ if with_body => 7,
        _ => 0,
    };
    let labels: Vec<i64> = places(count, frame).map(label).collect();
    let image = LabelImage::new(count, frame, &labels).expect("the volume is valid");
    let names = BOXES.iter().map(|(name, ..)| *name).chain(["body_trunc"]);
    let names = names
        .zip(1..)
        .map(|(name, n)| format!("{n} = \"{name}\"\n"));
    let text = format!("[classes]\n{}", names.collect::<Vec<_>>().concat());
    let map = ClassMap::parse(&text).expect("the table is valid");
    Segmentation::of(image, Some(&map)).expect("the volume has names")
}

pub(crate) fn own_grid(with_body: bool) -> Segmentation {
    labels(COUNT, frame(COUNT, Matrix3::identity() * EDGE), with_body)
}

pub(crate) fn tissues() -> Tissues {
    Tissues::standard().expect("the table is valid")
}

pub(crate) fn examined(
    ct: &CtImage,
    labels: Segmentation,
) -> Result<(CtFindings, Segmentation), AnatomyError> {
    CtFindings::of(ct, labels, &tissues(), "a test")
}

pub(crate) fn made(ct: &CtImage, labels: Segmentation) -> Patient {
    let (found, labels) = examined(ct, labels).expect("the CT belongs to the labels");
    let made = Patient::make(&labels, &tissues(), &PatientSettings::default(), "a test");
    let mut patient = made.expect("it is a patient");
    patient
        .refine(ct, found, &tissues())
        .expect("there are few classes");
    patient
}

/// Twice the voxels in common over the sum of both, within the CT.
pub(crate) fn dice(labels: &Segmentation, classes: &[&str], is_in: impl Fn(Matter) -> bool) -> f64 {
    let [mut both, mut sum] = [0u64; 2];
    let names = labels
        .classes()
        .iter()
        .map(|class| classes.contains(&&*class.name));
    let is_own: Vec<bool> = std::iter::once(false).chain(names).collect();
    let all = places(labels.count(), labels.frame()).zip(labels.voxels());
    // The trunk goes on beyond the CT.
    for (place, value) in all.filter(|(place, _)| place.y.abs() < 0.5 * EDGE * COUNT[1] as f64) {
        let (own, wanted) = (is_own[usize::from(*value)], is_in(matter(&place)));
        both += u64::from(own && wanted);
        sum += u64::from(own) + u64::from(wanted);
    }
    2.0 * both as f64 / sum as f64
}

/// Volume of a matter in the CT's voxels [ml].
pub(crate) fn volume(is_in: impl Fn(Matter) -> bool) -> f64 {
    let all = places(COUNT, frame(COUNT, Matrix3::identity() * EDGE));
    let n = all.filter(|place| is_in(matter(place))).count();
    1e6 * EDGE.powi(3) * n as f64
}

pub(crate) fn is_trunk(own: Matter) -> bool {
    !matches!(own, Matter::Air | Matter::Table)
}
