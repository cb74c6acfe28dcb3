//! Contract: for any bytes, a reader returns a log or an error that names the file; it never panics.
//!
//! The fuzz targets in `tools/fuzz/` check the same. Without cargo-fuzz,
//! `PROPTEST_CASES=1000000 cargo test --test formats damaged` runs the damage tests for longer.

use std::io::{Cursor, Write as _};
use std::sync::LazyLock;

use insonate_tables::{Channel, Format, ReadOptions, read_bytes};
use parquet::basic::{Compression, Encoding, GzipLevel, ZstdLevel};
use parquet::data_type::{DoubleType, FloatType, Int64Type};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};
use proptest::prelude::*;

use super::parquet::{column, file};
use super::{matlab, options};

/// Number of column choices.
const CHOICES: usize = 5;

/// Columns by the header, by number, and by names of lists.
fn chosen(choice: usize) -> ReadOptions {
    let columns = [
        "",
        "indentation=2,force=2",
        "indentation=a[0],force=force",
        "indentation=force,velocity=a[1],force=a[0]",
        "indentation=a[0],force=counter",
    ][choice];
    options(columns, Some(500.0))
}

fn ends(format: Format, bytes: &[u8], choice: usize) {
    match read_bytes("file", format, bytes, &chosen(choice)) {
        Ok(log) => {
            let n = log.len();
            assert!(n >= 3 && log.force.len() == n);
            assert!(log.time.iter().all(|time| time.is_finite()));
            if let Channel::Scalar(force) = &log.force {
                assert!(force.iter().all(|force| force.is_finite()));
            }
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.contains("file"), "{message}");
        }
    }
}

fn ends_however_read(format: Format, bytes: &[u8]) {
    (0..CHOICES).for_each(|choice| ends(format, bytes, choice));
}

fn csv() -> Vec<u8> {
    b"# a note\ntime_s,indentation_mm,\"force_n\"\n0,1,2\n0.1,2,3e0\n0.2,3,-4\n0.3,4,5\n".to_vec()
}

fn hdf5() -> Vec<u8> {
    let mut file = hdf5_pure::FileBuilder::new();
    for name in ["indentation", "force"] {
        file.create_dataset(name)
            .with_f64_data(&[1e-3, 2e-3, 3e-3, 4e-3])
            .with_shape(&[4]);
    }
    file.create_dataset("a")
        .with_f32_data(&[0.1; 8])
        .with_shape(&[4, 2]);
    file.finish().unwrap()
}

fn mcap(compression: Option<mcap::Compression>) -> Vec<u8> {
    let options = mcap::WriteOptions::new().compression(compression);
    let mut writer = options.create(Cursor::new(Vec::new())).unwrap();
    let schema = writer.add_schema("any", "jsonschema", b"{}").unwrap();
    let channel_id = writer
        .add_channel(schema, "/probe", "json", &std::collections::BTreeMap::new())
        .unwrap();
    for step in 0..4_u32 {
        let header = mcap::records::MessageHeader {
            channel_id,
            sequence: step,
            log_time: 1_000_000 * u64::from(step),
            publish_time: 0,
        };
        let message = format!("{{\"indentation\":{},\"force\":1}}", 1e-3 * f64::from(step));
        writer
            .write_to_known_channel(&header, message.as_bytes())
            .unwrap();
    }
    writer.finish().unwrap();
    writer.into_inner().into_inner()
}

/// Points and wrenches, in pages of the smallest size.
fn db3() -> Vec<u8> {
    let mut database = rusqlite::Connection::open_in_memory().unwrap();
    let schema = "PRAGMA page_size = 512;
        CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format TEXT);
        CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB);
        INSERT INTO topics VALUES (1, '/point', 'geometry_msgs/msg/Point', 'cdr'), (2, '/ft', 'geometry_msgs/msg/WrenchStamped', 'cdr');";
    database.execute_batch(schema).unwrap();
    for step in 0..4_i32 {
        let mut point = vec![0, 1, 0, 0];
        let mut wrench = vec![0, 1, 0, 0];
        // 0 s, some ns, and a frame called "", padded.
        wrench.extend([0, 0, 0, 0]);
        wrench.extend(step.to_le_bytes());
        wrench.extend([1, 0, 0, 0, 0, 0, 0, 0]);
        for axis in 0..6 {
            let number = (1e-3 * f64::from(step * axis)).to_le_bytes();
            wrench.extend(number);
            point.extend(number);
        }
        point.truncate(4 + 24);
        for (topic, data) in [(1, &point), (2, &wrench)] {
            let insert = "INSERT INTO messages(topic_id, timestamp, data) VALUES (?1, ?2, ?3)";
            let values = rusqlite::params![topic, 1_000_000 * step, data];
            database.execute(insert, values).unwrap();
        }
    }
    database.serialize("main").unwrap().to_vec()
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

/// A list and a number per row, with two pages per column.
fn parquet(properties: WriterPropertiesBuilder) -> Vec<u8> {
    let schema = "message m {
        optional group a (LIST) { repeated group list { optional float element; } }
        optional double force;
        required int64 counter;
    }";
    let properties = properties
        .set_data_page_row_count_limit(4)
        .set_write_batch_size(4)
        .build();
    let lists: Vec<f32> = (0..16u8).map(|i| f32::from(i % 5) * 0.01).collect();
    let repetition: Vec<i16> = (0..16).map(|i| i % 2).collect();
    let forces = [0.1, 0.2, 0.3, 0.1, 0.2, 0.4, 0.1, 0.2];
    file(schema, properties, [()], |group, ()| {
        column::<FloatType>(group, &lists, Some(&[3; 16]), Some(&repetition));
        column::<DoubleType>(group, &forces, Some(&[1; 8]), None);
        column::<Int64Type>(group, &[0, 3, 1, 2, 7, 7, 9, -4], None, None);
    })
}

fn seeds() -> Vec<(Format, Vec<u8>)> {
    let of = |codec: Compression, version: WriterVersion| {
        WriterProperties::builder()
            .set_compression(codec)
            .set_writer_version(version)
    };
    let (first, second) = (WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0);
    let plain = Compression::UNCOMPRESSED;
    let files = [
        of(plain, first),
        of(plain, second),
        of(plain, first).set_dictionary_enabled(false),
        of(plain, second)
            .set_dictionary_enabled(false)
            .set_encoding(Encoding::PLAIN),
        of(Compression::SNAPPY, first),
        of(Compression::GZIP(GzipLevel::default()), second),
        of(Compression::ZSTD(ZstdLevel::default()), first),
    ];
    [
        (Format::Csv, csv()),
        (Format::Npy, npy()),
        (Format::Npz, npz()),
        (Format::Hdf5, hdf5()),
        (Format::Mcap, mcap(None)),
        (Format::Mcap, mcap(Some(mcap::Compression::Zstd))),
        (Format::Db3, db3()),
        (Format::Xlsx, super::sheet::log()),
        (Format::Ods, super::ods::log()),
        (Format::Mat, matlab::seed(false)),
        (Format::Mat, matlab::seed(true)),
    ]
    .into_iter()
    .chain(files.map(|properties| (Format::Parquet, parquet(properties))))
    .collect()
}

/// The seeds, created once.
static SEEDS: LazyLock<Vec<(Format, Vec<u8>)>> = LazyLock::new(seeds);

/// Damage: bytes replaced, and a part repeated, copied elsewhere or cut out.
#[derive(Clone, Debug)]
struct Damage {
    seed: prop::sample::Index,
    edits: Vec<(prop::sample::Index, u8)>,
    part: (prop::sample::Index, usize),
    to: prop::sample::Index,
    splice: u8,
    choice: usize,
}

fn damage() -> impl Strategy<Value = Damage> {
    let extreme = prop::sample::select(vec![0u8, 1, 0x7f, 0x80, 0xfe, 0xff]);
    let byte = prop_oneof![any::<u8>(), extreme];
    let edits = proptest::collection::vec((any::<prop::sample::Index>(), byte), 0..6);
    let index = any::<prop::sample::Index>;
    (
        index(),
        edits,
        (index(), 0usize..64),
        index(),
        0u8..6,
        0usize..4,
    )
        .prop_map(|(seed, edits, part, to, splice, choice)| Damage {
            seed,
            edits,
            part,
            to,
            splice,
            choice,
        })
}

impl Damage {
    fn read(&self, format: Format) {
        let of_format: Vec<&Vec<u8>> = SEEDS
            .iter()
            .filter(|(other, _)| *other == format)
            .map(|(_, bytes)| bytes)
            .collect();
        let mut bytes = (*self.seed.get(&of_format)).clone();
        for (at, value) in &self.edits {
            let at = at.index(bytes.len());
            bytes[at] = *value;
        }
        let from = self.part.0.index(bytes.len());
        let part = from..(from + self.part.1).min(bytes.len());
        let to = self.to.index(bytes.len());
        // In half of the cases the length is unchanged.
        match self.splice {
            0 => drop(bytes.drain(part)),
            1 => {
                let copy = bytes[part].to_vec();
                bytes.splice(to..to, copy);
            }
            2 => {
                let end = (to + part.len()).min(bytes.len());
                bytes.copy_within(part.start..part.start + (end - to), to);
            }
            _ => {}
        }
        ends(format, &bytes, self.choice);
    }
}

#[test]
fn the_seeds_are_logs() {
    for (format, bytes) in SEEDS.clone() {
        let choices: &[usize] = match format {
            Format::Csv | Format::Xlsx | Format::Ods => &[0, 1],
            Format::Npy => &[2, 3],
            Format::Npz => &[1, 2],
            Format::Parquet => &[1, 2, 3, 4],
            Format::Hdf5 => &[0, 2, 3],
            Format::Mcap | Format::Db3 | Format::Mat => &[0],
        };
        for &choice in choices {
            read_bytes("seed", format, &bytes, &chosen(choice)).unwrap();
        }
    }
}

/// Flips every bit of a valid file, one by one; each byte is read with every choice of columns.
#[test]
fn no_flipped_bit_makes_a_reader_panic() {
    for (format, bytes) in SEEDS.clone() {
        for at in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[at / 8] ^= 1 << (at % 8);
            ends(format, &damaged, at % CHOICES);
        }
    }
}

/// Sets every byte to extreme values of counts and of variable-length numbers.
#[test]
fn no_extreme_byte_makes_a_reader_panic() {
    for (format, bytes) in SEEDS.clone() {
        for at in 0..bytes.len() {
            for (choice, value) in [0x00, 0x01, 0x7f, 0x80, 0xff].into_iter().enumerate() {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                ends(format, &damaged, choice);
            }
        }
    }
}

proptest! {
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

    #[test]
    fn damaged_text_makes_no_reader_panic(damage in damage()) {
        damage.read(Format::Csv);
    }

    #[test]
    fn damaged_arrays_make_no_reader_panic(damage in damage()) {
        damage.read(Format::Npy);
    }

    #[test]
    fn damaged_archives_make_no_reader_panic(damage in damage()) {
        damage.read(Format::Npz);
    }

    #[test]
    fn damaged_parquet_makes_no_reader_panic(damage in damage()) {
        damage.read(Format::Parquet);
    }

    #[test]
    fn damaged_trees_make_no_reader_panic(damage in damage()) {
        damage.read(Format::Hdf5);
    }

    #[test]
    fn damaged_recordings_make_no_reader_panic(damage in damage()) {
        damage.read(Format::Mcap);
        damage.read(Format::Db3);
        damage.read(Format::Mat);
    }

    #[test]
    fn damaged_spreadsheets_make_no_reader_panic(damage in damage()) {
        damage.read(Format::Xlsx);
        damage.read(Format::Ods);
    }

    #[test]
    fn no_option_makes_its_parser_panic(text in "[-0-9a-z=,:/\\[\\]\u{b5}]{0,60}") {
        let _ = text.parse::<insonate_tables::Columns>();
        let _ = text.parse::<insonate_tables::Units>();
    }
}
