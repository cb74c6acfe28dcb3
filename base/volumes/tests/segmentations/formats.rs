//! Contract: one anatomy in any format and orientation is the same field of classes in the patient's frame.

use std::path::{Path, PathBuf};

use crate::writers::{Grid, Nifti, axes, caret, gzip, meta_image, nrrd_header, oblique, patient};
use insonate_volumes::{ClassMap, LabelImage, Segmentation};
use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

/// Classes: name, TotalSegmentator's number, centre to the right, front and head [mm], radius [mm].
const BALLS: [(&str, u8, [f64; 3], f64); 4] = [
    ("liver", 5, [40.0, 20.0, 10.0], 22.0),
    ("spleen", 1, [-45.0, -10.0, 12.0], 14.0),
    ("kidney_right", 2, [30.0, -30.0, -40.0], 10.0),
    ("aorta", 52, [-8.0, -25.0, 0.0], 7.0),
];
/// Half a diagonal of the voxels of the tests is shorter [mm].
const MARGIN: f64 = 2.2;

/// Label at a place, by TotalSegmentator's numbers.
fn scene(place: &Vector3<f64>) -> u8 {
    let inside = |centre: [f64; 3], radius: f64| (place - Vector3::from(centre)).norm() < radius;
    let found = BALLS
        .iter()
        .find(|(.., centre, radius)| inside(*centre, *radius));
    found.map_or(0, |(_, label, ..)| *label)
}

fn names() -> Vec<(i64, &'static str)> {
    BALLS
        .iter()
        .map(|(name, label, ..)| (i64::from(*label), *name))
        .collect()
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("the folder can be written");
    path
}

/// Compares classes at 20 000 places, and volumes with the labels that were written.
fn check(read: &Segmentation, labels: &[u8], what: &str) {
    let mut state = 1u64;
    let mut random = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut n_compared = [0; 2];
    for _ in 0..20_000 {
        let place = [0, 1, 2].map(|_| 140.0 * random() - 70.0);
        let distances = BALLS.iter().map(|(.., centre, radius)| {
            (Vector3::from(place) - Vector3::from(*centre)).norm() - radius
        });
        if distances
            .into_iter()
            .any(|distance| distance.abs() < MARGIN)
        {
            continue;
        }
        let wanted = scene(&Vector3::from(place));
        let wanted = BALLS.iter().find(|(_, label, ..)| *label == wanted);
        n_compared[usize::from(wanted.is_some())] += 1;
        assert_eq!(
            read.class_at(&patient(place)),
            wanted.map(|(name, ..)| *name),
            "{what}: {place:?}"
        );
    }
    assert!(
        n_compared.iter().all(|n| *n > 300),
        "{what}: {n_compared:?}"
    );
    for (name, label, ..) in BALLS {
        let wanted = labels.iter().map(|own| usize::from(*own == label)).sum();
        let class = read.classes().iter().find(|class| class.name == name);
        assert_eq!(
            class.map(|class| class.n_voxels),
            Some(wanted),
            "{what}: {name}"
        );
    }
}

fn read(path: &Path, map: Option<&str>) -> Segmentation {
    let map = map.map(|name| ClassMap::of(name).expect("the map is known"));
    Segmentation::read(path, map.as_ref()).expect("the file is valid")
}

/// Grids of all orders and directions of axes.
fn grids() -> Vec<(String, Grid)> {
    let grids = ["RAS", "LAS", "LPS", "RPI", "ASL", "SRP", "IPR"].map(|letters| {
        let steps = axes(letters, [2.0, 2.5, 1.8]);
        (letters.to_owned(), Grid::around([78, 80, 82], steps))
    });
    let turned = (
        "oblique".to_owned(),
        Grid::around([90; 3], oblique([2.0; 3])),
    );
    grids.into_iter().chain([turned]).collect()
}

#[test]
fn every_format_and_orientation_gives_the_same_classes() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    for (letters, grid) in grids() {
        let labels = grid.sample(scene);
        for (is_big, is_second) in [(false, false), (true, false), (false, true), (true, true)] {
            let plain = Nifti {
                is_big,
                is_second,
                ..Nifti::default()
            };
            let path = write(folder, "plain.nii", &plain.file(&grid, &labels));
            check(&read(&path, Some("total")), &labels, &letters);
        }
        let named = Nifti {
            extension: caret(&names()),
            ..Nifti::default()
        };
        let path = write(folder, "ml.nii.gz", &gzip(&named.file(&grid, &labels)));
        check(&read(&path, None), &labels, &format!("--ml {letters}"));
        let path = write(folder, "a.mha", &meta_image(&grid, &labels));
        check(
            &read(&path, Some("total")),
            &labels,
            &format!("MHA {letters}"),
        );
        let header = nrrd_header(&grid, None, "gzip");
        let file = [header.as_bytes(), b"\n", &gzip(&labels)].concat();
        let path = write(folder, "a.nrrd", &file);
        check(
            &read(&path, Some("total")),
            &labels,
            &format!("NRRD {letters}"),
        );
    }
}

#[test]
fn a_qform_is_its_quaternion() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    // Half a turn about the front's axis, as TotalSegmentator writes from DICOM, and an oblique one.
    for [a, b, c, d] in [
        [0.0, 0.0, 1.0, 0.0],
        [0.9, 0.1, -0.3, 0.2],
        [0.5, 0.5, 0.5, 0.5],
    ] {
        for sign in [1.0, -1.0] {
            let turn = UnitQuaternion::from_quaternion(Quaternion::new(a, b, c, d));
            let edges = [2.0, 2.0, 1.5];
            let diagonal = Vector3::new(edges[0], edges[1], sign * edges[2]);
            let steps = turn.to_rotation_matrix().matrix() * Matrix3::from_diagonal(&diagonal);
            let grid = Grid::around([100, 100, 110], steps);
            let labels = grid.sample(scene);
            let file = Nifti {
                qform: Some((
                    [turn.i, turn.j, turn.k],
                    [sign, edges[0], edges[1], edges[2]],
                )),
                ..Nifti::default()
            };
            let path = write(folder.path(), "q.nii", &file.file(&grid, &labels));
            check(
                &read(&path, Some("total")),
                &labels,
                &format!("{a} {b} {c} {d}, {sign}"),
            );
        }
    }
}

#[test]
fn a_voxel_is_where_its_file_puts_it() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    for (letters, grid) in grids() {
        let index = [11, 30, 47];
        let [nx, ny, _] = grid.count;
        let mut labels = vec![0; grid.n()];
        labels[(index[2] * ny + index[1]) * nx + index[0]] = 5;
        let files = [
            ("a.nii", Nifti::default().file(&grid, &labels)),
            ("a.mha", meta_image(&grid, &labels)),
        ];
        for (name, file) in files {
            let read = read(&write(folder.path(), name, &file), Some("total"));
            let wanted = patient(grid.place(index).into());
            let found = read.centroids()[0].expect("the class has a voxel");
            assert!(
                (found - wanted).norm() < 1e-7,
                "{letters}: {found} {wanted}"
            );
            // The corners of the voxel, just inside and just outside.
            for corner in 0..8 {
                let off = |share: f64| {
                    let part = |axis: usize| {
                        if corner >> axis & 1 == 1 {
                            share
                        } else {
                            -share
                        }
                    };
                    let at = grid.place(index) + grid.steps * Vector3::from([0, 1, 2].map(part));
                    patient(at.into())
                };
                assert_eq!(read.class_at(&off(0.499)), Some("liver"), "{letters}");
                assert_eq!(read.class_at(&off(0.501)), None, "{letters}");
            }
        }
    }
}

#[test]
fn a_folder_of_masks_is_read_by_the_names_of_its_files() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let grid = Grid::around([78, 60, 90], axes("LAS", [2.0, 2.2, 1.8]));
    let labels = grid.sample(scene);
    let inner = folder.path().join("segmentations");
    std::fs::create_dir(&inner).expect("the folder can be written");
    // Names that are not those of masks, and the CT next to the folder.
    write(folder.path(), "ct.nii.gz", b"not read");
    write(&inner, "statistics.json", b"{}");
    let mask = |of: u8| -> Vec<u8> { labels.iter().map(|own| u8::from(*own == of)).collect() };
    for (name, label, ..) in BALLS {
        let file = gzip(&Nifti::default().file(&grid, &mask(label)));
        write(&inner, &format!("{name}.nii.gz"), &file);
    }
    let empty = gzip(&Nifti::default().file(&grid, &mask(200)));
    write(&inner, "brain.nii.gz", &empty);
    for path in [folder.path(), &inner] {
        let read = read(path, None);
        check(&read, &labels, "masks");
        let names: Vec<&str> = read.classes().iter().map(|class| &*class.name).collect();
        assert_eq!(names, ["spleen", "kidney_right", "liver", "aorta", "brain"]);
        assert_eq!(read.classes()[4].n_voxels, 0);
        assert!(read.overlaps().is_empty());
    }
}

#[test]
fn the_later_of_two_overlapping_masks_keeps_their_voxels() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let grid = Grid::around([10, 1, 1], axes("RAS", [2.0; 3]));
    let row = |from: usize, to: usize| -> Vec<u8> {
        (0..10).map(|n| u8::from((from..to).contains(&n))).collect()
    };
    // By version 1's numbers the aorta (7) is before the pancreas (10); by version 2's numbers after it (7 and 52).
    for (name, from, to) in [("aorta", 0, 5), ("pancreas", 3, 8)] {
        let file = Nifti::default().file(&grid, &row(from, to));
        write(folder.path(), &format!("{name}.nii"), &file);
    }
    let read_again = || read(folder.path(), None);
    let version_2 = read_again();
    assert_eq!(version_2.voxels(), [2, 2, 2, 2, 2, 1, 1, 1, 0, 0]);
    assert_eq!(version_2.overlaps().len(), 1);
    let overlap = &version_2.overlaps()[0];
    assert_eq!(
        (&*overlap.kept, &*overlap.lost, overlap.n_voxels),
        ("aorta", "pancreas", 2)
    );
    assert_eq!(version_2.classes()[0].n_voxels, 3);
    // A class that only version 1 has makes it version 1.
    let file = Nifti::default().file(&grid, &row(9, 10));
    write(folder.path(), "heart_myocardium.nii", &file);
    let version_1 = read_again();
    assert_eq!(version_1.classes()[1].name, "pancreas");
    assert_eq!(version_1.voxels(), [1, 1, 1, 2, 2, 2, 2, 2, 0, 3]);
}

/// The body has no number in TotalSegmentator's main task, and contains all other classes.
#[test]
fn the_body_keeps_only_what_no_other_class_has() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let grid = Grid::around([4, 1, 1], axes("RAS", [2.0; 3]));
    let masks = [
        ("liver", [0, 1, 1, 0]),
        ("body_trunc", [1, 1, 1, 0]),
        ("my_vessel", [0, 1, 0, 0]),
    ];
    for (name, labels) in masks {
        let file = Nifti::default().file(&grid, &labels);
        write(folder.path(), &format!("{name}.nii"), &file);
    }
    let at = |read: &Segmentation, index: usize| {
        let class = read.class_at(&patient(grid.place([index, 0, 0]).into()));
        class.unwrap_or("-").to_owned()
    };
    let masks = read(folder.path(), None);
    let found = [0, 1, 2, 3].map(|index| at(&masks, index));
    assert_eq!(found, ["body_trunc", "my_vessel", "liver", "-"]);

    // As segments, the body last.
    let keys = "Segment0_Name:=liver\nSegment0_LabelValue:=1\nSegment0_Layer:=0\n\
                Segment1_Name:=skin\nSegment1_LabelValue:=1\nSegment1_Layer:=1\n\n";
    let file = [&*nrrd_header(&grid, Some((2, true)), "raw"), keys].concat();
    let file = [file.as_bytes(), &[0, 1, 1, 0], &[1, 1, 1, 0]].concat();
    let segments = read(&write(folder.path(), "a.seg.nrrd", &file), None);
    let found = [0, 1, 2, 3].map(|index| at(&segments, index));
    assert_eq!(found, ["skin", "liver", "liver", "-"]);
}

#[test]
fn segments_of_slicer_are_read_from_one_layer_and_from_several() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let grid = Grid::around([70, 71, 72], oblique([2.2; 3]));
    let labels = grid.sample(scene);
    let all = BALLS.iter().enumerate();
    let keys = all.map(|(n, (name, label, ..))| {
        format!("Segment{n}_Color:=0.5 0.2 0.1\nSegment{n}_ID:=Segment_{n}\nSegment{n}_Name:={name}\nSegment{n}_LabelValue:={label}\nSegment{n}_Layer:=0\n")
    });
    let keys = keys.collect::<Vec<_>>().concat();
    let file = [&*nrrd_header(&grid, None, "gzip"), &keys, "\n"].concat();
    let file = [file.as_bytes(), &gzip(&labels)].concat();
    check(
        &read(&write(folder.path(), "a.seg.nrrd", &file), None),
        &labels,
        "one layer",
    );

    // Layer 0: liver and spleen; layer 1: the others. Labels start again in each layer.
    let split = |layer: usize| -> Vec<u8> {
        let of = |own: &u8| BALLS.iter().position(|(_, label, ..)| label == own);
        let value = |place: usize| {
            if place / 2 == layer {
                (place % 2 + 1) as u8
            } else {
                0
            }
        };
        labels.iter().map(|own| of(own).map_or(0, value)).collect()
    };
    let all = BALLS.iter().enumerate();
    let keys = all.map(|(n, (name, ..))| {
        let (label, layer) = (n % 2 + 1, n / 2);
        format!(
            "Segment{n}_Name:={name}\nSegment{n}_LabelValue:={label}\nSegment{n}_Layer:={layer}\n"
        )
    });
    let keys = keys.collect::<Vec<_>>().concat();
    let layers = [split(0), split(1)];
    let interleaved: Vec<u8> = layers[0]
        .iter()
        .zip(&layers[1])
        .flat_map(|(a, b)| [*a, *b])
        .collect();
    for (is_last, data) in [(false, interleaved), (true, layers.concat())] {
        let file = [&*nrrd_header(&grid, Some((2, is_last)), "raw"), &keys, "\n"].concat();
        let file = [file.as_bytes(), &data].concat();
        let read = read(&write(folder.path(), "b.seg.nrrd", &file), None);
        check(&read, &labels, &format!("layers last: {is_last}"));
    }
}

#[test]
fn old_segments_have_a_layer_each_and_may_overlap() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let grid = Grid::around([6, 1, 1], axes("LPS", [3.0; 3]));
    let keys = "Segment0_ID:=Segment_1\nSegment0_Name:=liver\nSegment1_ID:=vessel\n\n";
    let file = [&*nrrd_header(&grid, Some((2, false)), "raw"), keys].concat();
    let data = [1, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0, 0];
    let file = [file.as_bytes(), &data].concat();
    let read = read(&write(folder.path(), "old.seg.nrrd", &file), None);
    assert_eq!(read.voxels(), [1, 1, 2, 2, 0, 0]);
    assert_eq!(read.classes()[1].name, "vessel");
    assert_eq!(read.overlaps()[0].n_voxels, 1);
}

/// The number 7 is the pancreas in version 2 of TotalSegmentator, the aorta in version 1, and the stomach in BTCV.
#[test]
fn numbers_mean_what_their_data_set_says() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let grid = Grid::around([2, 1, 1], axes("RAS", [3.0; 3]));
    let path = write(
        folder.path(),
        "a.nii",
        &Nifti::default().file(&grid, &[7, 0]),
    );
    for (map, name) in [
        ("total", "pancreas"),
        ("total-v1", "aorta"),
        ("btcv", "stomach"),
        ("maisi", "inferior_vena_cava"),
        ("abdomenatlas", "inferior_vena_cava"),
    ] {
        assert_eq!(read(&path, Some(map)).classes()[0].name, name, "{map}");
    }
    let own = ClassMap::parse("[classes]\n7 = \"my organ\"\n").expect("the table is valid");
    let own = Segmentation::read(&path, Some(&own)).expect("the file is valid");
    assert_eq!(own.classes()[0].name, "my organ");
    let refusal = Segmentation::read(&path, None)
        .map(drop)
        .expect_err("it has no names");
    let refusal = refusal.to_string();
    assert!(
        refusal.contains("a.nii") && refusal.contains("total-v1"),
        "{refusal}"
    );
}

/// Left and right are in the order that each data set has, not in one order.
#[test]
fn maps_name_the_sides_of_their_pairs() {
    let label = |map: &str, name: &str| ClassMap::of(map).expect("the map is known").label(name);
    for (map, name, number) in [
        ("total", "kidney_right", 2),
        ("total", "kidney_left", 3),
        ("total", "adrenal_gland_right", 8),
        ("total", "subclavian_artery_right", 55),
        ("total", "common_carotid_artery_left", 58),
        ("total", "iliac_artery_left", 65),
        ("total", "hip_right", 78),
        ("total", "vertebrae_C1", 50),
        ("total", "rib_right_1", 104),
        ("total", "costal_cartilages", 117),
        ("total-v1", "inferior_vena_cava", 8),
        ("total-v1", "rib_left_1", 58),
        ("total-v1", "urinary_bladder", 104),
        ("abdomenatlas", "kidney_left", 3),
        ("abdomenatlas", "femur_right", 18),
        ("btcv", "adrenal_gland_left", 13),
        ("maisi", "kidney_right", 5),
        ("maisi", "kidney_left", 14),
        ("maisi", "lung_lower_lobe_right", 32),
        ("maisi", "rib_right_12", 86),
        ("maisi", "heart", 115),
        ("maisi", "body", 200),
    ] {
        assert_eq!(label(map, name), Some(number), "{map} {name}");
    }
    for map in ClassMap::known() {
        let map = ClassMap::of(map).expect("the map is valid");
        let mut names: Vec<&String> = map.classes.values().collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), map.classes.len(), "names occur once");
        assert!(!map.source.is_empty());
    }
}

#[test]
fn a_written_segmentation_is_read_as_it_was() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let grid = Grid::around([90; 3], oblique([2.0; 3]));
    let labels = grid.sample(scene);
    let odd = "a name with ]]> and <Label Key=\"1\">";
    let named = names().into_iter().chain([(200, "brain")]);
    let table = named
        .map(|(label, name)| format!("{label} = '{name}'\n"))
        .collect::<Vec<_>>()
        .concat();
    let map = ClassMap::parse(&format!("[classes]\n{}", table.replace("liver", odd)));
    let path = write(
        folder.path(),
        "a.nii",
        &Nifti::default().file(&grid, &labels),
    );
    let before = Segmentation::read(&path, Some(&map.expect("the table is valid")));
    let before = before.expect("the file is valid");
    let cropped = before.cropped(0.004).expect("it has voxels");
    let file = cropped.to_nifti().expect("it can be written");
    assert_eq!(file, cropped.to_nifti().expect("it can be written"));
    let after = read(&write(folder.path(), "b.nii.gz", &file), None);
    assert!(
        after
            .count()
            .iter()
            .zip(grid.count)
            .all(|(own, all)| *own < all),
        "{:?}",
        after.count()
    );
    let classes = |own: &Segmentation| -> Vec<(String, usize)> {
        own.classes()
            .iter()
            .map(|class| (class.name.clone(), class.n_voxels))
            .collect()
    };
    assert_eq!(classes(&after), classes(&before));
    assert!(after.classes().iter().any(|class| class.name == odd));
    let centroids = before.centroids().into_iter().zip(after.centroids());
    for (a, b) in centroids {
        let apart = a.expect("it has voxels") - b.expect("it has voxels");
        assert!(apart.norm() < 1e-7, "{apart}");
    }
}

#[test]
fn a_written_mask_holds_the_voxels_of_its_classes_and_no_names() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let grid = Grid::around([60; 3], axes("LPS", [3.0; 3]));
    let plain = Nifti::default().file(&grid, &grid.sample(scene));
    let path = write(folder.path(), "plain.nii", &plain);
    let whole = read(&path, Some("total"));
    let bytes = whole
        .mask_to_nifti(&["liver", "aorta"])
        .expect("both are classes");
    let path = write(folder.path(), "mask.nii.gz", &bytes);
    let mask = LabelImage::read(&path).expect("it is valid");
    assert!(mask.names().is_empty());
    assert_eq!(mask.count(), whole.count());
    let wanted = ["liver", "aorta"].map(|name| whole.value(name).expect("it is a class"));
    let [nx, ny, _] = whole.count();
    for (voxel, value) in whole.voxels().iter().enumerate() {
        let label = mask.label([voxel % nx, voxel / nx % ny, voxel / (nx * ny)]);
        assert_eq!(label, Some(i64::from(wanted.contains(value))));
    }
    let told = whole.mask_to_nifti(&["livr"]).expect_err("it is no class");
    assert!(told.to_string().contains("livr"), "{told}");
}

#[test]
fn a_section_has_the_class_of_each_of_its_points() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let grid = Grid::around([60; 3], oblique([3.0; 3]));
    let plain = Nifti::default().file(&grid, &grid.sample(scene));
    let read = read(&write(folder.path(), "plain.nii", &plain), Some("total"));
    let (corner, right, down) = ([-0.2, 0.012, 0.2], [0.004, 0.0, 0.0], [0.0, 0.0, -0.003]);
    let [width, height] = [100, 130];
    let values = read.section(corner, [right, down], [width, height]);
    assert_eq!(values.len(), width * height);
    let mut n_inside = 0;
    for (n, value) in values.iter().enumerate() {
        let [column, row] = [n % width, n / width].map(|n| n as f64);
        let place: [f64; 3] =
            std::array::from_fn(|axis| corner[axis] + column * right[axis] + row * down[axis]);
        let wanted = read.class_at(&place.into());
        let class = usize::from(*value).checked_sub(1);
        assert_eq!(class.map(|class| &*read.classes()[class].name), wanted);
        n_inside += usize::from(wanted.is_some());
    }
    assert!(n_inside > 100, "{n_inside}");
}
