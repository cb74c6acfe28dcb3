//! Contract: Parquet files, including those of LeRobot, give the numbers that were written, for any codec and page
//! version. Rows with nulls are left out and counted. Lists of varying length, infinity, wrong sizes and missing bytes
//! are refused with the row or column.

use std::sync::Arc;

use insonate_tables::{Channel, Format, Log, Motion, ReadOptions, read_bytes};
use parquet::basic::{Compression, Encoding, GzipLevel, ZstdLevel};
use parquet::data_type::{ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::{options, refused};

const N: usize = 500;

/// LeRobot's columns: a time, a state of four numbers, an action of two, and the episode.
const SCHEMA: &str = "message schema {
    optional float timestamp;
    optional group observation.state (LIST) { repeated group list { optional float element; } }
    optional group action (LIST) { repeated group list { required double element; } }
    required int64 episode_index;
    optional binary task (STRING);
}";

fn time(i: usize) -> f32 {
    i as f32 * 0.5 / N as f32
}

fn state(i: usize) -> [f32; 4] {
    let t = i as f32;
    [0.001 + t * 1e-6, -t, 0.25 * t, 7.0]
}

fn properties(
    compression: Compression,
    version: WriterVersion,
    dictionary: bool,
) -> WriterProperties {
    WriterProperties::builder()
        .set_compression(compression)
        .set_writer_version(version)
        .set_dictionary_enabled(dictionary)
        .set_column_encoding("episode_index".into(), Encoding::PLAIN)
        .set_data_page_row_count_limit(64)
        .set_write_batch_size(16)
        .build()
}

fn plain() -> WriterProperties {
    properties(Compression::UNCOMPRESSED, WriterVersion::PARQUET_1_0, false)
}

/// Levels of a list column with `width` numbers in every row.
fn levels(rows: usize, width: usize, present: i16) -> (Vec<i16>, Vec<i16>) {
    let definition = vec![present; rows * width];
    let repetition = (0..rows * width)
        .map(|i| i16::from(i % width != 0))
        .collect();
    (definition, repetition)
}

/// A row group under construction.
pub(super) type RowGroup<'a> = SerializedRowGroupWriter<'a, Vec<u8>>;

/// Writes the next column of a row group from its values and levels.
pub(super) fn column<T: DataType>(
    group: &mut RowGroup<'_>,
    values: &[T::T],
    definition: Option<&[i16]>,
    repetition: Option<&[i16]>,
) {
    let mut column = group.next_column().unwrap().unwrap();
    column
        .typed::<T>()
        .write_batch(values, definition, repetition)
        .unwrap();
    column.close().unwrap();
}

/// A file with row groups; `fill` writes the columns of each.
pub(super) fn file<G>(
    schema: &str,
    properties: WriterProperties,
    groups: impl IntoIterator<Item = G>,
    fill: impl Fn(&mut RowGroup<'_>, G),
) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    for each in groups {
        let mut group = writer.next_row_group().unwrap();
        fill(&mut group, each);
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

fn lerobot(properties: WriterProperties, episodes: usize) -> Vec<u8> {
    file(SCHEMA, properties, [0..300, 300..N], |group, rows| {
        let n = rows.len();
        let times: Vec<f32> = rows.clone().map(time).collect();
        column::<FloatType>(group, &times, Some(&vec![1; n]), None);
        let states: Vec<f32> = rows.clone().flat_map(state).collect();
        let (definition, repetition) = levels(n, 4, 3);
        column::<FloatType>(group, &states, Some(&definition), Some(&repetition));
        let actions: Vec<f64> = rows.clone().flat_map(|i| [i as f64, -(i as f64)]).collect();
        let (definition, repetition) = levels(n, 2, 2);
        column::<DoubleType>(group, &actions, Some(&definition), Some(&repetition));
        let episode: Vec<i64> = rows.map(|i| (i * episodes / N) as i64).collect();
        column::<Int64Type>(group, &episode, None, None);
        column::<ByteArrayType>(group, &[], Some(&vec![0; n]), None);
    })
}

/// A file with one list column and the force, from raw levels.
fn listed(values: &[f32], definition: &[i16], repetition: &[i16], force: &[f64]) -> Vec<u8> {
    let schema = "message schema {
        optional group x (LIST) { repeated group list { optional float element; } }
        optional double force;
    }";
    let is_present = |value: &&f64| !value.is_nan();
    file(schema, plain(), [()], |group, ()| {
        column::<FloatType>(group, values, Some(definition), Some(repetition));
        let present: Vec<i16> = force
            .iter()
            .map(|value| i16::from(is_present(&value)))
            .collect();
        let there: Vec<f64> = force.iter().filter(is_present).copied().collect();
        column::<DoubleType>(group, &there, Some(&present), None);
    })
}

fn with(
    bytes: &[u8],
    columns: &str,
    episode: Option<i64>,
    rate: Option<f64>,
) -> Result<Log, String> {
    let options = ReadOptions {
        episode,
        ..options(columns, rate)
    };
    read_bytes("log.parquet", Format::Parquet, bytes, &options).map_err(|error| error.to_string())
}

const COLUMNS: &str = "indentation=observation.state[0],force=observation.state[2]";

#[test]
fn lerobot_files_are_read_with_every_codec_and_page_version() {
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::try_new(3).unwrap()),
    ];
    for codec in codecs {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for dictionary in [false, true] {
                let file = lerobot(properties(codec, version, dictionary), 1);
                let log = with(&file, COLUMNS, None, None)
                    .unwrap_or_else(|error| panic!("{error} with {codec:?}, {version:?}"));
                let of = |column: usize| (0..N).map(|i| f64::from(state(i)[column])).collect();
                assert_eq!(
                    log.time,
                    (0..N).map(|i| f64::from(time(i))).collect::<Vec<_>>()
                );
                assert_eq!(log.motion, Motion::Indentation(of(0)));
                assert_eq!(log.force, Channel::Scalar(of(2)));
                assert_eq!(
                    log.source.columns[2],
                    "force: column 2 \"observation.state[2]\" [N, assumed]"
                );
            }
        }
    }
}

#[test]
fn integers_are_read_plain_and_by_dictionary() {
    for dictionary in [false, true] {
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(dictionary)
            .set_data_page_row_count_limit(100)
            .set_write_batch_size(50)
            .build();
        let schema =
            "message m { required int64 time; required int64 depth; required int32 force; }";
        let values: Vec<i64> = (0..1000).map(|i| (i * i) % 400 - 7).collect();
        let small: Vec<i32> = values.iter().map(|value| *value as i32).collect();
        let file = file(schema, properties, [()], |group, ()| {
            column::<Int64Type>(group, &values, None, None);
            column::<Int64Type>(group, &values, None, None);
            column::<Int32Type>(group, &small, None, None);
        });
        let options = ReadOptions {
            rate: Some(100.0),
            units: "indentation=um".parse().unwrap(),
            ..ReadOptions::default()
        };
        let log = read_bytes("log", Format::Parquet, &file, &options).unwrap();
        assert_eq!(
            log.force,
            Channel::Scalar(values.iter().map(|v| *v as f64).collect())
        );
    }
}

#[test]
fn unsupported_encodings_are_named() {
    for encoding in [Encoding::BYTE_STREAM_SPLIT, Encoding::DELTA_BINARY_PACKED] {
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_encoding(encoding)
            .build();
        let schema = "message m { required int64 depth; required int64 force; }";
        let file = file(schema, properties, [()], |group, ()| {
            column::<Int64Type>(group, &[0; 5], None, None);
            column::<Int64Type>(group, &[0; 5], None, None);
        });
        refused(
            with(&file, "", None, Some(1.0)),
            &["\"depth\"", "encoding", "plain"],
        );
    }
}

#[test]
fn columns_are_offered_by_name_and_length() {
    let file = lerobot(plain(), 1);
    refused(
        with(&file, "", None, None),
        &[
            "indentation or position",
            "--columns",
            "timestamp",
            "observation.state (4 numbers)",
            "action (2 numbers)",
        ],
    );
    refused(
        with(
            &file,
            "indentation=observation.state,force=timestamp",
            None,
            None,
        ),
        &["4 numbers", "observation.state[0]"],
    );
    refused(
        with(
            &file,
            "indentation=observation.state[4],force=timestamp",
            None,
            None,
        ),
        &["4 numbers", "[3]"],
    );
    refused(
        with(&file, "indentation=task,force=timestamp", None, None),
        &["\"task\"", "plain numbers"],
    );
    let vector = (0..9).map(|i| i as f32).collect::<Vec<_>>();
    let (definition, repetition) = levels(3, 3, 3);
    let log = with(
        &listed(&vector, &definition, &repetition, &[1.0, 2.0, 3.0]),
        "position=x",
        None,
        Some(10.0),
    )
    .unwrap();
    assert_eq!(
        log.motion,
        Motion::Position(Channel::Vector(vec![
            [0.0, 1.0, 2.0],
            [3.0, 4.0, 5.0],
            [6.0, 7.0, 8.0]
        ]))
    );
}

#[test]
fn one_of_several_episodes_is_chosen() {
    let file = lerobot(plain(), 5);
    refused(
        with(&file, COLUMNS, None, None),
        &["--episode", "0, 1, 2, 3, 4"],
    );
    refused(
        with(&file, COLUMNS, Some(7), None),
        &["--episode", "0, 1, 2, 3, 4"],
    );
    let log = with(&file, COLUMNS, Some(3), None).unwrap();
    assert_eq!(
        log.time,
        (300..400).map(|i| f64::from(time(i))).collect::<Vec<_>>()
    );
    assert_eq!(log.force.len(), 100);
    let bare = listed(&[0.0; 3], &[3; 3], &[0; 3], &[1.0; 3]);
    refused(
        with(&bare, "indentation=x[0]", Some(1), Some(1.0)),
        &["--episode", "episode_index"],
    );
}

/// The rows that a file with one list and the force keeps: their times, first numbers and forces.
fn kept(file: &[u8]) -> (Vec<f64>, Vec<f64>, Vec<f64>, String) {
    // A number is an eighth of a metre.
    let options = ReadOptions {
        units: "indentation=0.125m".parse().unwrap(),
        ..options("indentation=x[0]", Some(1.0))
    };
    let log = read_bytes("log.parquet", Format::Parquet, file, &options).unwrap();
    let Motion::Indentation(depth) = log.motion else {
        panic!("no indentation");
    };
    let depth = depth.iter().map(|depth| 8.0 * depth).collect();
    let note = log.source.notes.join("; ");
    let force = super::scalar(&log.force).to_vec();
    (log.time, depth, force, note)
}

#[test]
fn rows_with_nulls_are_left_out_and_counted() {
    let whole = [3i16; 8];
    let pairs = [0i16, 1, 0, 1, 0, 1, 0, 1];
    let numbers = [0.0, 9.0, 1.0, 9.0, 2.0, 9.0, 3.0, 9.0];
    let forces = [5.0, 6.0, 7.0, 8.0];
    let all = kept(&listed(&numbers, &whole, &pairs, &forces));
    assert_eq!(all.0, [0.0, 1.0, 2.0, 3.0]);
    assert!(!all.3.contains("left out"), "{}", all.3);

    // A force that is a null in row 3, as `listed` writes NaN.
    let force = kept(&listed(
        &numbers,
        &whole,
        &pairs,
        &[5.0, 6.0, f64::NAN, 8.0],
    ));
    let without_third = (
        vec![0.0, 1.0, 3.0],
        vec![0.0, 1.0, 3.0],
        vec![5.0, 6.0, 8.0],
    );
    assert_eq!((force.0, force.1, force.2), without_third);
    assert!(
        force
            .3
            .contains("one row of 4 without a value is left out: no force in 1"),
        "{}",
        force.3
    );

    // The first element of row 2 is a null, then the second, which is not read.
    let first = [0.0, 9.0, 9.0, 2.0, 9.0, 3.0, 9.0];
    let element = kept(&listed(&first, &[3, 3, 2, 3, 3, 3, 3, 3], &pairs, &forces));
    assert_eq!(
        (element.0, element.1, element.2),
        without_second_of(&forces)
    );
    assert!(element.3.contains("no indentation in 1"), "{}", element.3);
    let second = [0.0, 9.0, 1.0, 2.0, 9.0, 3.0, 9.0];
    let other = kept(&listed(&second, &[3, 3, 3, 2, 3, 3, 3, 3], &pairs, &forces));
    assert_eq!(other.1, [0.0, 1.0, 2.0, 3.0]);

    // Row 3 is a null list.
    let list = kept(&listed(
        &[0.0, 9.0, 1.0, 9.0, 3.0, 9.0],
        &[3, 3, 3, 3, 0, 3, 3],
        &[0, 1, 0, 1, 0, 0, 1],
        &forces,
    ));
    assert_eq!(
        (list.0, list.1, list.2),
        (
            vec![0.0, 1.0, 3.0],
            vec![0.0, 1.0, 3.0],
            vec![5.0, 6.0, 8.0]
        )
    );

    // NaN in place of a null.
    let nan = kept(&listed(
        &[0.0, f32::NAN, 2.0, 3.0],
        &[3; 4],
        &[0; 4],
        &forces,
    ));
    assert_eq!((nan.0, nan.1, nan.2), without_second_of(&forces));
    assert!(nan.3.contains("no indentation in 1"), "{}", nan.3);
}

fn without_second_of(forces: &[f64; 4]) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let rows = vec![0.0, 2.0, 3.0];
    (rows.clone(), rows, vec![forces[0], forces[2], forces[3]])
}

#[test]
fn odd_rows_and_infinity_are_refused_by_row() {
    let read = |file: &[u8]| with(file, "indentation=x[0]", None, Some(1.0));
    // Row 2 has three numbers, row 3 one.
    refused(
        read(&listed(
            &[0.0; 8],
            &[3; 8],
            &[0, 1, 0, 1, 1, 0, 0, 1],
            &[1.0; 4],
        )),
        &["row 2", "3 numbers", "have 2"],
    );
    // Row 2 has one number.
    refused(
        read(&listed(
            &[0.0; 6],
            &[3, 3, 3, 3, 3, 3],
            &[0, 1, 0, 0, 1, 0],
            &[1.0; 4],
        )),
        &["row 2", "1 numbers", "have 2"],
    );
    refused(
        read(&listed(
            &[0.0, 1.0, f32::INFINITY, 0.0],
            &[3; 4],
            &[0; 4],
            &[1.0; 4],
        )),
        &["row 3", "inf", "not finite"],
    );
    // Most rows have no force.
    let mut forces = [f64::NAN; 8];
    forces[..3].fill(1.0);
    refused(
        read(&listed(&[0.0; 8], &[3; 8], &[0; 8], &forces)),
        &["of 8 rows only 3 have a force"],
    );
}

#[test]
fn timestamps_have_the_unit_of_their_type() {
    let schema = "message m { required int64 time (TIMESTAMP(MICROS,true)); required double depth_mm; required double force; }";
    let file = file(schema, plain(), [()], |group, ()| {
        column::<Int64Type>(group, &[0, 2000, 4000], None, None);
        column::<DoubleType>(group, &[1.0, 2.0, 3.0], None, None);
        column::<DoubleType>(group, &[1.0, 2.0, 3.0], None, None);
    });
    let log = with(&file, "", None, None).unwrap();
    assert_eq!(log.time, [0.0, 0.002, 0.004]);
    assert_eq!(log.motion, Motion::Indentation(vec![0.001, 0.002, 0.003]));
}

#[test]
fn truncated_files_are_refused_at_every_byte() {
    let (definition, repetition) = levels(4, 2, 3);
    let valid = listed(&[0.0; 8], &definition, &repetition, &[1.0; 4]);
    let read = |file: &[u8]| with(file, "indentation=x[0]", None, Some(1.0));
    read(&valid).unwrap();
    for end in 0..valid.len() {
        let message = read(&valid[..end]).unwrap_err();
        assert!(message.starts_with("log.parquet"), "{message}");
    }
    // The start is missing, so offsets point elsewhere.
    for start in 1..valid.len() {
        assert!(read(&valid[start..]).is_err());
        let mut headed = b"PAR1".to_vec();
        headed.extend(&valid[start..]);
        assert!(start <= 4 || read(&headed).is_err());
    }
}

#[test]
fn absurd_lengths_and_other_files_are_refused() {
    let valid = lerobot(plain(), 1);
    let mut long = valid.clone();
    let at = long.len() - 8;
    long[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    refused(with(&long, COLUMNS, None, None), &["footer", "4294967295"]);
    refused(with(b"PAR1", COLUMNS, None, None), &["cut off"]);
    refused(
        with(b"PARE1234PARE1234", COLUMNS, None, None),
        &["encrypted"],
    );
    refused(
        with(b"PK\x03\x04", COLUMNS, None, None),
        &["not a Parquet file", "zip"],
    );
    refused(
        with(b"time,force\n1,2\n", COLUMNS, None, None),
        &["not a Parquet file"],
    );
    // A footer whose schema states two thousand million children of the root.
    let mut footer = vec![0x15, 2, 0x19, 0x1c, 0x48, 1, b'm', 0x15];
    footer.extend([0xfe, 0xff, 0xff, 0xff, 0x0f, 0, 0]);
    let mut file = b"PAR1".to_vec();
    file.extend(&footer);
    file.extend((footer.len() as u32).to_le_bytes());
    file.extend(b"PAR1");
    refused(with(&file, COLUMNS, None, None), &["footer", "nodes"]);
}

/// The library unpacks gzip without a limit: a page that unpacks to more than its stated size is refused before that.
#[test]
fn pages_that_unpack_to_more_than_stated_are_refused() {
    let valid = lerobot(
        properties(
            Compression::GZIP(GzipLevel::default()),
            WriterVersion::PARQUET_1_0,
            false,
        ),
        1,
    );
    let stream = valid.windows(3).position(|w| w == b"\x1f\x8b\x08").unwrap();
    // The page's uncompressed size, a two-byte zigzag number, precedes it in the header; the value is reduced by one.
    let header = valid[4..stream].to_vec();
    let at = 4
        + header
            .windows(2)
            .position(|w| w[0] == 0x15 && w[1] & 0x80 != 0)
            .unwrap()
        + 1;
    let mut lying = valid.clone();
    lying[at] ^= 2;
    refused(
        with(
            &lying,
            "indentation=timestamp,force=timestamp",
            None,
            Some(1.0),
        ),
        &["\"timestamp\"", "unpack"],
    );
}
