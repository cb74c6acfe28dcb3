//! Contract: HDF5 after a user block, and MATLAB's files of versions 7.3 and 5, are read with the correct orientation
//! of arrays.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use insonate_tables::{Channel, Format, Log, Motion, ReadOptions, read, read_bytes};

use super::{options, refused, scalar};

const N: usize = 6;

fn time() -> Vec<f64> {
    (0..N).map(|row| 0.01 * row as f64).collect()
}

/// Three columns of six rows, column by column, as stored by MATLAB.
fn forces() -> Vec<f64> {
    (0..3 * N).map(|index| index as f64).collect()
}

fn from_memory(format: Format, bytes: &[u8]) -> Result<Log, String> {
    read_bytes("log", format, bytes, &ReadOptions::default()).map_err(|error| error.to_string())
}

#[track_caller]
fn assert_log(log: &Log) {
    assert_eq!(log.time, time());
    let (Motion::Position(Channel::Vector(positions)), Channel::Vector(found)) =
        (&log.motion, &log.force)
    else {
        panic!("{log:?}");
    };
    let expected: Vec<[f64; 3]> = (0..N)
        .map(|row| [row, N + row, 2 * N + row].map(|index| index as f64))
        .collect();
    assert_eq!(*found, expected);
    assert_eq!(positions[2], [0.002, 0.008, 0.014]);
}

/// HDF5 with a user block of this size [bytes], written by the library, with a text in it.
fn hdf5(block: u64, text: &str) -> Vec<u8> {
    let mut file = hdf5_pure::FileBuilder::new();
    file.with_userblock(block);
    file.create_dataset("time")
        .with_f64_data(&time())
        .with_shape(&[1, N as u64]);
    // 6×3 in MATLAB.
    for (name, scale) in [("force", 1.0), ("position", 1e-3)] {
        let values: Vec<f64> = forces().iter().map(|value| scale * value).collect();
        file.create_dataset(name)
            .with_f64_data(&values)
            .with_shape(&[3, N as u64]);
    }
    let mut bytes = file.finish().unwrap();
    bytes[..text.len()].copy_from_slice(text.as_bytes());
    bytes
}

const BANNER: &str = "MATLAB 7.3 MAT-file, Platform: GLNXA64, Created on: Thu Nov 26 04:00:00 2026";

#[test]
fn a_user_block_is_skipped() {
    for block in [512, 1024, 4096] {
        assert_log(&from_memory(Format::Hdf5, &hdf5(block, BANNER)).unwrap());
    }
    let mut marked = hdf5(512, BANNER);
    marked[124..128].copy_from_slice(&[0, 2, b'I', b'M']);
    let log = from_memory(Format::Mat, &marked).unwrap();
    assert_log(&log);
    assert_eq!(log.source.format, "mat");
    // By its extension, with a hash of the whole file.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("press.mat");
    std::fs::write(&path, &marked).unwrap();
    let from_file = read(&path, &ReadOptions::default()).unwrap();
    assert_eq!(from_file.source.sha256, log.source.sha256);
    // At another offset the signature is not valid.
    let mut moved = vec![b'.'; 100];
    moved.extend(hdf5(512, BANNER));
    refused(from_memory(Format::Hdf5, &moved), &["is not an HDF5 file"]);
}

/// An element of a MAT-file, padded to eight bytes.
fn element(kind: u32, bytes: &[u8]) -> Vec<u8> {
    let mut all = kind.to_le_bytes().to_vec();
    all.extend((bytes.len() as u32).to_le_bytes());
    all.extend(bytes);
    all.resize(all.len().next_multiple_of(8), 0);
    all
}

/// Flags, shape and name of an array.
fn start(class: u8, shape: [i32; 2], name: &str) -> Vec<u8> {
    let mut bytes = element(6, &[class, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend(element(5, shape.map(i32::to_le_bytes).as_flattened()));
    bytes.extend(element(1, name.as_bytes()));
    bytes
}

fn doubles(name: &str, shape: [i32; 2], values: &[f64]) -> Vec<u8> {
    let mut bytes = start(6, shape, name);
    let values: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    bytes.extend(element(9, &values));
    element(14, &bytes)
}

fn file(variables: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"MATLAB 5.0 MAT-file".to_vec();
    bytes.resize(124, b' ');
    bytes.extend([0, 1, b'I', b'M']);
    bytes.extend(variables.concat());
    bytes
}

fn packed(variable: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(variable).unwrap();
    let packed = encoder.finish().unwrap();
    // Compressed elements are not padded.
    let mut bytes = 15u32.to_le_bytes().to_vec();
    bytes.extend((packed.len() as u32).to_le_bytes());
    bytes.extend(packed);
    bytes
}

/// A version 5 log for the damage tests.
pub(super) fn seed(is_packed: bool) -> Vec<u8> {
    let variables = ["indentation", "force"].map(|name| {
        let variable = doubles(name, [4, 1], &[1e-3, 2e-3, 3e-3, 4e-3]);
        if is_packed {
            packed(&variable)
        } else {
            variable
        }
    });
    file(&variables)
}

fn variables() -> [Vec<u8>; 3] {
    let positions: Vec<f64> = forces().iter().map(|value| 1e-3 * value).collect();
    [
        doubles("time", [1, N as i32], &time()),
        doubles("force", [N as i32, 3], &forces()),
        doubles("position", [N as i32, 3], &positions),
    ]
}

#[test]
fn version_5_is_read_with_and_without_compression() {
    let log = from_memory(Format::Mat, &file(&variables())).unwrap();
    assert_log(&log);
    assert_eq!(log.source.format, "mat");
    let packed = variables().map(|variable| packed(&variable));
    assert_log(&from_memory(Format::Mat, &file(&packed)).unwrap());
    // 3×n: a sample is a column.
    let by_sample: Vec<f64> = (0..N)
        .flat_map(|row| [row, N + row, 2 * N + row].map(|index| index as f64))
        .collect();
    let [time, _, position] = variables();
    let turned = [time, doubles("force", [3, N as i32], &by_sample), position];
    assert_log(&from_memory(Format::Mat, &file(&turned)).unwrap());
}

#[test]
fn a_struct_and_small_numbers_are_read() {
    // A 1×1 struct "log" of single-byte numbers in small elements, and text that is skipped.
    let mut log = start(2, [1, 1], "log");
    log.extend([5, 0, 4, 0, 12, 0, 0, 0]);
    log.extend(element(1, b"indentation\0force\0\0\0\0\0\0\0"));
    for values in [[1i8, 2, 3, 4], [5, 6, 7, 8]] {
        let mut inner = start(6, [4, 1], "");
        inner.extend([1, 0, 4, 0]);
        inner.extend(values.map(|value| value as u8));
        log.extend(element(14, &inner));
    }
    let mut text = start(4, [1, 2], "comment");
    text.extend(element(4, &[65, 0, 66, 0]));
    let bytes = file(&[element(14, &text), element(14, &log)]);
    let options = ReadOptions {
        units: "indentation=mm".parse().unwrap(),
        ..options("", Some(100.0))
    };
    let found = read_bytes("log", Format::Mat, &bytes, &options).unwrap();
    assert_eq!(scalar(&found.force), [5.0, 6.0, 7.0, 8.0]);
    assert_eq!(
        found.motion,
        Motion::Indentation(vec![0.001, 0.002, 0.003, 0.004])
    );
    assert!(
        found
            .source
            .columns
            .iter()
            .any(|line| line.contains("log.force"))
    );
}

#[test]
fn damaged_files_are_refused() {
    let whole = file(&variables());
    refused(
        from_memory(Format::Mat, &whole[..whole.len() - 20]),
        &["cut off"],
    );
    refused(
        from_memory(Format::Mat, b"1,2,3\n4,5,6\n"),
        &["not a MAT-file", "-v7"],
    );
    // A shape larger than its data.
    let lies = doubles("force", [1000, 1000], &[1.0; 3]);
    refused(
        from_memory(Format::Mat, &file(&[lies])),
        &["\"force\" is 1000 by 1000"],
    );
    // A few bytes that would unpack to a gigabyte are not unpacked.
    let mut bomb = 14u32.to_le_bytes().to_vec();
    bomb.extend((1u32 << 30).to_le_bytes());
    refused(
        from_memory(Format::Mat, &file(&[packed(&bomb)])),
        &["would unpack"],
    );
    let other = doubles("force", [4, 1], &[1.0; 4]);
    let [time, _, position] = variables();
    let log = from_memory(Format::Mat, &file(&[time, other, position]));
    refused(log, &["4", "not of one log"]);
}

/// HDF5 with a force that lacks some values.
fn with_gaps(gaps: &[usize]) -> Vec<u8> {
    let mut file = hdf5_pure::FileBuilder::new();
    let n = N as u64;
    let rows: Vec<f64> = (0..N).map(|row| row as f64).collect();
    let mut force = rows.clone();
    for &row in gaps {
        force[row] = f64::NAN;
    }
    let depth: Vec<f64> = rows.iter().map(|row| 1e-3 * row).collect();
    for (name, values) in [
        ("time", &time()),
        ("indentation", &depth),
        ("force", &force),
    ] {
        file.create_dataset(name)
            .with_f64_data(values)
            .with_shape(&[n]);
    }
    file.finish().unwrap()
}

#[test]
fn rows_with_nan_in_hdf5_are_left_out() {
    let log = from_memory(Format::Hdf5, &with_gaps(&[1, 4])).unwrap();
    assert_eq!(scalar(&log.force), [0.0, 2.0, 3.0, 5.0]);
    assert_eq!(log.time, [0, 2, 3, 5].map(|row: usize| time()[row]));
    let note = "2 rows of 6 without a value are left out: no force in 2";
    assert!(log.source.notes.iter().any(|other| other == note));
    refused(
        from_memory(Format::Hdf5, &with_gaps(&[0, 1, 2, 3])),
        &["of 6 rows only 2 have a force"],
    );
}
