//! One column of one row group, validated before the Parquet library reads it.

use bytes::Bytes;
use insonate_tables::check_parquet_column;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::file::reader::{FileReader, SerializedFileReader};

type Result<T> = std::result::Result<T, String>;

/// A Parquet file in memory.
pub(super) struct ParquetFile {
    pub(super) bytes: Bytes,
    pub(super) reader: SerializedFileReader<Bytes>,
}

impl ParquetFile {
    /// Index of the column whose path begins with `name`; for images, the column of their bytes.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        let columns = self
            .reader
            .metadata()
            .file_metadata()
            .schema_descr()
            .columns();
        columns.iter().position(|column| {
            let parts = column.path().parts();
            let rest = parts[1..].iter().map(String::as_str);
            parts[0] == name
                && rest
                    .clone()
                    .all(|part| matches!(part, "list" | "element" | "item" | "array" | "bytes"))
        })
    }

    /// Number of rows of a row group.
    pub(super) fn n_rows(&self, group: usize) -> usize {
        let rows = self.reader.metadata().row_group(group).num_rows();
        usize::try_from(rows).unwrap_or(0)
    }

    /// Number of values in a column of a row group, without reading them.
    pub(super) fn n_values(&self, group: usize, column: usize) -> u64 {
        let values = self
            .reader
            .metadata()
            .row_group(group)
            .column(column)
            .num_values();
        u64::try_from(values).unwrap_or(u64::MAX)
    }

    /// All numbers of a column, row by row. All rows have the same length.
    pub(super) fn numbers(&self, group: usize, column: usize) -> Result<Vec<f64>> {
        let rows = self.n_rows(group);
        match self.open(group, column)? {
            ColumnReader::BoolColumnReader(it) => {
                values(it, rows, |&value| f64::from(u8::from(value)))
            }
            ColumnReader::Int32ColumnReader(it) => values(it, rows, |&value| f64::from(value)),
            ColumnReader::Int64ColumnReader(it) => values(it, rows, |&value| value as f64),
            ColumnReader::FloatColumnReader(it) => values(it, rows, |&value| f64::from(value)),
            ColumnReader::DoubleColumnReader(it) => values(it, rows, |&value| value),
            _ => Err("does not hold numbers".to_owned()),
        }
    }

    /// Encoded image files in a column.
    pub(super) fn pictures(&self, group: usize, column: usize) -> Result<Vec<Bytes>> {
        match self.open(group, column)? {
            ColumnReader::ByteArrayColumnReader(it) => values(it, self.n_rows(group), |value| {
                Bytes::copy_from_slice(value.data())
            }),
            _ => Err("does not hold pictures".to_owned()),
        }
    }

    fn open(&self, group: usize, column: usize) -> Result<ColumnReader> {
        check_parquet_column(
            &self.bytes,
            self.reader.metadata().row_group(group).column(column),
        )?;
        let reader = self.reader.get_row_group(group);
        reader
            .and_then(|group| group.get_column_reader(column))
            .map_err(|error| format!("cannot be read: {error}"))
    }
}

/// Values of all rows. All rows have the same length and no missing values.
fn values<T: DataType, V>(
    mut column: ColumnReaderImpl<T>,
    rows: usize,
    value: impl Fn(&T::T) -> V,
) -> Result<Vec<V>> {
    let (mut definition, mut repetition, mut all) = (Vec::new(), Vec::new(), Vec::new());
    let mut n_rows = 0;
    while n_rows < rows {
        let read = column.read_records(
            rows - n_rows,
            Some(&mut definition),
            Some(&mut repetition),
            &mut all,
        );
        let (records, ..) = read.map_err(|error| format!("cannot be read: {error}"))?;
        if records == 0 {
            return Err(format!("ends after {n_rows} of {rows} rows"));
        }
        n_rows += records;
    }
    let width = all.len() / rows.max(1);
    let is_regular = repetition
        .iter()
        .enumerate()
        .all(|(i, level)| (*level == 0) == (i % width.max(1) == 0));
    if n_rows != rows || width == 0 || all.len() != rows * width || !is_regular {
        return Err("has missing values, or rows of different lengths".to_owned());
    }
    Ok(all.iter().map(value).collect())
}
