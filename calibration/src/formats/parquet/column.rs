//! Reads the values of one column, row group by row group.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};

use super::pages;
use crate::CalibrationError;
use crate::formats::refuse_at;

/// Approximate number of values decoded at once.
const BATCH: usize = 1 << 16;

/// A column to read.
pub(super) struct Source<'a> {
    pub(super) file: &'a str,
    /// Label in messages.
    pub(super) label: &'a str,
    /// Index among the columns of the file.
    pub(super) leaf: usize,
    /// Numbers per row, for a list.
    pub(super) width: Option<usize>,
}

impl Source<'_> {
    /// Reads some of the numbers in each row as series; indices from 0.
    pub(super) fn read<R: ChunkReader + 'static>(
        &self,
        reader: &SerializedFileReader<R>,
        twin: &R,
        elements: &[usize],
        rows: usize,
    ) -> Result<Vec<Vec<f64>>, CalibrationError> {
        let mut series = vec![Vec::new(); elements.len()];
        for (at, group) in reader.metadata().row_groups().iter().enumerate() {
            pages::check(twin, group.column(self.leaf))
                .map_err(|problem| self.refuse_column(&problem))?;
            let column = reader
                .get_row_group(at)
                .and_then(|group| group.get_column_reader(self.leaf))
                .map_err(|error| self.damaged(&error))?;
            let wanted = group.num_rows() as usize;
            let series = &mut series;
            match column {
                ColumnReader::Int32ColumnReader(column) => {
                    self.group(column, |value| f64::from(*value), elements, wanted, series)
                }
                ColumnReader::Int64ColumnReader(column) => {
                    self.group(column, |value| *value as f64, elements, wanted, series)
                }
                ColumnReader::FloatColumnReader(column) => {
                    self.group(column, |value| f64::from(*value), elements, wanted, series)
                }
                ColumnReader::DoubleColumnReader(column) => {
                    self.group(column, |value| *value, elements, wanted, series)
                }
                _ => Err(self.refuse_column("does not hold plain numbers")),
            }?;
        }
        if series.iter().any(|values| values.len() != rows) {
            return Err(self.refuse_column(&format!(
                "has {} values for the {rows} rows of the file",
                series.first().map_or(0, Vec::len)
            )));
        }
        Ok(series)
    }

    fn group<T: DataType>(
        &self,
        mut column: ColumnReaderImpl<T>,
        number: impl Fn(&T::T) -> f64,
        elements: &[usize],
        rows: usize,
        series: &mut [Vec<f64>],
    ) -> Result<(), CalibrationError> {
        let width = self.width.unwrap_or(1).max(1);
        let (mut definition, mut repetition, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let mut left = rows;
        while left > 0 {
            definition.clear();
            repetition.clear();
            values.clear();
            let batch = left.min((BATCH / width).max(1));
            let (records, found, levels) = column
                .read_records(
                    batch,
                    Some(&mut definition),
                    Some(&mut repetition),
                    &mut values,
                )
                .map_err(|error| self.damaged(&error))?;
            if records == 0 {
                return Err(self.refuse_column(&format!(
                    "ends {left} rows before its row group: the file is cut off or damaged"
                )));
            }
            let starts = |level: usize| repetition.get(level).is_none_or(|&level| level == 0);
            let whole = (0..levels).all(|level| starts(level) == (level % width == 0));
            if records > batch || levels != records * width || found != levels || !whole {
                let first = series.first().map_or(0, Vec::len);
                return Err(self.odd_row(first, width, &definition, &repetition, levels));
            }
            for (element, series) in elements.iter().zip(series.iter_mut()) {
                series.extend(values.iter().skip(*element).step_by(width).map(&number));
            }
            left -= records;
        }
        Ok(())
    }

    /// Error that names the first row with a null, or with another number of values than the others.
    fn odd_row(
        &self,
        first: usize,
        width: usize,
        definition: &[i16],
        repetition: &[i16],
        levels: usize,
    ) -> CalibrationError {
        let present = definition.iter().copied().max().unwrap_or(0);
        let (mut row, mut numbers) = (0, 0);
        let place = |row: usize| format!(", row {}, {}", first + row, self.label);
        for level in 0..=levels {
            let starts = level == levels || repetition.get(level).is_none_or(|&level| level == 0);
            if starts && row > 0 && numbers != width {
                return refuse_at(
                    self.file,
                    place(row),
                    format!("has {numbers} numbers where other rows have {width}"),
                );
            }
            if starts {
                row += 1;
                numbers = 0;
            }
            if definition.get(level).is_some_and(|&level| level < present) {
                break;
            }
            numbers += 1;
        }
        refuse_at(
            self.file,
            place(row.max(1)),
            "has no value (null): delete the row, or fill it",
        )
    }

    fn damaged(&self, error: &ParquetError) -> CalibrationError {
        self.refuse_column(&format!("cannot be read, the file is damaged: {error}"))
    }

    fn refuse_column(&self, problem: &str) -> CalibrationError {
        refuse_at(self.file, format!(", {}", self.label), problem)
    }
}
