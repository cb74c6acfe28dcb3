//! The body of a CT, its table, and CTs that do not belong to a segmentation.

use insonate_anatomy::{Patient, PatientSettings};
use insonate_volumes::{ClassMap, CtImage, LabelImage, Segmentation, VoxelFrame};
use nalgebra::{Matrix3, Point3, Vector3};

use crate::phantom::{
    COUNT, EDGE, Matter, TABLE, TRUNK, ct, ct_of, dice, examined, frame, hu, is_trunk, labels,
    made, matter, own_grid, places, tissues, volume,
};

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

/// Masks of the task `face` next to those of `total`: they are no trunk.
#[test]
fn a_face_is_no_body() {
    let own = own_grid(false);
    let face = |place: &Vector3<f64>| matter(place) == Matter::Muscle && place.y > 0.08;
    let voxels = places(COUNT, own.frame()).zip(own.voxels());
    let numbers = voxels.map(|(place, value)| match value {
        0 if face(&place) => 7,
        other => i64::from(*other),
    });
    let numbers: Vec<i64> = numbers.collect();
    let image = LabelImage::new(COUNT, own.frame(), &numbers).expect("the volume is valid");
    let names = own.classes().iter().map(|class| &*class.name);
    for part in ["face", "body_extremities"] {
        let names = names.clone().chain([part]).zip(1..);
        let names = names.map(|(name, n)| format!("{n} = \"{name}\"\n"));
        let text = format!("[classes]\n{}", names.collect::<Vec<_>>().concat());
        let map = ClassMap::parse(&text).expect("the table is valid");
        let labels = Segmentation::of(image.clone(), Some(&map)).expect("it has names");
        let (found, labels) = examined(&ct(), labels).expect("the CT is valid");
        assert!(found.has_body, "{part}");
        let all: Vec<&str> = labels.classes().iter().map(|class| &*class.name).collect();
        let own = dice(&labels, &all, is_trunk);
        assert!(own > 0.99, "{part}: {own}");
    }
}

/// A body between the middles of the CT's voxels.
#[test]
fn a_body_that_the_ct_does_not_resolve_is_refused() {
    let edge = 0.1 * EDGE;
    let frame = VoxelFrame {
        // The CT has an even number of voxels, so this is next to a middle.
        origin: Vector3::repeat(-0.5 * edge),
        steps: Matrix3::identity() * edge,
    };
    let image = LabelImage::new([2; 3], frame, &[1; 8]).expect("the volume is valid");
    let map = ClassMap::parse("[classes]\n1 = \"body_trunc\"\n").expect("the table is valid");
    let labels = Segmentation::of(image, Some(&map)).expect("it has names");
    let told = examined(&ct(), labels).map(drop).expect_err("it is tiny");
    assert!(told.to_string().contains("too small"), "{told}");
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

/// A field of view that is narrower than the trunk, whose sides are then no skin.
#[test]
fn sides_that_the_ct_cuts_off_are_told() {
    let count = [70, 60, 92];
    let narrow = frame(count, Matrix3::identity() * EDGE);
    let values = places(count, narrow).map(|place| hu(&place)).collect();
    let ct = CtImage::new(count, narrow, values).expect("the CT is valid");
    // On the CT's grid, and around the boxes alone.
    for labels in [
        labels(count, narrow, false),
        labels(
            [66, 50, 40],
            frame([66, 50, 40], Matrix3::identity() * EDGE),
            false,
        ),
    ] {
        let patient = made(&ct, labels);
        let cut = patient.description.cut.join(" ");
        assert_eq!(cut, "feet head left right");
        let told = patient.description.warnings.join("; ");
        assert!(told.contains("ends within the body"), "{told}");
    }
}
