//! Fat, muscle, gas and bone of a CT, and what a patient keeps of it.

use insonate_anatomy::{
    Findings, Patient, PatientClass, WindowMap, WindowSettings, density, sound_speed,
};
use insonate_volumes::{ClassMap, LabelImage, Segmentation};

use crate::phantom::{
    BOXES, COUNT, EDGE, Matter, ct, ct_of, dice, examined, hu, is_in, made, matter, own_grid,
    places, tissues, volume,
};

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

/// The boxes with their body, the vertebra as two, and a rib.
fn with_more_bones() -> Segmentation {
    let own = own_grid(true);
    let voxels = places(COUNT, own.frame()).zip(own.voxels());
    let numbers = voxels.map(|(place, value)| match value {
        4 if place.y < 0.0 => 8,
        7 if is_in(&place, RIB.0, RIB.1) => 9,
        other => i64::from(*other),
    });
    let numbers: Vec<i64> = numbers.collect();
    let image = LabelImage::new(COUNT, own.frame(), &numbers).expect("the volume is valid");
    let names = own.classes().iter().map(|class| &*class.name);
    let names = names.chain(["vertebrae_L4", "rib_left_8"]).zip(1..);
    let names = names.map(|(name, n)| format!("{n} = \"{name}\"\n"));
    let text = format!("[classes]\n{}", names.collect::<Vec<_>>().concat());
    let map = ClassMap::parse(&text).expect("the table is valid");
    Segmentation::of(image, Some(&map)).expect("the volume has names")
}

/// Centre and half edges of a rib [m].
const RIB: ([f64; 3], [f64; 3]) = ([0.09, 0.03, 0.0], [0.006, 0.02, 0.012]);

#[test]
fn bones_without_dense_parts_keep_their_volumes_and_the_verdict() {
    let labels = with_more_bones();
    let is_bone = |own: Matter| matches!(own, Matter::Cancellous | Matter::Box(3));
    let ct = ct_of(
        |place| place,
        |place| {
            if is_bone(matter(place)) || is_in(place, RIB.0, RIB.1) {
                400
            } else {
                hu(place)
            }
        },
    );
    let plain = Findings::of(&labels, &tissues());
    let numbers = labels.voxels().to_vec();
    let patient = made(&ct, labels);
    let folder = tempfile::tempdir().expect("a scratch folder");
    for (name, content) in &patient.files().expect("it can be written") {
        std::fs::write(folder.path().join(name), content).expect("the folder can be written");
    }
    let read = Patient::read(folder.path()).expect("the files are valid");
    assert_eq!(read.description, patient.description);
    for patient in [patient, read] {
        let mut sum = 0.0;
        for (name, value) in [("vertebrae_L1", 4), ("vertebrae_L4", 8), ("rib_left_8", 9)] {
            let n: usize = numbers.iter().map(|own| usize::from(*own == value)).sum();
            let ml = 1e6 * EDGE.powi(3) * n as f64;
            sum += ml;
            let class = patient.description.class(name).expect("it is a class");
            assert!((class.volume_ml - ml).abs() < 1e-6 * ml, "{name}");
            let own = patient.labels.value(name).expect("it is a class");
            assert!(!patient.labels.voxels().contains(&own), "{name}");
        }
        let cancellous = patient.description.class("cancellous_bone");
        let cancellous = cancellous.expect("it is a class").volume_ml;
        assert!((cancellous - sum).abs() < 1e-6 * sum, "{cancellous} {sum}");
        let found = patient.findings(&tissues());
        assert_eq!(found.verdict(), plain.verdict());
        assert_eq!(found.warnings, plain.warnings);
        assert_eq!(found.missing, plain.missing);
        assert_eq!(found.evidence, plain.evidence);
        assert_eq!(found.cut, plain.cut);
        // Classes of the CT follow those of the segmentation.
        assert_eq!(found.classes[..plain.classes.len()], plain.classes);
    }
}

/// A place from which the way to the aorta leads through the bubble.
#[test]
fn gas_in_the_bowel_closes_a_window() {
    let without = ct_of(
        |place| place,
        |place| match matter(place) {
            Matter::Gas => 30,
            _ => hu(place),
        },
    );
    let open = [&ct(), &without].map(|ct| {
        let patient = made(ct, own_grid(true));
        let loss = |class: &PatientClass| {
            let stops = ["air", "bone", "cancellous bone"].contains(&&*class.material);
            (!stops).then_some(50.0)
        };
        let settings = WindowSettings::default();
        let map = WindowMap::of(&patient, &tissues(), "aorta", loss, &settings);
        let map = map.expect("there is an aorta");
        map.at(0.054, -0.02).expect("there is skin").open()
    });
    assert!(open[0] < 0.7 && open[1] > 0.95, "{open:?}");
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
    let patient = made(&odd, own_grid(true));
    let told = patient.findings(&tissues()).warnings;
    assert!(told.contains(&found.warnings[0]), "{told:?}");
    assert!(patient.description.warnings.contains(&found.warnings[0]));
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
