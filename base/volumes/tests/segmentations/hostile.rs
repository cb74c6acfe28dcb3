//! Contract: a wrong segmentation is refused with its file and the reason, without a panic.

use std::path::Path;

use crate::writers::{Grid, Nifti, axes, caret, extension, gzip, nrrd_header};
use insonate_volumes::{ClassMap, Segmentation};
use proptest::prelude::*;

fn grid() -> Grid {
    Grid::around([3, 2, 2], axes("LPS", [2.0; 3]))
}

const LABELS: [u8; 12] = [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2];

fn refusal(path: &Path) -> String {
    let total = ClassMap::of("total").expect("the map is known");
    let read = Segmentation::read(path, Some(&total));
    read.map(drop).expect_err("the file is wrong").to_string()
}

fn refused(name: &str, bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("the folder can be written");
    let told = refusal(&path);
    assert!(told.contains(name), "{told}");
    told
}

/// A file with an extension.
fn with_extension(extension: Vec<u8>) -> Vec<u8> {
    let file = Nifti {
        extension,
        ..Nifti::default()
    };
    file.file(&grid(), &LABELS)
}

#[test]
fn wrong_extensions_are_refused() {
    let right = caret(&[(1, "spleen"), (2, "liver")]);
    let with_size = |size: i32| {
        let mut extension = right.clone();
        extension[4..8].copy_from_slice(&size.to_le_bytes());
        refused("a.nii", &with_extension(extension))
    };
    for size in [0, -16, 8, 33, 1 << 30, i32::MAX] {
        let told = with_size(size);
        assert!(told.contains(&format!("esize {size}")), "{told}");
    }
    let xml = |text: &str| refused("a.nii", &with_extension(extension(text.as_bytes())));
    for (text, named) in [
        (
            "<!DOCTYPE x [<!ENTITY a \"b\">]><x><Label Key=\"1\">&a;</Label></x>",
            "DOCTYPE",
        ),
        ("<x><Label Key=\"1\">&a;</Label></x>", "&a;"),
        ("<x><Label Key=\"one\">liver</Label></x>", "\"one\""),
        ("<x><Label Red=\"1\">liver</Label></x>", "no Key"),
        ("<x><Label Key=\"1\"></Label></x>", "name of a class"),
        (
            "<x><Label Key=\"1\">a</Label><Label Key=\"1\">b</Label></x>",
            "both",
        ),
        (
            "<x><Label Key=\"1\"><Label Key=\"2\">b</Label></Label></x>",
            "within",
        ),
    ] {
        let told = xml(text);
        assert!(told.contains(named), "{named}: {told}");
    }
    let long = format!("<x><Label Key=\"1\">{}</Label></x>", "a".repeat(1000));
    assert!(xml(&long).contains("name of a class"));
}

#[test]
fn wrong_grids_are_refused() {
    let with_pixdim = |b_c_d: [f64; 3], pixdim: [f64; 4]| {
        let file = Nifti {
            qform: Some((b_c_d, pixdim)),
            ..Nifti::default()
        };
        refused("q.nii", &file.file(&grid(), &LABELS))
    };
    assert!(with_pixdim([1.0, 1.0, 0.0], [1.0, 2.0, 2.0, 2.0]).contains("quatern"));
    assert!(with_pixdim([0.0; 3], [1.0, 2.0, 0.0, 2.0]).contains("edges"));
    assert!(with_pixdim([0.0; 3], [1.0, 2.0, f64::NAN, 2.0]).contains("edges"));
    assert!(with_pixdim([0.0; 3], [1.0, 2.0, 1e30, 2.0]).contains("edges"));
    // Sizes whose product overflows, and sizes that are negative.
    for size in [i64::MAX, 1 << 40, -1] {
        let file = Nifti {
            is_second: true,
            ..Nifti::default()
        };
        let mut bytes = file.file(&grid(), &LABELS);
        for axis in 1..4 {
            bytes[16 + 8 * axis..24 + 8 * axis].copy_from_slice(&size.to_le_bytes());
        }
        assert!(refused("n2.nii", &bytes).contains("dim"));
    }
}

#[test]
fn labels_that_are_not_whole_or_negative_are_refused() {
    // Signed labels, one of them -1.
    let mut bytes = Nifti::default().file(&grid(), &[255; 12]);
    bytes[70..72].copy_from_slice(&256i16.to_le_bytes());
    assert!(refused("a.nii", &bytes).contains("-1"));
    // A slope of a functional volume.
    let mut bytes = Nifti::default().file(&grid(), &LABELS);
    bytes[112..116].copy_from_slice(&0.0754f32.to_le_bytes());
    assert!(refused("a.nii", &bytes).contains("whole numbers"));
}

#[test]
fn compressed_files_may_have_several_members_but_must_be_whole() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = folder.path().join("a.nii.gz");
    let file = with_extension(caret(&[(1, "spleen"), (2, "liver")]));
    let (start, end) = file.split_at(300);
    let members = [gzip(start), gzip(end)].concat();
    std::fs::write(&path, &members).expect("the folder can be written");
    let read = Segmentation::read(&path, None).expect("the file is valid");
    assert_eq!(read.classes().len(), 2);
    assert!(refused("b.nii.gz", &members[..members.len() - 12]).contains("damaged"));
}

#[test]
fn missing_files_and_other_kinds_of_files_are_told_apart() {
    let missing = refusal(Path::new("missing_folder"));
    assert!(missing.contains("No such file"), "{missing}");
    let other = refused("labels.txt", b"1 2 3");
    assert!(other.contains("must end in one of .nii"), "{other}");
}

#[test]
fn dicom_is_named_with_what_to_do() {
    // The preamble of 128 bytes and the word of PS3.10, with and without an ending.
    let slice = [&[0; 128][..], b"DICM\x02\0"].concat();
    let folder = tempfile::tempdir().expect("a scratch folder");
    for name in ["IM0001", "slice.dcm"] {
        let told = refused(name, &slice);
        assert!(
            told.contains(name) && told.contains("is a DICOM file") && told.contains("dcm2niix"),
            "{told}"
        );
        std::fs::write(folder.path().join(name), &slice).expect("the folder can be written");
    }
    let told = refusal(folder.path());
    assert!(
        told.contains("folder of DICOM files") && told.contains("dcm2niix"),
        "{told}"
    );
    let other = refused("IM0002", &slice[..131]);
    assert!(!other.contains("DICOM"), "{other}");
}

#[test]
fn wrong_folders_are_refused() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = folder.path();
    assert!(refusal(path).contains("holds no masks"));
    let write = |name: &str, grid: &Grid, labels: &[u8]| {
        let file = Nifti::default().file(grid, labels);
        std::fs::write(path.join(name), file).expect("the folder can be written");
    };
    write("spleen.nii", &grid(), &[0; 12]);
    assert!(refusal(path).contains("masks are empty"));
    write("liver.nii", &grid(), &LABELS);
    let told = refusal(path);
    assert!(
        told.contains("liver.nii") && told.contains("labels 1 and 2"),
        "{told}"
    );
    let moved = Grid {
        origin: grid().origin.add_scalar(1.0),
        ..grid()
    };
    write("liver.nii", &moved, &[1; 12]);
    let told = refusal(path);
    assert!(
        told.contains("liver.nii") && told.contains("same grid"),
        "{told}"
    );
    write("liver.nii", &grid(), &[1; 12]);
    let read = Segmentation::read(path, None).expect("the folder is valid");
    assert_eq!(read.classes()[1].n_voxels, 12);
}

#[test]
fn wrong_segments_are_refused() {
    let file = |layers: Option<(usize, bool)>, keys: &str, n: usize| {
        let header = nrrd_header(&grid(), layers, "raw");
        [header.as_bytes(), keys.as_bytes(), b"\n", &vec![1; n]].concat()
    };
    let told = |layers, keys: &str, n| refused("a.seg.nrrd", &file(layers, keys, n));
    let liver = "Segment0_Name:=liver\nSegment0_LabelValue:=1\n";
    assert!(told(None, "Segment0_Color:=1 0 0\n", 12).contains("Segment0 has no Name"));
    let far = format!("{liver}Segment0_Layer:=3\n");
    assert!(told(Some((2, false)), &far, 24).contains("layer 3"));
    let twice = format!("{liver}Segment1_Name:=spleen\nSegment1_LabelValue:=1\n");
    assert!(told(None, &twice, 12).contains("another segment"));
    let background = "Segment0_Name:=liver\nSegment0_LabelValue:=0\n";
    assert!(told(None, background, 12).contains("label 0"));
    assert!(told(Some((2, true)), liver, 13).contains("damaged"));
    assert!(told(Some((300, true)), liver, 24).contains("layers"));
    assert!(told(Some((usize::MAX, true)), liver, 24).contains("layers"));
    let header = nrrd_header(&grid(), Some((2, false)), "raw").replace("none", "(1,0,0)");
    let bytes = [header.as_bytes(), liver.as_bytes(), b"\n", &[1; 24]].concat();
    assert!(refused("b.seg.nrrd", &bytes).contains("space directions"));
}

#[test]
fn wrong_tables_of_classes_are_refused() {
    for (text, named) in [
        ("[classes]\n", "0 classes"),
        ("[classes]\n0 = \"air\"\n", "classes.0"),
        ("[classes]\nliver = \"1\"\n", "classes.liver"),
        ("[classes]\n1 = \"\"\n", "classes.1"),
        ("[labels]\n1 = \"liver\"\n", "labels"),
    ] {
        let told = ClassMap::parse(text)
            .expect_err("the table is wrong")
            .to_string();
        assert!(told.contains(named), "{named}: {told}");
    }
    let told = ClassMap::find("totl")
        .expect_err("there is no such map")
        .to_string();
    assert!(told.contains("did you mean \"total\""), "{told}");
}

proptest! {
    /// A valid file with random changes gives an error, or a segmentation with as many voxels as its size.
    #[test]
    fn damaged_files_end_in_an_error_or_a_segmentation(
        changes in prop::collection::vec((0usize..2000, any::<u8>()), 1..12),
        length in 0usize..2000,
        which in 0usize..3,
    ) {
        let keys = "Segment0_Name:=liver\nSegment0_LabelValue:=1\nSegment0_Layer:=0\n\
                    Segment1_Name:=spleen\nSegment1_LabelValue:=2\nSegment1_Layer:=1\n\n";
        let layers = |is_last: bool| {
            let header = nrrd_header(&grid(), Some((2, is_last)), "raw");
            [header.as_bytes(), keys.as_bytes(), &LABELS, &LABELS].concat()
        };
        let (name, mut file) = match which {
            0 => ("a.nii", with_extension(caret(&[(1, "spleen"), (2, "liver")]))),
            1 => ("a.seg.nrrd", layers(true)),
            _ => ("a.seg.nrrd", layers(false)),
        };
        for (at, byte) in changes {
            let n = file.len();
            file[at % n] = byte;
        }
        file.truncate(length.max(1));
        let folder = tempfile::tempdir().expect("a scratch folder");
        let path = folder.path().join(name);
        std::fs::write(&path, &file).expect("the folder can be written");
        if let Ok(read) = Segmentation::read(&path, None) {
            let n = read.count().iter().product::<usize>();
            prop_assert_eq!(read.voxels().len(), n);
            let labelled = read.voxels().iter().filter(|value| **value != 0).count();
            let classes = read.classes().iter().map(|class| class.n_voxels);
            prop_assert_eq!(classes.sum::<usize>(), labelled);
        }
    }
}
