//! Contract: the segmentation of the adult has its materials as classes, on the right sides, and a volume of its classes shows them again.

use insonate_models::patients::Physique;
use insonate_ultrasound::UltrasoundError;
use insonate_ultrasound::deformation::Point;
use insonate_ultrasound::phantom::{Adult, LabelVolume, Phantom};
use insonate_volumes::Segmentation;
use nalgebra::Vector3;

/// Edge of the voxels [m].
const EDGE: f64 = 0.005;

/// Materials of the classes that have one in common with the adult.
const MATERIALS: [(&str, &[&str]); 12] = [
    ("liver", &["liver", "blood", "wall", "fascia"]),
    ("spleen", &["spleen", "fascia"]),
    ("gallbladder", &["bile", "wall"]),
    ("urinary_bladder", &["urine", "muscle"]),
    ("small_bowel", &["bowel"]),
    ("aorta", &["blood", "wall"]),
    ("subcutaneous_fat", &["fat", "fascia"]),
    ("skeletal_muscle", &["muscle"]),
    ("lung_lower_lobe_right", &["lung"]),
    ("rib_left_8", &["bone"]),
    ("vertebrae_L3", &["bone"]),
    ("costal_cartilages", &["cartilage"]),
];

fn adult() -> Adult {
    Adult::new(&Physique::default(), 0).expect("the reference man is valid")
}

/// Middles of all voxels with the index of their class.
fn places(made: &Segmentation) -> impl Iterator<Item = (Vector3<f64>, usize)> {
    let ([nx, ny, _], frame) = (made.count(), made.frame());
    let filled = made
        .voxels()
        .iter()
        .enumerate()
        .filter(|(_, value)| **value > 0);
    filled.map(move |(voxel, value)| {
        let index = [voxel % nx, voxel / nx % ny, voxel / (nx * ny)].map(|n| n as f64);
        let place = frame.origin + frame.steps * Vector3::from(index);
        (place, usize::from(*value) - 1)
    })
}

#[test]
fn classes_are_where_the_adult_has_their_materials() {
    let adult = adult();
    let made = adult.segmentation(EDGE).expect("the edge is valid");
    let (mut n_checked, mut n_wrong) = ([0u32; MATERIALS.len()], 0u32);
    let mut n_outside = 0;
    for (place, class) in places(&made) {
        let found = adult.place(&Point::from(place.cast::<f32>()));
        let material = adult.materials()[usize::from(found.material)].name;
        n_outside += usize::from(material == "air");
        let own = &made.classes()[class].name;
        let Some(row) = MATERIALS.iter().position(|(name, _)| name == own) else {
            continue;
        };
        n_checked[row] += 1;
        n_wrong += u32::from(!MATERIALS[row].1.contains(&material));
    }
    assert_eq!(n_outside, 0);
    assert!(n_checked.iter().all(|n| *n > 5), "{n_checked:?}");
    // The adult answers from its own voxels, so that boundaries are inexact by a share of a millimetre.
    let share = f64::from(n_wrong) / f64::from(n_checked.iter().sum::<u32>());
    assert!(share < 0.002, "{share}");
}

#[test]
fn sides_heights_and_volumes_are_those_of_a_body() {
    let adult = adult();
    let made = adult.segmentation(EDGE).expect("the edge is valid");
    let centroids = made.centroids();
    let centre = |name: &str| {
        let place = made.classes().iter().position(|class| class.name == name);
        let place = place.unwrap_or_else(|| panic!("there is no {name}"));
        centroids[place].expect("it has voxels")
    };
    for (left, right) in [
        ("kidney_left", "kidney_right"),
        ("spleen", "liver"),
        ("aorta", "inferior_vena_cava"),
        ("rib_left_7", "rib_right_7"),
        ("lung_upper_lobe_left", "lung_middle_lobe_right"),
    ] {
        assert!(centre(left).x > centre(right).x + 0.02, "{left} {right}");
    }
    let spine = [
        "sacrum",
        "vertebrae_L5",
        "vertebrae_L2",
        "vertebrae_T12",
        "vertebrae_T8",
    ];
    let heights = spine.map(|name| centre(name).y);
    assert!(heights.is_sorted(), "{heights:?}");
    let ribs = [12, 10, 8, 6].map(|n| centre(&format!("rib_left_{n}")).y);
    assert!(ribs.is_sorted(), "{ribs:?}");
    // The landmark is the right lobe's centre.
    let liver = (centre("liver") - adult.landmarks().liver.cast::<f64>()).norm();
    assert!(liver < 0.04, "{liver}");
    // An ellipsoid with the half axes of the bladder, 46, 34 and 32 mm, in a wall of 3.5 mm; size varies by 8 %.
    let bladder = made
        .classes()
        .iter()
        .find(|class| class.name == "urinary_bladder");
    let bladder = bladder.expect("there is a bladder").n_voxels as f64 * EDGE.powi(3);
    let ellipsoid = 4.0 / 3.0 * std::f64::consts::PI * 0.0495 * 0.0375 * 0.0355;
    assert!(
        (bladder / ellipsoid - 1.0).abs() < 0.27,
        "{bladder} {ellipsoid}"
    );
}

#[test]
fn a_volume_of_its_classes_has_their_materials() {
    let made = adult().segmentation(EDGE).expect("the edge is valid");
    let materials: Vec<&str> = made
        .classes()
        .iter()
        .map(|class| match &*class.name {
            name if name.starts_with("lung") => "lung",
            name if name.starts_with("liver") => "liver",
            _ => "soft tissue",
        })
        .collect();
    let volume = LabelVolume::of_classes(&made, &materials).expect("the materials are known");
    for (place, class) in places(&made).step_by(37) {
        let found = volume.place(&Point::from(place.cast::<f32>()));
        let name = volume.materials()[usize::from(found.material)].name;
        assert_eq!(name, materials[class], "{place:?}");
    }
    let outside = volume.place(&Point::new(0.0, 0.0, 0.5));
    assert_eq!(
        volume.materials()[usize::from(outside.material)].name,
        "air"
    );
    // Only the background counts as a part without a label: lungs have one.
    assert_eq!(volume.unlabelled().gases, [outside.material]);

    let fewer = LabelVolume::of_classes(&made, &materials[1..]);
    assert!(matches!(fewer, Err(UltrasoundError::Setting(_))));
    let mut unknown = materials;
    unknown[0] = "livr";
    let told = LabelVolume::of_classes(&made, &unknown).map(drop);
    assert!(
        told.expect_err("it is unknown")
            .to_string()
            .contains("liver")
    );
}

#[test]
fn edges_out_of_range_are_refused() {
    for edge in [0.0009, 0.011, f64::NAN] {
        let told = adult().segmentation(edge).map(drop);
        let told = told.expect_err("it is refused").to_string();
        assert!(told.contains("edge of voxels"), "{told}");
    }
}
