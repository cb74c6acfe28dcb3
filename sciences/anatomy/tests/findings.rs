//! Contract: a segmentation that lies as a body does is good, a mirrored one is refused, and all else that is wrong is named.

use insonate_anatomy::{Axis, Findings, Tissues, Verdict};
use insonate_volumes::{ClassMap, LabelImage, Segmentation, VoxelFrame};
use nalgebra::{Matrix3, Vector3};

/// Names, and centres in the patient's frame: left, head, front [mm].
const BALLS: [(&str, [f64; 3]); 15] = [
    ("liver", [-70.0, 40.0, 20.0]),
    ("spleen", [80.0, 50.0, -20.0]),
    ("kidney_left", [60.0, 0.0, -40.0]),
    ("kidney_right", [-60.0, -5.0, -40.0]),
    ("aorta", [15.0, 0.0, -20.0]),
    ("inferior_vena_cava", [-15.0, 0.0, -20.0]),
    ("spinal_cord", [0.0, 0.0, -70.0]),
    ("vertebrae_T12", [0.0, 40.0, -60.0]),
    ("vertebrae_L3", [0.0, -40.0, -60.0]),
    ("rib_left_9", [95.0, 60.0, 0.0]),
    ("rib_right_9", [-95.0, 60.0, 0.0]),
    ("heart", [20.0, 95.0, 20.0]),
    ("urinary_bladder", [0.0, -95.0, 20.0]),
    ("sacrum", [0.0, -90.0, -50.0]),
    ("body_trunc", [0.0, 20.0, 70.0]),
];
const RADIUS: f64 = 9.0;
const COUNT: [usize; 3] = [60, 60, 48];
const EDGE: f64 = 4.0;

/// A segmentation of the balls, whose frame is turned or mirrored by `turn`.
fn body(turn: [f64; 3], balls: &[(&str, [f64; 3])]) -> Segmentation {
    let half = Vector3::from(COUNT.map(|n| 0.5 * (n as f64 - 1.0)));
    let mut labels = vec![0; COUNT.iter().product()];
    for (n, label) in labels.iter_mut().enumerate() {
        let index = Vector3::new(
            n % COUNT[0],
            n / COUNT[0] % COUNT[1],
            n / COUNT[0] / COUNT[1],
        );
        let place = (index.map(|n| n as f64) - half) * EDGE;
        let inside = |centre: &[f64; 3]| (place - Vector3::from(*centre)).norm() < RADIUS;
        let found = balls.iter().position(|(_, centre)| inside(centre));
        *label = found.map_or(0, |found| found as i64 + 1);
    }
    let steps = Matrix3::from_diagonal(&(Vector3::from(turn) * EDGE * 1e-3));
    let frame = VoxelFrame {
        origin: -(steps * half),
        steps,
    };
    let image = LabelImage::new(COUNT, frame, &labels).expect("the volume is valid");
    let names = balls.iter().enumerate();
    let names = names.map(|(n, (name, _))| format!("{} = \"{name}\"\n", n + 1));
    let text = format!("[classes]\n{}", names.collect::<Vec<_>>().concat());
    let map = ClassMap::parse(&text).expect("the table is valid");
    Segmentation::of(image, Some(&map)).expect("the volume has names")
}

fn examined(turn: [f64; 3], balls: &[(&str, [f64; 3])]) -> Findings {
    let tissues = Tissues::standard().expect("the table is valid");
    Findings::of(&body(turn, balls), &tissues)
}

#[test]
fn a_body_that_lies_right_is_good() {
    let found = examined([1.0; 3], &BALLS);
    assert_eq!(found.verdict(), Verdict::Good, "{found:?}");
    assert_eq!(found.votes(Axis::Left), [4, 0]);
    assert_eq!(found.classes.len(), BALLS.len());
    let liver = &found.classes[0];
    assert_eq!(liver.tissue.as_deref(), Some("liver"));
    // A ball of 9 mm has 3.05 ml; its voxels of 4 mm are coarse.
    assert!((2.6..3.5).contains(&liver.volume_ml), "{}", liver.volume_ml);
    for (wanted, centre) in [-0.07, 0.04, 0.02].into_iter().zip(liver.centre) {
        assert!((wanted - centre).abs() < 1e-3, "{centre}");
    }
    // The outermost balls: ribs at the sides, heart and bladder at the ends.
    for (axis, reach) in [(0, 0.104), (1, 0.104)] {
        assert!(
            (found.bounds[0][axis] + reach).abs() < 4e-3,
            "{:?}",
            found.bounds
        );
        assert!(
            (found.bounds[1][axis] - reach).abs() < 4e-3,
            "{:?}",
            found.bounds
        );
    }
}

#[test]
fn mirrors_are_refused_by_the_axis() {
    for (axis, named) in [
        (0, "left and right"),
        (1, "head and feet"),
        (2, "front and back"),
    ] {
        let mut turn = [1.0; 3];
        turn[axis] = -1.0;
        let found = examined(turn, &BALLS);
        assert_eq!(found.verdict(), Verdict::Refused);
        assert_eq!(found.refusals.len(), 1, "{:?}", found.refusals);
        assert!(found.refusals[0].contains(named), "{:?}", found.refusals);
    }
}

/// Organs on the other side, but paired organs and bones as their names say: not a mirror image of the file.
#[test]
fn organs_on_the_other_side_are_a_warning() {
    let mut balls = BALLS;
    balls[0].1[0] = 70.0;
    balls[1].1[0] = -80.0;
    let found = examined([1.0; 3], &balls);
    assert_eq!(found.verdict(), Verdict::Doubtful);
    assert!(
        found.warnings[0].contains("spleen and liver"),
        "{:?}",
        found.warnings
    );
}

#[test]
fn unknown_missing_and_cut_classes_are_named() {
    let mut balls = BALLS;
    balls[1].0 = "splen";
    balls[0].1 = [-117.0, 40.0, 20.0];
    let found = examined([1.0; 3], &balls);
    assert_eq!(found.verdict(), Verdict::Doubtful);
    assert_eq!(
        found.unmapped,
        [("splen".to_owned(), Some("spleen".to_owned()))]
    );
    assert_eq!(found.missing, ["spleen"]);
    let cut: Vec<_> = found
        .cut
        .iter()
        .map(|cut| (&*cut.name, &*cut.direction))
        .collect();
    assert_eq!(cut, [("liver", "right")]);
    // The same in a volume whose first index runs to the right.
    let turned = examined([-1.0, 1.0, 1.0], &balls);
    assert_eq!(turned.cut[0].direction, "left");
}

/// Vessels leave a scan of the trunk, organs do not.
#[test]
fn only_organs_are_expected_to_be_whole() {
    let mut balls = BALLS;
    balls[4].1[1] = 117.0;
    let found = examined([1.0; 3], &balls);
    let cut: Vec<_> = found
        .cut
        .iter()
        .map(|cut| (&*cut.name, &*cut.direction))
        .collect();
    assert_eq!(cut, [("aorta", "head")]);
    assert_eq!(found.verdict(), Verdict::Good, "{:?}", found.warnings);
    balls[11].1[1] = 117.0;
    let found = examined([1.0; 3], &balls);
    assert_eq!(found.verdict(), Verdict::Doubtful);
    assert!(
        found.warnings[0].contains("heart (head)"),
        "{:?}",
        found.warnings
    );
}

#[test]
fn a_volume_of_unknown_classes_is_refused() {
    let found = examined([1.0; 3], &[("label 7", [0.0; 3])]);
    assert_eq!(found.verdict(), Verdict::Refused);
    assert!(
        found.refusals[0].contains("label 7"),
        "{:?}",
        found.refusals
    );
}

/// Organs alone have no skin.
#[test]
fn a_volume_without_the_body_is_refused_with_the_cure() {
    let found = examined([1.0; 3], &BALLS[..14]);
    assert_eq!(found.verdict(), Verdict::Refused);
    assert_eq!(found.refusals.len(), 1, "{:?}", found.refusals);
    assert!(
        found.refusals[0].contains("body_trunc"),
        "{:?}",
        found.refusals
    );
    // A part of the body without the trunk is no body.
    for part in ["face", "body_extremities"] {
        let mut balls = BALLS.to_vec();
        balls[14].0 = part;
        let refusals = examined([1.0; 3], &balls).refusals;
        assert_eq!(refusals.len(), 1, "{refusals:?}");
        assert!(refusals[0].contains("body_trunc"), "{refusals:?}");
    }
}

/// All classes of all maps have a tissue, and only one.
#[test]
fn every_class_of_the_maps_has_a_tissue() {
    let tissues = Tissues::standard().expect("the table is valid");
    for map in ClassMap::known() {
        let map = ClassMap::of(map).expect("the map is valid");
        for name in map.classes.values() {
            assert!(tissues.of(name).is_some(), "{name} has no tissue");
        }
    }
    for (class, tissue) in [
        ("rib_left_13", "bone"),
        ("lung_left", "lung"),
        ("pulmonary_vein", "blood"),
        ("kidney_cyst_left", "urine"),
        ("kidney_left", "kidney"),
        ("heart_atrium_left", "blood"),
        ("heart_myocardium", "heart"),
        ("body_trunc", "body"),
    ] {
        assert_eq!(
            tissues.of(class).map(|own| &*own.name),
            Some(tissue),
            "{class}"
        );
    }
    assert!(tissues.of("liverwurst").is_none());
}

#[test]
fn wrong_tables_of_tissues_are_refused() {
    let table = |class: &str, kind: &str| {
        format!(
            "[[tissue]]\nname = \"a\"\nmaterial = \"b\"\nkind = \"{kind}\"\nclasses = [\"{class}\"]\n"
        )
    };
    assert!(Tissues::parse(&table("c", "soft")).is_ok());
    for (text, named) in [
        (table("*", "soft"), "\"*\""),
        (table("a*b", "soft"), "\"a*b\""),
        (table("c", "liquid"), "liquid"),
        ("[tissues]\n".to_owned(), "tissue"),
    ] {
        let told = Tissues::parse(&text)
            .expect_err("the table is wrong")
            .to_string();
        assert!(told.contains(named), "{named}: {told}");
    }
}
