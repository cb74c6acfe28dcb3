//! Contract: NIfTI and NRRD in all their forms give the same volume in the patient's frame; a fault gives an error that names it,
//! without a panic and without memory beyond the file's length.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use insonate_volumes::{LabelFormat, LabelImage};
use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;

const COUNT: [usize; 3] = [3, 4, 5];

/// Label of voxel `n`.
fn label(n: usize) -> i64 {
    [0, 1, 2, 117][n * 7 % 4]
}

fn labels() -> Vec<i64> {
    (0..60).map(label).collect()
}

/// Steps to the right, front and head [mm], and the position of the first voxel.
const STEPS: [[f64; 3]; 3] = [[0.0, 2.0, 0.0], [-1.5, 0.0, 0.0], [0.0, 0.0, 3.0]];
const ORIGIN: [f64; 3] = [30.0, -20.0, 100.0];

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

/// Writes a whole number with `size` bytes.
fn put(bytes: &mut [u8], at: usize, size: usize, value: i64, is_big: bool) {
    let mut number = value.to_le_bytes()[..size].to_vec();
    if is_big {
        number.reverse();
    }
    bytes[at..at + size].copy_from_slice(&number);
}

fn put_f32(bytes: &mut [u8], at: usize, value: f64, is_big: bool) {
    put(bytes, at, 4, i64::from((value as f32).to_bits()), is_big);
}

fn put_f64(bytes: &mut [u8], at: usize, value: f64, is_big: bool) {
    put(bytes, at, 8, value.to_bits() as i64, is_big);
}

/// NIfTI-1 with an sform.
fn nifti_1(datatype: i64, size: usize, is_big: bool) -> Vec<u8> {
    let mut bytes = vec![0; 352];
    put(&mut bytes, 0, 4, 348, is_big);
    for (axis, n) in [3, 3, 4, 5, 1].into_iter().enumerate() {
        put(&mut bytes, 40 + 2 * axis, 2, n, is_big);
    }
    put(&mut bytes, 70, 2, datatype, is_big);
    put_f32(&mut bytes, 108, 352.0, is_big);
    bytes[123] = 2;
    put(&mut bytes, 254, 2, 1, is_big);
    for row in 0..3 {
        for (column, step) in STEPS.iter().enumerate() {
            put_f32(&mut bytes, 280 + 16 * row + 4 * column, step[row], is_big);
        }
        put_f32(&mut bytes, 292 + 16 * row, ORIGIN[row], is_big);
    }
    bytes[344..348].copy_from_slice(b"n+1\0");
    numbers(&mut bytes, size, is_big);
    bytes
}

fn nifti_2(is_big: bool) -> Vec<u8> {
    let mut bytes = vec![0; 544];
    put(&mut bytes, 0, 4, 540, is_big);
    bytes[4..12].copy_from_slice(b"n+2\0\r\n\x1a\n");
    put(&mut bytes, 12, 2, 4, is_big);
    for (axis, n) in [3, 3, 4, 5].into_iter().enumerate() {
        put(&mut bytes, 16 + 8 * axis, 8, n, is_big);
    }
    put(&mut bytes, 168, 8, 544, is_big);
    put(&mut bytes, 348, 4, 1, is_big);
    for row in 0..3 {
        for (column, step) in STEPS.iter().enumerate() {
            put_f64(&mut bytes, 400 + 32 * row + 8 * column, step[row], is_big);
        }
        put_f64(&mut bytes, 424 + 32 * row, ORIGIN[row], is_big);
    }
    put(&mut bytes, 500, 4, 2, is_big);
    numbers(&mut bytes, 2, is_big);
    bytes
}

fn numbers(bytes: &mut Vec<u8>, size: usize, is_big: bool) {
    for label in labels() {
        let at = bytes.len();
        bytes.resize(at + size, 0);
        put(bytes, at, size, label, is_big);
    }
}

fn nrrd(
    space: &str,
    signs: [f64; 3],
    number: &str,
    size: usize,
    is_big: bool,
    is_packed: bool,
) -> Vec<u8> {
    let vector = |vector: [f64; 3]| {
        let [a, b, c] = [0, 1, 2].map(|axis| signs[axis] * vector[axis]);
        format!("({a},{b},{c})")
    };
    let directions = STEPS.map(vector).join(" ");
    let (endian, encoding) = (
        if is_big { "big" } else { "little" },
        if is_packed { "gzip" } else { "raw" },
    );
    let header = format!(
        "NRRD0004\n# a comment\ntype: {number}\ndimension: 3\nspace: {space}\nsizes: 3 4 5\nspace directions: {directions}\n\
         kinds: domain domain domain\nendian: {endian}\nencoding: {encoding}\nspace origin: {}\nSegment0_Name:=liver\n\n",
        vector(ORIGIN)
    );
    let mut data = Vec::new();
    numbers(&mut data, size, is_big);
    [
        header.into_bytes(),
        if is_packed { packed(&data) } else { data },
    ]
    .concat()
}

fn check(image: &LabelImage, what: &str) {
    assert_eq!(image.count(), COUNT, "{what}");
    for n in 0..60 {
        let voxel = [n % 3, n / 3 % 4, n / 12];
        assert_eq!(image.label(voxel), Some(label(n)), "{what} {voxel:?}");
    }
    assert_eq!(image.label([3, 0, 0]), None);
    // Right is opposite to left, head is up, front is towards the probe.
    let turned = |[right, front, head]: [f64; 3]| 1e-3 * Vector3::new(-right, head, front);
    let frame = image.frame();
    let steps = Matrix3::from_columns(&STEPS.map(turned));
    assert!(
        (frame.steps - steps).norm() < 1e-9,
        "{what}: {}",
        frame.steps
    );
    assert!(
        (frame.origin - turned(ORIGIN)).norm() < 1e-8,
        "{what}: {}",
        frame.origin
    );
}

fn parsed(format: LabelFormat, bytes: &[u8]) -> LabelImage {
    LabelImage::parse(format, bytes).expect("the file is valid")
}

#[test]
fn all_forms_end_in_the_same_volume() {
    for is_big in [false, true] {
        for (datatype, size) in [
            (2, 1),
            (4, 2),
            (8, 4),
            (256, 1),
            (512, 2),
            (768, 4),
            (1024, 8),
            (1280, 8),
        ] {
            let file = nifti_1(datatype, size, is_big);
            check(
                &parsed(LabelFormat::Nifti, &file),
                &format!("NIfTI-1 of {datatype}"),
            );
            check(
                &parsed(LabelFormat::Nifti, &packed(&file)),
                "packed NIfTI-1",
            );
        }
        check(&parsed(LabelFormat::Nifti, &nifti_2(is_big)), "NIfTI-2");
        for (number, size) in [
            ("signed char", 1),
            ("uint8", 1),
            ("short", 2),
            ("ushort", 2),
            ("int", 4),
            ("uint32_t", 4),
            ("longlong", 8),
            ("uint64", 8),
        ] {
            for is_packed in [false, true] {
                for (space, signs) in [
                    ("right-anterior-superior", [1.0, 1.0, 1.0]),
                    ("LAS", [-1.0, 1.0, 1.0]),
                    ("left-posterior-superior", [-1.0, -1.0, 1.0]),
                ] {
                    let file = nrrd(space, signs, number, size, is_big, is_packed);
                    check(
                        &parsed(LabelFormat::Nrrd, &file),
                        &format!("NRRD of {number}, {space}"),
                    );
                }
            }
        }
    }
}

#[test]
fn whole_reals_and_scaled_numbers_are_labels() {
    let mut file = nifti_1(16, 4, false);
    for (n, label) in labels().into_iter().enumerate() {
        put_f32(&mut file, 352 + 4 * n, label as f64, false);
    }
    check(&parsed(LabelFormat::Nifti, &file), "reals");
    put_f32(&mut file, 352, 0.5, false);
    assert!(refusal(LabelFormat::Nifti, &file).contains("holds 0.5"));
    put_f32(&mut file, 352, f64::NAN, false);
    assert!(refusal(LabelFormat::Nifti, &file).contains("NaN"));
    let mut file = nifti_1(4, 2, false);
    put_f32(&mut file, 112, 2.0, false);
    put_f32(&mut file, 116, -1.0, false);
    let image = parsed(LabelFormat::Nifti, &file);
    assert_eq!(
        image
            .occurring()
            .iter()
            .map(|(label, _)| *label)
            .collect::<Vec<_>>(),
        [-1, 1, 3, 233]
    );
}

/// A quarter turn about the head's axis; the third axis runs down, as `qfac` says.
#[test]
fn a_qform_is_its_rotation() {
    let mut file = nifti_1(2, 1, false);
    put(&mut file, 254, 2, 0, false);
    put(&mut file, 252, 2, 1, false);
    for (index, edge) in [-1.0, 2.0, 1.5, 3.0].into_iter().enumerate() {
        put_f32(&mut file, 76 + 4 * index, edge, false);
    }
    for (index, b_c_d) in [0.0, 0.0, 0.5f64.sqrt()].into_iter().enumerate() {
        put_f32(&mut file, 256 + 4 * index, b_c_d, false);
        put_f32(&mut file, 268 + 4 * index, ORIGIN[index], false);
    }
    let frame = parsed(LabelFormat::Nifti, &file).frame();
    // Right to front, front to left; right, front, head is −x, +z, +y here.
    let wanted = Matrix3::from_columns(&[
        Vector3::new(0.0, 0.0, 2e-3),
        Vector3::new(1.5e-3, 0.0, 0.0),
        Vector3::new(0.0, -3e-3, 0.0),
    ]);
    assert!((frame.steps - wanted).norm() < 1e-8, "{}", frame.steps);
}

fn refusal(format: LabelFormat, bytes: &[u8]) -> String {
    let read = LabelImage::parse(format, bytes);
    read.expect_err("the file is wrong").to_string()
}

#[test]
fn wrong_nifti_is_refused_by_field() {
    type Change = fn(&mut Vec<u8>);
    let changes: [(Change, &str); 16] = [
        (|file| file.truncate(2), "header"),
        (|file| file.truncate(300), "header"),
        (|file| put(file, 0, 4, 347, false), "sizeof_hdr is 347"),
        (|file| file[344] = b'x', "magic"),
        (|file| file[345] = b'i', ".img"),
        (|file| put(file, 40, 2, 2, false), "dim"),
        (|file| put(file, 42, 2, 0, false), "dim"),
        (|file| put(file, 40, 2, -7, false), "dim"),
        (
            |file| {
                for at in [42, 44, 46] {
                    put(file, at, 2, 32767, false);
                }
            },
            "voxels",
        ),
        (|file| put(file, 46, 2, 50, false), "ends or is damaged"),
        (|file| put(file, 70, 2, 128, false), "datatype is 128"),
        (|file| put_f32(file, 108, 1e30, false), "vox_offset"),
        (|file| put_f32(file, 108, -352.0, false), "vox_offset"),
        (|file| put(file, 254, 2, 0, false), "sform_code"),
        (|file| put_f32(file, 284, f64::NAN, false), "edges"),
        (|file| put_f32(file, 292, 1e9, false), "within 10 m"),
    ];
    for (change, named) in changes {
        let mut file = nifti_1(2, 1, false);
        change(&mut file);
        let refusal = refusal(LabelFormat::Nifti, &file);
        assert!(refusal.contains(named), "{named}: {refusal}");
    }
    let mut flat = nifti_1(2, 1, false);
    for column in 0..3 {
        put_f32(&mut flat, 312 + 4 * column, 0.0, false);
    }
    assert!(refusal(LabelFormat::Nifti, &flat).contains("edges"));
    let cut = packed(&nifti_1(2, 1, false));
    assert!(refusal(LabelFormat::Nifti, &cut[..cut.len() / 2]).contains("header"));
}

#[test]
fn wrong_nrrd_is_refused_by_field() {
    let right = nrrd("LPS", [-1.0, -1.0, 1.0], "short", 2, false, false);
    let with = |from: &str, to: &str| {
        let end = right
            .windows(2)
            .position(|pair| pair == b"\n\n")
            .expect("a header ends");
        let header = std::str::from_utf8(&right[..end]).expect("headers are text");
        assert!(header.contains(from));
        [header.replace(from, to).as_bytes(), &right[end..]].concat()
    };
    for (from, to, named) in [
        ("NRRD0004", "NRRD0009", "NRRD0005"),
        ("NRRD0004", "nope", "starts with"),
        ("type: short", "type: block", "type"),
        ("dimension: 3", "dimension: 4", "overlapping segments"),
        ("sizes: 3 4 5", "sizes: 3 4", "sizes"),
        ("sizes: 3 4 5", "sizes: 3 4 -5", "sizes"),
        ("sizes: 3 4 5", "sizes: 0 4 5", "sizes"),
        ("sizes: 3 4 5", "sizes: 18446744073709551615 4 5", "voxels"),
        ("sizes: 3 4 5", "sizes: 3 4 50", "ends or is damaged"),
        ("space: LPS\n", "", "left-posterior-superior"),
        ("space: LPS", "space: scanner-xyz", "scanner-xyz"),
        ("endian: little\n", "", "endian"),
        ("encoding: raw", "encoding: bzip2", "encoding"),
        ("encoding: raw", "encoding: gzip", "damaged"),
        (
            "encoding: raw",
            "encoding: raw\ndata file: /etc/passwd",
            "another file",
        ),
        ("encoding: raw", "encoding: raw\nbyte skip: -1", "byte skip"),
        ("encoding: raw", "encoding: raw\nencoding: raw", "twice"),
        ("kinds: domain", "kinds domain", "kinds domain"),
        (
            "kinds:",
            "space units: \"mm\" \"mm\" \"ft\"\nkinds:",
            "space units",
        ),
        (
            "space directions: (",
            "space directions: none (",
            "space directions",
        ),
        ("space origin: (-30", "space origin: (1e99", "within 10 m"),
    ] {
        let refusal = refusal(LabelFormat::Nrrd, &with(from, to));
        assert!(refusal.contains(named), "{to}: {refusal}");
    }
    let endless = [b"NRRD0004\n".as_slice(), &vec![b'a'; 2 << 20]].concat();
    assert!(refusal(LabelFormat::Nrrd, &endless).contains("no end"));
}

#[test]
fn a_picture_is_not_a_label_volume() {
    let mut file = nifti_1(512, 2, false);
    for (axis, n) in [(42, 10), (44, 10), (46, 10)] {
        put(&mut file, axis, 2, n, false);
    }
    file.truncate(352);
    file.extend((0..1000u16).flat_map(u16::to_le_bytes));
    assert!(refusal(LabelFormat::Nifti, &file).contains("may be a picture"));
}

/// Slightly more than a million voxels, with a valid header.
#[test]
fn a_million_labels_are_read() {
    let header = "NRRD0005\ntype: uint8\ndimension: 3\nspace: RAS\nsizes: 100 100 110\n\
                  space directions: (1,0,0) (0,1,0) (0,0,1)\nencoding: gzip\n\n";
    let voxels: Vec<u8> = (0..1_100_000).map(|n| (n / 10_000 % 3) as u8).collect();
    let file = [header.as_bytes(), &packed(&voxels)].concat();
    let image = parsed(LabelFormat::Nrrd, &file);
    assert_eq!(
        image.occurring(),
        [(0, 370_000), (1, 370_000), (2, 360_000)]
    );
}

#[test]
fn files_are_known_by_their_names() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let picture = folder.path().join("labels.png");
    std::fs::write(&picture, b"PNG").expect("the folder can be written");
    let refusal = LabelImage::read(picture)
        .expect_err("no volume")
        .to_string();
    assert!(
        refusal.contains("labels.png") && refusal.contains(".nii.gz"),
        "{refusal}"
    );
    let refusal = LabelImage::read("nowhere.nii")
        .expect_err("no file")
        .to_string();
    assert!(refusal.contains("nowhere.nii"), "{refusal}");
    let path = folder.path().join("Labels.NII.gz");
    std::fs::write(&path, packed(&nifti_1(4, 2, true))).expect("the folder can be written");
    check(
        &LabelImage::read(&path).expect("the file is valid"),
        "a file",
    );
}

proptest! {
    /// A valid file with random changes gives an error, or a volume with as many voxels as its size.
    #[test]
    fn damaged_files_end_in_an_error_or_a_volume(
        changes in prop::collection::vec((0usize..700, any::<u8>()), 1..12),
        length in 0usize..700,
        which in 0usize..5,
    ) {
        let (format, mut file) = match which {
            0 => (LabelFormat::Nifti, nifti_1(4, 2, false)),
            1 => (LabelFormat::Nifti, nifti_2(true)),
            2 => (LabelFormat::Nifti, packed(&nifti_1(2, 1, false))),
            3 => (LabelFormat::Nrrd, nrrd("LPS", [-1.0, -1.0, 1.0], "short", 2, true, false)),
            _ => (LabelFormat::Nrrd, nrrd("RAS", [1.0; 3], "uint8", 1, false, true)),
        };
        for (at, byte) in changes {
            let n = file.len();
            file[at % n] = byte;
        }
        file.truncate(length.max(1));
        if let Ok(image) = LabelImage::parse(format, &file) {
            let n = image.count().iter().product::<usize>();
            prop_assert_eq!(image.occurring().iter().map(|(_, n)| n).sum::<usize>(), n);
            prop_assert!(image.frame().steps.iter().all(|x| x.is_finite()));
        }
    }
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

/// MetaImage of 16-bit labels; positions are to the left, back and head.
fn meta_image(is_big: bool, is_packed: bool) -> Vec<u8> {
    let left_back_head = |[right, front, head]: [f64; 3]| [-right, -front, head];
    let text = |vector: [f64; 3]| vector.map(|x| x.to_string()).join(" ");
    let edges = STEPS.map(|step| step.iter().map(|x| x * x).sum::<f64>().sqrt());
    let axes = [0, 1, 2].map(|axis| text(left_back_head(STEPS[axis]).map(|x| x / edges[axis])));
    let mut data = Vec::new();
    numbers(&mut data, 2, is_big);
    let header = format!(
        "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = {}\nCompressedData = {}\n\
         TransformMatrix = {}\nOffset = {}\nElementSpacing = {}\nDimSize = 3 4 5\nElementType = MET_SHORT\nElementDataFile = LOCAL\n",
        if is_big { "True" } else { "False" },
        if is_packed { "True" } else { "False" },
        axes.join(" "),
        text(left_back_head(ORIGIN)),
        text(edges),
    );
    let data = if is_packed { zlib(&data) } else { data };
    [header.into_bytes(), data].concat()
}

#[test]
fn meta_images_end_in_the_same_volume() {
    for is_big in [false, true] {
        for is_packed in [false, true] {
            let file = meta_image(is_big, is_packed);
            check(&parsed(LabelFormat::MetaImage, &file), "MetaImage");
        }
    }
    let right = String::from_utf8_lossy(&meta_image(false, false)).into_owned();
    for (from, to, named) in [
        ("NDims = 3", "NDims = 2", "NDims is 2"),
        ("DimSize = 3 4 5", "DimSize = 3 4", "DimSize"),
        ("DimSize = 3 4 5", "DimSize = 99999 99999 99999", "voxels"),
        ("DimSize = 3 4 5", "DimSize = 3 4 50", "ends or is damaged"),
        ("MET_SHORT", "MET_OTHER", "ElementType"),
        ("= LOCAL", "= /etc/passwd", "another file"),
        ("BinaryData = True", "BinaryData = False", "BinaryData"),
        ("CompressedData = False", "CompressedData = True", "damaged"),
        ("ElementSpacing = ", "ElementSpacing = 1 ", "3 numbers"),
        ("ElementDataFile", "Elements", "no ElementDataFile"),
    ] {
        assert!(right.contains(from), "{from}");
        let refusal = refusal(
            LabelFormat::MetaImage,
            right.replacen(from, to, 1).as_bytes(),
        );
        assert!(refusal.contains(named), "{named}: {refusal}");
    }
}

#[test]
fn text_is_read_as_numbers() {
    let header =
        String::from_utf8_lossy(&nrrd("RAS", [1.0; 3], "short", 2, false, false)).into_owned();
    let (header, _) = header.split_once("\n\n").expect("a header ends");
    let header = header
        .replace("endian: little\n", "")
        .replace("encoding: raw", "encoding: ascii");
    let words: Vec<String> = labels().iter().map(i64::to_string).collect();
    let file = |words: &[String]| format!("{header}\n\n{}\n", words.join("\n ")).into_bytes();
    check(&parsed(LabelFormat::Nrrd, &file(&words)), "text");
    assert!(refusal(LabelFormat::Nrrd, &file(&words[..59])).contains("ends after 59 of 60"));
    let mut odd = words.clone();
    odd[7] = "liver".to_owned();
    assert!(refusal(LabelFormat::Nrrd, &file(&odd)).contains("\"liver\", which is not a number"));
    odd[7] = "1".repeat(1000);
    assert!(refusal(LabelFormat::Nrrd, &file(&odd)).contains("not a number"));
}

/// Float labels that were saved as 16 bits with a slope are nearly whole.
#[test]
fn labels_near_whole_numbers_count_with_a_note() {
    let mut file = nifti_1(16, 4, false);
    for (n, label) in labels().into_iter().enumerate() {
        put_f32(&mut file, 352 + 4 * n, label as f64 + 0.008, false);
    }
    let image = parsed(LabelFormat::Nifti, &file);
    check(&image, "nearly whole");
    assert!(
        image.notes()[0].contains("within 0.01"),
        "{:?}",
        image.notes()
    );
    assert!(
        parsed(LabelFormat::Nifti, &nifti_1(2, 1, false))
            .notes()
            .is_empty()
    );
    put_f32(&mut file, 352, 1.25, false);
    assert!(refusal(LabelFormat::Nifti, &file).contains("holds 1.25"));
}

/// An identity qform and the turned sform: the far corner at (2, 3, 4) is at (-4.5, 4, 12) + origin by the sform, at (2, 3, 4) by the qform.
#[test]
fn two_frames_that_differ_are_told() {
    let mut file = nifti_1(2, 1, false);
    put(&mut file, 252, 2, 1, false);
    for (index, edge) in [1.0, 1.0, 1.0, 1.0].into_iter().enumerate() {
        put_f32(&mut file, 76 + 4 * index, edge, false);
    }
    for (index, place) in ORIGIN.into_iter().enumerate() {
        put_f32(&mut file, 268 + 4 * index, place, false);
    }
    let image = parsed(LabelFormat::Nifti, &file);
    check(&image, "the sform is taken");
    let farthest = (6.5f64.powi(2) + 1.0 + 8.0f64.powi(2)).sqrt();
    let note = format!("{farthest:.1} mm apart; the sform was taken");
    assert!(image.notes()[0].contains(&note), "{:?}", image.notes());
}

#[test]
fn a_git_lfs_pointer_is_named() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("labels.nii.gz");
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 48211\n";
    std::fs::write(&path, pointer).expect("there is room");
    let error = LabelImage::read(&path)
        .expect_err("it is no volume")
        .to_string();
    assert!(
        error.contains("Git LFS pointer")
            && error.contains("48211 bytes")
            && error.contains("git lfs pull"),
        "{error}"
    );
}
