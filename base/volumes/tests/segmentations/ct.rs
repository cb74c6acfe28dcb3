//! Contract: a CT has the same Hounsfield units at the same places in every format and type of numbers; what cannot be a CT is refused by
//! file, voxel and reason; another grid of the same frame gets the nearest values.

use std::path::Path;

use crate::writers::{Grid, Nifti, axes, gzip, meta_image, nrrd_header, oblique, patient};
use insonate_volumes::{CtImage, CtRows, LabelFormat, VoxelFrame};
use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;

const COUNT: [usize; 3] = [9, 8, 7];

/// Hounsfield units of a place [mm]: soft tissue that gets denser to the right, and a bone, in air.
fn hu(place: &Vector3<f64>) -> i16 {
    if (place - Vector3::new(4.0, -2.0, 1.0)).norm() < 3.5 {
        1200
    } else if place.norm() < 9.0 {
        (40.0 + 5.0 * place.x).round() as i16
    } else {
        -1000
    }
}

fn values(grid: &Grid) -> Vec<i16> {
    let [nx, ny, _] = grid.count;
    let place = |n: usize| grid.place([n % nx, n / nx % ny, n / nx / ny]);
    (0..grid.n()).map(|n| hu(&place(n))).collect()
}

fn upright() -> Grid {
    Grid::around(COUNT, axes("RAS", [2.5, 2.5, 3.0]))
}

/// Types of NIfTI: number, bytes, slope and intercept; of each the bytes of a value.
fn encoded(datatype: i16, value: i16, is_big: bool) -> Vec<u8> {
    let mut bytes = match datatype {
        4 => value.to_le_bytes().to_vec(),
        8 => i32::from(value).to_le_bytes().to_vec(),
        16 => f32::from(value).to_le_bytes().to_vec(),
        64 => f64::from(value).to_le_bytes().to_vec(),
        // Unsigned, from -1024 on.
        512 => ((i32::from(value) + 1024) as u16).to_le_bytes().to_vec(),
        // Half units.
        _ => (2 * i32::from(value)).to_le_bytes().to_vec(),
    };
    if is_big {
        bytes.reverse();
    }
    bytes
}

/// A NIfTI file of values in a type; 512 has an intercept, 1000 stands for 32 bits with a slope.
fn nifti(file: &Nifti, grid: &Grid, datatype: i16, values: &[i16]) -> Vec<u8> {
    let bytes = values
        .iter()
        .flat_map(|value| encoded(datatype, *value, file.is_big));
    let mut made = file.file(grid, &bytes.collect::<Vec<u8>>());
    let mut put = |at: usize, number: Vec<u8>| {
        let mut number = number;
        if file.is_big {
            number.reverse();
        }
        made[at..at + number.len()].copy_from_slice(&number);
    };
    let written = if datatype == 1000 { 8 } else { datatype };
    put(
        if file.is_second { 12 } else { 70 },
        written.to_le_bytes().to_vec(),
    );
    let scale = match datatype {
        512 => [1.0, -1024.0],
        1000 => [0.5, 0.0],
        // No scaling.
        _ => [0.0, 7.0],
    };
    for (n, x) in scale.into_iter().enumerate() {
        if file.is_second {
            put(176 + 8 * n, f64::to_le_bytes(x).to_vec());
        } else {
            put(112 + 4 * n, f32::to_le_bytes(x as f32).to_vec());
        }
    }
    made
}

/// A MetaImage file of numbers of 16 bits.
fn short_meta_image(grid: &Grid, bytes: &[u8]) -> Vec<u8> {
    let file = meta_image(grid, bytes);
    let mut places = file.windows(9);
    let start = places.position(|window| window == b"MET_UCHAR");
    let start = start.expect("the type is named");
    [&file[..start], b"MET_SHORT", &file[start + 9..]].concat()
}

fn read(name: &str, bytes: &[u8]) -> Result<CtImage, String> {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("the folder can be written");
    CtImage::read(&path).map_err(|error| error.to_string())
}

fn refused(name: &str, bytes: &[u8]) -> String {
    let told = read(name, bytes).map(drop).expect_err("the file is wrong");
    assert!(told.contains(name), "{told}");
    told
}

/// Checks values and places of a CT of the scene.
fn check(ct: &CtImage, grid: &Grid, case: &str) {
    assert_eq!(ct.count(), grid.count, "{case}");
    assert_eq!(ct.values(), values(grid), "{case}");
    assert!(ct.notes().is_empty(), "{case}: {:?}", ct.notes());
    for index in [[0, 0, 0], [8, 0, 6], [3, 7, 2]] {
        let place = patient(grid.place(index).into());
        let frame = ct.frame();
        let found = frame.origin + frame.steps * Vector3::from(index.map(|n| n as f64));
        assert!((found - place.coords).norm() < 1e-7, "{case}: {found}");
    }
}

#[test]
fn types_of_numbers_give_the_same_values() {
    for (is_big, is_second) in [(false, false), (true, false), (false, true), (true, true)] {
        let file = Nifti {
            is_big,
            is_second,
            ..Nifti::default()
        };
        for datatype in [4, 8, 16, 64, 512, 1000] {
            let case = format!("{datatype} big {is_big} second {is_second}");
            for grid in [
                upright(),
                Grid::around(COUNT, axes("LPS", [2.5, 2.5, 3.0])),
                Grid::around(COUNT, oblique([2.5, 2.5, 3.0])),
            ] {
                let bytes = nifti(&file, &grid, datatype, &values(&grid));
                let ct = read("ct.nii.gz", &gzip(&bytes)).expect("it is a CT");
                check(&ct, &grid, &case);
            }
        }
    }
}

#[test]
fn other_formats_give_the_same_values() {
    let grid = Grid::around(COUNT, axes("LPS", [2.5, 2.5, 3.0]));
    let values = values(&grid);
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    for encoding in ["raw", "gzip"] {
        let header = nrrd_header(&grid, None, encoding);
        let header = header.replace("unsigned char", "short\nendian: little");
        let packed = if encoding == "raw" {
            bytes.clone()
        } else {
            gzip(&bytes)
        };
        let file = [header.as_bytes(), b"\n", &packed].concat();
        check(
            &read("ct.nrrd", &file).expect("it is a CT"),
            &grid,
            encoding,
        );
    }
    let file = short_meta_image(&grid, &bytes);
    check(&read("ct.mha", &file).expect("it is a CT"), &grid, "mha");
}

#[test]
fn a_written_ct_is_read_again() {
    let grid = upright();
    let ct = read(
        "ct.nii",
        &nifti(&Nifti::default(), &grid, 4, &values(&grid)),
    );
    let ct = ct.expect("it is a CT");
    let text = format!("simulated {}", "x".repeat(200));
    let packed = ct.to_nifti(&text).expect("it is small");
    check(&read("b.nii.gz", &packed).expect("it is a CT"), &grid, "b");
    let mut plain = Vec::new();
    let mut decoder = flate2::read::GzDecoder::new(&packed[..]);
    std::io::Read::read_to_end(&mut decoder, &mut plain).expect("it is packed");
    // `descrip` of nifti1.h has 80 bytes with the zero at its end.
    assert_eq!(&plain[148..227], &text.as_bytes()[..79]);
    assert_eq!(plain[227], 0);
    assert_eq!(plain[70..74], [4, 0, 16, 0]);
}

#[test]
fn numbers_that_are_not_hounsfield_units_are_refused_by_voxel() {
    let grid = upright();
    let with = |number: f32| {
        let mut bytes = nifti(&Nifti::default(), &grid, 16, &values(&grid));
        // The voxel 5, 3, 2.
        let at = 352 + 4 * ((2 * COUNT[1] + 3) * COUNT[0] + 5);
        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        bytes
    };
    for (number, named) in [
        (f32::NAN, "NaN"),
        (f32::INFINITY, "inf"),
        (-1e5, "-100000"),
        (4e4, "40000"),
    ] {
        let told = refused("ct.nii", &with(number));
        assert!(
            told.contains("voxel [5, 3, 2]") && told.contains(named),
            "{told}"
        );
    }
    // Fractions are rounded, and the lowest number of 16 bits is a common filling.
    let place = (2 * COUNT[1] + 3) * COUNT[0] + 5;
    for (number, value) in [(40.4, 40), (-32768.0, -32767)] {
        let ct = read("ct.nii", &with(number)).expect("it is a CT");
        assert_eq!(ct.values()[place], value);
    }
}

#[test]
fn what_is_not_a_ct_is_refused() {
    let grid = upright();
    let file = |change: &dyn Fn(f64) -> f64| {
        let changed = values(&grid)
            .into_iter()
            .map(|value| change(f64::from(value)));
        let changed: Vec<i16> = changed.map(|value| value.round() as i16).collect();
        nifti(&Nifti::default(), &grid, 4, &changed)
    };
    // An MR, or a CT without its intercept.
    let told = refused("mr.nii", &file(&|hu| hu + 1024.0));
    assert!(
        told.contains("24 to 2224") && told.contains("intercept"),
        "{told}"
    );
    // A window of soft tissue, a share of the range, and another unit.
    for change in [
        &|hu: f64| hu.clamp(-160.0, 240.0) as _,
        &|hu: f64| (hu + 1000.0) / 2000.0,
        &|hu: f64| 2.0 * hu,
    ] as [&dyn Fn(f64) -> f64; 3]
    {
        let told = refused("scaled.nii", &file(change));
        assert!(told.contains("air near -1000"), "{told}");
    }
    // Unusual, but possible.
    let noted = |change: &dyn Fn(f64) -> f64| {
        let ct = read("odd.nii", &file(change)).expect("it may be a CT");
        ct.notes().join("; ")
    };
    assert!(noted(&|hu| 0.8 * hu).contains("-795 HU instead of -1000"));
    assert!(noted(&|hu| hu.min(250.0)).contains("250 HU"));
    let folder = tempfile::tempdir().expect("a scratch folder");
    let told = CtImage::read(folder.path()).map(drop);
    let told = told.expect_err("it is a folder").to_string();
    assert!(told.contains("DICOM"), "{told}");
    let told = CtImage::read(Path::new("missing.nii")).map(drop);
    let told = told.expect_err("it is missing").to_string();
    assert!(told.contains("missing.nii"), "{told}");
}

#[test]
fn hostile_headers_are_refused() {
    let grid = upright();
    let good = nifti(&Nifti::default(), &grid, 4, &values(&grid));
    let with = |at: usize, bytes: &[u8]| {
        let mut file = good.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        refused("ct.nii", &file)
    };
    // Sizes: none, negative, more than there are numbers, and four axes.
    assert!(with(42, &0i16.to_le_bytes()).contains("dim"));
    assert!(with(42, &(-3i16).to_le_bytes()).contains("dim"));
    assert!(with(42, &[0xff, 0x7f, 0xff, 0x7f, 0xff, 0x7f]).contains("dim"));
    assert!(with(42, &[100, 0]).contains("damaged"));
    assert!(with(40, &[4, 0, 9, 0, 8, 0, 7, 0, 2, 0]).contains("dim"));
    // Types: colours, complex numbers, 128 bits.
    for datatype in [0i16, 1, 32, 128, 1536, 2304, -4] {
        assert!(with(70, &datatype.to_le_bytes()).contains("datatype"));
    }
    for slope in [f32::INFINITY, 1e30] {
        assert!(with(112, &slope.to_le_bytes()).contains("voxel [0, 0, 0]"));
    }
    let mut intercept = 1f32.to_le_bytes().to_vec();
    intercept.extend(f32::NAN.to_le_bytes());
    assert!(with(112, &intercept).contains("NaN"));
    for offset in [0.0f32, -1.0, 352.5, f32::NAN, 1e30] {
        assert!(with(108, &offset.to_le_bytes()).contains("vox_offset"));
    }
    // Rows of zeros with a code, and numbers that are not finite.
    assert!(with(280, &[0; 16]).contains("skewed") || with(280, &[0; 16]).contains("edges"));
    for x in [f32::NAN, 1e30] {
        let told = with(280, &x.to_le_bytes());
        assert!(told.contains("edges"), "{told}");
    }
    let header = nrrd_header(&grid, None, "ascii").replace("unsigned char", "short");
    let file = [header.as_bytes(), b"\n1 2 3"].concat();
    assert!(refused("ct.nrrd", &file).contains("raw or gzip"));
    let packed = gzip(&good);
    assert!(refused("ct.nii.gz", &packed[..80]).contains("header"));
    assert!(refused("ct.nii.gz", &packed[..packed.len() - 20]).contains("damaged"));
}

#[test]
fn errors_of_a_ct_do_not_speak_of_labels() {
    let grid = upright();
    let bytes: Vec<u8> = values(&grid)
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let good = nifti(&Nifti::default(), &grid, 4, &values(&grid));
    let changed = |at: usize, bytes: &[u8]| {
        let mut file = good.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        refused("a.nii", &file)
    };
    let replaced = |name: &str, file: &[u8], from: &str, to: &str| {
        let at = file.windows(from.len());
        let at = at.clone().position(|own| own == from.as_bytes());
        let at = at.expect("the field is there");
        let file = [&file[..at], to.as_bytes(), &file[at + from.len()..]].concat();
        refused(name, &file)
    };
    let header = nrrd_header(&grid, None, "raw").replace("unsigned char", "short\nendian: little");
    let nrrd = [header.as_bytes(), b"\n", &bytes].concat();
    let meta = short_meta_image(&grid, &bytes);
    let mha = |from: &str, to: &str| replaced("a.mha", &meta, from, to);
    for (told, named) in [
        (changed(344, b"ni1\0"), ".img"),
        (changed(70, &128i16.to_le_bytes()), "datatype is 128"),
        (changed(108, &0f32.to_le_bytes()), "vox_offset is 0"),
        (refused("a.nii", &good[..350]), "ends before"),
        (mha("MET_SHORT", "MET_OTHER"), "ElementType"),
        (mha("BinaryData = True", "BinaryData = False"), "BinaryData"),
        (
            mha("NDims = 3", "NDims = 3\nElementNumberOfChannels = 3"),
            "ElementNumberOfChannels",
        ),
        (
            replaced("a.nrrd", &nrrd, "type: short", "type: block"),
            "type is",
        ),
        (
            mha("ElementDataFile = LOCAL", "ElementDataFile = LIST"),
            "ElementDataFile",
        ),
    ] {
        assert!(told.contains(named), "{named}: {told}");
        assert!(!told.contains("label"), "{told}");
    }
}

/// `CtRows::OUTSIDE` is that number.
#[test]
fn the_lowest_number_is_a_value_of_a_made_ct_too() {
    let frame = VoxelFrame {
        origin: Vector3::zeros(),
        steps: Matrix3::identity() * 1e-3,
    };
    let ct = CtImage::new([2, 2, 1], frame, vec![i16::MIN, -1000, 0, 40]);
    let ct = ct.expect("it is a CT");
    assert_eq!(ct.values(), [-32767, -1000, 0, 40]);
}

/// Index of the nearest voxel of a grid.
fn nearest(grid: &Grid, place: &Vector3<f64>) -> Option<Vector3<f64>> {
    let index = grid.steps.try_inverse().expect("it is a grid") * (place - grid.origin);
    let is_within = (0..3).all(|axis| (-1.0..=COUNT[axis] as f64).contains(&index[axis]));
    is_within.then_some(index)
}

#[test]
fn another_grid_gets_the_nearest_values() {
    let grid = upright();
    let ct = read(
        "ct.nii",
        &nifti(&Nifti::default(), &grid, 4, &values(&grid)),
    );
    let ct = ct.expect("it is a CT");
    let others = [
        upright(),
        Grid::around([14, 9, 12], axes("LPS", [2.0, 3.0, 1.7])),
        Grid::around([11, 11, 11], axes("SAL", [1.1, 2.3, 3.1])),
        Grid::around([14, 13, 14], oblique([2.0, 2.0, 2.0])),
    ];
    for other in others {
        // To the left, the head and the front [m].
        let turn = Matrix3::new(-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0) * 1e-3;
        let frame = VoxelFrame {
            origin: turn * other.origin,
            steps: turn * other.steps,
        };
        let rows = CtRows::new(&ct, other.count, &frame);
        let mut row = vec![0; other.count[0]];
        let [mut n_inside, mut n_outside] = [0, 0];
        for (z, y) in (0..other.count[2]).flat_map(|z| (0..other.count[1]).map(move |y| (z, y))) {
            rows.read([y, z], &mut row);
            for (x, value) in row.iter().enumerate() {
                let Some(index) = nearest(&grid, &other.place([x, y, z])) else {
                    assert_eq!(*value, CtRows::OUTSIDE);
                    n_outside += 1;
                    continue;
                };
                let is_tie = index.iter().any(|x| (x.fract().abs() - 0.5).abs() < 1e-5);
                if is_tie {
                    continue;
                }
                let at = [0, 1, 2].map(|axis| {
                    let last = COUNT[axis] - 1;
                    index[axis].round().clamp(0.0, last as f64) as usize
                });
                assert_eq!(*value, hu(&grid.place(at)), "{x} {y} {z}");
                n_inside += 1;
            }
        }
        assert!(n_inside > 300, "{n_inside}");
        assert!((other.count == COUNT) == (n_outside == 0), "{n_outside}");
    }
}

proptest! {
    /// A valid file with random changes gives an error, or a CT with as many values as its size.
    #[test]
    fn damaged_files_end_in_an_error_or_a_ct(
        changes in prop::collection::vec((0usize..1400, any::<u8>()), 1..12),
        // One file of eight ends early.
        length in prop_oneof![7 => Just(usize::MAX), 1 => 0usize..1400],
        which in 0usize..3,
    ) {
        let grid = upright();
        let values = values(&grid);
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let (name, mut file) = match which {
            0 => ("a.nii", nifti(&Nifti::default(), &grid, 4, &values)),
            1 => {
                let header = nrrd_header(&grid, None, "raw");
                let header = header.replace("unsigned char", "short\nendian: little");
                ("a.nrrd", [header.as_bytes(), b"\n", &bytes].concat())
            }
            _ => ("a.mha", short_meta_image(&grid, &bytes)),
        };
        for (at, byte) in changes {
            let n = file.len();
            file[at % n] = byte;
        }
        file.truncate(length.max(1));
        let format = LabelFormat::of(Path::new(name)).expect("it is a format");
        if let Ok(ct) = CtImage::parse(format, &file) {
            prop_assert_eq!(ct.values().len(), ct.count().iter().product::<usize>());
        }
    }
}
