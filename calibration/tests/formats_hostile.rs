//! Contract: whatever the bytes, a reader ends with a log or an error that names the file; it never panics.
//! (The fuzz targets in `fuzz/` hold the same for longer.)
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::io::{Cursor, Write as _};
use std::sync::Arc;

use insonate_calibration::formats::{Format, ReadOptions, read_bytes};
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::data_type::{DoubleType, FloatType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;

/// Columns by the header, by number, and by names of lists; and an episode where there is none.
fn options(choice: usize) -> ReadOptions {
    let columns = [
        "",
        "indentation=1,force=2",
        "indentation=a[0],force=force",
        "indentation=1,force=2",
    ][choice];
    ReadOptions {
        columns: (!columns.is_empty()).then(|| columns.parse().unwrap()),
        rate: Some(500.0),
        episode: (choice == 3).then_some(0),
        ..ReadOptions::default()
    }
}

fn ends(format: Format, bytes: &[u8], choice: usize) {
    match read_bytes("file", format, bytes, &options(choice)) {
        Ok(log) => {
            let n = log.len();
            assert!(n >= 3 && log.force.len() == n);
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.contains("file"), "{message}");
        }
    }
}

fn ends_however_read(format: Format, bytes: &[u8]) {
    (0..4).for_each(|choice| ends(format, bytes, choice));
}

fn csv() -> Vec<u8> {
    b"# a note\ntime_s,indentation_mm,\"force_n\"\n0,1,2\n0.1,2,3e0\n0.2,3,-4\n0.3,4,5\n".to_vec()
}

fn npy() -> Vec<u8> {
    let header = "{'descr': [('force', '<f8'), ('a', '<f4', (2,))], 'fortran_order': False, 'shape': (4,), }\n";
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend([0u8; 64]);
    file
}

fn npz() -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, shape) in [("a", "(4, 1)"), ("force", "(4,)")] {
        let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n");
        writer
            .start_file(
                format!("{name}.npy"),
                zip::write::SimpleFileOptions::default(),
            )
            .unwrap();
        writer.write_all(b"\x93NUMPY\x01\x00").unwrap();
        writer
            .write_all(&(header.len() as u16).to_le_bytes())
            .unwrap();
        writer.write_all(header.as_bytes()).unwrap();
        writer.write_all(&[0; 16]).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn parquet(compression: Compression) -> Vec<u8> {
    let schema = parse_message_type(
        "message m { optional group a (LIST) { repeated group list { optional float element; } } optional double force; }",
    )
    .unwrap();
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .build();
    let mut writer =
        SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column
        .typed::<FloatType>()
        .write_batch(&[0.0; 8], Some(&[3; 8]), Some(&[0, 1, 0, 1, 0, 1, 0, 1]))
        .unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column
        .typed::<DoubleType>()
        .write_batch(&[1.0, 2.0, 3.0, 4.0], Some(&[1; 4]), None)
        .unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.into_inner().unwrap()
}

fn seeds() -> Vec<(Format, Vec<u8>)> {
    vec![
        (Format::Csv, csv()),
        (Format::Npy, npy()),
        (Format::Npz, npz()),
        (Format::Parquet, parquet(Compression::UNCOMPRESSED)),
        (Format::Parquet, parquet(Compression::SNAPPY)),
        (
            Format::Parquet,
            parquet(Compression::GZIP(GzipLevel::default())),
        ),
        (
            Format::Parquet,
            parquet(Compression::ZSTD(ZstdLevel::default())),
        ),
    ]
}

#[test]
fn the_seeds_are_logs() {
    for (format, bytes) in seeds() {
        let choice = if format == Format::Csv { 0 } else { 2 };
        read_bytes("seed", format, &bytes, &options(choice)).unwrap();
    }
}

/// Every bit of a valid file turned, one by one; each byte is met by every choice of columns twice.
#[test]
fn no_turned_bit_makes_a_reader_panic() {
    for (format, bytes) in seeds() {
        for at in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[at / 8] ^= 1 << (at % 8);
            ends(format, &damaged, at % 4);
        }
    }
}

/// Every byte set to an extreme of counts and of numbers of variable length.
#[test]
fn no_extreme_byte_makes_a_reader_panic() {
    for (format, bytes) in seeds() {
        for at in 0..bytes.len() {
            for (choice, value) in [0x00, 0x7f, 0x80, 0xff].into_iter().enumerate() {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                ends(format, &damaged, choice);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2048)) {
        for format in Format::ALL {
            ends_however_read(format, &bytes);
        }
    }

    #[test]
    fn no_text_makes_the_text_reader_panic(text in "[-0-9a-z.,;:\"' #\n\r\t\u{feff}\u{e9}]{0,300}") {
        ends_however_read(Format::Csv, text.as_bytes());
    }

    #[test]
    fn no_header_makes_the_array_reader_panic(text in "[-0-9a-z.,;:\"' ()\\[\\]{}<>|]{0,200}", major in 0u8..5) {
        let mut file = b"\x93NUMPY".to_vec();
        file.extend([major, 0]);
        file.extend((text.len() as u32).to_le_bytes());
        file.extend(text.as_bytes());
        ends_however_read(Format::Npy, &file);
    }

    /// Several bytes replaced, and a part repeated or cut out.
    #[test]
    fn no_damage_makes_a_reader_panic(
        seed in 0usize..7, edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        from in any::<prop::sample::Index>(), length in 0usize..64, again in any::<bool>(),
    ) {
        let (format, mut bytes) = seeds().swap_remove(seed);
        for (at, value) in edits {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let from = from.index(bytes.len());
        let to = (from + length).min(bytes.len());
        if again {
            let part = bytes[from..to].to_vec();
            bytes.splice(from..from, part);
        } else {
            bytes.drain(from..to);
        }
        ends_however_read(format, &bytes);
    }

    #[test]
    fn no_option_makes_its_parser_panic(text in "[-0-9a-z=,:/\\[\\]\u{b5}]{0,60}") {
        let _ = text.parse::<insonate_calibration::formats::Columns>();
        let _ = text.parse::<insonate_calibration::formats::Units>();
    }
}
