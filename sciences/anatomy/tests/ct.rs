//! Contract: a CT gives a segmentation its body without table and cables, fat, muscle, gas and the density of bones, on any grid of the
//! same frame; a CT that does not belong to it is refused.

use insonate_anatomy::{
    AnatomyError, CtFindings, Patient, PatientSettings, Tissues, density, sound_speed,
};
use insonate_volumes::{ClassMap, CtImage, LabelImage, Segmentation, VoxelFrame};
use nalgebra::{Matrix3, Point3, Vector3};

/// Voxels of the CT, the first index to the left, the second to the head, the third to the front.
const COUNT: [usize; 3] = [112, 60, 92];
const EDGE: f64 = 0.003;
/// Half axes of the trunk, to the left and to the front [m]. It is cut off at head and feet.
const TRUNK: [f64; 2] = [0.135, 0.1];
/// Thickness of skin, fat and muscle [m].
const LAYERS: [f64; 3] = [0.002, 0.02, 0.015];
/// Boxes within: name, centre, half edges [m].
const BOXES: [(&str, [f64; 3], [f64; 3]); 6] = [
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
const BUBBLE: ([f64; 3], f64) = ([0.035, -0.02, 0.04], 0.012);
/// Thickness of the shell of the vertebra [m].
const SHELL: f64 = 0.003;
/// Top of a table below the trunk, with a pad between them, thickness, half width [m].
const TABLE: [f64; 3] = [-0.108, 0.006, 0.15];

/// What the trunk consists of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Matter {
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
fn depth(place: &Vector3<f64>) -> f64 {
    let level = (place.x / TRUNK[0]).hypot(place.z / TRUNK[1]);
    let slope = Vector3::new(place.x / TRUNK[0].powi(2), 0.0, place.z / TRUNK[1].powi(2));
    (1.0 - level) * level / slope.norm().max(1e-9)
}

fn is_in(place: &Vector3<f64>, centre: [f64; 3], half: [f64; 3]) -> bool {
    let away = place - Vector3::from(centre);
    (0..3).all(|axis| away[axis].abs() < half[axis])
}

fn matter(place: &Vector3<f64>) -> Matter {
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
fn hu(place: &Vector3<f64>) -> i16 {
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
fn frame(count: [usize; 3], steps: Matrix3<f64>) -> VoxelFrame {
    let half = Vector3::from(count.map(|n| 0.5 * (n as f64 - 1.0)));
    VoxelFrame {
        origin: -(steps * half),
        steps,
    }
}

/// Places of a grid in the order of voxels.
fn places(count: [usize; 3], frame: VoxelFrame) -> impl Iterator<Item = Vector3<f64>> {
    let [nx, ny, nz] = count;
    (0..nx * ny * nz).map(move |n| {
        let index = Vector3::new(n % nx, n / nx % ny, n / nx / ny);
        frame.origin + frame.steps * index.map(|n| n as f64)
    })
}

/// The CT, in which places are moved or mirrored by a function.
fn ct_of(
    at: impl Fn(Vector3<f64>) -> Vector3<f64>,
    value: impl Fn(&Vector3<f64>) -> i16,
) -> CtImage {
    let frame = frame(COUNT, Matrix3::identity() * EDGE);
    let values = places(COUNT, frame).map(|place| value(&at(place)));
    CtImage::new(COUNT, frame, values.collect()).expect("the CT is valid")
}

fn ct() -> CtImage {
    ct_of(|place| place, hu)
}

/// The boxes on a grid; with the body if it is wanted.
fn labels(count: [usize; 3], frame: VoxelFrame, with_body: bool) -> Segmentation {
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

fn own_grid(with_body: bool) -> Segmentation {
    labels(COUNT, frame(COUNT, Matrix3::identity() * EDGE), with_body)
}

fn tissues() -> Tissues {
    Tissues::standard().expect("the table is valid")
}

fn examined(
    ct: &CtImage,
    labels: Segmentation,
) -> Result<(CtFindings, Segmentation), AnatomyError> {
    CtFindings::of(ct, labels, &tissues(), "a test")
}

fn made(ct: &CtImage, labels: Segmentation) -> Patient {
    let (found, labels) = examined(ct, labels).expect("the CT belongs to the labels");
    let made = Patient::make(&labels, &tissues(), &PatientSettings::default(), "a test");
    let mut patient = made.expect("it is a patient");
    patient
        .refine(ct, found, &tissues())
        .expect("there are few classes");
    patient
}

/// Twice the voxels in common over the sum of both, within the CT.
fn dice(labels: &Segmentation, classes: &[&str], is_in: impl Fn(Matter) -> bool) -> f64 {
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
fn volume(is_in: impl Fn(Matter) -> bool) -> f64 {
    let all = places(COUNT, frame(COUNT, Matrix3::identity() * EDGE));
    let n = all.filter(|place| is_in(matter(place))).count();
    1e6 * EDGE.powi(3) * n as f64
}

fn is_trunk(own: Matter) -> bool {
    !matches!(own, Matter::Air | Matter::Table)
}

#[test]
fn the_body_is_found_without_table_and_cable() {
    let (found, labels) = examined(&ct(), own_grid(false)).expect("the CT is valid");
    assert!(found.has_body);
    let all: Vec<&str> = labels.classes().iter().map(|class| &*class.name).collect();
    let own = dice(&labels, &all, is_trunk);
    assert!(own > 0.99, "{own}");
    // Of the cable a line along the skin may be left.
    let table = places(labels.count(), labels.frame()).zip(labels.voxels());
    let table = table.filter(|(place, _)| matter(place) == Matter::Table);
    let (mut n, mut n_kept) = (0, 0);
    for (_, value) in table {
        n += 1;
        n_kept += u32::from(*value > 0);
    }
    assert!(
        n > 10_000 && f64::from(n_kept) < 0.02 * f64::from(n),
        "{n_kept} of {n}"
    );
    assert_eq!(found.table.as_deref(), Some("back"));
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
    let wanted = volume(|own| own == Matter::Table);
    assert!(
        (0.9..1.01).contains(&(found.removed_ml / wanted)),
        "{} {wanted}",
        found.removed_ml
    );
    // The lung, which is open at the head, is filled.
    let head = Point3::new(-0.03, 0.0885, 0.0);
    assert_eq!(matter(&head.coords), Matter::Lung);
    assert_eq!(labels.class_at(&head), Some("body_trunc"));
    // With a body in the segmentation the table is found too, and the labels stay.
    let (found, own) = examined(&ct(), own_grid(true)).expect("the CT is valid");
    assert!(!found.has_body && found.table.as_deref() == Some("back"));
    assert_eq!(own.voxels(), own_grid(true).voxels());
}

/// Without a pad, the back touches a flat table over a quarter of its width, and a hollow one over more.
#[test]
fn a_table_under_the_back_is_removed() {
    for hollow in [0.0, 1.5] {
        let is_sheet = |place: &Vector3<f64>| {
            let below = -TRUNK[1] + hollow * place.x * place.x - place.z;
            (0.0..TABLE[1]).contains(&below) && place.x.abs() < TABLE[2]
        };
        let ct = ct_of(
            |place| place,
            |place| match matter(place) {
                Matter::Air | Matter::Table if is_sheet(place) => 150,
                Matter::Table => -1000,
                _ => hu(place),
            },
        );
        let (found, labels) = examined(&ct, own_grid(false)).expect("the CT is valid");
        assert_eq!(found.table.as_deref(), Some("back"), "{hollow}");
        let sheet = places(labels.count(), labels.frame()).zip(labels.voxels());
        let sheet = sheet.filter(|(place, _)| !is_trunk(matter(place)) && is_sheet(place));
        let (mut n, mut n_kept) = (0, 0);
        for (_, value) in sheet {
            n += 1;
            n_kept += u32::from(*value > 0);
        }
        assert!(
            n > 9_000 && f64::from(n_kept) < 0.02 * f64::from(n),
            "{hollow}: {n_kept} of {n}"
        );
        let all: Vec<&str> = labels.classes().iter().map(|class| &*class.name).collect();
        let own = dice(&labels, &all, is_trunk);
        assert!(own > 0.99, "{hollow}: {own}");
    }
}

#[test]
fn fat_muscle_gas_and_cancellous_bone_are_where_they_are() {
    for with_body in [false, true] {
        let patient = made(&ct(), own_grid(with_body));
        let labels = &patient.labels;
        let of = |classes: &[&str], wanted: Matter| dice(labels, classes, |own| own == wanted);
        let fat = of(&["fat"], Matter::Fat);
        let muscle = of(&["muscle"], Matter::Muscle);
        assert!(fat > 0.95 && muscle > 0.95, "{fat} {muscle}");
        let gas = dice(labels, &["gas"], |own| {
            matches!(own, Matter::Gas | Matter::Lung)
        });
        assert!(gas > 0.999, "{gas}");
        assert_eq!(of(&["cancellous_bone"], Matter::Cancellous), 1.0);
        assert_eq!(of(&["vertebrae_L1"], Matter::Box(3)), 1.0);
        let skin = of(&["body_trunc"], Matter::Skin);
        assert!(skin > 0.6, "{skin}");
        // Contrast agent and dense cartilage do not change their classes.
        for (n, (name, ..)) in BOXES.iter().enumerate().filter(|(n, _)| *n != 3) {
            assert_eq!(of(&[name], Matter::Box(n)), 1.0, "{name}");
        }
        let told = patient.description.ct.as_ref().expect("there is a CT");
        for (name, ml) in [
            ("fat", told.fat_ml),
            ("muscle", told.muscle_ml),
            ("gas", told.gas_ml),
            ("cancellous_bone", told.cancellous_ml),
        ] {
            let class = patient.description.class(name).expect("it is a class");
            assert!((class.volume_ml - ml).abs() < 1e-6 * ml, "{name}");
            assert!(!class.has_surface);
        }
        assert_eq!(told.liver_hu, Some(120.0));
        let bone = told.bone_hu.expect("there are bones");
        let [all, inner] = [
            volume(|own| matches!(own, Matter::Cancellous | Matter::Box(3))),
            volume(|own| own == Matter::Cancellous),
        ];
        let wanted = (250.0 * inner + 1200.0 * (all - inner)) / all;
        assert!((bone - wanted).abs() < 1e-6 * wanted, "{bone} {wanted}");
        let materials = ["cancellous_bone", "vertebrae_L1", "gas", "fat", "muscle"].map(|name| {
            let class = patient.description.class(name);
            class.expect("it is a class").material.clone()
        });
        assert_eq!(
            materials,
            ["cancellous bone", "bone", "air", "fat", "muscle"]
        );
        // Surfaces are those of the segmentation: the colon's with its gas, and all of the bones.
        let mesh = patient.organs.iter().find(|(name, _)| name == "colon");
        let colon = 1e6 * mesh.expect("it has a surface").1.volume();
        let wanted = volume(|own| matches!(own, Matter::Gas | Matter::Box(2)));
        assert!((colon / wanted - 1.0).abs() < 0.02, "{colon} {wanted}");
        let bones = 1e6 * patient.bones.as_ref().expect("there are bones").volume();
        let cartilage = volume(|own| own == Matter::Box(5));
        assert!((bones / (all + cartilage) - 1.0).abs() < 0.03, "{bones}");
    }
}

#[test]
fn other_grids_of_the_same_frame_give_the_same_body() {
    let turn = nalgebra::Rotation3::from_euler_angles(0.0, 0.12, 0.0);
    // Around the boxes alone, with indices to the right, front and head, and a turned grid around everything.
    let grids = [
        (
            [76, 54, 44],
            Matrix3::new(-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0) * 0.0024,
        ),
        ([130, 70, 110], turn.matrix() * 0.0028),
    ];
    for (count, steps) in grids {
        let patient = made(&ct(), labels(count, frame(count, steps), false));
        let labels = &patient.labels;
        let all: Vec<&str> = labels.classes().iter().map(|class| &*class.name).collect();
        let body = dice(labels, &all, is_trunk);
        let fat = dice(labels, &["fat"], |own| own == Matter::Fat);
        let muscle = dice(labels, &["muscle"], |own| own == Matter::Muscle);
        assert!(
            body > 0.98 && fat > 0.9 && muscle > 0.9,
            "{body} {fat} {muscle}"
        );
        let [low, high] = patient.description.bounds_m;
        for (axis, half) in [(0, TRUNK[0]), (2, TRUNK[1])] {
            let off = (low[axis] + half).abs().max((high[axis] - half).abs());
            assert!(off < 0.004, "{axis}: {low:?} {high:?}");
        }
        assert!(
            !patient.description.cut.iter().any(|side| side == "left"),
            "{:?}",
            patient.description.cut
        );
    }
}

#[test]
fn a_table_elsewhere_is_told() {
    // Places with the table, seen in a body that was turned about its length.
    let with_table = |turn: fn(&Vector3<f64>) -> Vector3<f64>| {
        ct_of(
            |place| place,
            move |place| {
                let own = hu(place);
                let there = turn(place);
                let below = -there.z - 0.108;
                let is_table = (0.0..0.006).contains(&below) && there.x.abs() < 0.1;
                match matter(place) {
                    Matter::Air | Matter::Table if is_table => 150,
                    Matter::Table => -1000,
                    _ => own,
                }
            },
        )
    };
    let prone = with_table(|place| Vector3::new(-place.x, place.y, -place.z));
    let (found, _) = examined(&prone, own_grid(true)).expect("the CT is valid");
    assert_eq!(found.table.as_deref(), Some("front"));
    assert!(
        found.warnings[0].contains("prone") && found.warnings[0].contains("flattened"),
        "{:?}",
        found.warnings
    );
    let on_side = with_table(|place| {
        Vector3::new(place.z, place.y, 0.045 - place.x.abs() * place.x.signum())
    });
    let (found, _) = examined(&on_side, own_grid(true)).expect("the CT is valid");
    assert_eq!(found.table.as_deref(), Some("left"), "{found:?}");
    assert!(
        found.warnings[0].contains("on the left"),
        "{:?}",
        found.warnings
    );
}

#[test]
fn a_ct_of_another_place_is_refused() {
    let moved = |by: Vector3<f64>| {
        let own = ct();
        let frame = VoxelFrame {
            origin: own.frame().origin + by,
            ..own.frame()
        };
        CtImage::new(own.count(), frame, own.values().to_vec()).expect("the CT is valid")
    };
    let told = |ct: &CtImage, with_body: bool| {
        let told = examined(ct, own_grid(with_body)).map(drop);
        told.expect_err("it is elsewhere").to_string()
    };
    // Boxes of the CT and of the classes [mm]: to the left 112 voxels of 3 mm, moved by 40 mm, and 270 mm.
    let text = told(&moved(Vector3::new(0.04, 0.0, 0.0)), true);
    for named in [
        "(-128, -90, -138) to (208, 90, 138)",
        "(-135, -90, -99) to (135, 90, 99)",
    ] {
        assert!(text.contains(named), "{named}: {text}");
    }
    // A body of half the size, and an empty field of view.
    let small = ct_of(|place| 2.0 * place, hu);
    let empty = ct_of(|place| place, |_| -1000);
    for ct in [small, empty] {
        let text = told(&ct, false);
        assert!(
            text.contains("air in") && text.contains("belong together"),
            "{text}"
        );
    }
}

#[test]
fn a_mirror_image_with_its_ct_is_refused() {
    let mirror = |frame: VoxelFrame| {
        let flip = Matrix3::from_diagonal(&Vector3::new(-1.0, 1.0, 1.0));
        VoxelFrame {
            origin: flip * frame.origin,
            steps: flip * frame.steps,
        }
    };
    let ct = ct();
    let flipped = CtImage::new(ct.count(), mirror(ct.frame()), ct.values().to_vec());
    let flipped = flipped.expect("the CT is valid");
    let own = own_grid(false);
    let numbers: Vec<i64> = own.voxels().iter().map(|value| i64::from(*value)).collect();
    let image = LabelImage::new(COUNT, mirror(own.frame()), &numbers);
    let names = own.classes().iter().zip(1..);
    let names = names.map(|(class, n)| format!("{n} = \"{}\"\n", class.name));
    let text = format!("[classes]\n{}", names.collect::<Vec<_>>().concat());
    let map = ClassMap::parse(&text).expect("the table is valid");
    let labels = Segmentation::of(image.expect("it is valid"), Some(&map)).expect("it has names");
    let (found, labels) = examined(&flipped, labels).expect("both are flipped");
    assert_eq!(found.table.as_deref(), Some("back"));
    let made = Patient::make(&labels, &tissues(), &PatientSettings::default(), "a test");
    let told = made
        .map(drop)
        .expect_err("it is a mirror image")
        .to_string();
    assert!(told.contains("left and right are exchanged"), "{told}");
}

#[test]
fn odd_values_of_the_liver_are_told() {
    let odd = ct_of(
        |place| place,
        |place| match matter(place) {
            Matter::Box(0) => 400,
            _ => hu(place),
        },
    );
    let (found, _) = examined(&odd, own_grid(true)).expect("the CT is valid");
    assert!(
        found.warnings[0].contains("400 HU in the liver"),
        "{:?}",
        found.warnings
    );
}

#[test]
fn a_patient_with_a_ct_is_the_same_in_its_files() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let patient = made(&ct(), own_grid(false));
    let files = patient.files().expect("it can be written");
    for (name, content) in &files {
        std::fs::write(folder.path().join(name), content).expect("the folder can be written");
    }
    let read = Patient::read(folder.path()).expect("the files are valid");
    assert_eq!(read.description, patient.description);
    assert_eq!(read.labels.voxels(), patient.labels.voxels());
    let again = made(&ct(), own_grid(false)).files();
    assert!(
        again.expect("it can be written") == files,
        "the bytes differ"
    );
}

/// Values of k-Wave's curve, and Mast's line, by hand.
#[test]
fn densities_follow_the_curve() {
    for (hu, wanted) in [
        (-1000.0, 0.0),
        (0.0, 1011.886),
        (-100.0, 917.533),
        (150.0, 1127.460),
        (1000.0, 1673.930),
    ] {
        let own = density(hu);
        assert!((own - wanted).abs() < 0.01, "{hu}: {own} {wanted}");
    }
    assert!((sound_speed(density(0.0)) - 1523.95).abs() < 0.1);
}
