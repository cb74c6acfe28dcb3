//! Contract: a patient is made of a segmentation, is the same in its files, and is refused with the reason.

use std::path::Path;

use insonate_anatomy::{AnatomyError, Patient, PatientSettings, Tissues};
use insonate_volumes::{ClassMap, LabelImage, Segmentation, VoxelFrame};
use nalgebra::{Matrix3, Vector3};

const COUNT: [usize; 3] = [64, 70, 52];
const EDGE: f64 = 0.003;
/// Half axes of the trunk, to the left and to the front [m].
const TRUNK: [f64; 2] = [0.08, 0.06];
/// Classes within it: name, centre, radius [m].
const BALLS: [(&str, [f64; 3], f64); 5] = [
    ("liver", [-0.03, 0.02, 0.01], 0.022),
    ("spleen", [0.04, 0.03, -0.01], 0.014),
    ("urinary_bladder", [0.0, -0.06, 0.02], 0.015),
    ("vertebrae_L1", [0.0, 0.0, -0.035], 0.014),
    ("my mass", [0.03, -0.03, 0.0], 0.01),
];

/// The trunk; the first index runs in the direction of `side` and gives the anatomy a mirror image if it is −1.
fn trunk(side: f64) -> Segmentation {
    let steps = Matrix3::from_diagonal(&Vector3::new(side * EDGE, EDGE, EDGE));
    let half = Vector3::from(COUNT.map(|n| 0.5 * (n as f64 - 1.0)));
    let mut labels = vec![0; COUNT.iter().product()];
    for (n, label) in labels.iter_mut().enumerate() {
        let index = Vector3::new(
            n % COUNT[0],
            n / COUNT[0] % COUNT[1],
            n / COUNT[0] / COUNT[1],
        );
        let place = (index.map(|n| n as f64) - half) * EDGE;
        let inside = |(_, centre, radius): &(&str, [f64; 3], f64)| {
            (place - Vector3::from(*centre)).norm() < *radius
        };
        let is_body = (place.x / TRUNK[0]).hypot(place.z / TRUNK[1]) < 1.0 && place.y.abs() < 0.09;
        let ball = BALLS.iter().position(inside);
        *label = ball.map_or(i64::from(is_body) * 6, |ball| ball as i64 + 1);
    }
    let frame = VoxelFrame {
        origin: -(steps * half),
        steps,
    };
    let image = LabelImage::new(COUNT, frame, &labels).expect("the volume is valid");
    let names = BALLS.iter().map(|(name, ..)| *name).chain(["body_trunc"]);
    let names = names
        .zip(1..)
        .map(|(name, n)| format!("{n} = \"{name}\"\n"));
    let text = format!("[classes]\n{}", names.collect::<Vec<_>>().concat());
    let map = ClassMap::parse(&text).expect("the table is valid");
    Segmentation::of(image, Some(&map)).expect("the volume has names")
}

fn make(segmentation: &Segmentation) -> Result<Patient, AnatomyError> {
    let tissues = Tissues::standard().expect("the table is valid");
    Patient::make(
        segmentation,
        &tissues,
        &PatientSettings::default(),
        "a test",
    )
}

fn write(patient: &Patient, folder: &Path) -> Vec<(String, Vec<u8>)> {
    let files = patient.files().expect("it can be written");
    for (name, content) in &files {
        std::fs::write(folder.join(name), content).expect("the folder can be written");
    }
    files
}

#[test]
fn a_patient_has_what_its_segmentation_has() {
    let patient = make(&trunk(1.0)).expect("the trunk is valid");
    let own = &patient.description;
    let [low, high] = own.bounds_m;
    for (axis, reach) in [TRUNK[0], 0.09, TRUNK[1]].into_iter().enumerate() {
        assert!(
            (low[axis] + reach).abs() < 0.003 && (high[axis] - reach).abs() < 0.003,
            "{own:?}"
        );
    }
    // The middle of the trunk is above the table, on which the back lies.
    assert!(own.table_m[0].abs() < 1e-3 && own.table_m[1].abs() < 1e-3);
    assert!(
        (own.table_m[2] + TRUNK[1]).abs() < 2e-3,
        "{:?}",
        own.table_m
    );
    assert!(own.cut.is_empty() && own.has_bones);
    let of = |name: &str| own.classes.iter().find(|class| class.name == name);
    let liver = of("liver").expect("there is a liver");
    assert_eq!((&*liver.tissue, &*liver.material), ("liver", "liver"));
    // The skin in front of the liver is on the ellipse.
    let [x, y, z] = liver.skin_m.expect("there is skin");
    let front = TRUNK[1] * (1.0 - (x / TRUNK[0]).powi(2)).sqrt();
    assert!(
        (x + 0.03).abs() < 1e-3 && (y - 0.02).abs() < 1e-3,
        "{x} {y}"
    );
    assert!((z - front).abs() < 2e-3, "{z} {front}");
    assert_eq!(of("my mass").expect("it is a class").tissue, "unknown");
    assert!(
        own.warnings
            .iter()
            .any(|warning| warning.contains("my mass"))
    );
    // Organs keep the volume of their voxels.
    let names: Vec<&str> = patient.organs.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["liver", "spleen", "urinary_bladder", "my mass"]);
    for (name, mesh) in &patient.organs {
        let voxels = of(name).expect("it is a class").volume_ml;
        let error = 1e6 * mesh.volume() / voxels - 1.0;
        assert!(error.abs() < 0.01, "{name}: {error}");
    }
    let bones = 1e6 * patient.bones.expect("there are bones").volume();
    let voxels = of("vertebrae_L1").expect("it is a class").volume_ml;
    assert!((bones / voxels - 1.0).abs() < 0.01, "{bones} {voxels}");
}

#[test]
fn a_patient_is_the_same_in_its_files() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let patient = make(&trunk(1.0)).expect("the trunk is valid");
    let files = write(&patient, folder.path());
    assert!(files.iter().any(|(name, _)| name == "organ_my%20%mass.ply"));
    let again = make(&trunk(1.0)).expect("the trunk is valid");
    assert!(
        again.files().expect("it can be written") == files,
        "the bytes differ"
    );
    let read = Patient::read(folder.path()).expect("the files are valid");
    assert_eq!(read.description, patient.description);
    assert_eq!(read.skin, patient.skin);
    assert_eq!(read.bones, patient.bones);
    assert_eq!(read.organs, patient.organs);
    assert_eq!(read.labels.voxels(), patient.labels.voxels());
}

#[test]
fn damaged_files_are_refused_by_name() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let patient = make(&trunk(1.0)).expect("the trunk is valid");
    let files = write(&patient, folder.path());
    let text = std::fs::read_to_string(folder.path().join("patient.toml")).expect("it is text");
    let told = |name: &str, content: &[u8]| {
        std::fs::write(folder.path().join(name), content).expect("the folder can be written");
        let told = Patient::read(folder.path())
            .map(drop)
            .expect_err("it is damaged");
        let told = told.to_string();
        assert!(told.contains(name), "{told}");
        let (_, right) = files
            .iter()
            .find(|(own, _)| own == name)
            .expect("it is a file");
        std::fs::write(folder.path().join(name), right).expect("the folder can be written");
        told
    };
    let newer = text.replace("version = 1", "version = 2");
    assert!(told("patient.toml", newer.as_bytes()).contains("version is 2"));
    let other = text.replace("name = \"liver\"", "name = \"spleen\"");
    std::fs::write(folder.path().join("patient.toml"), other).expect("the folder can be written");
    let mixed = Patient::read(folder.path())
        .map(drop)
        .expect_err("it is mixed")
        .to_string();
    assert!(
        mixed.contains("labels.nii.gz") && mixed.contains("classes"),
        "{mixed}"
    );
    std::fs::write(folder.path().join("patient.toml"), &text).expect("the folder can be written");
    assert!(!told("skin.ply", b"ply\n").is_empty());
    assert!(!told("labels.nii.gz", &[31, 139, 8]).is_empty());
    let mut far = patient.clone();
    far.description.table_m[0] = 99.0;
    let far = far.files().expect("it can be written");
    assert!(told("patient.toml", &far[0].1).contains("table_m is 99"));
    // A vertex far away would make maps of the skin huge.
    for vertex in [[5.0, 0.0, 0.0], [0.0, 0.0, 9e3]] {
        let mut far = patient.clone();
        far.skin.positions[7] = vertex;
        let far = far.files().expect("it can be written");
        let (_, skin) = far
            .iter()
            .find(|(name, _)| name == "skin.ply")
            .expect("a skin");
        let told = told("skin.ply", skin);
        assert!(told.contains("within 0.03 m of labels.nii.gz"), "{told}");
    }
    Patient::read(folder.path()).expect("all files are right again");
}

#[test]
fn labels_larger_than_a_person_are_refused() {
    let own = trunk(1.0);
    let frame = VoxelFrame {
        origin: 20.0 * own.frame().origin,
        steps: 20.0 * own.frame().steps,
    };
    let labels: Vec<i64> = own.voxels().iter().map(|value| i64::from(*value)).collect();
    let image = LabelImage::new(COUNT, frame, &labels).expect("the volume is valid");
    let names = own.classes().iter().zip(1..);
    let names = names.map(|(class, n)| format!("{n} = \"{}\"\n", class.name));
    let text = format!("[classes]\n{}", names.collect::<Vec<_>>().concat());
    let map = ClassMap::parse(&text).expect("the table is valid");
    let large = Segmentation::of(image, Some(&map)).expect("the volume has names");
    let told = make(&large)
        .map(drop)
        .expect_err("it is a giant")
        .to_string();
    assert!(told.contains("each side must be at most 3 m"), "{told}");
}

#[test]
fn a_mirror_image_is_not_a_patient() {
    let refused = make(&trunk(-1.0))
        .map(drop)
        .expect_err("it is a mirror image");
    assert!(
        refused.to_string().contains("left and right are exchanged"),
        "{refused}"
    );
}
