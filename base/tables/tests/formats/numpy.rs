//! Contract: NumPy's arrays and archives give the numbers that NumPy wrote, for any type, order and version. A file
//! with a wrong size, or one that would have to be executed, is refused with a reason.

use std::io::{Cursor, Write as _};

use insonate_tables::{Channel, Format, Log, Motion, ReadOptions, read_bytes};
use zip::write::SimpleFileOptions;

use super::{options, refused};

fn with(format: Format, bytes: &[u8], columns: &str) -> Result<Log, String> {
    read_bytes("log", format, bytes, &options(columns, None)).map_err(|error| error.to_string())
}

/// An array file of version `major` with this header and these bytes.
fn npy(major: u8, header: &str, data: &[u8]) -> Vec<u8> {
    let mut file = b"\x93NUMPY".to_vec();
    file.extend([major, 0]);
    let header = format!("{header}\n");
    if major == 1 {
        file.extend((header.len() as u16).to_le_bytes());
    } else {
        file.extend((header.len() as u32).to_le_bytes());
    }
    file.extend(header.as_bytes());
    file.extend(data);
    file
}

fn head(descr: &str, fortran: &str, shape: &str) -> String {
    format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}")
}

fn doubles(values: &[f64]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

fn archive(members: &[(&str, Vec<u8>)], packed: bool) -> Vec<u8> {
    let method = if packed {
        zip::CompressionMethod::Deflated
    } else {
        zip::CompressionMethod::Stored
    };
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        let options = SimpleFileOptions::default().compression_method(method);
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn vector(values: &[f64]) -> Vec<u8> {
    let shape = format!("({},)", values.len());
    npy(1, &head("'<f8'", "False", &shape), &doubles(values))
}

/// Time, indentation [m] and force [N] of four samples.
const ROWS: [[f64; 3]; 4] = [
    [0.0, 0.001, 1.0],
    [0.5, 0.002, -2.0],
    [1.0, 0.003, 3.5],
    [1.5, 0.004, 4.0],
];

#[track_caller]
fn is_rows(log: &Log) {
    assert_eq!(log.time, ROWS.map(|row| row[0]));
    assert_eq!(
        log.motion,
        Motion::Indentation(ROWS.map(|row| row[1]).to_vec())
    );
    assert_eq!(log.force, Channel::Scalar(ROWS.map(|row| row[2]).to_vec()));
}

const BY_NUMBER: &str = "time=1,indentation=2,force=3";

fn table() -> Vec<u8> {
    npy(
        1,
        &head("'<f8'", "False", "(4, 3)"),
        &doubles(ROWS.as_flattened()),
    )
}

#[test]
fn tables_are_read_in_every_version_order_and_byte_order() {
    let by_row = doubles(ROWS.as_flattened());
    let columns: Vec<f64> = (0..3).flat_map(|c| ROWS.map(|row| row[c])).collect();
    let big: Vec<u8> = ROWS
        .as_flattened()
        .iter()
        .flat_map(|v| v.to_be_bytes())
        .collect();
    for major in [1, 2, 3] {
        let read = |order: &str, fortran: &str, data: &[u8]| {
            let file = npy(
                major,
                &head(&format!("'{order}f8'"), fortran, "(4, 3)"),
                data,
            );
            with(Format::Npy, &file, BY_NUMBER).unwrap()
        };
        is_rows(&read("<", "False", &by_row));
        is_rows(&read("<", "True", &doubles(&columns)));
        is_rows(&read(">", "False", &big));
    }
}

#[test]
fn structured_rows_are_read_by_name() {
    let descr = "[('force_n', '>f4'), ('label', '<U2'), ('time_s', '<f8'), ('indentation_mm', '|i1'), ('pose', '<i2', (3,))]";
    let mut data = Vec::new();
    for row in ROWS {
        data.extend((row[2] as f32).to_be_bytes());
        data.extend([0u8; 8]);
        data.extend(row[0].to_le_bytes());
        data.push((row[1] * 1000.0).round() as u8);
        for axis in [-1i16, 2, 3] {
            data.extend(axis.to_le_bytes());
        }
    }
    let file = npy(1, &head(descr, "False", "(4,)"), &data);
    is_rows(&with(Format::Npy, &file, "").unwrap());
    let log = with(Format::Npy, &file, "position=pose,force=force_n").unwrap();
    assert!(
        matches!(log.motion, Motion::Position(Channel::Vector(ref p)) if p[3] == [-1.0, 2.0, 3.0])
    );
    let log = with(Format::Npy, &file, "position=pose[0],force=force_n").unwrap();
    assert_eq!(log.motion, Motion::Position(Channel::Scalar(vec![-1.0; 4])));
    refused(
        with(Format::Npy, &file, "indentation=label,force=force_n"),
        &["\"label\"", "<U2", "astype"],
    );
    refused(
        with(Format::Npy, &file, "position=pose[3],force=force_n"),
        &["3 numbers a row", "[2]"],
    );
}

#[test]
fn integers_of_every_size_are_read() {
    for (descr, bytes) in [
        ("|i1", vec![0xfe]),
        ("<i2", (-2i16).to_le_bytes().to_vec()),
        (">i2", (-2i16).to_be_bytes().to_vec()),
        ("<i4", (-2i32).to_le_bytes().to_vec()),
        ("<i8", (-2i64).to_le_bytes().to_vec()),
        (">i8", (-2i64).to_be_bytes().to_vec()),
        ("<f4", (-2f32).to_le_bytes().to_vec()),
    ] {
        let file = npy(
            1,
            &head(&format!("'{descr}'"), "False", "(3, 1)"),
            &bytes.repeat(3),
        );
        let rated = ReadOptions {
            rate: Some(1.0),
            ..options("position=1,force=1", None)
        };
        let log = read_bytes("log", Format::Npy, &file, &rated).unwrap();
        assert_eq!(log.force, Channel::Scalar(vec![-2.0; 3]), "{descr}");
    }
}

#[test]
fn archives_are_read_with_and_without_compression() {
    let column = |c: usize| vector(&ROWS.map(|row| row[c]));
    let members = [
        ("time_s.npy", column(0)),
        ("notes.txt", b"nothing".to_vec()),
        (
            "meta.npy",
            npy(1, &head("'|O'", "False", "()"), b"\x80\x04"),
        ),
        ("indentation_m.npy", column(1)),
        ("../../force_n.npy", column(2)),
        ("force_n.npy", column(2)),
    ];
    for packed in [false, true] {
        let file = archive(&members, packed);
        is_rows(&with(Format::Npz, &file, "").unwrap());
        refused(
            with(Format::Npz, &file, "indentation=meta,force=force_n"),
            &["meta", "pickle", "never executed", "numpy.savez"],
        );
    }
    let table = archive(&[("arr_0.npy", table())], true);
    is_rows(&with(Format::Npz, &table, BY_NUMBER).unwrap());
    is_rows(
        &with(
            Format::Npz,
            &table,
            "time=arr_0[0],indentation=arr_0[1],force=arr_0[2]",
        )
        .unwrap(),
    );
    refused(
        with(
            Format::Npz,
            &table,
            "time=arr_0[0],indentation=r,force=arr_0[2]",
        ),
        &["indentation=r", "arr_0 (3 numbers)"],
    );
}

#[test]
fn arrays_of_different_lengths_are_refused() {
    let members = [
        ("time_s.npy", vector(&[0.0, 0.1, 0.2])),
        ("indentation_m.npy", vector(&[0.0, 0.1, 0.2, 0.3])),
        ("force_n.npy", vector(&[0.0, 0.1, 0.2])),
    ];
    refused(
        with(Format::Npz, &archive(&members, true), ""),
        &["time_s", "3 rows", "indentation_m", "4"],
    );
}

#[test]
fn rows_with_nan_are_left_out_and_infinity_is_refused_by_row() {
    let mut rows = ROWS;
    rows[2][1] = f64::NAN;
    let array = |rows: &[[f64; 3]; 4]| {
        let head = head("'<f8'", "False", "(4, 3)");
        npy(1, &head, &doubles(rows.as_flattened()))
    };
    let read = |format: Format, file: &[u8]| {
        let options = ReadOptions {
            units: "time=s".parse().unwrap(),
            ..options(BY_NUMBER, None)
        };
        read_bytes("log", format, file, &options).unwrap()
    };
    let zipped = archive(&[("a.npy", array(&rows))], true);
    for (format, file) in [(Format::Npy, &array(&rows)), (Format::Npz, &zipped)] {
        let log = read(format, file);
        let of = |column: usize| [0, 1, 3].map(|row: usize| ROWS[row][column]).to_vec();
        assert_eq!(log.time, of(0));
        assert_eq!(log.motion, Motion::Indentation(of(1)));
        assert_eq!(log.force, Channel::Scalar(of(2)));
        let note = "one row of 4 without a value is left out: no indentation in 1";
        assert!(log.source.notes.iter().any(|other| other == note));
    }
    // A row without a time.
    rows = ROWS;
    rows[3][0] = f64::NAN;
    let log = read(Format::Npy, &array(&rows));
    assert_eq!(log.time, [0.0, 0.5, 1.0]);
    rows = ROWS;
    rows[2][1] = f64::INFINITY;
    let file = archive(&[("a.npy", array(&rows))], true);
    refused(with(Format::Npz, &file, BY_NUMBER), &["row 3", "inf"]);
}

#[test]
fn pickles_are_never_executed() {
    let file = npy(
        1,
        &head("'|O'", "False", "(4, 3)"),
        b"\x80\x04\x95cos\nsystem",
    );
    refused(
        with(Format::Npy, &file, BY_NUMBER),
        &["pickle", "never executed", "allow_pickle"],
    );
    let fields = npy(
        1,
        &head("[('a', '<f8'), ('b', '|O')]", "False", "(4,)"),
        &[0; 64],
    );
    refused(with(Format::Npy, &fields, BY_NUMBER), &["pickle"]);
}

#[test]
fn wrong_headers_are_refused() {
    let valid = table();
    let shape = |shape: &str| {
        npy(
            1,
            &head("'<f8'", "False", shape),
            &doubles(ROWS.as_flattened()),
        )
    };
    refused(
        with(Format::Npy, &shape("(5, 3)"), BY_NUMBER),
        &["cut off", "120 bytes", "96"],
    );
    refused(
        with(Format::Npy, &shape("(3, 3)"), BY_NUMBER),
        &["longer than its array", "72", "96"],
    );
    for absurd in [
        "(18446744073709551615, 3)",
        "(6148914691236517208, 3)",
        "(99999999999999999999999, 3)",
        "(4294967296,)",
    ] {
        let message = with(Format::Npy, &shape(absurd), BY_NUMBER).unwrap_err();
        assert!(
            message.contains("too large") || message.contains("no array"),
            "{message}"
        );
    }
    refused(
        with(Format::Npy, &shape("(3, 5000)"), BY_NUMBER),
        &["5000 columns", "transpose"],
    );
    refused(
        with(Format::Npy, &shape("(2, 2, 3)"), BY_NUMBER),
        &["not a table", "two dimensions"],
    );
    let mut long = b"\x93NUMPY\x02\x00\xff\xff\xff\xff{".to_vec();
    refused(
        with(Format::Npy, &long, BY_NUMBER),
        &["4294967295", "65536"],
    );
    long[6] = 9;
    refused(with(Format::Npy, &long, BY_NUMBER), &["version 9.0"]);
    for header in [
        "",
        "{",
        "{'descr': '<f8'",
        "{'descr': __import__('os'), }",
        "[[[[[[[[[[[[[[[[",
        "{'descr': '<f8', 'fortran_order': 1, 'shape': (4,)}",
        "{'descr': '<x8', 'fortran_order': False, 'shape': (4,)}",
        "{'shape': (4,)}",
    ] {
        refused(
            with(Format::Npy, &npy(1, header, &[0; 32]), BY_NUMBER),
            &["log", "header"],
        );
    }
    refused(
        with(Format::Npy, b"PK\x03\x04....", BY_NUMBER),
        &["not a NumPy array", "zip"],
    );
    refused(
        with(Format::Npy, b"time,force\n", BY_NUMBER),
        &["not a NumPy array"],
    );
    refused(with(Format::Npz, &valid, BY_NUMBER), &["not a zip", ".npy"]);
    refused(
        with(
            Format::Npz,
            &archive(&[("a.txt", Vec::new())], false),
            BY_NUMBER,
        ),
        &["no NumPy arrays"],
    );
    refused(
        with(
            Format::Npy,
            &npy(1, &head("'<f8'", "False", "(0, 3)"), &[]),
            BY_NUMBER,
        ),
        &["no rows"],
    );
}

/// A truncated file is never read as if it were complete, for any length.
#[test]
fn truncated_files_are_refused_at_every_byte() {
    let valid = table();
    for end in 0..valid.len() {
        let message = with(Format::Npy, &valid[..end], BY_NUMBER).unwrap_err();
        assert!(message.starts_with("log"), "{message}");
    }
    let valid = archive(&[("arr_0.npy", table())], true);
    for end in 0..valid.len() {
        let message = with(Format::Npz, &valid[..end], BY_NUMBER).unwrap_err();
        assert!(message.starts_with("log"), "{message}");
    }
}

/// A megabyte that unpacks to a gigabyte is refused by its stated size or, if that is wrong, by its actual size.
#[test]
fn zip_bombs_are_refused() {
    let rows = 60_000_000u64;
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    writer.start_file("arr_0.npy", options).unwrap();
    let start = npy(1, &head("'<f8'", "False", &format!("({rows}, 3)")), &[]);
    writer.write_all(&start).unwrap();
    let zeros = vec![0u8; 1 << 20];
    for _ in 0..160 {
        writer.write_all(&zeros).unwrap();
    }
    let bomb = writer.finish().unwrap().into_inner();
    assert!(bomb.len() < 1 << 20);
    refused(
        with(Format::Npz, &bomb, BY_NUMBER),
        &["arr_0", "unpack", "100 times"],
    );

    // The same data with a stated size of a few bytes in the directory: the member is longer than stated.
    let small = archive(&[("arr_0.npy", table())], true);
    let mut lying = small.clone();
    let directory = small.windows(4).rposition(|w| w == b"PK\x01\x02").unwrap();
    lying[directory + 24..directory + 28].copy_from_slice(&100u32.to_le_bytes());
    let message = with(Format::Npz, &lying, BY_NUMBER).unwrap_err();
    assert!(message.contains("cut off"), "{message}");
}

#[test]
fn damaged_members_are_found_by_their_checksum() {
    let mut file = archive(&[("arr_0.npy", table())], false);
    let at = file
        .windows(8)
        .position(|w| w == 3.5f64.to_le_bytes())
        .unwrap();
    file[at] ^= 1;
    refused(
        with(Format::Npz, &file, BY_NUMBER),
        &["damaged", "checksum"],
    );
}
