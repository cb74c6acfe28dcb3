//! Tables as Parquet: columns of numbers, texts, lists of them, and pictures.

use std::fmt::Write as _;
use std::io::Write;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

type Result<T> = std::result::Result<T, ParquetError>;

/// A column; lists have the same number of entries in each row.
#[derive(Debug, Clone)]
pub(super) enum Column {
    Bool(Vec<bool>),
    Float(Vec<f32>),
    Int(Vec<i64>),
    Text(Vec<String>),
    FloatList(Vec<f32>, usize),
    DoubleList(Vec<f64>, usize),
    IntList(Vec<i64>, usize),
    TextList(Vec<String>, usize),
    /// Encoded image files.
    Pictures(Vec<Vec<u8>>),
}

/// Columns with their names.
pub(super) type Table = Vec<(String, Column)>;

/// A plain column for one number, a list column for several, as LeRobot stores features.
pub(super) fn floats(values: Vec<f32>, width: usize) -> Column {
    match width {
        1 => Column::Float(values),
        _ => Column::FloatList(values, width),
    }
}

/// Creates a file for tables with the columns of this one.
pub(super) fn create<W: Write + Send>(
    out: W,
    like: &Table,
    metadata: Vec<KeyValue>,
) -> Result<SerializedFileWriter<W>> {
    let mut schema = "message schema {\n".to_owned();
    for (name, column) in like {
        let _ = writeln!(schema, "{}", field(name, column));
    }
    schema.push('}');
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(false)
        .set_key_value_metadata(Some(metadata))
        .set_created_by(format!("insonate {}", env!("CARGO_PKG_VERSION")))
        .build();
    SerializedFileWriter::new(
        out,
        Arc::new(parse_message_type(&schema)?),
        Arc::new(properties),
    )
}

fn field(name: &str, column: &Column) -> String {
    let list = |element: &str| {
        format!("optional group {name} (LIST) {{ repeated group list {{ optional {element}; }} }}")
    };
    match column {
        Column::Bool(_) => format!("optional boolean {name};"),
        Column::Float(_) => format!("optional float {name};"),
        Column::Int(_) => format!("optional int64 {name};"),
        Column::Text(_) => format!("optional binary {name} (STRING);"),
        Column::FloatList(..) => list("float element"),
        Column::DoubleList(..) => list("double element"),
        Column::IntList(..) => list("int64 element"),
        Column::TextList(..) => list("binary element (STRING)"),
        Column::Pictures(_) => format!(
            "optional group {name} {{ optional binary bytes; optional binary path (STRING); }}"
        ),
    }
}

/// Writes a table as one row group.
pub(super) fn append<W: Write + Send>(
    file: &mut SerializedFileWriter<W>,
    table: &Table,
) -> Result<()> {
    let mut group = file.next_row_group()?;
    for (_, column) in table {
        write_column(&mut group, column)?;
    }
    group.close()?;
    Ok(())
}

fn write_column<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    column: &Column,
) -> Result<()> {
    let texts = |texts: &[String]| -> Vec<ByteArray> {
        texts.iter().map(|text| text.as_str().into()).collect()
    };
    match column {
        Column::Bool(values) => plain::<BoolType, W>(group, values),
        Column::Float(values) => plain::<FloatType, W>(group, values),
        Column::Int(values) => plain::<Int64Type, W>(group, values),
        Column::Text(values) => plain::<ByteArrayType, W>(group, &texts(values)),
        Column::FloatList(values, width) => list::<FloatType, W>(group, values, *width),
        Column::DoubleList(values, width) => list::<DoubleType, W>(group, values, *width),
        Column::IntList(values, width) => list::<Int64Type, W>(group, values, *width),
        Column::TextList(values, width) => list::<ByteArrayType, W>(group, &texts(values), *width),
        Column::Pictures(files) => {
            let bytes: Vec<ByteArray> = files.iter().map(|file| file.clone().into()).collect();
            leaf::<ByteArrayType, W>(group, &bytes, &vec![2; files.len()], None)?;
            // No path: the bytes are stored here.
            leaf::<ByteArrayType, W>(group, &[], &vec![1; files.len()], None)
        }
    }
}

fn plain<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
) -> Result<()> {
    leaf::<T, W>(group, values, &vec![1; values.len()], None)
}

fn list<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    width: usize,
) -> Result<()> {
    let repetition: Vec<i16> = (0..values.len())
        .map(|i| i16::from(i % width != 0))
        .collect();
    leaf::<T, W>(group, values, &vec![3; values.len()], Some(&repetition))
}

fn leaf<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    definition: &[i16],
    repetition: Option<&[i16]>,
) -> Result<()> {
    let mut column = group
        .next_column()?
        .ok_or_else(|| ParquetError::General("the table has more columns than its file".into()))?;
    column
        .typed::<T>()
        .write_batch(values, Some(definition), repetition)?;
    column.close()
}
